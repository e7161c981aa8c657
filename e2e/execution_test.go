package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// once is a plan of one occurrence, due now, that retries quickly.
func once(station string) body {
	return body{"station": station, "command": "c", "plan_type": "none",
		"retry": body{"strategy": "fixed_period", "interval": 0.05, "jitter": 0}}
}

// hurried is a plan whose first execution is lost if no reply comes for a moment. Its next
// attempt is no sooner than a busy machine takes to update the plan.
func hurried(station string) body {
	return once(station).with(body{"plan_id": "p", "start_timeout": 0.6, "exec_timeout": 30, "retry": body{"strategy": "fixed_period", "interval": 5, "jitter": 0}})
}

// unhurried gives all attempts after the one in flight the time that they need.
func (c *client) unhurried(station string) {
	c.t.Helper()
	c.req("plans.update", name(station, "p").with(body{"start_timeout": 60, "exec_timeout": 60}))
}

// passed waits until the scheduler's own clock is past a moment, so that a plan that is due then
// has run.
func (c *client) passed(at time.Time) {
	c.t.Helper()
	station := c.station()
	c.req("stations.put", body{"station": station, "kind": "pub"})
	results := c.results(station)
	c.create(body{"station": station, "command": "c", "plan_type": "time", "no_keep": true, "plan_time": c.moment(at)})
	results.next()
}

// moment is a time in c's encoding.
func (c *client) moment(at time.Time) any {
	if c.enc.name == inJSON.name {
		return at.UTC().Format(time.RFC3339Nano)
	}
	return at
}

func wantRuns(t *testing.T, runs []body, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, outcome(runs)); diff != "" {
		t.Errorf("runs, newest first (-want +got):\n%s", diff)
	}
}

func TestAMissingWorkerIsAnEventAndTheSameExecutionAgain(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	events, results := c.events(station), c.results(station)
	id := c.create(once(station)).text("plan_id")
	match(t, "not_worker", events.of("not_worker"), body{"station": station, "plan_id": id, "n": 1, "occurrence": 1, "attempt": 1})
	work := c.worker(station) // found at the next attempt
	x := work.take()
	match(t, "the execution", x.body, body{"occurrence": 1, "attempt": 1})
	if x.text("exec")[:2] != "1-" {
		t.Errorf("exec is %s, want the first", x.text("exec"))
	}
	x.ok()
	results.next()
	wantRuns(t, c.runs(station, id), "n=1 k=1 a=1 ok final")
}

// Attempts come after 1, 2, 4, 8, 16 s and so on, so that after the fifth failure only the
// presence record can bring the execution at once, or after some seconds of a stall.
func TestAWorkerThatAppearsGetsTheExecutionAtOnce(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		events := c.events(station)
		c.create(once(station).with(body{"exec_timeout": 60}))
		var tried time.Time
		for range 5 {
			tried = events.of("not_worker").time("time")
		}
		work := c.worker(station)
		c.present("w-"+station, station)
		x := work.take()
		match(t, "the execution", x.body, body{"occurrence": 1, "attempt": 1})
		// Its deadline runs from its publication.
		if waited := x.time("deadline").Add(-time.Minute).Sub(tried); waited > 14*time.Second {
			t.Errorf("the execution waits for the next try, %v after the last one", waited)
		}
	})
}

func TestNoReplyByTheStartTimeoutIsATimeoutAndAnotherAttempt(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results := c.worker(station), c.results(station)
	c.create(hurried(station))
	first := work.take()
	c.unhurried(station)
	match(t, "the result", results.next(), body{"n": 1, "attempt": 1, "state": "timeout", "reason": "start", "final": false})
	second := work.take()
	match(t, "the second attempt", second.body, body{"occurrence": 1, "attempt": 2, "key": first.text("key"), "plan_time": first.time("plan_time")})
	second.ok()
	results.next()
	wantRuns(t, c.runs(station, "p"), "n=2 k=1 a=2 ok final", "n=1 k=1 a=1 timeout start")
}

