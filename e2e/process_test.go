package e2e

import (
	"errors"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"
)

func TestTheProbesAnswer200WhenItIsReady(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/healthz", "/readyz"} {
		if code, err := common.get(path); err != nil || code != http.StatusOK {
			t.Errorf("%s answers %d, %v", path, code, err)
		}
	}
}

func TestSIGTERMDrainsAndExitsWith0(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	work := c.worker("w")
	c.create(once("w").with(body{"plan_id": "flying", "start_timeout": 0}))
	x := work.take()
	c.create(far("w").with(body{"plan_id": "waits"}))
	if code := s.terminate(); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if code, err := s.get(path); err == nil {
			t.Errorf("%s still answers %d", path, code)
		}
	}
	// Accepted plans are there, and executions in flight are adopted.
	s.restart(t)
	c.flush()
	match(t, "the plan that waits", c.state("w", "waits"), body{"status": "queued"})
	match(t, "the late answer", x.request(body{"state": "ok"}), body{"ack": true, "accepted": true})
	wantRuns(t, c.runs("w", "flying"), "n=1 k=1 a=1 ok final")
	if trouble := s.log.grep("level=ERROR"); len(trouble) > 0 {
		t.Errorf("errors in the log: %q", trouble)
	}
}

// A terminal sends SIGHUP when it closes, and an operator after a change of a file.
func TestSIGHUPEndsNothing(t *testing.T) {
	t.Parallel()
	s := start(t)
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if line, ok := s.log.await("SIGHUP changes nothing", s.ended); !ok {
		t.Fatalf("it ended: %s", line)
	}
	connect(t, s, inJSON).create(far("w"))
	if code := s.terminate(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// The nats-server is external and goes on, so the services are gone at once.
func TestPublishingToAStoppedSchedulerFindsNoResponders(t *testing.T) {
	t.Parallel()
	host := start(t)
	s, err := launch(t.TempDir(), "--nats-url", "nats://"+host.nats, "--prefix", "acme")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill9)
	c := connect(t, host, inJSON)
	work := c.listen("acme.station.w")
	c.req("acme.plans.create", body{"station": "w", "plan_id": "p", "command": "c", "plan_type": "none"})
	if msg := work.msg(); !strings.HasPrefix(msg.Reply, "acme.plan.reply.0.w.*p.1-") {
		t.Errorf("the reply subject is %s", msg.Reply)
	}
	if e := c.refused("plans.get", name("w", "p")); e.text("code") != "not_found" {
		t.Errorf("the installation without a prefix has it, too: %v", e)
	}
	row(t, bucket(t, c, "acme_plans"), "plan.w.p", true)
	if code := s.terminate(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if msg, err := c.nc.Request("acme.plans.list", nil, patience); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("after it has stopped: %v %v", msg, err)
	}
}

func TestASecondServeOnAFolderOrPortInUseExitsWith1AndOneLine(t *testing.T) {
	t.Parallel()
	s := start(t)
	for what, args := range map[string][]string{
		"the folder":    {"--data-dir", s.dir, "--nats-listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"},
		"the NATS port": {"--data-dir", t.TempDir(), "--nats-listen", s.nats, "--http-listen", "127.0.0.1:0"},
		"the HTTP port": {"--data-dir", t.TempDir(), "--nats-listen", "127.0.0.1:0", "--http-listen", s.http},
	} {
		out, errs, code := command(t, "", append([]string{"serve"}, args...)...)
		if lines := strings.Count(strings.TrimSpace(errs), "\n") + 1; code != 1 || out != "" || lines != 1 || errs == "" {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", what, code, out, errs)
		}
	}
	connect(t, s, inJSON).req("plans.list", body{}) // the first one goes on
}

func TestWrongUsageExitsWith2(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"serve", "--no-such-flag"},
		{"no-such-command"},
		{"plan", "no-such-verb"},
		{"serve", "--lease", "soon"},
		{"work", "--station", "s"},
		{"plan", "get"},
	} {
		if out, errs, code := command(t, "", args...); code != 2 || errs == "" {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, out, errs)
		}
	}
}

func TestForeignKeysInTheBucketAreLeftAloneAndNamedInTheLog(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	c.create(everySecond("w", "skip", -1).with(body{"plan_id": "mine"}))
	plans := bucket(t, c, "plans")
	row(t, plans, "state.w.mine", true)
	foreign := map[string]string{
		"hello":              "world",
		"plan.w":             "no id",
		"plan.w.alien":       "no definition",
		"state.w.alien":      "no state",
		"plan.w.stateless":   `{"station":"w","plan_id":"stateless","command":"c","plan_type":"none"}`,
		"state.w.planless":   "\x81\xa1a\x01",
		"other.w.x":          "",
		"plan.w.bomb":        "\xdd\xff\xff\xff\xff",
		"state.w.more.p":     "{}",
		"checkpoint.foreign": "\x00",
	}
	for key, value := range foreign {
		if _, err := plans.Put(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	s.kill9()
	s.restart(t)
	c.flush()
	results := c.results("w")
	c.serve("w", ok)
	match(t, "another plan", results.until(func(r body) bool { return r.text("plan_id") == "mine" })[0], body{"state": present})
	c.create(once("w").with(body{"plan_id": "new"}))
	results.until(func(r body) bool { return r.text("plan_id") == "new" })
	for _, id := range []string{"alien", "stateless", "planless"} { // the id is taken by a row that cannot be read
		if e := c.refused("plans.create", once("w").with(body{"plan_id": id})); e.text("code") != "conflict" {
			t.Errorf("creating w/%s: %v", id, e)
		}
	}
	for key, value := range foreign {
		if got := row(t, plans, key, true); string(got) != value {
			t.Errorf("key %s held %q and now holds %q", key, value, got)
		}
		if key != "hello" && !strings.Contains(s.log.String(), key) {
			t.Errorf("key %s is not in the log", key)
		}
	}
}
