package e2e

import (
	"regexp"
	"slices"
	"testing"
	"time"
)

func TestTriggerIsOneExtraExecutionBesideTheSchedule(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, results := c.worker(station), c.results(station)
		made := c.create(grid(station).with(body{"plan_repet": 1, "retry": body{"strategy": "fixed_period", "interval": 0.05}}))
		before := time.Now().Truncate(time.Millisecond)
		answer := c.req("plans.trigger", name(station, "p"))
		fields(t, "trigger's answer", answer, words("plan_id station state n")...)
		match(t, "trigger's answer", answer, body{"plan_id": "p", "station": station, "n": 1})
		x := work.take()
		match(t, "the execution", x.body, body{"occurrence": 0, "attempt": 1})
		if got := x.head("Plan-Trigger") + " " + x.head("Plan-Occurrence"); got != "manual 0" {
			t.Errorf("Plan-Trigger and Plan-Occurrence are %q", got)
		}
		if at := x.time("plan_time"); at.Before(before) || at.After(time.Now()) {
			t.Errorf("plan_time is %v, triggered after %v", at, before)
		}
		if pattern := regexp.MustCompile(`^` + station + `/p/[0-9]+/0\.1$`); !pattern.MatchString(x.text("key")) {
			t.Errorf("key is %s", x.text("key"))
		}
		x.send(body{"state": "error"})
		match(t, "the first result", results.next(), body{"n": 1, "occurrence": 0, "attempt": 1, "state": "error", "trigger": "manual", "final": false})
		second := work.take()
		match(t, "the retry", second.body, body{"occurrence": 0, "attempt": 2, "key": x.text("key"), "plan_time": x.time("plan_time")})
		second.request(body{"state": "ok", "content": "done"})
		match(t, "the result", results.next(), body{"n": 2, "occurrence": 0, "attempt": 2, "state": "ok", "trigger": "manual",
			"content": "done", "real_repet": 0, "skip_num": 0, "final": true})
		match(t, "the plan", c.state(station, "p"), body{"status": "queued", "plan_time": made.time("plan_time"), "real_repet": 0})
		wantRuns(t, c.runs(station, "p"), "n=2 k=0 a=2 ok final", "n=1 k=0 a=1 error")
	})
}

func TestTriggerUnderEachOverlap(t *testing.T) {
	t.Parallel()
	for overlap, check := range map[string]func(t *testing.T, c *client, work *worker, first *execution, n int64){
		"parallel": func(t *testing.T, _ *client, work *worker, first *execution, n int64) {
			second := work.take()
			match(t, "the triggered one", second.body, body{"occurrence": 0})
			second.request(body{"state": "ok"})
			first.request(body{"state": "ok"})
		},
		"allow": func(t *testing.T, _ *client, work *worker, first *execution, n int64) {
			second := work.take()
			match(t, "the triggered one", second.body, body{"occurrence": 0})
			first.request(body{"state": "ok"})
			second.request(body{"state": "ok"})
		},
		"queue": func(t *testing.T, c *client, work *worker, first *execution, n int64) {
			work.empty("the triggered one, before the first has finished")
			match(t, "the run that waits", c.req("plans.run", name(first.text("station"), "p").with(body{"n": n})).obj("run"),
				body{"n": n, "occurrence": 0, "state": "waiting", "trigger": "manual", "end_time": absent})
			first.request(body{"state": "ok"})
			second := work.take()
			match(t, "the triggered one", second.body, body{"occurrence": 0, "attempt": 1})
			second.request(body{"state": "ok"})
		},
		"skip": func(t *testing.T, _ *client, work *worker, first *execution, n int64) {
			work.empty("the triggered one under skip")
			first.request(body{"state": "ok"})
		},
		"cancel_prev": func(t *testing.T, c *client, work *worker, first *execution, n int64) {
			second := work.take()
			match(t, "the triggered one", second.body, body{"occurrence": 0})
			match(t, "the answer to the first", first.request(body{"state": "ok"}), body{"accepted": false, "cancel": true})
			second.request(body{"state": "ok"})
		},
	} {
		t.Run(overlap, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			work, events := c.worker(station), c.events(station)
			c.create(once(station).with(body{"plan_id": "p", "overlap": overlap}))
			first := work.take()
			first.request(body{"state": "running"})
			n := c.req("plans.trigger", name(station, "p")).int("n")
			check(t, c, work, first, n)
			events.of("closed")
			runs := c.runs(station, "p")
			at := slices.IndexFunc(runs, func(r body) bool { return r.int("n") == n })
			if at < 0 || len(runs) != 2 {
				t.Fatalf("no run n=%d in %v", n, outcome(runs))
			}
			want, other := body{"occurrence": 0, "trigger": "manual", "state": "ok", "final": true}, body{"occurrence": 1, "trigger": absent, "state": "ok", "final": true}
			switch overlap {
			case "skip":
				want = want.with(body{"state": "skipped", "reason": "overlap", "skip_num": 0})
			case "cancel_prev":
				other["state"] = "cancelled"
			}
			match(t, "the triggered run", runs[at], want)
			match(t, "the scheduled run", runs[1-at], other)
		})
	}
}

