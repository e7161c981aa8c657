package e2e

import (
	"slices"
	"strings"
	"testing"
)

// A request that names a worker twice stops no leader. An earlier release accepted it, and
// its leaders stopped one after the other, for good.
func TestAWorkerThatIsNamedTwiceStopsNoOther(t *testing.T) {
	t.Parallel()
	s := start(t)
	address := "--nats-url=nats://" + s.nats
	run := func(stdin string, args ...string) {
		t.Helper()
		if _, stderr, code := command(t, stdin, append(args, address)...); code != 0 {
			t.Fatalf("%v ends with %d: %s", args, code, stderr)
		}
	}
	run(`{"station":"agents","kind":"pull"}`, "station", "put", "-f", "-")
	const plan = `{"station":"agents","plan_id":"%","command":"go","plan_type":"none","messages":["x"],"worker_ids":["w1","w1"]}`
	for _, id := range []string{"p1", "p2", "p3"} {
		run(strings.ReplaceAll(plan, "%", id), "plan", "create", "-f", "-")
	}
	c := connect(t, s, inJSON)
	got := c.claim("agents", "w1", body{"limit": 1})
	if len(got) != 1 {
		t.Fatalf("%d executions, not one", len(got))
	}
	match(t, "the acknowledgement", got[0].request(body{"state": "ok"}), body{"ack": true, "accepted": true})

	// The plan is stored as it was sent.
	s.kill9()
	s.restart(t)
	c = connect(t, s, inJSON)
	match(t, "plans.get", c.req("plans.get", name("agents", "p2")).obj("plan"), body{"worker_ids": []any{"w1", "w1"}})
	if got := c.claim("agents", "w2", body{"limit": 10}); len(got) != 0 {
		t.Errorf("w2 gets %s", ids(got))
	}
	run("", "plan", "rm", "agents/p2")
	if got, want := ids(c.claim("agents", "w1", body{"limit": 10})), "p3"; got != want {
		t.Errorf("w1 gets %s, not %s", got, want)
	}
	run("", "plan", "rm", "agents/p3")
	if exit := s.terminate(); exit != 0 {
		t.Errorf("it ended with %d", exit)
	}
	if trouble := slices.Concat(s.log.grep("panic"), s.log.grep("level=ERROR")); len(trouble) > 0 {
		t.Error(trouble)
	}
}