func TestExecTimeoutHoldsForTheFirstReplyWhenItIsSooner(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results := c.worker(station), c.results(station)
	c.create(once(station).with(body{"start_timeout": 60, "exec_timeout": 0.2}))
	work.take()
	match(t, "the result", results.next(), body{"n": 1, "state": "timeout", "reason": "start"})
	work.take().ok()
}

func TestRunningWaitsUntilTheExecTimeout(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results, events := c.worker(station), c.results(station), c.events(station)
	c.create(hurried(station).with(body{"start_timeout": 7.5, "exec_timeout": 8}))
	x := work.take()
	match(t, "the answer", x.request(body{"state": "running"}), body{"ack": true, "accepted": true})
	c.unhurried(station)
	result := results.next()
	match(t, "the result", result, body{"n": 1, "state": "timeout", "reason": "exec", "final": false})
	if end := result.time("end_time"); end.Before(x.time("deadline")) {
		t.Errorf("ended at %v, before its deadline %v", end, x.time("deadline"))
	}
	match(t, "the event", events.of("timeout"), body{"n": 1, "reason": "exec"})
	work.take().ok()
	match(t, "the second result", results.next(), body{"n": 2, "attempt": 2, "state": "ok", "final": true})
}

func TestWaitingMovesTheDeadline(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		reply   body
		atLeast time.Duration
	}{
		{"by extend", body{"state": "waiting", "extend": 30}, 30 * time.Second},
		{"by exec_timeout without it", body{"state": "waiting"}, 8 * time.Second},
		{"by a fraction", body{"state": "waiting", "extend": 30.5}, 30_500 * time.Millisecond},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			work, results := c.worker(station), c.results(station)
			id := c.create(once(station).with(body{"start_timeout": 0, "exec_timeout": 8})).text("plan_id")
			x := work.take()
			before := time.Now()
			match(t, "the answer", x.request(row.reply), body{"accepted": true})
			open := c.state(station, id).list("open")
			if len(open) != 1 || len(open[0].list("executions")) != 1 {
				t.Fatalf("open is %v", open)
			}
			exec := open[0].list("executions")[0]
			match(t, "the execution", exec, body{"n": 1, "attempt": 1, "state": "waiting"})
			if got := exec.time("deadline"); got.Before(before.Add(row.atLeast)) {
				t.Errorf("the deadline is %v from now, want at least %v", got.Sub(before), row.atLeast)
			}
			if row.atLeast > 8*time.Second {
				c.passed(x.time("deadline").Add(50 * time.Millisecond))
			}
			x.ok()
			match(t, "the result", results.next(), body{"n": 1, "attempt": 1, "state": "ok", "final": true})
		})
	}
}

func TestOkGoesOnToTheNextOccurrenceAndClosesAfterTheLast(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results, events := c.worker(station), c.results(station), c.events(station)
	id := c.create(body{"station": station, "command": "c", "plan_type": "second", "plan_value": 0, "plan_repet": 3}).text("plan_id")
	for k := range 3 {
		x := work.take()
		match(t, "the execution", x.body, body{"occurrence": k + 1, "attempt": 1})
		x.send(body{"state": "ok", "content": k})
		match(t, "the result", results.next(), body{"n": k + 1, "occurrence": k + 1, "state": "ok", "content": k, "real_repet": k + 1, "skip_num": 0, "final": true})
	}
	events.of("closed")
	if e := c.refused("plans.get", name(station, id)); e.text("code") != "not_found" {
		t.Errorf("a closed plan is %v", e)
	}
	wantRuns(t, c.runs(station, id), "n=3 k=3 a=1 ok final", "n=2 k=2 a=1 ok final", "n=1 k=1 a=1 ok final")
}

