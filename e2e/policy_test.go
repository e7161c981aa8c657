package e2e

import (
	"slices"
	"testing"
	"time"
)

// everySecond is a plan whose occurrences fall due while one is open, unless a worker is
// fast.
func everySecond(station, overlap string, repet int) body {
	return body{"station": station, "command": "c", "plan_type": "second", "plan_value": 1, "plan_repet": repet, "overlap": overlap,
		"retry": body{"strategy": "fixed_period", "interval": 0.05}}
}

func TestOverlapParallelRunsBoth(t *testing.T) {
	t.Parallel()
	for _, overlap := range []string{"parallel", "allow"} {
		t.Run(overlap, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			work, events := c.worker(station), c.events(station)
			id := c.create(everySecond(station, overlap, 2)).text("plan_id")
			first, second := work.take(), work.take()
			match(t, "the second", second.body, body{"occurrence": 2, "attempt": 1, "plan_time": first.time("plan_time").Add(time.Second)})
			if open := c.state(station, id).list("open"); len(open) != 2 {
				t.Errorf("open: %v", open)
			}
			second.request(body{"state": "ok"})
			first.request(body{"state": "ok"})
			events.of("closed")
			wantRuns(t, c.runs(station, id), "n=2 k=2 a=1 ok final", "n=1 k=1 a=1 ok final")
		})
	}
}

func TestOverlapQueueWaitsAndRunsWithItsOwnTime(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, events := c.worker(station), c.events(station)
	id := c.create(everySecond(station, "queue", 2)).text("plan_id")
	first := work.take()
	c.passed(first.time("plan_time").Add(1200 * time.Millisecond))
	work.empty("the second, before the first has finished")
	first.ok()
	second := work.take()
	match(t, "the second", second.body, body{"occurrence": 2, "plan_time": first.time("plan_time").Add(time.Second)})
	second.ok()
	events.of("closed")
	wantRuns(t, c.runs(station, id), "n=2 k=2 a=1 ok final", "n=1 k=1 a=1 ok final")
}

func TestOverlapCancelPrevStopsTheEarlierOne(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results, cancels := c.worker(station), c.results(station), c.cancels(station)
	// The occurrences are seven seconds apart, and the first is due in one, because only the
	// second would run if both fell due in one stall.
	start := time.Now().Add(-6 * time.Second)
	c.create(everySecond(station, "cancel_prev", 2).with(body{"plan_value": 7, "plan_time": c.moment(start)}))
	first := work.take()
	first.request(body{"state": "running"})
	match(t, "the cancel", cancels.next(), body{"n": 1, "occurrence": 1, "attempt": 1})
	match(t, "the first result", results.next(), body{"n": 1, "occurrence": 1, "state": "cancelled", "final": true})
	match(t, "the answer to the first", first.request(body{"state": "ok"}), body{"ack": true, "accepted": false, "cancel": true})
	second := work.take()
	match(t, "the second", second.body, body{"occurrence": 2})
	second.ok()
	match(t, "the second result", results.next(), body{"n": 2, "occurrence": 2, "state": "ok"})
}

func TestUnderSkipWhatExecutesWinsAndWhatWaitsGivesWay(t *testing.T) {
	t.Parallel()
	t.Run("an execution wins", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.station()
		work, results := c.worker(station), c.results(station)
		c.create(everySecond(station, "skip", -1).with(body{"plan_id": "p"}))
		first := work.take()
		first.request(body{"state": "running"})
		// On a slow machine several fall due at a time, also before the first that
		// executes.
		match(t, "the next", last(results.until(func(r body) bool { return r.text("reason") == "overlap" })), body{"state": "skipped", "final": true})
		match(t, "the first's answer", first.request(body{"state": "ok"}), body{"accepted": true})
		ended := results.until(func(r body) bool { return r.int("occurrence") == first.int("occurrence") })
		match(t, "the first", last(ended), body{"state": "ok", "real_repet": 1, "final": true})
		for _, r := range ended[:len(ended)-1] {
			match(t, "others", r, body{"state": "skipped", "final": true})
		}
		c.req("plans.remove", name(station, "p"))
	})
	t.Run("one that waits for a retry gives way", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.station()
		work, results := c.worker(station), c.results(station)
		c.create(everySecond(station, "skip", -1).with(body{"plan_id": "p", "retry": body{"strategy": "fixed_period", "interval": 1000}}))
		first := work.take()
		first.send(body{"state": "error"})
		// On a slow machine others fall due before it and while it executes, and are
		// skipped.
		of := func(x *execution) func(body) bool {
			return func(r body) bool { return r.int("occurrence") == x.int("occurrence") }
		}
		match(t, "the error", last(results.until(of(first))), body{"state": "error", "final": false})
		match(t, "the first", last(results.until(of(first))), body{"state": "skipped", "reason": "overlap", "final": true})
		x := work.take()
		match(t, "the next", x.body, body{"attempt": 1})
		if x.int("occurrence") <= first.int("occurrence") {
			t.Errorf("occurrence %d comes after %d", x.int("occurrence"), first.int("occurrence"))
		}
		x.ok()
		match(t, "the next one's result", last(results.until(of(x))), body{"state": "ok"})
		c.req("plans.remove", name(station, "p"))
	})
	t.Run("one without a worker gives way", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.station()
		results := c.results(station)
		c.create(everySecond(station, "skip", -1).with(body{"plan_id": "p"}))
		seen := results.until(func(r body) bool { return r.text("reason") == "overlap" })
		match(t, "one without a worker", last(seen), body{"state": "skipped", "final": true})
		work := c.worker(station)
		x := work.take()
		match(t, "a later one", x.body, body{"attempt": 1})
		if x.int("occurrence") <= last(seen).int("occurrence") {
			t.Errorf("occurrence %d comes after %d", x.int("occurrence"), last(seen).int("occurrence"))
		}
		x.ok()
		ended := results.until(func(r body) bool { return r.int("occurrence") == x.int("occurrence") })
		match(t, "its result", last(ended), body{"state": "ok", "real_repet": 1})
		c.req("plans.remove", name(station, "p"))
	})
}

