package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A plan whose station a file changes is another plan. It begins paused where the old one was,
// and a note names the state that it cannot take over.
func TestAMovedPlanStaysPaused(t *testing.T) {
	c := start(t)
	file := func(station string) *manifest.Set {
		return read(t, "plans:\n  - {station: "+station+", plan_id: p, command: c, plan_type: second, plan_value: 1000, plan_repet: 5}\n"+
			"  - {station: "+station+", plan_id: q, command: c, plan_type: second, plan_value: 1000, plan_repet: -1, paused: false}\n")
	}
	for _, prune := range []bool{true, false} {
		from, to := fmt.Sprint("from-", prune), fmt.Sprint("to-", prune)
		var notes []string
		o := manifest.Options{Set: from, Prune: prune, PruneMost: true, Note: func(line string) { notes = append(notes, line) }}
		apply(t, c, file(from), o)
		for _, id := range []string{"p", "q"} {
			if _, err := c.Plan(from, id).Skip(t.Context(), 2); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Plan(from, id).Pause(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		apply(t, c, file(to), o)
		for id, want := range map[string]schema.Status{"p": schema.StatusPaused, "q": schema.StatusQueued} {
			moved, err := c.Plan(to, id).Get(t.Context())
			if err != nil || moved.State.Status != want {
				t.Errorf("%s, with prune %v: %v, %v", id, prune, moved, err)
			}
		}
		all := strings.Join(notes, "\n")
		for _, want := range []string{"plan " + to + "/p is made paused, because " + from + "/p is", "plan " + to + "/p begins anew: of " + from + "/p it does not have the skip of the next 2"} {
			if !strings.Contains(all, want) {
				t.Errorf("with prune %v the notes are %q, want %q", prune, all, want)
			}
		}
		if strings.Contains(all, to+"/q is made paused") {
			t.Errorf("paused: false is not heeded: %q", all)
		}
	}
}
