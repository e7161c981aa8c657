package e2e

import (
	"testing"
	"time"
)

// The worker and the scheduler read the same machine's clock.
func TestNothingRunsBeforeItsTime(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	results := c.results(station)
	c.serve(station, func(x *execution) any {
		if at := time.Now(); at.Before(x.time("plan_time")) {
			t.Errorf("due at %v, executed at %v", x.time("plan_time"), at)
		}
		return body{"state": "ok"}
	})
	start := time.Now()
	const plans = 60
	for i := range plans {
		due := start.Add(500*time.Millisecond + time.Duration(i)*11*time.Millisecond)
		c.create(body{"station": station, "command": "c", "plan_type": "time", "no_keep": true, "plan_time": c.moment(due)})
	}
	c.create(body{"station": station, "command": "c", "plan_type": "second", "plan_value": 1, "plan_repet": 2, "no_keep": true})
	for range plans + 2 {
		r := results.next()
		match(t, "the result", r, body{"state": "ok"})
		if r.time("exec_time").Before(r.time("plan_time")) {
			t.Errorf("due at %v, its record has %v", r["plan_time"], r["exec_time"])
		}
	}
}

func TestAGridIsItsStartAndWholeUnits(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		c.serve(station, ok)
		results, events := c.results(station), c.events(station)
		start := time.Now().Truncate(time.Second).Add(250 * time.Millisecond)
		made := c.create(body{"station": station, "command": "c", "plan_type": "second", "plan_value": 1, "plan_repet": 4, "plan_time": c.moment(start)})
		first := made.time("plan_time")
		if off := first.Sub(start); off <= 0 || off%time.Second != 0 {
			t.Fatalf("the first time is %v behind the start", off)
		}
		for k := int64(0); k < 4; { // those before the first are past, and count
			r := results.next()
			k += max(1, r.int("count"))
			match(t, "the result", r, body{"occurrence": k, "plan_time": start.Add(time.Duration(k) * time.Second), "final": true})
			if k == int64(first.Sub(start)/time.Second) {
				match(t, "the first", r, body{"state": "ok"})
			}
		}
		events.of("closed")
	})
}

func TestCronRunsOnTheWholeSecond(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	c.serve(station, ok)
	results := c.results(station)
	id := c.create(body{"station": station, "command": "c", "plan_type": "cron", "cron": "* * * * * *", "plan_repet": 2, "overlap": "queue"}).text("plan_id")
	one, two := results.next(), results.next()
	if gap := two.time("plan_time").Sub(one.time("plan_time")); gap != time.Second || one.time("plan_time").Nanosecond() != 0 {
		t.Errorf("due at %v and %v", one["plan_time"], two["plan_time"])
	}
	match(t, "the second", two, body{"occurrence": 2, "real_repet": 2})
	if runs := c.runs(station, id); len(runs) != 2 {
		t.Errorf("runs %v", outcome(runs))
	}
}

func TestAnOccurrenceThatFallsDueWhileOneIsOpen(t *testing.T) {
	t.Parallel()
	t.Run("is skipped by default", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.station()
		work, results := c.worker(station), c.results(station)
		id := c.create(body{"station": station, "command": "c", "plan_type": "second", "plan_value": 1, "plan_repet": -1}).text("plan_id")
		x := work.take()
		c.passed(x.time("plan_time").Add(1100 * time.Millisecond))
		x.ok()
		next := work.take()
		next.ok()
		seen := results.until(func(r body) bool { return r.int("occurrence") == next.int("occurrence") && r.bool("final") })
		skipped := int64(0) // the second, and on a slow machine those after it, or before the first
		for _, r := range seen {
			switch r.int("occurrence") {
			case x.int("occurrence"), next.int("occurrence"):
				match(t, "one that is executed", r, body{"state": "ok"})
			default:
				match(t, "one in between", r, body{"state": "skipped", "final": true})
				skipped += max(1, r.int("count"))
			}
		}
		if next.int("occurrence") < x.int("occurrence")+2 || next.int("occurrence") != skipped+2 {
			t.Errorf("runs %v", outcome(seen))
		}
		match(t, "the last", seen[len(seen)-1], body{"real_repet": 2, "skip_num": skipped})
		c.req("plans.remove", name(station, id))
	})
	t.Run("waits its turn with no_keep", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.station()
		work, results := c.worker(station), c.results(station)
		start := time.Now().Add(-10 * time.Second).Truncate(time.Millisecond)
		c.create(body{"station": station, "command": "c", "plan_type": "second", "plan_value": 2, "plan_repet": 3, "no_keep": true, "plan_time": c.moment(start)})
		for k := range 3 {
			x := work.take()
			match(t, "the execution", x.body, body{"occurrence": k + 1, "plan_time": start.Add(time.Duration(k+1) * 2 * time.Second)})
			work.empty("the next, before this one has finished")
			x.ok()
			match(t, "the result", results.next(), body{"occurrence": k + 1, "state": "ok", "real_repet": k + 1, "skip_num": 0})
		}
	})
}

// The creator of a plan recognises its runs by the time in create's answer, at any
// precision of the request.
func TestADueTimeIsTheSameInEveryRecord(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, results := c.worker(station), c.results(station)
		due := time.Now().Add(2 * time.Second).Truncate(time.Millisecond).Add(123_456 * time.Nanosecond)
		plan := body{"plan_type": "time", "plan_time": c.moment(due.Add(time.Nanosecond))}
		previewed := c.req("plans.preview", body{"plan": plan}).list("occurrences")[0]
		times := map[string]body{
			"create":  c.create(once(station).with(plan).with(body{"plan_id": "p"})),
			"get":     c.state(station, "p"),
			"preview": previewed,
		}
		x := work.take()
		times["the execution"] = x.body
		x.ok()
		times["the result"] = results.next()
		times["its header"] = body{"plan_time": x.msg.Header.Get("Plan-Time")}
		want := due.Truncate(time.Microsecond).Add(time.Microsecond) // never early
		for who, record := range times {
			if at := record.time("plan_time"); !at.Equal(want) {
				t.Errorf("%s has %v, want %v", who, at, want)
			}
		}
	})
}