// Attempts show the effect of the failure of the occurrence before. The first execution of the
// fourth occurrence has attempt 1, one more, or two more than the third's.
func TestFailureDecidesHowTheNextOccurrenceBegins(t *testing.T) {
	t.Parallel()
	for failure, want := range map[string][]string{
		"run_new": {"n=1 k=1 a=1 failure retries final", "n=2 k=2 a=1 failure retries final", "n=3 k=3 a=1 ok final", "n=4 k=4 a=1 ok final"},
		"retry":   {"n=1 k=1 a=1 failure retries final", "n=2 k=2 a=2 failure retries final", "n=3 k=3 a=3 ok final", "n=4 k=4 a=1 ok final"},
		"skip":    {"n=1 k=1 a=1 failure retries final", "n=2 k=2 a=0 skipped failure final", "n=3 k=3 a=3 ok final", "n=4 k=4 a=1 ok final"},
	} {
		t.Run(failure, func(t *testing.T) {
			t.Parallel()
			inBoth(t, func(t *testing.T, c *client) {
				station := c.station()
				events := c.events(station)
				c.serve(station, func(x *execution) any {
					if x.int("occurrence") <= 2 {
						return body{"state": "error"}
					}
					return body{"state": "ok"}
				})
				c.create(everySecond(station, "queue", 4).with(body{"plan_id": "p", "failure": failure, "retry": body{"strategy": "none"}}))
				events.of("closed")
				runs := c.runs(station, "p")
				slices.Reverse(runs)
				wantRuns(t, runs, want...)
			})
		})
	}
}

func TestAStationsFailurePolicyIsTheDefaultAndACancelledRunCounts(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	c.req("stations.put", body{"station": station, "failure": "skip"})
	work, results := c.worker(station), c.results(station)
	c.create(everySecond(station, "queue", 3).with(body{"plan_id": "p"}))
	work.take().request(body{"state": "running"})
	c.req("plans.cancel", name(station, "p").with(body{"n": 1}))
	match(t, "the first", results.next(), body{"occurrence": 1, "state": "cancelled", "reason": "manual"})
	match(t, "the second", results.next(), body{"occurrence": 2, "state": "skipped", "reason": "failure", "final": true})
	third := work.take()
	match(t, "the third", third.body, body{"occurrence": 3, "attempt": 3})
	third.ok()
}

func TestLogDecidesTheRunsThatAreKept(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		results := c.results(station)
		c.serve(station, func(*execution) any { return body{"state": "ok", "content": "secret"} })
		for mode, kept := range map[string]body{
			"full":    {"messages": []any{"m"}, "content": "secret"},
			"trigger": {"messages": absent, "content": absent, "state": "ok"},
			"none":    nil,
		} {
			id := c.create(once(station).with(body{"log": mode, "messages": []any{"m"}})).text("plan_id")
			match(t, mode+", broadcast", results.next(), body{"plan_id": id, "state": "ok"})
			runs := c.runs(station, id)
			if kept == nil {
				if len(runs) > 0 {
					t.Errorf("%s keeps %v", mode, runs)
				}
				continue
			}
			if len(runs) != 1 {
				t.Fatalf("%s keeps %v", mode, runs)
			}
			match(t, mode+", kept", runs[0], kept)
		}
	})
}

