package e2e

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

func TestNoAcknowledgedPlanIsLostByKill9(t *testing.T) {
	t.Parallel()
	s := start(t)
	ledger := newLedger()
	const station = "crash"
	for cycle, results := range []int{150, 5, 250, 40, 1} { // the number to wait for before the end
		c := connect(t, s, []codec{inJSON, inMsgPack}[cycle%2])
		watch := connect(t, s, inJSON).results(station)
		ledger.serve(c, station)
		created := make(chan struct{})
		go func() {
			defer close(created)
			ledger.createAtSpeed(c, station, cycle)
		}()
		for range results {
			watch.msg()
		}
		if cycle == 3 { // one time out of five as an operator does it
			if code := s.terminate(); code != 0 {
				t.Errorf("exit code %d under load", code)
			}
		}
		s.kill9()
		c.nc.Close()
		<-created
		if cycle%2 == 0 { // and once more while it starts
			s.spawn()
			s.log.await([]string{"level=", "msg=leads", "msg=ready"}[cycle/2], s.ended)
			s.kill9()
		}
		s.restart(t)
	}
	if len(ledger.promised) < 100 {
		t.Errorf("%d plans were acknowledged, too few to show anything", len(ledger.promised))
	}
	c := connect(t, s, inJSON)
	ledger.serve(c, station)
	there := untilEnded(c, station)
	for id, plan := range ledger.promised {
		if ends(plan) > 0 {
			settledOnce(t, c, plan)
		} else if got, ok := there[id]; !ok {
			t.Errorf("%s was acknowledged, and is gone: %v", id, plan)
		} else {
			match(t, id, got, body{"command": "c", "plan_type": plan["plan_type"]})
		}
		if t.Failed() {
			break // one shows as much as hundreds
		}
	}
	ledger.excused(t)
	storedOnce(t, c)
}

func TestExecutionsInFlightAreAdopted(t *testing.T) {
	t.Parallel()
	inBothOfTheirOwn(t, func(t *testing.T, s *server, c *client) {
		const station = "adopted"
		work := c.worker(station)
		plan := body{"station": station, "command": "c", "plan_type": "none", "start_timeout": 0, "exec_timeout": 60}
		var flying []*execution
		for i := range 5 {
			c.create(plan.with(body{"plan_id": fmt.Sprintf("p%d", i)}))
			flying = append(flying, work.take())
		}
		flying[1].request(body{"state": "running", "worker_id": "w1"})
		flying[2].request(body{"state": "waiting", "extend": 100})
		flying[3].request(body{"state": "ok", "content": "before"})
		s.kill9()
		s.restart(t)
		c.flush()

		for i, want := range []string{"dispatched", "running", "waiting", "", "dispatched"} {
			id := fmt.Sprintf("p%d", i)
			if want == "" {
				wantRuns(t, c.runs(station, id), "n=1 k=1 a=1 ok final")
				continue
			}
			open := c.state(station, id).list("open")
			if len(open) != 1 || len(open[0].list("executions")) != 1 {
				t.Fatalf("%s: open is %v", id, open)
			}
			exec := open[0].list("executions")[0]
			match(t, id, exec, body{"n": 1, "attempt": 1, "state": want})
			if i != 2 && !exec.time("deadline").Equal(flying[i].time("deadline")) {
				t.Errorf("%s: the deadline was %v and is %v", id, flying[i].text("deadline"), exec["deadline"])
			}
		}
		for _, i := range []int{0, 1, 2, 4} {
			match(t, "a late answer", flying[i].request(body{"state": "ok", "content": i}), body{"ack": true, "accepted": true})
			runs := c.runs(station, fmt.Sprintf("p%d", i))
			wantRuns(t, runs, "n=1 k=1 a=1 ok final")
			match(t, "the run", runs[0], body{"content": i})
		}
		work.empty("a second dispatch of an execution in flight")
	})
}

// inBothOfTheirOwn is inBoth with a server for each.
func inBothOfTheirOwn(t *testing.T, f func(t *testing.T, s *server, c *client)) {
	for _, enc := range []codec{inJSON, inMsgPack} {
		t.Run(enc.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			f(t, s, connect(t, s, enc))
		})
	}
}

