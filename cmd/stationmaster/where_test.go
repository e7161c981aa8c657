package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/bulk"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestReadWhere(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]map[string]any{
		"station=mail,status=queued,labels.team=core": {"station": "mail", "status": []string{"queued"}, "labels": map[string]any{"team": "core"}},
		"status=queued,paused,waits=room":             {"status": []string{"queued", "paused"}, "waits": []string{"room"}},
		"text=a=b, and c":                             {"text": "a=b, and c"},
		"due_before=1h":                               {"due_before": "2026-11-27T13:00:00Z"},
		"labels.a=1,labels.b=2":                       {"labels": map[string]any{"a": "1", "b": "2"}},
		"run.state=failure,run.from=-1h,station=a":    {"station": "a", "run": map[string]any{"state": "failure", "from": "2026-11-27T11:00:00Z"}},
		"run.from=12h,run.until=30m,due_from=12h":     {"due_from": "2026-11-28T00:00:00Z", "run": map[string]any{"from": "2026-11-27T00:00:00Z", "until": "2026-11-27T11:30:00Z"}},
		"run.trouble=true,run.longer_than_ms=50,run.labels.team=core": {
			"run": map[string]any{"trouble": true, "longer_than_ms": int64(50), "labels": map[string]any{"team": "core"}},
		},
	} {
		got, err := readWhere("pause", []string{text}, now)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestReadWhereOfRunsNamesWhatItTakes(t *testing.T) {
	for text, want := range map[string]string{
		"run=failure":              `--where: "run" is no key; give run.KEY=VALUE, such as run.state=failure`,
		"run.stat=failure":         `--where: there is no key "run.stat"; did you mean "run.state"?`,
		"run.trouble=perhaps":      `--where: run.trouble is "perhaps"; it takes true or false`,
		"run.longer_than_ms=1s":    `--where: run.longer_than_ms is "1s"; it takes a number of milliseconds`,
		"run.state=ok,run.state=a": "--where has run.state twice",
	} {
		if _, err := readWhere("trigger", []string{text}, time.Now()); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := readWhere(bulk.RetryTasks, []string{"run.state=ok"}, time.Now()); err == nil {
		t.Error("a filter of tasks has runs")
	}
}

// Any text is refused, or is a filter of exactly the keys in it.
func FuzzReadWhere(f *testing.F) {
	for _, text := range []string{"station=mail,status=queued,labels.team=core", "a=b", "labels.=x", "=,", "due_from=-1h", "type=x,text=\xff", "run.state=x,run.labels.a=b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, verb := range bulk.Verbs {
			filter, err := readWhere(verb, []string{text}, time.Unix(0, 0))
			if err != nil {
				continue
			}
			if len(filter) == 0 {
				t.Fatalf("%q is an empty filter, which would match all", text)
			}
			for key := range filter {
				if !strings.Contains(text, key) {
					t.Fatalf("%q has the key %q", text, key)
				}
			}
			value, err := wire.ValueOf(wire.JSON, filter)
			if err != nil {
				continue // no UTF-8
			}
			_ = (&bulk.Order{Verb: verb, Filter: value}).Check() // which may refuse it
		}
	})
}

func TestOnlyYIsYes(t *testing.T) {
	for line, want := range map[string]bool{"y\n": true, "Yes \n": true, "y": true, "": false, "n\n": false, "yy\n": false, "\ny\n": false} {
		if got := saysYes(strings.NewReader(line)); got != want {
			t.Errorf("%q is %v", line, got)
		}
	}
	if isTerminal(strings.NewReader("y\n")) {
		t.Error("a text is a terminal")
	}
}
