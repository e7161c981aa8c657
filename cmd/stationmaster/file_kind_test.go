package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that another command reads is refused with the name of that command, and without a server.
func TestAFileOfAnotherCommandIsRefusedByItsName(t *testing.T) {
	files := map[string]string{
		"apply -f FILE\"": "# plans\nplans:\n  - {station: s, plan_id: p, command: c}\n",
		"apply -f FILE.crontab --station STATION\"": "# mine\n\n*/5 1-3 * * mon-fri echo hi\n",
		"stationmaster import -f FILE\"":            `{"stationmaster":"export","version":1}` + "\n",
		"plan import -f FILE\"":                     `{"station":"s","plan_id":"p","command":"c"}` + "\n",
		"calendar import FILE\"":                    "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
	}
	for command, reads := range map[string][]string{
		"import -f":       {"apply -f FILE\"", "apply -f FILE.crontab --station STATION\"", "calendar import FILE\""},
		"plan import -f":  {"apply -f FILE\"", "apply -f FILE.crontab --station STATION\"", "calendar import FILE\"", "stationmaster import -f FILE\""},
		"apply -f":        {"apply -f FILE.crontab --station STATION\"", "calendar import FILE\"", "plan import -f FILE\""},
		"calendar import": {"apply -f FILE\"", "apply -f FILE.crontab --station STATION\"", "stationmaster import -f FILE\"", "plan import -f FILE\""},
	} {
		for _, right := range reads {
			name := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(name, []byte(files[right]), 0o600); err != nil {
				t.Fatal(err)
			}
			kind, _ := fileKindOf([]byte(files[right]))
			if !strings.HasSuffix(kind.reads+"\"", right) {
				t.Errorf("%q is taken for %v", files[right], kind)
			}
			if strings.HasPrefix(command, "plan import") {
				continue // it connects first, which examples_test.go does
			}
			code, _, errs := try(t, "", append(strings.Fields(command), name)...)
			if code != exitUsage || !strings.Contains(errs, right) {
				t.Errorf("%s of a file for %s: exit code %d, %s", command, right, code, errs)
			}
		}
	}
}