func TestAPausedPlanRunsNothing(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work := c.worker(station)
	due := time.Now().Add(100 * time.Millisecond)
	match(t, "create's answer", c.create(body{"station": station, "plan_id": "p", "command": "c", "plan_type": "time", "plan_time": c.moment(due), "paused": true}), body{"state": "paused", "created": true})
	c.passed(due.Add(50 * time.Millisecond))
	work.empty("a paused plan")
}

// A grace of zero is none, and not the default of ten seconds.
func TestAMisfireGraceOfZeroIsNone(t *testing.T) {
	t.Parallel()
	s := start(t, "--misfire-grace", "0s")
	c := connect(t, s, inJSON)
	clock := onCommon(t)
	begin := time.Now().Truncate(time.Second).Add(3 * time.Second)
	c.create(body{"station": "w", "plan_id": "p", "command": "c", "plan_type": "second", "plan_value": 1, "plan_repet": 1, "plan_time": c.moment(begin), "catch_up": "none"})
	s.kill9()
	clock.passed(begin.Add(1100 * time.Millisecond)) // the occurrence is overdue by 100 ms
	s.restart(t)
	c.flush()
	await(t, "it has closed", func() bool {
		return c.answered("plans.get", c.encode(name("w", "p"))).Header.Get("Nats-Service-Error") != ""
	})
	wantRuns(t, c.runs("w", "p"), "n=1 k=1 a=0 skipped missed final")
}

// The last missed occurrence of a plan runs late, within misfire_grace, with any catch_up;
// no_keep runs all of them, in order.
func TestOccurrencesMissedWithoutALeader(t *testing.T) {
	t.Parallel()
	s := start(t, "--misfire-grace", "300ms")
	c := connect(t, s, inJSON)
	clock := onCommon(t)
	begin := time.Now().Truncate(time.Second).Add(12500 * time.Millisecond) // after the kill, also on a machine that stalls before it
	grid := func(id string, more body) {
		c.create(body{"station": "w", "plan_id": id, "command": "c", "plan_type": "second", "plan_value": 1, "plan_time": c.moment(begin)}.with(more))
	}
	c.create(body{"station": "w", "plan_id": "time", "command": "c", "plan_type": "time", "plan_time": c.moment(begin)})
	grid("compact", body{"plan_repet": 3})
	grid("none", body{"plan_repet": 3, "catch_up": "none"})
	grid("full", body{"plan_repet": 3, "no_keep": true})
	c.create(body{"station": "w", "plan_id": "cron", "command": "c", "plan_type": "cron", "cron": "* * * * * *", "start_at": c.moment(begin)})
	s.kill9()
	clock.passed(begin.Add(4 * time.Second)) // 3 occurrences, the last one 1 s ago
	s.restart(t)
	c.flush()
	c.serve("w", ok)

	want := map[string][]string{
		"time":    {"n=1 k=1 a=1 ok final"},
		"compact": {"n=1 k=2 a=0 skipped missed final", "n=2 k=3 a=1 ok final"},
		"none":    {"n=1 k=3 a=0 skipped missed final"},
		"full":    {"n=1 k=1 a=1 ok final", "n=2 k=2 a=1 ok final", "n=3 k=3 a=1 ok final"},
	}
	events := c.events("w")
	for id, lines := range want {
		for {
			msg := c.answered("plans.get", c.encode(name("w", id)))
			if msg.Header.Get("Nats-Service-Error") != "" {
				break
			}
			events.next() // at least the cron plan goes on
		}
		runs := c.runs("w", id)
		slices.Reverse(runs)
		wantRuns(t, runs, lines...)
		if id == "compact" && len(runs) == 2 {
			match(t, "what was missed", runs[0], body{"count": 2, "skip_num": 2})
		}
		if id == "none" && len(runs) == 1 {
			match(t, "what was missed", runs[0], body{"count": 3, "skip_num": 3})
		}
		contiguous(t, id, runs)
		for _, r := range runs {
			if made := r.text("trigger"); (made == "catch_up") != (r.text("state") == "ok") {
				t.Errorf("%s: run %d is %s, and its trigger %q", id, r.int("n"), r.text("state"), made)
			}
		}
	}
	cron := c.runs("w", "cron")
	slices.Reverse(cron)
	if len(cron) == 0 || cron[0].text("reason") != "missed" || cron[0].int("count") < 3 {
		t.Errorf("cron: %v", outcome(cron))
	}
	contiguous(t, "cron", cron)
}

// contiguous checks that runs, oldest first, settle every occurrence once.
func contiguous(t *testing.T, id string, runs []body) {
	t.Helper()
	next := int64(1)
	for _, r := range runs {
		if !r.bool("final") {
			continue
		}
		if first := r.int("occurrence") - max(1, r.int("count")) + 1; first != next {
			t.Errorf("%s: %d comes after %d: %v", id, first, next-1, outcome(runs))
		}
		next = r.int("occurrence") + 1
	}
}