// An attempt never comes before its delay is over. The benchmarks check that it does not
// come much later.
func TestErrorPutsTheOccurrenceBackUnderItsRetryPolicy(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		retry  body
		reply  body // the reply to every attempt but the last
		delays []float64
		want   []string // runs, newest first
	}{
		{"fixed_period", body{"strategy": "fixed_period", "interval": 0.1, "jitter": 0}, body{"state": "error", "error": "e"},
			[]float64{0.1, 0.1}, []string{"n=3 k=1 a=3 ok final", "n=2 k=1 a=2 error", "n=1 k=1 a=1 error"}},
		{"sequence, whose last delay repeats", body{"strategy": "sequence", "sequence": []any{0.05, 0.2}, "jitter": 0}, body{"state": "error"},
			[]float64{0.05, 0.2, 0.2}, []string{"n=4 k=1 a=4 ok final", "n=3 k=1 a=3 error", "n=2 k=1 a=2 error", "n=1 k=1 a=1 error"}},
		{"exponential", body{"strategy": "exponential", "interval": 0.05, "max_interval": 0.1, "jitter": 0}, body{"state": "error"},
			[]float64{0.05, 0.1, 0.1}, []string{"n=4 k=1 a=4 ok final", "n=3 k=1 a=3 error", "n=2 k=1 a=2 error", "n=1 k=1 a=1 error"}},
		{"a delay in the reply instead", body{"strategy": "fixed_period", "interval": 1000}, body{"state": "error", "delay": 0.1},
			[]float64{0.1}, []string{"n=2 k=1 a=2 ok final", "n=1 k=1 a=1 error"}},
		{"none settles at once", body{"strategy": "none"}, body{"state": "error", "error": "e"},
			nil, []string{"n=1 k=1 a=1 failure retries final"}},
		{"max_error_count 0 settles at once", body{"strategy": "fixed_period", "interval": 0.05, "max_error_count": 0}, body{"state": "error"},
			nil, []string{"n=1 k=1 a=1 failure retries final"}},
		{"max_error_count is the number of retries", body{"strategy": "fixed_period", "interval": 0.05, "max_error_count": 2}, body{"state": "error"},
			nil, []string{"n=3 k=1 a=3 failure retries final", "n=2 k=1 a=2 error", "n=1 k=1 a=1 error"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			work, results, events := c.worker(station), c.results(station), c.events(station)
			id := c.create(once(station).with(body{"retry": row.retry})).text("plan_id")
			for i := range row.want {
				x := work.take()
				if i == len(row.want)-1 && row.delays != nil {
					x.ok()
				} else {
					x.send(row.reply)
				}
				result := results.next()
				match(t, "the result", result, body{"n": i + 1, "attempt": i + 1, "occurrence": 1, "plan_time": x.time("plan_time")})
				if i < len(row.delays) {
					match(t, "retrying", events.of("retrying"), body{"occurrence": 1})
					next := events.of("dispatched")
					soonest := result.time("end_time").Add(time.Duration(row.delays[i] * float64(time.Second)))
					if got := next.time("time"); got.Before(soonest) {
						t.Errorf("attempt %d at %v, before %v", i+2, got, soonest)
					}
				}
			}
			events.of("closed")
			wantRuns(t, c.runs(station, id), row.want...)
		})
	}
}

func TestThePlanGoesOnAfterAFailedOccurrence(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results := c.worker(station), c.results(station)
	id := c.create(once(station).with(body{"plan_type": "second", "plan_value": 0, "plan_repet": 2, "retry": body{"strategy": "none"}})).text("plan_id")
	work.take().send(body{"state": "error", "error": "broken", "content": "partly"})
	match(t, "the result", results.next(), body{"occurrence": 1, "state": "failure", "reason": "retries", "error": "broken", "content": "partly", "final": true, "real_repet": 1})
	x := work.take()
	match(t, "the execution", x.body, body{"occurrence": 2, "attempt": 1})
	x.ok()
	match(t, "the result", results.next(), body{"occurrence": 2, "state": "ok", "real_repet": 2})
	wantRuns(t, c.runs(station, id), "n=2 k=2 a=1 ok final", "n=1 k=1 a=1 failure retries final")
}

func TestTimeoutsCountAsErrors(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, events := c.worker(station), c.events(station)
	id := c.create(once(station).with(body{"retry": body{"strategy": "fixed_period", "interval": 0.05, "max_error_count": 1}})).text("plan_id")
	x := work.take()
	c.req("plans.update", name(station, id).with(body{"exec_timeout": 0.2})) // for the next execution
	x.send(body{"state": "error"})
	work.take() // and does not reply
	events.of("closed")
	wantRuns(t, c.runs(station, id), "n=2 k=1 a=2 failure retries final", "n=1 k=1 a=1 error")
}