func TestAnExecutionAdoptedStillHasItsDeadline(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	const station = "deadline"
	work := c.worker(station)
	c.create(once(station).with(body{"plan_id": "p", "start_timeout": 0, "exec_timeout": 8}))
	x := work.take()
	match(t, "the answer", x.request(body{"state": "running"}), body{"accepted": true})
	c.req("plans.update", name(station, "p").with(body{"exec_timeout": 60})) // for the next execution
	s.kill9()
	s.restart(t)
	second := work.take()
	match(t, "the second attempt", second.body, body{"occurrence": 1, "attempt": 2, "key": x.text("key")})
	if at, first := second.int("epoch"), x.int("epoch"); at <= first {
		t.Errorf("epoch %d after %d", at, first)
	}
	// The start may take longer than the deadline, and then no worker receives the cancel.
	wantRuns(t, c.runs(station, "p"), "n=2 k=1 a=2 dispatched", "n=1 k=1 a=1 timeout exec")
	match(t, "the answer", second.request(body{"state": "ok"}), body{"accepted": true})
	wantRuns(t, c.runs(station, "p"), "n=2 k=1 a=2 ok final", "n=1 k=1 a=1 timeout exec")
}

func TestStationsAndErroredPlansSurviveKill9(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inMsgPack)
	c.req("stations.put", body{"station": "s", "kind": "api", "retry": body{"strategy": "none"}})
	c.req("stations.put", body{"station": "gone", "kind": "pub"})
	c.req("stations.delete", body{"station": "gone"})
	work := c.worker("s")
	c.create(body{"station": "s", "plan_id": "stopped", "command": "c", "plan_type": "second", "plan_value": 0, "plan_repet": -1})
	work.take().request(body{"state": "failure", "error": "no"})
	c.create(far("s").with(body{"plan_id": "removed"}))
	c.req("plans.remove", name("s", "removed"))
	c.create(far("s").with(body{"plan_id": "closed"}))
	c.req("plans.close", name("s", "closed"))
	s.kill9()
	s.restart(t)
	c.flush()
	match(t, "the station", c.req("stations.get", body{"station": "s"}), body{"kind": "api", "retry": body{"strategy": "none"}})
	if e := c.refused("stations.get", body{"station": "gone"}); e.text("code") != "not_found" {
		t.Errorf("a deleted station: %v", e)
	}
	match(t, "the plan in plan_error", c.state("s", "stopped"), body{"status": "plan_error", "n": 1})
	for _, id := range []string{"removed", "closed"} {
		if e := c.refused("plans.get", name("s", id)); e.text("code") != "not_found" {
			t.Errorf("%s: %v", id, e)
		}
	}
	work.empty("a plan in plan_error is executed")
}

// nats-server stores no record of the messages that a newer one on their subject replaces,
// so a row whose delete marker expired may come back when the store is rebuilt from its
// blocks (nats-server issue 8505).
func TestAClosedPlanStaysClosedOverKill9(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	clock := onCommon(t)
	c.req("stations.put", body{"station": "gone", "kind": "pub"})
	plans := bucket(t, c, "plans")
	for _, id := range []string{"closed", "removed"} {
		c.create(far("w").with(body{"plan_id": id}))
		row(t, plans, "state.w."+id, true)
	}
	work := c.worker("w")
	c.create(body{"station": "w", "plan_id": "ended", "command": "c", "plan_type": "none"})
	x := work.take()
	row(t, plans, "state.w.ended", true)
	x.request(body{"state": "ok"})
	c.req("plans.close", name("w", "closed"))
	c.req("plans.remove", name("w", "removed"))
	c.req("stations.delete", body{"station": "gone"})
	gone := []string{"closed", "removed", "ended"}
	for _, id := range gone {
		row(t, plans, "state.w."+id, false)
	}
	clock.passed(time.Now().Add(2500 * time.Millisecond)) // the marker expires
	c.create(far("w").with(body{"plan_id": "last"}))
	row(t, plans, "state.w.last", true)
	s.kill9()
	s.restart(t)
	c.flush()
	for _, id := range gone {
		if e := c.refused("plans.get", name("w", id)); e.text("code") != "not_found" {
			t.Errorf("%s is back: %v", id, e)
		}
	}
	if e := c.refused("stations.get", body{"station": "gone"}); e.text("code") != "not_found" {
		t.Errorf("a deleted station: %v", e)
	}
	work.empty("a closed plan is executed again")
	match(t, "another plan", c.state("w", "last"), body{"status": "queued"})
}

