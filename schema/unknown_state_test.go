package schema

import (
	"strings"
	"testing"
)

func TestUnknownState(t *testing.T) {
	for said, want := range map[State]string{
		"OK": `"ok"?`, "Success": `"ok"?`, "failed": `"error"?`, "in-progress": `"running"?`, " Not_Worker ": `"not_worker"?`, "exploded": "or not_worker",
		State(strings.Repeat("x", 1<<20)): "or not_worker",
	} {
		if got := UnknownState(said); !strings.HasSuffix(got, want) || len(got) > 250 || len(said) < 64 && !strings.Contains(got, `"`+string(said)+`"`) {
			t.Errorf("%.80s: %.300s, want %s", said, got, want)
		}
	}
}
