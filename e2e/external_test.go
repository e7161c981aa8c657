package e2e

import (
	"net/http"
	"testing"
	"time"
)

// beside starts a scheduler without a store of its own, on the nats-server of another
// process, under a prefix so that the two do not meet.
func beside(t *testing.T, host *server, prefix string, flags ...string) *server {
	t.Helper()
	s := standby(t, host, prefix, flags...)
	if err := s.ready(); err != nil {
		t.Fatal(err)
	}
	return s
}

// standby is beside without the wait for readiness.
func standby(t *testing.T, host *server, prefix string, flags ...string) *server {
	t.Helper()
	s := &server{dir: t.TempDir(), nats: "127.0.0.1:0", http: "127.0.0.1:0", flags: append([]string{"--nats-url", "nats://" + host.nats, "--prefix", prefix}, flags...)}
	s.spawn()
	t.Cleanup(func() {
		s.kill9()
		if t.Failed() {
			t.Logf("log of the scheduler beside:\n%s", s.log)
		}
	})
	return s
}

func TestAnswersBetweenTwoLeadersAreFoundByTheNextLeader(t *testing.T) {
	t.Parallel()
	host := start(t)
	s := beside(t, host, "x")
	c := connect(t, host, inJSON)
	work, results := c.listen("x.station.w"), c.listen("x.plan.result.w.*")
	take := func() *execution {
		msg := work.msg()
		return &execution{body: c.open(msg), c: c, msg: msg, enc: inJSON}
	}
	plan := body{"station": "w", "command": "c", "plan_type": "none"}
	c.req("x.plans.create", plan.with(body{"plan_id": "a"}))
	c.req("x.plans.create", plan.with(body{"plan_id": "b", "retry": body{"strategy": "fixed_period", "interval": 0.05}}))
	flying := map[string]*execution{}
	for range 2 {
		x := take()
		flying[x.text("plan_id")] = x
	}
	s.kill9()
	flying["a"].send(body{"state": "ok", "content": "while nobody led"})
	flying["b"].send(body{"state": "running"})
	flying["b"].send(body{"state": "error", "error": "while nobody led"})
	c.flush()
	beside(t, host, "x")
	seen := map[string]body{}
	for range 2 {
		r := results.next()
		seen[r.text("plan_id")] = r
	}
	match(t, "a", seen["a"], body{"n": 1, "attempt": 1, "state": "ok", "content": "while nobody led", "final": true})
	match(t, "b", seen["b"], body{"n": 1, "attempt": 1, "state": "error", "error": "while nobody led", "final": false})
	again := take()
	match(t, "the retry", again.body, body{"plan_id": "b", "occurrence": 1, "attempt": 2})
	again.ok()
	match(t, "its result", results.next(), body{"plan_id": "b", "n": 2, "state": "ok"})
}

func TestAStandbyTakesOverWhenTheLeaderIsKilled(t *testing.T) {
	t.Parallel()
	t.Run("of another name", func(t *testing.T) { takeOver(t) })
	// The random parts of processes with one copied configuration distinguish them.
	t.Run("of the same name", func(t *testing.T) { takeOver(t, "--node", "same") })
}

