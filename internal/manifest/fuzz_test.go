package manifest_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
)

// FuzzFiles reads any file, as YAML or as a crontab. The scheduler would accept each plan
// and station in it, and each survives being written as a file and read again.
func FuzzFiles(f *testing.F) {
	for _, text := range []string{
		"stations:\n- station: hello\n  kind: vote\nplans:\n- station: hello\n  plan_id: p\n  command: c\n  plan_type: cron\n  cron: \"@daily\"\n",
		"tasks:\n- name: n\n  cron_expr: 0 3 * * *\n  target_url: https://example.org/a\n", "---\nplans: []\n---\nplans:\n- &a {station: s}\n- *a\n",
	} {
		f.Add(false, text)
	}
	for _, text := range []string{
		"CRON_TZ=Europe/Berlin\n# nightly\n0 3 * * * curl -X POST -H 'A: b' --data 'x\\%y' https://example.org/a >/dev/null 2>&1\n",
		"@daily echo 'a b'\n", "* * * * * curl \"", "MAILTO=x\n@reboot x\n",
	} {
		f.Add(true, text)
	}
	f.Fuzz(func(t *testing.T, crontab bool, text string) {
		var s manifest.Set
		var err error
		if crontab {
			err = s.ReadCrontab("f", strings.NewReader(text), manifest.Crontab{Station: "shell"})
		} else {
			err = s.Read("f", strings.NewReader(text))
		}
		for _, v := range s.Plans {
			if _, err := schema.ParsePlan(v, schema.ParseOptions{NoCommand: true, Shown: true}); err != nil {
				t.Fatalf("%q has the plan %s: %v", text, v, err)
			}
		}
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := manifest.Write(&out, s.Calendars, s.Stations, s.Plans); err != nil {
			t.Fatalf("%q cannot be written: %v", text, err)
		}
		var again manifest.Set
		if err := again.Read("g", &out); err != nil {
			t.Fatalf("%q is written as a file that is refused: %v", text, err)
		}
		if len(again.Plans) != len(s.Plans) || len(again.Stations) != len(s.Stations) {
			t.Fatalf("%q has %d plans and %d stations, and once written %d and %d", text, len(s.Plans), len(s.Stations), len(again.Plans), len(again.Stations))
		}
	})
}
