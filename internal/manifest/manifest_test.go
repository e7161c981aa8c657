package manifest_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/internal/manifest"
	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// nats-server's cached clock exists once a process.
		goleak.IgnoreTopFunction("github.com/nats-io/nats-server/v2/server/ats.init.0.func1"))
}

func read(t *testing.T, text string) *manifest.Set {
	t.Helper()
	s := &manifest.Set{}
	if err := s.Read("f.yaml", strings.NewReader(text)); err != nil {
		t.Fatal(err)
	}
	return s
}

const first = `
stations:
  - station: hello
    kind: pub
plans:
  - station: hello
    plan_id: office
    command: greet
    plan_type: cron
    cron: "0 9 * * mon-fri"
    labels: {team: core}
---
tasks:
  - name: sync stats
    cron_expr: "*/15 * * * *"
    target_url: http://svc.internal/api/sync
    headers_json: {X-A: "1"}
    status: disabled
`

func TestAFileThatIsWrong(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"plan:\n  - a\n", `f.yaml:1: unknown list "plan"; a file has calendars, stations, plans, tasks`},
		{`{"stationmaster":"export","version":1}` + "\n{}\n", "stationmaster import"},
		{"- a\n", "f.yaml:1: here is no map"},
		{"plans: {a: 1}\n", "f.yaml:1: plans takes a list"},
		{"plans:\nplans:\n", "f.yaml:2: plans is given twice"},
		{"plans:\n\t- a\n", "a tab"},
		{"plans:\n  - {station: h, plan_id: a, command: c, messages: [010]}\n", "010 is read as another number"},
		{"plans:\n  - {station: h, plan_id: a, command: c, messages: [0.5, 0e1, 08]}\n", "08 is read as another number"},
		{"plans:\n  - {station: h, plan_id: a, command: c, messages: [+08]}\n", "+08 is read as another number"},
		{"plans:\n  - {station: h, plan_id: a, command: c, messages: [0x10]}\n", "line 2: 0x10 is read as a number by YAML, and is none in JSON; write its decimal digits"},
		{"plans:\n  - {station: h, plan_id: a, command: c, messages: [{a: [1_000]}]}\n", "line 2: 1_000 is read as a number by YAML"},
		{"plans:\n  - {station: h, plan_id: a, command: c, messages: [.inf]}\n", "line 2: .inf is read as a number by YAML"},
		{"plans:\n  - {station: h, plan_id: a, command: c, plan_type: time, plan_time: 2026-12-01 09:00:00}\n", "plan_time"},
		{"plans: [", "f.yaml: "},
		{"plans:\n  - station: hello\n    plan_id: a\n    command: c\n    plan_typ: cron\n", "f.yaml:2: "},
		{"plans:\n  - station: hello\n    command: c\n", "plan_id is missing"},
		{"plans:\n  - station: a..b\n    plan_id: a\n    command: c\n", "station"},
		{"plans:\n  - {station: h, plan_id: a, command: c}\n  - {station: h, plan_id: a, command: d}\n", "plan h/a is at f.yaml:2, too"},
		{"plans:\n  - {station: h, station: h}\n", "station"},
		{"stations:\n  - {station: h, kind: club}\n", "kind"},
		{"tasks:\n  - {name: a, cron_expr: '* * * * *', target_url: x}\n", "target_url"},
		{"tasks:\n  - 5\n", "f.yaml:2: "},
	} {
		s := &manifest.Set{}
		if err := s.Read("f.yaml", strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.text, err, tt.want)
		}
	}
}

