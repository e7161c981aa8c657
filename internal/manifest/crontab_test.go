package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
	"github.com/stationmaster-io/stationmaster/worker/process"
)

// Commands have the settings of their crontab; cron's columns are no part of them.
func TestVariablesOfACrontabAreKept(t *testing.T) {
	var s manifest.Set
	err := s.ReadCrontab("c", strings.NewReader(`MAILTO=ops@example.org
17 *	* * *	root	cd / && run
PATH=/opt/bin:/bin
HOME="/home/o'neil"
* * * * * root  echo %path
5 4 * * * www-data prune
SHELL=/bin/bash
@daily root [[ -e x ]] && echo 'a'
MAILTO=
LOGNAME=me
`), manifest.Crontab{Station: "shell", User: "root", Timezone: "Europe/Berlin"})
	if err == nil || !strings.Contains(err.Error(), "c:5: input behind a %") {
		t.Fatalf("%v, want line 5 refused", err)
	}
	var got [][4]string
	for _, v := range s.Plans {
		var p schema.Plan
		if err := wire.Decode(v, &p); err != nil {
			t.Fatal(err)
		}
		text, _ := p.Messages[0].Text()
		got = append(got, [4]string{p.Cron, p.Timezone, text, string(p.Retry.Strategy)})
	}
	want := [][4]string{
		{"17 * * * *", "Europe/Berlin", "cd / && run", "none"},
		{"@daily", "Europe/Berlin", "export PATH='/opt/bin:/bin'; export HOME='/home/o'\\''neil'; exec '/bin/bash' -c '[[ -e x ]] && echo '\\''a'\\'''", "none"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	notes := []string{
		"c:1: MAILTO is left out: no mail is sent; a callback of the station, or plan runs --failed, shows failures",
		"c:6: left out: it is a line of www-data",
		"c:10: LOGNAME is left out: commands run as the user of the worker",
	}
	if diff := cmp.Diff(notes, s.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// A column for the user is no part of a command, and is not taken for one. Bytes of another
// encoding are refused by line, because the stored text would be another command.
func TestACrontabIsUTF8(t *testing.T) {
	var s manifest.Set
	err := s.ReadCrontab("c", strings.NewReader("0 1 * * * echo café\n0 3 * * * rm -r /srv/caf\xe9\n"), manifest.Crontab{Station: "shell"})
	if err == nil || err.Error() != "c:2: it is not UTF-8: write the file so, or the line would be another" {
		t.Errorf("%v, want line 2 refused", err)
	}
	if len(s.Plans) != 1 {
		t.Errorf("%d plans, want that of line 1", len(s.Plans))
	}
}

func TestAColumnForTheUserIsAskedFor(t *testing.T) {
	for file, line := range map[string]string{"/etc/crontab": "17 * * * * www-data echo hi", "c": "17 *\t* * *\troot\techo hi"} {
		var s manifest.Set
		err := s.ReadCrontab(file, strings.NewReader(line), manifest.Crontab{Station: "shell"})
		if err == nil || !strings.Contains(err.Error(), ":1: ") || !strings.Contains(err.Error(), "--user root") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// The environment of a crontab reaches its commands through a worker that runs sh, also
// where the crontab sets several variables.
func TestACommandRunsWithTheSettingsOfItsCrontab(t *testing.T) {
	home := t.TempDir()
	var s manifest.Set
	err := s.ReadCrontab("c", strings.NewReader("PATH=/bin:/usr/bin:/o'neil\nHOME="+home+"\nTZ=Asia/Tokyo\nSHELL=/bin/sh\n0 3 * * * echo \"$PATH $HOME $TZ\"\n"),
		manifest.Crontab{Station: "shell", Timezone: "Europe/Berlin"})
	if err != nil {
		t.Fatal(err)
	}
	var p schema.Plan
	if err := wire.Decode(s.Plans[0], &p); err != nil {
		t.Fatal(err)
	}
	if p.Timezone != "Europe/Berlin" {
		t.Errorf("times are of %s: TZ is for the command", p.Timezone)
	}
	x := &worker.Execution{Execution: schema.Execution{Messages: p.Messages}}
	got, err := process.Handler([]string{"sh"})(t.Context(), x)
	if want := "/bin:/usr/bin:/o'neil " + home + " Asia/Tokyo"; err != nil || got != want {
		t.Errorf("%v, %v; want %s", got, err, want)
	}
}

// Cron joins its two day fields in another way than a plan does, by their first character.
func TestDaysThatCronMeansOtherwiseAreRefused(t *testing.T) {
	for days, want := range map[string]string{
		"1-7 * */7": "mean the days that are in both",
		"*/2 * 1":   "mean the days that are in both",
		"*/2,5 * 1": "mean the days that are in both",
		"1 * */2":   "mean the days that are in both",
		"1-7,* * 1": "mean the days of either",
		"1 * 1":     "", "* * 1": "", "*/1 * 1": "", "1 * *": "", "*/2 * *": "", "* * */2": "", "* * *": "", "1-7,* * *": "", "? * 1": "",
	} {
		for _, command := range []string{"run", "curl --max-time 3 https://example.org/"} {
			var s manifest.Set
			err := s.ReadCrontab("c", strings.NewReader("0 4 "+days+" "+command), manifest.Crontab{Station: "shell"})
			switch {
			case want == "" && err != nil, want != "" && (err == nil || !strings.HasPrefix(err.Error(), "c:1: to cron, ") || !strings.Contains(err.Error(), want)):
				t.Errorf("%s %s: %v; want %q", days, command, err, want)
			}
		}
	}
}

// A credential that would be in the name of a plan is reported by line, and not repeated; ids stay
// as they were, because others would make second plans.
func TestACredentialInANameIsReported(t *testing.T) {
	const secret = "hunter2hunter2"
	for line, reported := range map[string]bool{
		"0 1 * * * backup --password " + secret:                                  true,
		"0 1 * * * API_TOKEN=" + secret + " sync":                                true,
		"0 1 * * * pg_dump postgres://me:" + secret + "@db/x":                    true,
		"0 1 * * * push 4f9a8b7c6d5e4f3a2b1c0d9e":                                true,
		"0 1 * * * https://example.org/hook?token=" + secret:                     true,
		"# nightly\n0 1 * * * backup --password " + secret:                       false,
		"0 1 * * * /usr/local/bin/a-command-of-some-length --password " + secret: false, // behind the part that an id shows
		"0 1 * * * backup --password-file /etc/pw":                               false,
		"0 1 * * * /usr/bin/find /var/tmp -mtime +7 -delete":                     false,
		"0 1 * * * https://example.org/hook":                                     false,
	} {
		var s manifest.Set
		if err := s.ReadCrontab("c", strings.NewReader(line), manifest.Crontab{Station: "shell"}); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		notes := strings.Join(s.Notes, "\n")
		if got := strings.Contains(notes, "c:1: what looks like a credential"); got != reported || strings.Contains(notes, secret) {
			t.Errorf("%s: %q", line, notes)
		}
	}
	var s manifest.Set
	if err := s.ReadCrontab("c", strings.NewReader("0 1 * * * backup --password x"), manifest.Crontab{Station: "shell"}); err != nil {
		t.Fatal(err)
	}
	if id, _ := s.Plans[0].Field("plan_id").Text(); id != "backup---password-x-7a5f1e27" {
		t.Errorf("the id is %s", id)
	}
}

// A line that is commented out names no plan below it, and lines of one command or one comment are
// different plans. A line that stands once keeps the id that it had.
func TestLinesOfOneName(t *testing.T) {
	const text = `# 0 1 * * * /old
0 2 * * * /new
#@daily /old
0 3 * * * /newer
#PATH=/bin
0 4 * * * /newest
# send the weekly report to all
0 5 * * * /report
# same
0 6 * * * /a
# same
0 7 * * * /b
# same
0 7 * * * /c
0 8 * * * /twice
0 9 * * * /twice
0 8 * * * curl https://example.org/ -m 5
0 9 * * * curl https://example.org/ -m 5
`
	s := new(manifest.Set)
	if err := s.ReadCrontab("crontab", strings.NewReader(text), manifest.Crontab{Station: "shell"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range s.Plans {
		id, _ := p.Field("plan_id").Text()
		description, _ := p.Field("description").Text()
		got = append(got, id+" "+description)
	}
	want := []string{
		"new-c84eba96 ", "newer-a067765f ", "newest-6b79ce5f ", "send-the-weekly-report-to-all-87ccb6a4 send the weekly report to all",
		"same-0967115f same", "same--0-7-2b56c61c same", "same--0-7---------c-00add6ce same", "twice-cb33fc3d ", "twice--0-9-c20d1268 ",
		"7qooqjfszes4wqweeqfjysfob44w3oyg ", "gxzsq7zvjgxxfrsgad6gupogfgzu64tp ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	err := s.ReadCrontab("more", strings.NewReader("0 9 * * * /twice\n# other\n0 9 * * * /twice\n"), manifest.Crontab{Station: "shell"})
	if err == nil || err.Error() != "more:1: the same line is at crontab:16, too: leave one of them out" {
		t.Errorf("%v", err)
	}
}
