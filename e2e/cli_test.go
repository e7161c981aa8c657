package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
)

// cli runs a verb of the program against the shared server.
func cli(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return command(t, stdin, append(args, "--nats-url", "nats://"+common.nats)...)
}

func TestVersionIsOneLine(t *testing.T) {
	t.Parallel()
	for _, arg := range []string{"version", "--version"} {
		out, errs, code := command(t, "", arg)
		if code != 0 || errs != "" || strings.Count(out, "\n") != 1 || strings.TrimSpace(out) == "" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", arg, code, out, errs)
		}
	}
}

// A grid counts from --time, or takes only its time of day, so that a user who expects
// --time to be the first time is warned.
func TestTheFirstTimeIsPrintedWhereItDiffersFromTheGivenOne(t *testing.T) {
	t.Parallel()
	for _, verb := range [][]string{{"preview"}, {"create", "--station", "first"}} {
		for kind, want := range map[string]string{
			"time": "", "day": "--value of days from there", "hour": "--value of hours from there",
			"week": "takes the time of day, not the date", "month": "takes the time of day, not the date",
		} {
			args := append([]string{"plan"}, append(verb, "--command", "c", "--type", kind, "--time", "2099-12-01T09:00:00Z")...)
			if kind != "time" {
				args = append(args, "--value", "1", "--repet", "3")
			}
			_, errs, code := cli(t, "", args...)
			if code != 0 || want == "" && errs != "" || !strings.Contains(errs, want) {
				t.Errorf("%v: exit code %d, %q, want %q", args, code, errs, want)
			}
		}
	}
}

func TestPlansAreManagedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	at := station + "/p1"
	if out, errs, code := cli(t, "", "plan", "create", "--station", station, "--id", "p1", "--command", "greet", "--type", "second", "--value", "1000", "--repet", "3"); code != 0 {
		t.Fatalf("create: exit code %d, %s%s", code, out, errs)
	}
	match(t, "the plan", c.req("plans.get", name(station, "p1")).obj("plan"), body{"command": "greet", "plan_type": "second", "plan_value": 1000, "plan_repet": 3})
	if _, errs, code := cli(t, `{"station":"`+station+`","plan_id":"p2","command":"x","plan_type":"cron","cron":"@yearly"}`, "plan", "create", "-f", "-"); code != 0 {
		t.Fatalf("create from stdin: exit code %d, %s", code, errs)
	}

	jsonOf := func(args ...string) any {
		t.Helper()
		out, errs, code := cli(t, "", args...)
		v, err := decodeJSON([]byte(out))
		if code != 0 || err != nil {
			t.Fatalf("%v: exit code %d, %v, stdout %q, stderr %q", args, code, err, out, errs)
		}
		return v
	}
	got, _ := jsonOf("plan", "get", at, "--json").(map[string]any)
	match(t, "plan get --json", body(got).obj("plan"), body{"plan_id": "p1", "command": "greet"})
	if out, _, code := cli(t, "", "plan", "ls", "--json", station); code != 0 || !strings.Contains(out, `"p1"`) || !strings.Contains(out, `"p2"`) || !json.Valid([]byte(strings.SplitN(out, "\n", 2)[0])) && !json.Valid([]byte(out)) {
		t.Errorf("plan ls --json: exit code %d, %q", code, out)
	}
	if out, _, code := cli(t, "", "plan", "ls", station); code != 0 || !strings.Contains(out, "p1") {
		t.Errorf("plan ls: exit code %d, %q", code, out)
	}
	if out, errs, code := cli(t, "", "plan", "rm", at); code != 0 {
		t.Errorf("plan rm: exit code %d, %q %q", code, out, errs)
	}
	if out, errs, code := cli(t, "", "plan", "close", station+"/p2"); code != 0 {
		t.Errorf("plan close: exit code %d, %q %q", code, out, errs)
	}
	if out, errs, code := cli(t, "", "plan", "runs", at, "--json"); code != 0 || !json.Valid([]byte(out)) && out != "" {
		t.Errorf("plan runs of a removed plan: exit code %d, %q %q", code, out, errs)
	}
	for what, args := range map[string][]string{
		"a missing plan":  {"plan", "get", at},
		"a missing one":   {"plan", "rm", at},
		"a refused one":   {"plan", "create", "--station", station, "--command", "c", "--type", "second", "--value", "1"},
		"a name of dots":  {"plan", "create", "--station", "a..b", "--command", "c"},
		"no node answers": {"plan", "ls", "--prefix", "nobody"},
		"a broken number": {"plan", "create", "--station", station, "--command", "c", "--type", "cron", "--cron", "61 * * * *"},
	} {
		out, errs, code := cli(t, "", args...)
		if code != 1 || errs == "" || out != "" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", what, code, out, errs)
		}
	}
}

