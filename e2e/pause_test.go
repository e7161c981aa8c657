package e2e

import (
	"slices"
	"testing"
	"time"
)

func TestPauseAndResumeAreIdempotentAndReturnThePlansState(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		made, events := c.create(grid(station)), c.events(station)
		for _, row := range []struct{ verb, event, state string }{{"plans.pause", "paused", "paused"}, {"plans.resume", "resumed", "queued"}} {
			for range 2 {
				answer := c.req(row.verb, name(station, "p"))
				fields(t, row.verb+"'s answer", answer, words("plan_id station state plan_time revision")...)
				match(t, row.verb, answer, body{"plan_id": "p", "station": station, "state": row.state, "plan_time": made.time("plan_time")})
				match(t, "the plan after "+row.verb, c.state(station, "p"), body{"status": row.state, "plan_time": made.time("plan_time")})
			}
			match(t, "the event", events.of(row.event), body{"station": station, "plan_id": "p", "time": present})
			if listed := c.pages("plans.list", "plans", body{"station": station, "status": row.state}); len(listed) != 1 {
				t.Errorf("listed as %s: %v", row.state, listed)
			}
		}
	})
}

// With no_keep nothing is lost, except to a pause.
func TestOccurrencesDueWhilePausedAreSkippedAndNeverCaughtUp(t *testing.T) {
	t.Parallel()
	for what, more := range map[string]body{"a grid": {}, "with no_keep": {"no_keep": true}, "overlap queue": {"overlap": "queue"}} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			results := c.results(station)
			c.serve(station, ok)
			c.create(far(station).with(body{"plan_id": "p"}))
			c.req("plans.pause", name(station, "p"))
			first := c.req("plans.update", name(station, "p").with(body{"plan_type": "second", "plan_value": 1, "plan_repet": -1, "plan_time": nil}).with(more)).time("plan_time")
			c.passed(first.Add(1300 * time.Millisecond)) // the first two
			asked := time.Now()
			c.req("plans.resume", name(station, "p"))
			results.until(func(r body) bool { return r.text("state") == "ok" })
			runs := c.runs(station, "p")
			slices.Reverse(runs)
			contiguous(t, "p", runs)
			skipped := int64(0)
			for _, r := range runs {
				if r.text("reason") == "paused" {
					match(t, "what fell due meanwhile", r, body{"state": "skipped", "final": true})
					skipped = r.int("occurrence")
				} else if due := r.time("plan_time"); due.Before(asked) {
					t.Errorf("due at %v, before the plan was resumed: %v", due, r)
				}
			}
			if skipped < 2 {
				t.Errorf("of two that fell due meanwhile, %d are skipped: %v", skipped, outcome(runs))
			}
			c.req("plans.remove", name(station, "p"))
		})
	}
}

func TestATimeThatPassesWhilePausedIsSkipped(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, events := c.worker(station), c.events(station)
	due := time.Now().Add(200 * time.Millisecond)
	c.create(body{"station": station, "plan_id": "p", "command": "c", "plan_type": "time", "plan_time": c.moment(due), "paused": true})
	c.passed(due.Add(50 * time.Millisecond))
	c.ask("plans.resume", c.encode(name(station, "p"))) // it may have closed already
	match(t, "skipped", events.of("skipped"), body{"occurrence": 1, "reason": "paused"})
	events.of("closed")
	work.empty("what fell due while the plan was paused")
	wantRuns(t, c.runs(station, "p"), "n=1 k=1 a=0 skipped paused final")
}

func TestAnExecutionInFlightFinishesAndItsRetriesWaitForResume(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results := c.worker(station), c.results(station)
	c.create(again(station, 2))
	x := work.take()
	match(t, "pause's answer", c.req("plans.pause", name(station, "p")), body{"state": "paused"})
	match(t, "the answer to its error", x.request(body{"state": "error", "error": "e"}), body{"ack": true, "accepted": true})
	match(t, "its result", results.next(), body{"n": 1, "state": "error", "final": false})
	c.passed(time.Now().Add(200 * time.Millisecond)) // the retry was due after 0.05 s
	work.empty("a retry of a paused plan")
	match(t, "the plan", c.state(station, "p"), body{"status": "paused"})
	c.req("plans.resume", name(station, "p"))
	x = work.take()
	match(t, "the retry", x.body, body{"occurrence": 1, "attempt": 2})
	c.req("plans.pause", name(station, "p"))
	match(t, "the answer to its ok", x.request(body{"state": "ok"}), body{"accepted": true})
	match(t, "its result", results.next(), body{"n": 2, "occurrence": 1, "state": "ok", "final": true})
	work.empty("the next occurrence of a paused plan")
}