func TestAWorkerRepeatsItsResultUntilTheNextLeaderHasTakenIt(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	work := c.worker("w")
	c.create(once("w").with(body{"plan_id": "p", "start_timeout": 0}))
	x := work.take()
	s.kill9()
	s.restart(t)
	var msg *nats.Msg
	err := errors.New("not asked")
	for deadline := time.Now().Add(patience); err != nil && time.Now().Before(deadline); {
		msg, err = c.nc.Request(x.msg.Reply, []byte(`{"state":"ok","content":"repeated"}`), time.Second)
	}
	if err != nil {
		t.Fatal(err)
	}
	// A worker repeats a reply that was slow to be acknowledged, and the repetition changes
	// nothing.
	match(t, "the answer", c.open(msg), body{"ack": true})
	runs := c.runs("w", "p")
	wantRuns(t, runs, "n=1 k=1 a=1 ok final")
	match(t, "the run", runs[0], body{"content": "repeated"})
}

func TestCommandsToAPlanSurviveKill9(t *testing.T) {
	t.Parallel()
	inBothOfTheirOwn(t, func(t *testing.T, s *server, c *client) {
		work := c.worker("w")
		stop := func(id string, reply body) {
			c.create(again("w", 1).with(body{"plan_id": id, "retry": body{"strategy": "none", "need_manual": true}}))
			work.take().request(reply)
		}
		stop("failed", body{"state": "failure"})
		stop("held", body{"state": "error"})
		for _, id := range words("paused skips changed") {
			c.create(grid("w").with(body{"plan_id": id}))
		}
		c.req("plans.pause", name("w", "paused"))
		skips := c.req("plans.skip", name("w", "skips").with(body{"count": 3}))
		changed := c.req("plans.update", name("w", "changed").with(body{"plan_value": 500, "description": "new"}))
		c.create(once("w").with(body{"plan_id": "waits", "overlap": "queue"}))
		flying := work.take()
		n := c.req("plans.trigger", name("w", "waits")).int("n")
		s.kill9()
		s.restart(t)
		c.flush()

		match(t, "the paused one", c.state("w", "paused"), body{"status": "paused"})
		match(t, "resumed", c.req("plans.resume", name("w", "paused")), body{"state": "queued"})
		match(t, "the one that skips", c.state("w", "skips"), body{"plan_time": skips.time("plan_time")})
		match(t, "set to 0", c.req("plans.skip", name("w", "skips").with(body{"count": 0})), body{"plan_time": skips.time("plan_time").Add(-3000 * time.Second)})
		got := c.req("plans.get", name("w", "changed"))
		match(t, "the changed one", got.obj("plan"), body{"description": "new", "plan_value": 500})
		match(t, "the changed one", got.obj("state"), body{"plan_time": changed.time("plan_time"), "revision": changed["revision"]})
		match(t, "the answer of the one in flight", flying.request(body{"state": "ok"}), body{"accepted": true})
		x := work.take()
		match(t, "the triggered one, which waited", x.body, body{"plan_id": "waits", "occurrence": 0})
		if x.n() != n {
			t.Errorf("it is n=%d, was n=%d", x.n(), n)
		}
		x.ok()
		for id, status := range map[string]string{"failed": "plan_error", "held": "pending"} {
			match(t, id, c.state("w", id), body{"status": status})
			c.req("plans.reset", name("w", id))
			x := work.take()
			match(t, "the new attempt", x.body, body{"plan_id": id, "occurrence": 1, "attempt": 2})
			match(t, "the answer", x.request(body{"state": "ok"}), body{"accepted": true})
		}
	})
}