func TestAnExecutionOfUnknownFate(t *testing.T) {
	t.Parallel()
	t.Run("skip settles it as a failure", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.station()
		c.worker(station)
		results, events := c.results(station), c.events(station)
		c.create(once(station).with(body{"exec_timeout": 0.2, "on_unknown": "skip"}))
		all := results.until(func(r body) bool { return r.bool("final") })
		match(t, "the result", all[len(all)-1], body{"n": 1, "state": "failure", "reason": "unknown"})
		events.of("closed")
	})
	t.Run("hold waits for a person", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.station()
		c.worker(station)
		results := c.results(station)
		id := c.create(once(station).with(body{"exec_timeout": 0.2, "on_unknown": "hold"})).text("plan_id")
		match(t, "the result", results.next(), body{"n": 1, "final": false})
		match(t, "the plan", c.state(station, id), body{"status": "pending"})
	})
	t.Run("need_manual waits for a person", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.station()
		work, results := c.worker(station), c.results(station)
		id := c.create(once(station).with(body{"retry": body{"strategy": "none", "need_manual": true}})).text("plan_id")
		work.take().send(body{"state": "error"})
		match(t, "the result", results.next(), body{"n": 1, "final": false})
		match(t, "the plan", c.state(station, id), body{"status": "pending"})
	})
}

func TestAFailureOrAnUnknownStateStopsThePlan(t *testing.T) {
	t.Parallel()
	for what, row := range map[string]struct {
		reply  body
		reason string
	}{
		"failure":                 {body{"state": "failure", "error": "no such order", "content": 7}, "worker"},
		"an unknown state":        {body{"state": "exploded"}, "unknown_state"},
		"a state in another case": {body{"state": "OK"}, "unknown_state"},
		"a state that is no text": {body{"state": 1}, "unknown_state"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			work, results, events := c.worker(station), c.results(station), c.events(station)
			id := c.create(once(station).with(body{"plan_type": "second", "plan_value": 0, "plan_repet": -1})).text("plan_id")
			match(t, "the ack", work.take().request(row.reply), body{"ack": true, "accepted": true})
			match(t, "the result", results.next(), body{"n": 1, "state": "failure", "reason": row.reason, "final": false})
			match(t, "the event", events.of("plan_error"), body{"n": 1, "occurrence": 1})
			match(t, "the plan", c.state(station, id), body{"status": "plan_error"})
			if listed := c.pages("plans.list", "plans", body{"station": station, "status": "plan_error"}); len(listed) != 1 {
				t.Errorf("listed: %v", listed)
			}
			work.empty("a plan in plan_error is executed")
			wantRuns(t, c.runs(station, id), "n=1 k=1 a=1 failure "+row.reason)
			match(t, "removing it", c.req("plans.remove", name(station, id)), body{"plan_id": id})
		})
	}
}

func TestAPubStationIsDoneOncePublished(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		c.req("stations.put", body{"station": station, "kind": "pub"})
		results, events := c.results(station), c.events(station)
		c.create(body{"station": station, "plan_type": "none"}) // no worker subscribes, and pub needs no command
		match(t, "the result", results.next(), body{"n": 1, "state": "ok", "final": true})

		// Every subscriber gets a copy.
		one, two := c.listen("station."+station), c.listen("station."+station)
		c.create(body{"station": station, "plan_type": "none", "messages": []any{"m"}})
		for _, f := range []*feed{one, two} {
			match(t, "a copy", f.next(), body{"messages": []any{"m"}})
		}
		match(t, "the result", results.next(), body{"n": 1, "state": "ok", "final": true})
		closed := 0
		seen := events.until(func(e body) bool {
			if e.text("kind") == "closed" {
				closed++
			}
			return closed == 2
		})
		if slices.ContainsFunc(seen, func(e body) bool { return e.text("kind") == "not_worker" }) {
			t.Errorf("events %s", kinds(seen))
		}
	})
}
