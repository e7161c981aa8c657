package manifest_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/client/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// What was exported and is applied changes nothing but the label.
func TestAnExportCanBeApplied(t *testing.T) {
	c := start(t)
	apply(t, c, read(t, first), manifest.Options{Set: "a"})
	push := map[string]any{"station": "hello", "plan_id": "queue", "item": 1, "plan_time": "2100-01-01T00:00:00Z", "plan": map[string]any{"command": "c"}}
	if err := c.Do(t.Context(), "plans", "push", push, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutTaskType(t.Context(), &schema.TaskType{Code: "transcode"}); err != nil {
		t.Fatal(err)
	}
	file := export(t, c)
	if _, err := manifest.Diff(t.Context(), c, read(t, file), manifest.Options{Set: "b"}); !errors.Is(err, manifest.ErrOfAnotherSet) || !strings.Contains(err.Error(), "plan hello/office: it is of another set, a") {
		t.Errorf("as another set: %v", err)
	}
	if _, shown := diff(t, c, read(t, file), manifest.Options{Set: "b", Move: true}); len(shown) != 2 {
		t.Errorf("moved: %v", shown)
	}
	if _, shown := diff(t, c, read(t, file), manifest.Options{Set: "a"}); len(shown) != 0 {
		t.Errorf("%v\n%s", shown, file)
	}
	if strings.Contains(file, manifest.Label) {
		t.Errorf("the label of the set is exported:\n%s", file)
	}
	if strings.Contains(file, "queue") {
		t.Errorf("what a push makes is exported:\n%s", file)
	}
}

// An export says whether a plan is paused now, not whether it was when it was made.
func TestAnExportSaysWhatIsPaused(t *testing.T) {
	c := start(t)
	file := "stations: [{station: h, kind: pub}]\nplans:\n"
	for _, station := range []string{"h", "http"} {
		work := ", command: c"
		if station == "http" {
			work = ", command: http, messages: [{target_url: http://a/}]"
		}
		for _, plan := range []string{"made: x, paused: true", "resumed: x, paused: true", "paused: x", "running: x", "both: x, paused: false"} {
			id, rest, _ := strings.Cut(plan, ": x")
			file += "  - {station: " + station + ", plan_id: " + id + ", plan_type: cron, cron: '0 0 1 1 *'" + work + rest + "}\n"
		}
	}
	apply(t, c, read(t, file), manifest.Options{})
	for _, station := range []string{"h", "http"} {
		if _, err := c.Resume(t.Context(), schema.PlanName{Station: station, PlanID: "resumed"}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Pause(t.Context(), schema.PlanName{Station: station, PlanID: "paused"}); err != nil {
			t.Fatal(err)
		}
	}
	exported := export(t, c)
	if shown := apply(t, c, read(t, exported), manifest.Options{}); len(shown) > 0 {
		t.Errorf("where it is from: %q\n%s", shown, exported)
	}
	c = start(t)
	apply(t, c, read(t, exported), manifest.Options{})
	for _, station := range []string{"h", "http"} {
		for id, want := range map[string]schema.Status{
			"made": schema.StatusPaused, "resumed": schema.StatusQueued, "paused": schema.StatusPaused, "running": schema.StatusQueued, "both": schema.StatusQueued,
		} {
			view, err := c.Get(t.Context(), schema.PlanName{Station: station, PlanID: id})
			if err != nil || view.State.Status != want {
				t.Errorf("%s/%s elsewhere: %+v, %v; want %s", station, id, view, err, want)
			}
		}
	}
}

func export(t *testing.T, c *client.Client) string {
	t.Helper()
	stations, plans, err := manifest.Collect(t.Context(), c, "")
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := manifest.Write(&file, stations, plans); err != nil {
		t.Fatal(err)
	}
	return file.String()
}
