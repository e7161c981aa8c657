package e2e

import (
	"testing"
)

// A plan leaves the queue in both ways, and comes back. The occurrence that stopped it is tried
// again, with its own time and key.
func TestResetTriesAgainWhatThePlanStoppedAt(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		plan    body
		reply   body
		status  string
		stopped string // its run
	}{
		{"plan_error", nil, body{"state": "failure", "error": "e"}, "plan_error", "n=1 k=1 a=1 failure worker"},
		{"plan_error of an unknown state", nil, body{"state": "exploded"}, "plan_error", "n=1 k=1 a=1 failure unknown_state"},
		{"pending", body{"retry": body{"strategy": "none", "need_manual": true}}, body{"state": "error"}, "pending", "n=1 k=1 a=1 error"},
		{"pending on hold", body{"on_unknown": "hold", "exec_timeout": 0.3}, nil, "pending", "n=1 k=1 a=1 timeout start"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			inBoth(t, func(t *testing.T, c *client) {
				station := c.station()
				work, results, events := c.worker(station), c.results(station), c.events(station)
				c.create(again(station, 2).with(row.plan))
				first := work.take()
				if row.reply != nil {
					first.send(row.reply)
				}
				match(t, "the result", results.next(), body{"n": 1, "final": false})
				match(t, "the plan", c.state(station, "p"), body{"status": row.status, "reason": present})
				work.empty("a plan that waits for a person")
				c.req("plans.update", name(station, "p").with(body{"exec_timeout": 30}))
				answer := c.req("plans.reset", name(station, "p"))
				match(t, "reset's answer", answer, body{"plan_id": "p", "station": station, "state": present, "revision": present})
				if state := answer.text("state"); state == row.status {
					t.Errorf("after the reset it is %s", state)
				}
				second := work.take()
				match(t, "the new attempt", second.body, body{"occurrence": 1, "attempt": 2, "key": first.text("key"), "plan_time": first.time("plan_time")})
				if e := c.refused("plans.reset", name(station, "p")); e.text("code") != "conflict" {
					t.Errorf("a second reset: %v", e)
				}
				second.ok()
				match(t, "its result", results.next(), body{"n": 2, "occurrence": 1, "state": "ok", "real_repet": 1, "final": true})
				work.take().ok()
				events.of("closed")
				runs := c.runs(station, "p")
				wantRuns(t, runs, "n=3 k=2 a=1 ok final", "n=2 k=1 a=2 ok final", row.stopped)
			})
		})
	}
}

func TestAfterAResetTheErrorsAreCountedFrom0(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results := c.worker(station), c.results(station)
	c.create(again(station, 1).with(body{"retry": body{"strategy": "fixed_period", "interval": 0.02, "max_error_count": 1, "need_manual": true}}))
	for range 2 { // and pending again, after as many
		work.take().send(body{"state": "error"})
		match(t, "the first error", results.next(), body{"state": "error", "final": false})
		work.take().send(body{"state": "error"})
		match(t, "the second", results.next(), body{"final": false})
		match(t, "the plan", c.state(station, "p"), body{"status": "pending"})
		c.req("plans.reset", name(station, "p"))
	}
	x := work.take()
	match(t, "the fifth attempt", x.body, body{"occurrence": 1, "attempt": 5})
	x.ok()
	match(t, "the result", results.next(), body{"n": 5, "state": "ok", "final": true})
}

func TestResetInAnyOtherStatusIsAConflict(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work := c.worker(station)
	c.create(grid(station).with(body{"plan_id": "queued"}))
	c.create(grid(station).with(body{"plan_id": "paused", "paused": true}))
	c.create(once(station).with(body{"plan_id": "executing"}))
	work.take().request(body{"state": "running"})
	c.create(once(station).with(body{"plan_id": "retrying", "retry": body{"strategy": "fixed_period", "interval": 1000}}))
	work.take().request(body{"state": "error"})
	for _, status := range []string{"queued", "paused", "executing", "retrying"} {
		match(t, "the plan", c.state(station, status), body{"status": status})
		if e := c.refused("plans.reset", name(station, status)); e.text("code") != "conflict" {
			t.Errorf("when %s: %v", status, e)
		}
	}
}
