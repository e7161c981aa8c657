package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What ended since a file was written is not run again by it.
func TestAPlanThatHasEndedIsNotMadeAgainByAnImport(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	station, nats := c.station(), "--nats-url=nats://"+s.nats
	plan := once(station).with(body{"plan_id": "once"})
	c.create(plan)
	backup, lines := filepath.Join(t.TempDir(), "backup.jsonl"), filepath.Join(t.TempDir(), "plans.ndjson")
	if _, errs, code := command(t, "", "export", nats, "--out", backup); code != 0 {
		t.Fatal(errs)
	}
	line, err := json.Marshal(plan)
	if err == nil {
		err = os.WriteFile(lines, line, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	results := c.results(station)
	c.serve(station, ok)
	match(t, "its run", results.next(), body{"plan_id": "once", "state": "ok", "final": true})

	for _, again := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"import", "-f", backup}, 1, "it came to its end here since, and would run again; --on-conflict keep leaves it out"},
		{[]string{"import", "-f", backup, "--on-conflict", "keep"}, 0, station + "/once has run and ended, and is not made again"},
		{[]string{"plan", "import", "-f", lines, "--on-conflict", "keep"}, 0, "line 1: " + station + "/once has run and ended"},
		{[]string{"plan", "import", "-f", lines, "--on-conflict", "update"}, 0, "line 1: " + station + "/once has run and ended"},
	} {
		if out, errs, code := command(t, "", append(again.args, nats)...); code != again.code || !strings.Contains(errs, again.says) {
			t.Errorf("%q: exit code %d\n%s%s", again.args, code, out, errs)
		}
	}
	if n := len(c.runs(station, "once")); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	if out, errs, code := command(t, "", "plan", "import", nats, "-f", lines); code != 0 {
		t.Errorf("made anew on demand: exit code %d, %s%s", code, out, errs)
	}
	match(t, "its second run", results.next(), body{"plan_id": "once", "state": "ok", "final": true})
}