func TestTriggerOfAPlanThatIsPausedRetryingOrStopped(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	t.Run("paused", func(t *testing.T) {
		station := c.station()
		work, results := c.worker(station), c.results(station)
		c.create(grid(station).with(body{"paused": true}))
		match(t, "the answer", c.req("plans.trigger", name(station, "p")), body{"n": 1, "state": "paused"})
		work.take().ok()
		match(t, "the result", results.next(), body{"occurrence": 0, "state": "ok", "trigger": "manual"})
		match(t, "the plan", c.state(station, "p"), body{"status": "paused"})
	})
	t.Run("retrying", func(t *testing.T) {
		station := c.station()
		work, results := c.worker(station), c.results(station)
		c.create(again(station, 1).with(body{"overlap": "allow", "retry": body{"strategy": "fixed_period", "interval": 1000}}))
		work.take().request(body{"state": "error"})
		match(t, "the plan", c.state(station, "p"), body{"status": "retrying"})
		c.req("plans.trigger", name(station, "p"))
		work.take().request(body{"state": "ok"})
		last := results.until(func(r body) bool { return r.text("trigger") == "manual" })
		match(t, "the result", last[len(last)-1], body{"occurrence": 0, "state": "ok"})
		match(t, "the plan", c.state(station, "p"), body{"status": "retrying"})
	})
	t.Run("of a pub station", func(t *testing.T) {
		station := c.station()
		c.req("stations.put", body{"station": station, "kind": "pub"})
		results, copies := c.results(station), c.listen("station."+station)
		c.create(grid(station))
		c.req("plans.trigger", name(station, "p"))
		match(t, "the result", results.next(), body{"n": 1, "occurrence": 0, "state": "ok", "trigger": "manual", "final": true})
		match(t, "a copy", copies.next(), body{"occurrence": 0, "attempt": 1})
	})
	t.Run("in plan_error", func(t *testing.T) {
		station := c.station()
		work := c.worker(station)
		c.create(again(station, 1))
		work.take().request(body{"state": "failure"})
		if e := c.refused("plans.trigger", name(station, "p")); e.text("code") != "conflict" {
			t.Errorf("refused with %v", e)
		}
	})
	t.Run("pending", func(t *testing.T) {
		station := c.station()
		work := c.worker(station)
		c.create(again(station, 1).with(body{"retry": body{"strategy": "none", "need_manual": true}}))
		work.take().request(body{"state": "error"})
		if e := c.refused("plans.trigger", name(station, "p")); e.text("code") != "conflict" {
			t.Errorf("refused with %v", e)
		}
	})
}