func takeOver(t *testing.T, flags ...string) {
	t.Parallel()
	host := start(t)
	leader := beside(t, host, "y", flags...)
	c := connect(t, host, inMsgPack)
	results, work := c.listen("y.plan.result.w.*"), c.listen("y.station.w")
	take := func(plan string, occurrence int) *execution {
		t.Helper()
		msg := work.msg()
		x := &execution{body: c.open(msg), c: c, msg: msg, enc: inMsgPack}
		match(t, "the execution", x.body, body{"plan_id": plan, "occurrence": occurrence, "attempt": 1})
		return x
	}
	none := body{"station": "w", "command": "c", "plan_type": "none"}
	c.req("y.plans.create", none.with(body{"plan_id": "flying"}))
	flying := take("flying", 1)
	c.req("y.plans.create", body{"station": "w", "plan_id": "grid", "command": "c", "plan_type": "second", "plan_value": 1, "plan_repet": 5, "no_keep": true})
	standby(t, host, "y", flags...)
	for k := range 2 {
		take("grid", k+1).ok()
		results.next()
	}
	// The third execution is held, because one on its way to a worker when the leader dies
	// is adopted, and would wait for its start timeout. The plan that ends now is just
	// being stored.
	third := take("grid", 3)
	c.req("y.plans.create", none.with(body{"plan_id": "ended"}))
	take("ended", 1).ok()
	match(t, "the result", results.next(), body{"plan_id": "ended", "state": "ok"})
	leader.kill9()
	third.ok()
	take("grid", 4).ok()
	take("grid", 5).ok()
	results.until(func(r body) bool { return r.int("occurrence") == 5 })
	// The results that the leader's death left in doubt are broadcast again, and stored
	// once.
	runs := c.pages("y.plans.runs", "runs", name("w", "grid"))
	wantRuns(t, runs, "n=5 k=5 a=1 ok final", "n=4 k=4 a=1 ok final", "n=3 k=3 a=1 ok final", "n=2 k=2 a=1 ok final", "n=1 k=1 a=1 ok final")
	wantRuns(t, c.pages("y.plans.runs", "runs", name("w", "ended")), "n=1 k=1 a=1 ok final")
	match(t, "the answer to the one in flight", flying.request(body{"state": "ok"}), body{"ack": true, "accepted": true})
	wantRuns(t, c.pages("y.plans.runs", "runs", name("w", "flying")), "n=1 k=1 a=1 ok final")
}

// Presence is the bucket's, not the leader's, so that the next leader knows the workers
// before any of them has announced itself again.
func TestTheNextLeaderKnowsTheWorkersThatArePresent(t *testing.T) {
	t.Parallel()
	host := start(t)
	s := beside(t, host, "n")
	c := connect(t, host, inJSON)
	if _, err := bucket(t, c, "n_workers").Put(t.Context(), "w1", c.encode(body{"worker_id": "w1", "stations": []string{"w"}})); err != nil {
		t.Fatal(err)
	}
	s.kill9()
	beside(t, host, "n")
	work := c.listen("n.worker.w1")
	for deadline := time.Now().Add(patience); ; {
		if listed := c.pages("n.workers.list", "workers", body{"station": "w"}); len(listed) == 1 {
			match(t, "the worker", listed[0], body{"worker_id": "w1"})
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the next leader does not list w1")
		}
	}
	c.req("n.plans.create", body{"station": "w", "plan_id": "p", "command": "c", "plan_type": "none", "worker_ids": []any{"w1"}})
	match(t, "the execution", work.next(), body{"plan_id": "p", "occurrence": 1})
}

func TestAStandbyIsReadyWhenItKnowsALeader(t *testing.T) {
	t.Parallel()
	host := start(t)
	leader, second := beside(t, host, "z"), standby(t, host, "z")
	if err := second.ready(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*server{leader, second} {
		if code, err := s.get("/readyz"); err != nil || code != http.StatusOK {
			t.Errorf("/readyz answers %d, %v", code, err)
		}
	}
}

func TestTheSchedulerGoesOnWhenItsNATSIsThereAgain(t *testing.T) {
	t.Parallel()
	host := start(t)
	beside(t, host, "ext")
	c := connect(t, host, inJSON)
	c.req("ext.plans.create", body{"station": "w", "plan_id": "p", "command": "c", "plan_type": "time", "plan_time": "2100-01-01T00:00:00Z"})
	host.kill9()
	host.restart(t)
	deadline := time.Now().Add(patience)
	for {
		msg, err := c.nc.Request("ext.plans.get", c.encode(name("w", "p")), patience)
		if err == nil && msg.Header.Get("Nats-Service-Error") == "" {
			match(t, "the plan", c.open(msg).obj("plan"), body{"plan_id": "p"})
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("still %v %v", msg, err)
		}
	}
}
