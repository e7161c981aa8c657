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

// Any text is refused, or is a filter of exactly the keys in it.
func FuzzReadWhere(f *testing.F) {
	for _, text := range []string{"station=mail,status=queued,labels.team=core", "a=b", "labels.=x", "=,", "due_from=-1h", "type=x,text=\xff"} {
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
