package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stationmaster-io/stationmaster/internal/node"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// try runs the program and returns its exit code and output.
func try(t *testing.T, stdin string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String(), errs.String()
}

func TestWrongUsageIsExitCode2(t *testing.T) {
	for _, c := range []struct{ args, message string }{
		{"", "name a command"},
		{"bogus", `unknown command "bogus"`},
		{"plam", `did you mean "plan"?`},
		{"plan", "name a command"},
		{"plan lst", "unknown command"},
		{"plan creat --station x", `unknown command "creat"; did you mean "create"?`},
		{"plan --bogus", "unknown flag: --bogus"},
		{"plan get", "it is: stationmaster plan get STATION/ID"},
		{"plan get no-slash", `name the plan as STATION/ID: "no-slash" has no slash`},
		{"plan create", "give at least --station and --command"},
		{"plan create --station s --time tomorrow", "--time \"tomorrow\" is no time"},
		{"plan ls --bogus", "unknown flag: --bogus"},
		{"plan create --station s --command c --worker-count 0", "--worker-count is 0; it takes 1 to 100"},
		{"demo --for -3s", "--for -3s is no time to run"},
		{"work --station s --id= -- echo", "--id is empty, as an unset variable"},
		{"plan ls --timeout 0s", "--timeout 0s is no time to wait"},
		{"queue get k --random r --timeout 30 --request-timeout 0s", "--request-timeout 0s is no time to wait"},
		{"task type put t --timeout 30m --request-timeout 0s", "--request-timeout 0s is no time to wait"},
		{"plan ls --due-from tomorrow", "--due-from \"tomorrow\" is no time"},
		{"plan pause", "it is: stationmaster plan pause STATION/ID"},
		{"plan skip no-slash", "name the plan as STATION/ID"},
		{"plan cancel s/p", "it is: stationmaster plan cancel STATION/ID N"},
		{"plan cancel s/p first", "is no number of a run"},
		{"plan run s/p 0", "is no number of a run"},
		{"plan update s/p", "nothing to change"},
		{"plan update s/p --station t", "unknown flag: --station"},
		{"worker", "name a command"},
		{"worker ls a b", "one argument too many"},
		{"station put", "name the station"},
		{"completion bogus", "unknown command"},
		{"serve --bogus", "unknown flag: --bogus"},
		{"serve extra", "one argument too many"},
		{"serve --partitions 65", "partitions 65: give 1 to 64"},
		{"serve --replicas 3", "the embedded nats-server knows of 1"},
		{"serve --sync never", "neither always nor an interval"},
		{"serve --log-format xml", "give text or json"},
		{"serve --prefix a.b", "prefix"},
		{"serve --results-form other", `results-form "other": give own or public`},
		{"serve --cluster-name c", "cluster-listen"},
		{"serve --cluster-listen :1", "cluster-name: give the name"},
		{"plan create --station s --command c --paused", "it would be gone"},
		{"serve --results-age 0s --results-bytes 0", "--results-bytes is 0: give more"},
		{"serve --http-longest-call 0s", "--http-longest-call is 0: give more"},
		{"tail --only lunch", "give results or events"},
		{"work --station s", "name a program to run"},
		{"work --station s -- no-such-program", ") has a program no-such-program: give its path, or put its folder into PATH"},
		{"work --station a..b -- true", `--station "a..b"`},
		{"version extra", "it is: stationmaster version"},
	} {
		code, stdout, stderr := try(t, "", strings.Fields(c.args)...)
		if code != exitUsage || !strings.Contains(stderr, c.message) || stdout != "" {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q; want 2, nothing, %q", c.args, code, stdout, stderr, c.message)
		}
	}
}

func TestHelpIsNoError(t *testing.T) {
	for _, args := range []string{"--help", "help", "help serve", "plan create --help", "completion bash", "--help plan", "-h worker ls", "plan --help create"} {
		code, stdout, stderr := try(t, "", strings.Fields(args)...)
		if code != exitDone || len(stdout) < 100 || stderr != "" {
			t.Errorf("%s: exit code %d, %d bytes, stderr %q", args, code, len(stdout), stderr)
		}
	}
}