func TestOneBadLineOfAnImportIsReportedAndTheOthersAreCreated(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	line := func(id, more string) string {
		return `{"station":"` + station + `","plan_id":"` + id + `","command":"c","plan_type":"cron","cron":"@yearly"` + more + "}\n"
	}
	_, errs, code := cli(t, line("a", "")+line("b", `,"cronn":1`)+line("c", ""), "plan", "import")
	if code != 1 || !strings.Contains(errs, "2") || !strings.Contains(errs, "cron") {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
	if plans := c.pages("plans.list", "plans", body{"station": station}); len(plans) != 2 {
		t.Errorf("created: %v", plans)
	}
}

func TestPreviewOnTheCommandLineShowsTheVectorsTimes(t *testing.T) {
	t.Parallel()
	out, errs, code := cli(t, "", "plan", "preview", "--type", "month", "--value", "31", "--repet", "-1",
		"--time", "2026-01-01T08:30:00Z", "--from", "2026-01-31T09:00:00Z", "--count", "3", "--json")
	v, err := decodeJSON([]byte(out))
	answer, _ := v.(map[string]any)
	if code != 0 || err != nil {
		t.Fatalf("exit code %d, %v, %q %q", code, err, out, errs)
	}
	var got []string
	for _, o := range body(answer).list("occurrences") {
		got = append(got, o.text("plan_time"))
	}
	if diff := cmp.Diff([]string{"2026-02-28T08:30:00Z", "2026-03-31T08:30:00Z", "2026-04-30T08:30:00Z"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStationsAreManagedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	for _, step := range []struct {
		args []string
		code int
		out  string // part of stdout
	}{
		{[]string{"station", "put", station, "--kind", "pub", "--description", "news"}, 0, ""},
		{[]string{"station", "get", station}, 0, "pub"},
		{[]string{"station", "get", station, "--json"}, 0, `"news"`},
		{[]string{"station", "ls"}, 0, station},
		{[]string{"station", "rm", station}, 0, ""},
		{[]string{"station", "get", station}, 1, ""},
		{[]string{"station", "put", station, "--kind", "queue"}, 1, ""},
	} {
		out, errs, code := cli(t, "", step.args...)
		if code != step.code || !strings.Contains(out, step.out) || code != 0 && errs == "" {
			t.Errorf("%v: exit code %d, stdout %q, stderr %q", step.args, code, out, errs)
		}
	}
}

func TestWorkersAreListedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	id := "w-" + station
	c.present(id, station)
	c.known(station, id)
	out, errs, code := cli(t, "", "worker", "ls", station, "--json")
	v, err := decodeJSON([]byte(out))
	answer, _ := v.(map[string]any)
	listed := body(answer).list("workers")
	if code != 0 || err != nil || len(listed) != 1 {
		t.Fatalf("exit code %d, %v, %q %q", code, err, out, errs)
	}
	match(t, "the worker", listed[0], body{"worker_id": id, "stations": []any{station}, "last_seen": present})
	if out, errs, code := cli(t, "", "worker", "ls", station); code != 0 || !strings.Contains(out, id) {
		t.Errorf("for people: exit code %d, %q %q", code, out, errs)
	}
}

// A command waits for a server that stalls for longer than the client library waits.
func TestACommandWaitsForAServerThatIsSlowToAnswer(t *testing.T) {
	t.Parallel()
	slow, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var carrying sync.WaitGroup
	defer carrying.Wait()
	defer slow.Close()
	carrying.Go(func() {
		near, err := slow.Accept()
		if err != nil {
			return
		}
		defer near.Close()
		<-time.After(nats.DefaultTimeout + 200*time.Millisecond)
		far, err := net.Dial("tcp", common.nats)
		if err != nil {
			return
		}
		carrying.Go(func() {
			_, _ = io.Copy(far, near) // until the command has ended
			_ = far.Close()
		})
		_, _ = io.Copy(near, far)
	})
	if _, errs, code := command(t, "", "plan", "ls", "nobody", "--nats-url", "nats://"+slow.Addr().String()); code != 0 {
		t.Errorf("exit code %d, %s", code, errs)
	}
}

func TestDecodeMakesJSONOfMessagePack(t *testing.T) {
	t.Parallel()
	raw, err := inMsgPack.encode(body{"a": []any{1, nil, "x"}, "b": []byte{1, 2}, "n": uint64(1<<64 - 1), "t": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	out, errs, code := command(t, string(raw), "decode")
	if code != 0 || !strings.HasSuffix(out, "\n") {
		t.Fatalf("exit code %d, %q %q", code, out, errs)
	}
	got, err := decodeJSON([]byte(out))
	want := map[string]any{"a": []any{int64(1), nil, "x"}, "b": base64.StdEncoding.EncodeToString([]byte{1, 2}), "n": uint64(1<<64 - 1), "t": "2026-01-02T03:04:05Z"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if out, _, code := command(t, "\xdd\xff\xff\xff\xff", "decode"); code != 1 || out != "" {
		t.Errorf("a bomb: exit code %d, %q", code, out)
	}
}

// work starts `stationmaster work` and returns how to end it.
func (c *client) work(station string, program ...string) (terminate func() int) {
	c.t.Helper()
	log := newLogbook()
	cmd := exec.Command(binary, append([]string{"work", "--nats-url", "nats://" + common.nats, "--station", station, "--id", "w-" + station, "--"}, program...)...)
	cmd.Env = plainEnv()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	c.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if c.t.Failed() {
			c.t.Logf("log of work:\n%s", log)
		}
	})
	return func() int {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience):
			c.t.Error("work does not end")
			return -1
		}
		return cmd.ProcessState.ExitCode()
	}
}

func TestAnyProgramIsAWorker(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		results := c.results(station)
		// The first frame selects the behaviour.
		terminate := c.work(station, "sh", "-c", `
			read what
			case "$what" in
			frames) cat ;;
			env) echo "$PLAN_COMMAND|$PLAN_ID|$PLAN_STATION|$PLAN_OCCURRENCE|$PLAN_ATTEMPT|$PLAN_KEY|$PLAN_TIME|$PLAN_CALLER|$PLAN_TITLE" ;;
			fail) echo partly; echo first >&2; echo broken >&2; exit 3 ;;
			*) printf '%s' "no line end" ;;
			esac`)
		plan := once(station).with(body{"retry": body{"strategy": "none"}})

		c.create(plan.with(body{"messages": []any{"frames", "a line", 7, body{"k": []any{1.5, nil}}, "last"}}))
		match(t, "frames", results.next(), body{"state": "ok", "content": "a line\n7\n{\"k\":[1.5,null]}\nlast"})

		id := c.create(plan.with(body{"messages": []any{"env"}, "caller": "me", "description": "title"})).text("plan_id")
		r := results.next()
		want := []string{"proxy", id, station, "1", "1", r.text("key"), r.time("plan_time").UTC().Format(time.RFC3339Nano), "me", "title"}
		if diff := cmp.Diff(want, strings.Split(r.text("content"), "|")); diff != "" {
			t.Errorf("variables (-want +got):\n%s", diff)
		}

		c.create(plan.with(body{"messages": []any{"fail"}}))
		r = results.next()
		match(t, "fail", r, body{"state": "failure", "reason": "retries"})
		if !strings.Contains(r.text("error"), "broken") {
			t.Errorf("the error is %v, want the end of stderr", r["error"])
		}
		c.create(plan)
		match(t, "no frames", results.next(), body{"state": "ok", "content": "no line end", "worker_id": "w-" + station})
		if code := terminate(); code != 0 {
			t.Errorf("exit code %d after SIGTERM", code)
		}
	})
}

func TestTailShowsWhatHappens(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	log, errs := newLogbook(), newLogbook()
	cmd := exec.Command(binary, "tail", station, "--json", "--nats-url", "nats://"+common.nats)
	cmd.Env, cmd.Stdout, cmd.Stderr = plainEnv(), log, errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill(); <-ended }()

	// The command subscribes at a time of its own, so plans are created until one is
	// executed.
	c.serve(station, ok)
	results := c.results(station)
	for deadline := time.Now().Add(patience); len(log.grep(`"state":"ok"`)) == 0; {
		if time.Now().After(deadline) {
			t.Fatalf("tail shows nothing: %s%s", log, errs)
		}
		c.create(once(station))
		results.next()
	}
	for _, line := range log.grep("") {
		if !json.Valid(bytes.TrimSpace([]byte(line))) {
			t.Errorf("no line of JSON: %q", line)
		}
	}
}
