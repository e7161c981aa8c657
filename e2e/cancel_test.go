package e2e

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCancelEndsTheExecutionInFlightAndSettlesItsOccurrence(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, results, cancels, events := c.worker(station), c.results(station), c.cancels(station), c.events(station)
		c.create(again(station, 2))
		x := work.take()
		x.request(body{"state": "running", "worker_id": "w1"})
		answer := c.req("plans.cancel", name(station, "p").with(body{"n": 1}))
		match(t, "cancel's answer", answer, body{"plan_id": "p", "station": station, "state": present, "revision": present, "n": absent})
		cancel := cancels.next()
		match(t, "the cancel", cancel, body{"station": station, "plan_id": "p", "n": 1, "occurrence": 1, "attempt": 1})
		only(t, "a cancel", cancel, words("station plan_id n occurrence attempt reason")...)
		match(t, "the result", results.next(), body{"n": 1, "occurrence": 1, "state": "cancelled", "worker_id": "w1", "real_repet": 1, "final": true})
		match(t, "the worker's late ok", x.request(body{"state": "ok"}), body{"ack": true, "accepted": false, "cancel": true})
		for _, n := range []any{1, 77} {
			e := c.refused("plans.cancel", name(station, "p").with(body{"n": n}))
			if code := e.text("code"); code != "conflict" && (n == 1 || code != "not_found") {
				t.Errorf("cancel of n=%v: %v", n, e)
			}
		}
		next := work.take()
		match(t, "the next occurrence", next.body, body{"occurrence": 2, "attempt": 1})
		next.ok()
		events.of("closed")
		runs := c.runs(station, "p")
		if len(runs) != 2 || runs[0].text("state") != "ok" || runs[1].text("state") != "cancelled" {
			t.Errorf("runs: %v", outcome(runs))
		}
	})
}

func TestCancelOfARunThatWaits(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	t.Run("for its retry", func(t *testing.T) {
		station := c.station()
		work, results := c.worker(station), c.results(station)
		c.create(again(station, 2).with(body{"retry": body{"strategy": "fixed_period", "interval": 1000}}))
		work.take().send(body{"state": "error"})
		match(t, "the error", results.next(), body{"n": 1, "final": false})
		n := c.runs(station, "p")[0]["n"]
		c.req("plans.cancel", name(station, "p").with(body{"n": n}))
		match(t, "the result", results.next(), body{"occurrence": 1, "state": "cancelled", "real_repet": 1, "final": true})
		if e := c.refused("plans.cancel", name(station, "p").with(body{"n": n})); e.text("code") != "conflict" {
			t.Errorf("a second cancel: %v", e)
		}
		x := work.take()
		match(t, "the next occurrence", x.body, body{"occurrence": 2, "attempt": 1})
		x.ok()
	})
	t.Run("for its turn", func(t *testing.T) {
		station := c.station()
		work, results, events := c.worker(station), c.results(station), c.events(station)
		c.create(once(station).with(body{"plan_id": "p", "overlap": "queue"}))
		x := work.take()
		n := c.req("plans.trigger", name(station, "p")).int("n")
		c.req("plans.cancel", name(station, "p").with(body{"n": n}))
		match(t, "the result", results.next(), body{"n": n, "occurrence": 0, "state": "cancelled", "trigger": "manual", "final": true})
		match(t, "the one before it", x.request(body{"state": "ok"}), body{"accepted": true})
		events.of("closed")
		work.empty("what was cancelled")
	})
	t.Run("for a worker", func(t *testing.T) {
		station := c.station()
		results, events := c.results(station), c.events(station)
		c.create(once(station).with(body{"plan_id": "p"}))
		events.of("not_worker")
		c.req("plans.cancel", name(station, "p").with(body{"n": 1}))
		match(t, "the result", results.next(), body{"n": 1, "occurrence": 1, "state": "cancelled", "final": true})
		events.of("closed")
	})
	t.Run("and needs its number", func(t *testing.T) {
		station := c.station()
		c.create(grid(station))
		for _, verb := range []string{"plans.cancel", "plans.run"} {
			if e := c.refused(verb, name(station, "p")); e.text("code") != "invalid_plan" || e.text("field") != "n" {
				t.Errorf("%s without n: %v", verb, e)
			}
			if e := c.refused(verb, name(station, "p").with(body{"n": "one"})); e.text("code") != "invalid_plan" || e.text("field") != "n" {
				t.Errorf("%s with n as text: %v", verb, e)
			}
		}
	})
}

func TestRunIsOneOfRuns(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, results := c.worker(station), c.results(station)
		c.create(again(station, 2).with(body{"messages": []any{"m"}, "labels": body{"a": "b"}}))
		work.take().send(body{"state": "error", "error": "e", "content": body{"big": int64(9007199254740993)}})
		results.next()
		work.take().ok()
		results.next()
		x := work.take()
		x.request(body{"state": "running", "worker_id": "w"})
		check := func(n int64, want body) {
			t.Helper()
			answer := c.req("plans.run", name(station, "p").with(body{"n": n}))
			fields(t, "run's answer", answer, "run")
			if diff := cmp.Diff(same(map[string]any(want)), same(map[string]any(answer.obj("run")))); diff != "" {
				t.Errorf("run n=%d (-in runs +run):\n%s", n, diff)
			}
		}
		runs := c.runs(station, "p")
		wantRuns(t, runs, "n=3 k=2 a=1 running", "n=2 k=1 a=2 ok final", "n=1 k=1 a=1 error")
		for i, r := range runs {
			check(int64(3-i), r)
		}
		for _, n := range []any{4, 1000} {
			if e := c.refused("plans.run", name(station, "p").with(body{"n": n})); e.text("code") != "not_found" {
				t.Errorf("run n=%v: %v", n, e)
			}
		}
		c.req("plans.remove", name(station, "p"))
		results.next()
		for i, r := range c.runs(station, "p") { // also of a plan that is gone
			check(int64(3-i), r)
		}
	})
}