func TestATextIsTakenAsItStands(t *testing.T) {
	s := read(t, "plans:\n  - {station: 1e3, plan_id: 007, command: yes, caller: 2026-12-01, labels: {team: 010}, worker_ids: [01], messages: [1, on]}\n")
	want := `{"plan_id":"007","station":"1e3","command":"yes","caller":"2026-12-01","labels":{"team":"010"},"messages":[1,"on"],"worker_ids":["01"]}`
	if got := s.Plans[0].String(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Numbers keep the digits of the file, also when it is written again.
func TestANumberIsTakenAsItStands(t *testing.T) {
	const numbers = `[123456789012345678901,12345678901234567.5,{"id":18446744073709551616,"x":1.50},-0,1E5,1e-400,0.1,18446744073709551615]`
	s := read(t, `plans:
  - {station: h, plan_id: a, command: c, messages: [123456789012345678901, 12345678901234567.5, {id: 18446744073709551616, x: 1.50}, -0, 1E5, 1e-400, 0.1, 18446744073709551615]}
  - {station: h, plan_id: b, command: c, messages: [.5, +5, -.5]}
  - &base {station: h, plan_id: c, command: c, messages: &list [{a: 1, b: &n 10000000000000000001}]}
  - {<<: [{plan_id: d, command: d}, *base], messages: [*n, *list]}
`)
	var out bytes.Buffer
	if err := manifest.Write(&out, nil, nil, s.Plans); err != nil {
		t.Fatal(err)
	}
	for which, set := range map[string]*manifest.Set{"read": s, "written": read(t, out.String())} {
		for i, want := range []string{
			`h/a c ` + numbers, `h/b c [0.5,5,-0.5]`, `h/c c [{"a":1,"b":10000000000000000001}]`, `h/d d [10000000000000000001,[{"a":1,"b":10000000000000000001}]]`,
		} {
			var p schema.Plan
			if err := wire.Decode(set.Plans[i], &p); err != nil {
				t.Fatal(err)
			}
			if got := p.Station + "/" + p.PlanID + " " + p.Command + " " + set.Plans[i].Field("messages").String(); got != want {
				t.Errorf("%s: %s, want %s", which, got, want)
			}
		}
	}
}

func TestACrontab(t *testing.T) {
	const form = "application/x-www-form-urlencoded"
	s := &manifest.Set{}
	err := s.ReadCrontab("crontab", strings.NewReader(`
MAILTO=ops@example.org
# every quarter
*/15 * * * *  http://svc.internal/api/sync

CRON_TZ=Europe/Berlin
@daily curl -fsS -X PUT -H 'X-Key: a b' -m 5 "https://svc.internal/day" >/dev/null 2>&1
0 6 * * 1-5   curl --data '{"a":1}' -H "Content-Type: application/json" http://svc.internal/post
# nightly backup
30 2 * * *    /usr/local/bin/backup --to /mnt | logger
5 0 1 * *     date +\%F
# typed in lower case
@hourly curl -d '{}' -H 'content-type: application/json' http://svc.internal/lower
# a method and data
@hourly curl -X PUT -d a=1 -d b=2 http://svc.internal/form
# no data
@hourly curl -d '' http://svc.internal/empty
# it keeps nothing
@hourly curl -so /dev/null -m5 http://svc.internal/quiet
# it keeps a file
@hourly curl -fsSo /var/www/status.html http://svc.internal/status
# as does this
@hourly curl --output '/var/www/a b' http://svc.internal/status
# a header has two values
@hourly curl -H 'X: y' -H 'x: z' http://svc.internal/twice
`), manifest.Crontab{Station: "shell"})
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, v := range s.Plans {
		var p schema.Plan
		if err := wire.Decode(v, &p); err != nil {
			t.Fatal(err)
		}
		if p.Station != "http" {
			text, _ := p.Messages[0].Text()
			got = append(got, []string{p.Station, p.PlanID, p.Cron, p.Timezone, p.Description, text})
			continue
		}
		call, err := schema.ParseHTTPCall(p.Messages[0])
		if err != nil || cronjob.ID(call.Name) != p.PlanID {
			t.Errorf("%s: %v", p.Messages[0], err)
		}
		got = append(got, []any{call.Name, p.Cron, p.Timezone, string(call.HTTPMethod), call.TargetURL, call.Headers, call.BodyTemplate, call.Timeout()})
	}
	want := []any{
		[]any{"every quarter", "0 */15 * * * *", "UTC", "GET", "http://svc.internal/api/sync", map[string]string(nil), "", 15 * time.Second},
		[]any{"PUT https://svc.internal/day", "0 0 0 * * *", "Europe/Berlin", "PUT", "https://svc.internal/day", map[string]string{"X-Key": "a b"}, "", 5 * time.Second},
		[]any{"POST http://svc.internal/post", "0 0 6 * * 1-5", "Europe/Berlin", "POST", "http://svc.internal/post", map[string]string{"Content-Type": "application/json"}, `{"a":1}`, 15 * time.Second},
		[]string{"shell", "nightly-backup-02bd51e4", "30 2 * * *", "Europe/Berlin", "nightly backup", "/usr/local/bin/backup --to /mnt | logger"},
		[]string{"shell", "date---F-a43a1adc", "5 0 1 * *", "Europe/Berlin", "", "date +%F"},
		[]any{"typed in lower case", "0 0 * * * *", "Europe/Berlin", "POST", "http://svc.internal/lower", map[string]string{"content-type": "application/json"}, "{}", 15 * time.Second},
		[]any{"a method and data", "0 0 * * * *", "Europe/Berlin", "PUT", "http://svc.internal/form", map[string]string{"Content-Type": form}, "a=1&b=2", 15 * time.Second},
		[]any{"no data", "0 0 * * * *", "Europe/Berlin", "POST", "http://svc.internal/empty", map[string]string{"Content-Type": form}, "", 15 * time.Second},
		[]any{"it keeps nothing", "0 0 * * * *", "Europe/Berlin", "GET", "http://svc.internal/quiet", map[string]string(nil), "", 5 * time.Second},
		[]string{"shell", "it-keeps-a-file-1310e089", "@hourly", "Europe/Berlin", "it keeps a file", "curl -fsSo /var/www/status.html http://svc.internal/status"},
		[]string{"shell", "as-does-this-0ddc6232", "@hourly", "Europe/Berlin", "as does this", "curl --output '/var/www/a b' http://svc.internal/status"},
		[]string{"shell", "a-header-has-two-values-bf30c85d", "@hourly", "Europe/Berlin", "a header has two values", "curl -H 'X: y' -H 'x: z' http://svc.internal/twice"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var notes []string
	for _, line := range []int{8, 13, 15, 17} {
		notes = append(notes, fmt.Sprintf("crontab:%d: the call may take 15s, because no --max-time stands there, without which curl waits for ever", line))
	}
	if diff := cmp.Diff(notes, s.Notes[1:]); diff != "" { // the first is about MAILTO
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

func TestALineOfACrontabThatIsNotTaken(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"* * * * *", "neither"},
		{"hello", "neither"},
		{"@reboot http://a/", "@reboot"},
		{"FOO=bar", "FOO"},
		{"CRON_TZ=Mars/Olympus", "Mars/Olympus"},
		{"* * * * * echo hi", "--station"},
		{"* * * * * mail me%hello", "%"},
		{"* * * * * curl -fsS", "no address"},
		{"* * * * * curl -", "not understood"},
		{"* * * * * curl -so", "not understood"},
		{"* * * * * curl -O http://a/", "option -O is not understood"},
		{"* * * * * curl -o f http://a/", "is a command, because curl writes f; choose the station"},
		{"* * * * * curl -H X:y -H x:z http://a/", "is a command, because curl sends the header x twice"},
		{"* * * * * curl -u me:secret http://a/", "-u"},
		{"* * * * * curl -d @file http://a/", "reads a file"},
		{"* * * * * curl http://a/ http://b/", "two addresses"},
		{"* * * * * curl 'http://a/{b,c}'", "several addresses"},
		{"* * * * * curl 'http://[::1]/[1-3]'", "several addresses"},
		{"* * * * * curl -m x http://a/", "seconds"},
		{"* * * * * curl -H x http://a/", "colon"},
		{"* * * * * ftp://a/", "--station"},
		{"@daily http:///x", "target_url"},
		{"@daily " + strings.Repeat("x", bufio.MaxScanTokenSize), "too long"},
	} {
		s := &manifest.Set{}
		err := s.ReadCrontab("c", strings.NewReader("\n"+tt.line+"\n"), manifest.Crontab{})
		if err == nil || !strings.HasPrefix(err.Error(), "c:2: ") || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.line, err, tt.want)
		}
	}
}

// An address with brackets is one call with -g, and where they are an IPv6 address.
func TestAnAddressWithBracketsIsACall(t *testing.T) {
	for _, line := range []string{"* * * * * curl -sg 'http://a/[1-3]'", "* * * * * curl --globoff 'http://a/{b}'", "* * * * * curl 'http://[::1]:80/x'"} {
		s := &manifest.Set{}
		if err := s.ReadCrontab("c", strings.NewReader(line+"\n"), manifest.Crontab{}); err != nil || len(s.Plans) != 1 {
			t.Errorf("%s: %d plans, %v", line, len(s.Plans), err)
		}
	}
}

// patience bounds work that should take milliseconds.
const patience = time.Minute

// start runs an installation.
func start(t *testing.T) *client.Client {
	t.Helper()
	c := node.Default()
	c.DataDir = t.TempDir()
	c.NATSListen, c.HTTPListen = "", ""
	c.Sync = time.Minute       // a test's folder need not survive a power cut
	c.Lease = 15 * time.Second // a stall of a second changes no leader
	c.Log = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	n, err := node.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Stop(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	if err := n.AwaitReady(ctx); err != nil {
		t.Fatal(err)
	}
	nc, err := n.Connect(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	asking, err := client.New(nc, client.Options{Timeout: patience})
	if err != nil {
		t.Fatal(err)
	}
	return asking
}

// diff compares, and returns the changes as they are shown.
func diff(t *testing.T, c *client.Client, s *manifest.Set, o manifest.Options) (changes []manifest.Change, shown []string) {
	t.Helper()
	changes, err := manifest.Diff(t.Context(), c, s, o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range changes {
		line, _, _ := strings.Cut(changes[i].String(), "\n")
		for _, f := range changes[i].Fields {
			if changes[i].Action == manifest.Update {
				line += " " + f.Name
			}
		}
		shown = append(shown, line)
	}
	return changes, shown
}

func apply(t *testing.T, c *client.Client, s *manifest.Set, o manifest.Options) []string {
	t.Helper()
	changes, shown := diff(t, c, s, o)
	if done, err := manifest.Apply(t.Context(), c, changes); err != nil || done != len(changes) {
		t.Fatalf("%d of %d changes: %v", done, len(changes), err)
	}
	return shown
}

func TestAnApplyMakesThePlansOfTheFiles(t *testing.T) {
	c := start(t)
	o := manifest.Options{Set: "a", Prune: true}
	task := "plan http/" + cronjob.ID("sync stats") + " (sync stats)"
	want := func(what string, got []string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	want("at first", apply(t, c, read(t, first), o), "+ create station hello", "+ create plan hello/office", "+ create "+task)
	want("again", apply(t, c, read(t, first), o))

	// A plan without a label, and one of another set, stay.
	other := read(t, "plans:\n  - {station: hello, plan_id: other, command: c, plan_type: cron, cron: '0 0 1 1 *'}\n")
	want("another set", apply(t, c, other, manifest.Options{Set: "b"}), "+ create plan hello/other")
	if _, err := c.Plans().Create(t.Context(), schema.Plan{PlanID: "mine", Station: "hello", Command: "c", Schedule: schema.Schedule{PlanType: schema.TypeCron, Cron: "0 0 1 1 *"}}); err != nil {
		t.Fatal(err)
	}
	want("with others there", apply(t, c, read(t, first), o))

	changed := strings.NewReplacer("kind: pub", "kind: api", "mon-fri", "mon", "team: core", "team: edge", "*/15", "*/20", "disabled", "enabled").Replace(first)
	want("changed", apply(t, c, read(t, changed), o),
		"~ update station hello kind", "~ update plan hello/office cron labels", "~ update "+task+" cron", "~ resume "+task)
	want("changed, again", apply(t, c, read(t, changed), o))

	none := read(t, "stations: [{station: hello, kind: api}]")
	if _, err := manifest.Diff(t.Context(), c, none, o); !errors.Is(err, manifest.ErrPrunesMost) || !strings.Contains(err.Error(), "2 of the 2 plans of a") {
		t.Errorf("without the plan: %v", err)
	}
	o.PruneMost = true
	want("without the plan", apply(t, c, none, o), "- remove plan hello/office", "- remove "+task)
	if _, err := c.Plan("hello", "mine").Get(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := c.Plan("hello", "other").Get(t.Context()); err != nil {
		t.Error(err)
	}
}

// A file's fields of a station are compared by meaning, not by notation.
func TestAnEmptyFieldOfAStationIsNoDifference(t *testing.T) {
	c := start(t)
	s := read(t, `stations: [{station: hello, kind: api, description: "", encoding: ""}]`)
	apply(t, c, s, manifest.Options{})
	if shown := apply(t, c, s, manifest.Options{}); len(shown) > 0 {
		t.Errorf("again: %v", shown)
	}
}

func TestAnApplyPausesAndResumes(t *testing.T) {
	c := start(t)
	plan := func(paused string) *manifest.Set {
		return read(t, "plans:\n  - {station: h, plan_id: p, command: c, plan_type: cron, cron: '0 0 1 1 *'"+paused+"}\n")
	}
	apply(t, c, plan(", paused: true"), manifest.Options{})
	for _, tt := range []struct{ paused, want string }{
		{"", ""}, {", paused: true", ""}, {", paused: false", "~ resume plan h/p"}, {"", ""}, {", paused: true", "~ pause plan h/p"},
	} {
		if got := strings.Join(apply(t, c, plan(tt.paused), manifest.Options{}), ""); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.paused, got, tt.want)
		}
	}
}

func TestAPlanThatChangedSinceItWasComparedIsAConflict(t *testing.T) {
	c := start(t)
	apply(t, c, read(t, first), manifest.Options{})
	changes, _ := diff(t, c, read(t, strings.Replace(first, "mon-fri", "sun", 1)), manifest.Options{})
	if _, err := c.Plan("hello", "office").Update(t.Context(), client.Update{Set: schema.Plan{Schedule: schema.Schedule{Cron: "0 1 * * *"}}}); err != nil {
		t.Fatal(err)
	}
	done, err := manifest.Apply(t.Context(), c, changes)
	if done != 0 || !errors.Is(err, client.ErrConflict) || !strings.Contains(err.Error(), "update plan hello/office") {
		t.Errorf("%d done, %v", done, err)
	}
	changes, _ = diff(t, c, &manifest.Set{}, manifest.Options{Set: "default", Prune: true, PruneMost: true})
	if _, err := c.Plan("hello", "office").Update(t.Context(), client.Update{Set: schema.Plan{Schedule: schema.Schedule{Cron: "0 2 * * *"}}}); err != nil {
		t.Fatal(err)
	}
	done, err = manifest.Apply(t.Context(), c, changes)
	if done != 0 || !errors.Is(err, client.ErrConflict) || !strings.Contains(err.Error(), "remove plan hello/office") {
		t.Errorf("%d removed, %v", done, err)
	}
}

// An invalid schedule is reported before anything is shown or done, for every plan.
func TestTheCalendarIsAskedBeforeAnythingIsDone(t *testing.T) {
	c := start(t)
	s := read(t, `plans:
  - {station: h, plan_id: good, command: c, plan_type: cron, cron: '0 0 1 1 *'}
  - {station: h, plan_id: never, command: c, plan_type: cron, cron: '0 0 31 2 *'}
  - {station: h, plan_id: none, command: c, plan_type: cron, cron: '61 * * * *'}
`)
	_, err := manifest.Diff(t.Context(), c, s, manifest.Options{})
	for _, want := range []string{":3: plan h/never: invalid_plan: cron: no day", ":4: plan h/none: invalid_plan: cron: field 1 (minute): 61"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nlacks %q", err, want)
		}
	}
	if err != nil && strings.Contains(err.Error(), "good") {
		t.Errorf("%v", err)
	}
}

// Constructs that only YAML has, and plans have not, are refused in our words.
func TestNoWordsOfYAML(t *testing.T) {
	for text, want := range map[string]string{
		"plans: [!!int x]":                            "a tag before a value means nothing here",
		"plans: [{station: !!str x}]":                 "a tag before a value means nothing here",
		"plans: [{1: a}]":                             `the name of a member is a text: write "1", in quotes`,
		"plans: [{labels: {true: a}}]":                `write "true", in quotes`,
		"plans: [{? [a, b] : c}]":                     "here is a list or a map",
		"plans: [{station: a, station: b}]":           `member "station" is given twice, first in line 1`,
		"plans:\n  - station: a\n    foo\n    b: c\n": "this is no YAML: line 3: a line is indented otherwise than its neighbours, or lacks its colon",
		"plans: [a, {\n":                              "this is no YAML: line 1: a value is missing, or a list or a map in brackets is not closed",
		"plans:\n - a: \"x\n":                         "a text in quotes is not closed",
		"plans:\n- {station: s\n- [":                  "this is no YAML",
		"plans: [{<<: *nobody, station: s}]":          "*nobody refers to nothing here",
	} {
		err := (&manifest.Set{}).Read("f", strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "!!") || strings.Contains(err.Error(), "yaml:") || strings.Contains(err.Error(), "interface {}") {
			t.Errorf("%q: %v; want %q", text, err, want)
		}
	}
}
