package manifest_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Applying an export changes nothing but the label.
func TestAnExportCanBeApplied(t *testing.T) {
	c := start(t)
	apply(t, c, read(t, first), manifest.Options{Set: "a"})
	push := map[string]any{"station": "hello", "plan_id": "queue", "item": 1, "plan_time": "2100-01-01T00:00:00Z", "plan": map[string]any{"command": "c"}}
	if err := c.Do(t.Context(), "plans", "push", push, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.TaskTypes().Put(t.Context(), schema.TaskType{Code: "transcode"}); err != nil {
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
		t.Errorf("a plan that a push made is exported:\n%s", file)
	}
}

// An export has whether a plan is paused now, not whether it was when it was made.
func TestAnExportMarksPausedPlans(t *testing.T) {
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
		if _, err := c.Plan(station, "resumed").Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Plan(station, "paused").Pause(t.Context()); err != nil {
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
			view, err := c.Plan(station, id).Get(t.Context())
			if err != nil || view.State.Status != want {
				t.Errorf("%s/%s elsewhere: %+v, %v; want %s", station, id, view, err, want)
			}
		}
	}
}

func export(t *testing.T, c *client.Client) string {
	t.Helper()
	stations, plans, _, err := manifest.Collect(t.Context(), c, "")
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := manifest.Write(&file, nil, stations, plans); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// Hidden values of an HTTP job are kept where the plan is, and refused by line elsewhere.
func TestFieldsThatAnExportLeavesOut(t *testing.T) {
	c := start(t)
	job := func(id, headers string) string {
		return "  - {station: http, plan_id: " + id + ", command: http, plan_type: cron, cron: '0 0 1 1 *', messages: [{target_url: https://a.org/x, headers: {" + headers + "}}]}\n"
	}
	apply(t, c, read(t, "plans:\n"+job("shown", "Accept: a")+job("signed", "Authorization: Bearer x")), manifest.Options{})
	exported := export(t, c)
	if !strings.Contains(exported, schema.Hidden) || strings.Contains(exported, "Bearer x") {
		t.Fatal(exported)
	}
	_, plans, _, err := manifest.Collect(t.Context(), c, "")
	if err != nil || !slices.Equal(manifest.HiddenIn(plans), []string{"plan http/signed"}) {
		t.Errorf("%q, %v", manifest.HiddenIn(plans), err)
	}
	if shown := apply(t, c, read(t, exported), manifest.Options{}); len(shown) > 0 {
		t.Errorf("where it is from: %q", shown)
	}
	// The present value is kept when another part of the call changes.
	if shown := apply(t, c, read(t, strings.Replace(exported, "a.org/x", "a.org/y", -1)), manifest.Options{}); len(shown) != 2 {
		t.Errorf("changed: %q", shown)
	}
	for plan, err := range c.Plans().ExportWithSecrets(t.Context()) {
		definition, _ := plan.Definition()
		if text := definition.String(); err != nil || strings.Contains(text, "signed") && !(strings.Contains(text, "Bearer x") && strings.Contains(text, "/y")) {
			t.Errorf("%s, %v", text, err)
		}
	}
	for _, tt := range []struct{ plan, want string }{
		{job("other", "Authorization: (secret)"), "f.yaml:2: plan http/other: invalid_plan: messages.headers.Authorization: messages: headers.Authorization is (secret), which keeps the value that is stored of the plan, which does not exist here; give the value, or {{secret:NAME}}"},
		{job("shown", "X-Api-Key: (secret)"), "f.yaml:2: plan http/shown: invalid_plan: messages.headers.X-Api-Key: messages: headers.X-Api-Key is (secret)"},
		{strings.Replace(job("signed", "Authorization: (secret)"), "a.org", "b.org", 1), "f.yaml:2: plan http/signed: invalid_plan: messages.headers.Authorization: messages: headers.Authorization is (secret), which keeps the value that is stored, and target_url"},
	} {
		_, err := manifest.Diff(t.Context(), c, read(t, "plans:\n"+tt.plan), manifest.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v; want %q", err, tt.want)
		}
	}
}

// Numbers that a float64 would round come out of an export as they were sent, and two that
// it would round to one are a difference.
func TestAnExportRoundsNoNumbers(t *testing.T) {
	c := start(t)
	plan := func(id string) map[string]any {
		return map[string]any{"station": "h", "plan_id": "p", "command": "c", "plan_type": "cron", "cron": "0 0 1 1 *",
			"messages": []any{wire.Trust(wire.JSON, []byte(`{"id":`+id+`}`))}}
	}
	if err := c.Do(t.Context(), "plans", "create", plan("123456789012345678901"), nil); err != nil {
		t.Fatal(err)
	}
	exported := export(t, c)
	if !strings.Contains(exported, "id: 123456789012345678901\n") {
		t.Error(exported)
	}
	apply(t, c, read(t, exported), manifest.Options{})
	other := strings.Replace(exported, "678901", "678902", 1)
	if shown := apply(t, c, read(t, other), manifest.Options{}); !slices.Equal(shown, []string{"~ update plan h/p messages"}) {
		t.Errorf("another number: %q", shown)
	}
	if again := export(t, c); again != other {
		t.Errorf("%s\nwant\n%s", again, other)
	}
}

// A text that looks like a number too large for one, such as the hash of a commit, comes out
// of an export as a text, wherever it stands.
func TestAnExportWritesTextsAsTexts(t *testing.T) {
	c := start(t)
	const messages = `["5e10234","1e400",{"-1e400":"12e4567"},["1E999"],"5e1","0x1p-2000"]`
	plan := map[string]any{"station": "h", "plan_id": "p", "command": "1e400", "plan_type": "cron", "cron": "0 0 1 1 *",
		"messages": wire.Trust(wire.JSON, []byte(messages)), "ext": map[string]any{"rev": "12e4567"}, "labels": map[string]any{"1e400": "1e400"}}
	if err := c.Do(t.Context(), "plans", "create", plan, nil); err != nil {
		t.Fatal(err)
	}
	exported := export(t, c)
	apply(t, c, read(t, exported), manifest.Options{})
	view, err := c.PlanNamed(schema.PlanName{Station: "h", PlanID: "p"}).Get(t.Context())
	if got := view.Plan.Field("messages").String(); err != nil || got != messages {
		t.Errorf("%v: messages %s, want %s\n%s", err, got, messages, exported)
	}
}