// Help about an unknown command is an error in each group, and explains no other command in its
// place.
func TestHelpOfAnUnknownCommandSaysSo(t *testing.T) {
	groups := 0
	var each func(path []string, cmd *cobra.Command)
	each = func(path []string, cmd *cobra.Command) {
		if !cmd.HasSubCommands() {
			return
		}
		groups++
		about := append(slices.Clone(path), "new")
		for _, args := range [][]string{append(slices.Clone(about), "--help"), append([]string{"help"}, about...), append(slices.Clone(about), "--sooner", "-h"), append([]string{"-h"}, about...)} {
			code, stdout, stderr := try(t, "", args...)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, `unknown command "new"`) {
				t.Errorf("%q: exit code %d, stdout %.40q, stderr %q", args, code, stdout, stderr)
			}
		}
		for _, sub := range cmd.Commands() {
			each(append(slices.Clone(path), sub.Name()), sub)
		}
	}
	root := newRoot(func() {})
	addCompletion(root)
	if each(nil, root); groups < 10 {
		t.Errorf("%d groups were tried", groups)
	}
	if _, _, stderr := try(t, "", "periodic", "new", "--help"); !strings.Contains(stderr, `unknown command "new"; did you mean "put"?`) {
		t.Errorf("a word of another program: %q", stderr)
	}
}

func TestVersionIsOneLine(t *testing.T) {
	_, command, _ := try(t, "", "version")
	_, flag, _ := try(t, "", "--version")
	if command != flag || strings.Count(command, "\n") != 1 || !strings.HasPrefix(command, "stationmaster ") {
		t.Errorf("version prints %q, --version %q", command, flag)
	}
}

func TestDecode(t *testing.T) {
	packed, err := wire.Marshal(wire.MsgPack, map[string]any{"n": uint64(18446744073709551615), "at": time.Unix(1, 5e8).UTC()})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ in, out string }{
		{string(packed), `{"at":"1970-01-01T00:00:01.5Z","n":18446744073709551615}` + "\n"},
		{` {"b": [1, 2.50]}`, `{"b": [1, 2.50]}` + "\n"},
		{string(packed) + "\n\n", `{"at":"1970-01-01T00:00:01.5Z","n":18446744073709551615}` + "\n"},
		{"true\n", "true\n"},
		{`"text"`, `"text"` + "\n"},
		{"-12.5\n", "-12.5\n"},
		{"", ""},
	} {
		if code, out, stderr := try(t, c.in, "decode"); code != exitDone || out != c.out {
			t.Errorf("decode %q: exit code %d, %q, %s; want %q", c.in, code, out, stderr, c.out)
		}
	}
	if code, _, stderr := try(t, "{]", "decode"); code != exitFailed || !strings.Contains(stderr, "decode: ") {
		t.Errorf("decode of garbage: exit code %d, %q", code, stderr)
	}
}

func TestSettingsHaveAnOrder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.toml")
	content := "data-dir = \"file\"\nnats_listen = \"file:1\"\nhttp-listen = \"file:2\"\nresults-per-plan = 7\nresults-form = \"public\"\nsync = \"250ms\"\n"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("STATIONMASTER_CONFIG", path)
	t.Setenv("STATIONMASTER_DATA_DIR", "variable")
	t.Setenv("STATIONMASTER_NATS_LISTEN", "variable:1")
	s := setup{node: node.Default()}
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	s.flags(flags)
	if err := flags.Parse([]string{"--data-dir", "flag"}); err != nil {
		t.Fatal(err)
	}
	if err := settle(flags); err != nil {
		t.Fatal(err)
	}
	want := node.Default()
	want.DataDir, want.NATSListen, want.HTTPListen = "flag", "variable:1", "file:2"
	want.ResultsPerPlan, want.ResultsForm, want.Sync = 7, "public", 250*time.Millisecond
	if diff := cmp.Diff(want, s.node); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestSettingsThatMeanNothingAreRefused(t *testing.T) {
	for content, message := range map[string]string{
		"data-dri = \"x\"":         `there is no setting "data-dri"`,
		"[nats]\nlisten = \"x:1\"": "tables and lists mean nothing here",
		"replicas = \"many\"":      "replicas",
		"replicas = ":              "read configuration",
		"lease = 5.x":              "line 1: the value of lease is none of TOML: a text stands in quotes, as in lease = \"…\"",
		"[[a]\n":                   "is none of TOML: it takes the name of a flag",
	} {
		path := filepath.Join(t.TempDir(), "c.toml")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, _, stderr := try(t, "", "serve", "--config", path); code == exitDone || !strings.Contains(stderr, message) {
			t.Errorf("%q: exit code %d, %q; want %q", content, code, stderr, message)
		}
	}
	t.Setenv("STATIONMASTER_LEASE", "soon")
	if code, _, stderr := try(t, "", "serve"); code != exitUsage || !strings.Contains(stderr, "STATIONMASTER_LEASE") {
		t.Errorf("a bad variable: exit code %d, %q", code, stderr)
	}
}

