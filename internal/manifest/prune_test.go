package manifest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/manifest"
)

// An edited line of a crontab is another plan; a note names the plan of the old line, which
// runs on.
func TestPlansOfASetThatLeftTheFilesAreReported(t *testing.T) {
	c := start(t)
	crontab := func(commands ...string) *manifest.Set {
		s := &manifest.Set{}
		if err := s.ReadCrontab("crontab", strings.NewReader("0 3 * * * "+strings.Join(commands, "\n0 3 * * * ")+"\n"), manifest.Crontab{Station: "shell"}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	var reported []string
	note := func(line string) { reported = append(reported, line) }
	for _, tt := range []struct {
		set      string
		prune    bool
		commands []string
		want     string
	}{
		{"cron", false, []string{"echo hi"}, ""},
		{"cron", false, []string{"echo ho"}, "1 plan of set cron is no longer in these files; --prune removes it (shell/echo-hi-56a79f3b)"},
		{"cron", false, []string{"a", "b", "c"}, "2 plans of set cron are no longer in these files; --prune removes them (shell/echo-hi-56a79f3b, shell/echo-ho-bae3f947)"},
		{"cron", true, []string{"a", "b", "c"}, ""},
		{"", false, []string{"d", "e", "f", "g"}, ""},
		{"", false, []string{"h"}, "4 plans of set default are not in these files; if these are all files of the set, --set default --prune removes them (shell/d-18ac3e73, shell/e-3f79bb7b, shell/f-252f10c8, …)"},
	} {
		reported = nil
		apply(t, c, crontab(tt.commands...), manifest.Options{Set: tt.set, Prune: tt.prune, Note: note})
		if got := strings.Join(reported, "; "); got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.set, tt.commands, got, tt.want)
		}
	}
}

// The note counts all of them, over any number of pages.
func TestAllThatIsLeftIsCounted(t *testing.T) {
	c := start(t)
	var file strings.Builder
	file.WriteString("plans:\n")
	for i := range 1500 {
		fmt.Fprintf(&file, "  - {station: h, plan_id: p%04d, command: c, plan_type: cron, cron: '0 0 1 1 *'}\n", i)
	}
	apply(t, c, read(t, file.String()), manifest.Options{Set: "many"})
	var reported []string
	diff(t, c, read(t, "stations: [{station: h, kind: pub}]"), manifest.Options{Set: "many", Note: func(line string) { reported = append(reported, line) }})
	if want := []string{"1500 plans of set many are no longer in these files; --prune removes them (h/p0000, h/p0001, h/p0002, …)"}; !slices.Equal(reported, want) {
		t.Errorf("%q", reported)
	}
}
