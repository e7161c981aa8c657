package schema

import (
	"strings"
	"testing"
)

func TestUnknownState(t *testing.T) {
	for given, want := range map[State]string{
		"OK": `"ok"?`, "Success": `"ok"?`, "failed": `"error"?`, "in-progress": `"running"?`, " Not_Worker ": `"not_worker"?`, "exploded": "or not_worker",
		State(strings.Repeat("x", 1<<20)): "or not_worker",
	} {
		if got := UnknownState(given); !strings.HasSuffix(got, want) || len(got) > 250 || len(given) < 64 && !strings.Contains(got, `"`+string(given)+`"`) {
			t.Errorf("%.80s: %.300s, want %s", given, got, want)
		}
	}
}