// A user who exports the address for the commands does not want serve to be another's node.
func TestAnExportedAddressIsNoServerBesideOneOfItsOwn(t *testing.T) {
	t.Setenv("STATIONMASTER_NATS_URL", "nats://user:secret@127.0.0.1:9")
	code, _, stderr := try(t, "", "serve", "--data-dir", t.TempDir(), "--sync", "1s")
	for _, want := range []string{"--nats-url (from STATIONMASTER_NATS_URL)", "127.0.0.1:9", ": --data-dir, --sync;"} {
		if code != exitUsage || !strings.Contains(stderr, want) || strings.Contains(stderr, "secret") {
			t.Errorf("exit code %d, %q; want 2, %q and no password", code, stderr, want)
		}
	}
}

func TestDemoTakesFreePortsWhenTheUsualOnesAreTaken(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	s := setup{node: node.Default()}
	flags := pflag.NewFlagSet("demo", pflag.ContinueOnError)
	s.flags(flags)
	s.node.NATSListen, s.node.HTTPListen = taken.Addr().String(), "127.0.0.1:0"
	var output strings.Builder
	if err := s.settleDemo(t.Context(), flags, &output); err != nil {
		t.Fatal(err)
	}
	if want := taken.Addr().String() + " is in use, so NATS gets a free port instead.\n"; output.String() != want {
		t.Errorf("printed %q, want %q", output.String(), want)
	}
	if s.node.NATSListen != "127.0.0.1:0" || s.node.DataDir != "" {
		t.Errorf("listens on %s, data in %q", s.node.NATSListen, s.node.DataDir)
	}
}

func TestTrace(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 3, 0, time.Local) // lines show local time
	text := func(s string) wire.Value { return wire.Text(wire.JSON, s) }
	progress := 40.0
	for _, c := range []struct{ got, want string }{
		{
			traceResult(&schema.Result{
				Station: "hello", PlanID: "greet", Occurrence: 3, Attempt: 1, N: 3, State: schema.StateOK,
				ExecTime: at.Add(-800 * time.Microsecond), EndTime: at, Content: text("hi"),
			}),
			`12:00:03.000 hello/greet  due 3 → execution 3.1 → ok 0.8ms "hi"`,
		},
		{
			traceResult(&schema.Result{
				Station: "a.b", PlanID: "p", Occurrence: 4, Attempt: 2, N: 9, State: schema.StateTimeout, Reason: schema.ReasonExec,
				ExecTime: at.Add(-90 * time.Second), EndTime: at,
			}),
			`12:00:03.000 a.b/p  due 4 → execution 4.2 → timeout 1m30s (exec)`,
		},
		{
			traceResult(&schema.Result{
				Station: "s", PlanID: "p", Occurrence: 9, N: 2, State: schema.StateSkipped, Reason: schema.ReasonMissed, Count: 5, EndTime: at,
			}),
			`12:00:03.000 s/p  due 5 to 9 → skipped (missed)`,
		},
		{
			traceResult(&schema.Result{
				Station: "s", PlanID: "p", N: 7, Attempt: 1, State: schema.StateError, ExecTime: at.Add(-25 * time.Millisecond), EndTime: at,
				Error: text(strings.Repeat("x", 100)), Content: text("unseen"),
			}),
			`12:00:03.000 s/p  triggered → execution #7 → error 25ms "` + strings.Repeat("x", longestBrief-1) + `…`,
		},
		{
			traceNotice(&schema.Notice{Kind: schema.NoticeRunning, Station: "s", PlanID: "p", Occurrence: 1, Attempt: 1, N: 1, Time: at, Progress: &progress}),
			`12:00:03.000 s/p  due 1 → execution 1.1 → running 40%`,
		},
		{
			traceNotice(&schema.Notice{Kind: schema.NoticeDispatched, Station: "s", PlanID: "p", Occurrence: 1, Attempt: 1, N: 1, Time: at}),
			`12:00:03.000 s/p  due 1 → execution 1.1`,
		},
		{
			traceNotice(&schema.Notice{Kind: schema.NoticeCreated, Station: "s", PlanID: "p", Time: at}),
			`12:00:03.000 s/p  created`,
		},
		{
			traceNotice(&schema.Notice{Kind: schema.NoticePaused, Station: "s", PlanID: "p", Time: at}),
			`12:00:03.000 s/p  paused; nothing of it is due until it is resumed`,
		},
		{
			traceNotice(&schema.Notice{Kind: schema.NoticeResumed, Station: "s", PlanID: "p", Time: at}),
			`12:00:03.000 s/p  resumed`,
		},
	} {
		if c.got != c.want {
			t.Errorf("got  %s\nwant %s", c.got, c.want)
		}
	}
}
