package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// grid is a plan whose occurrences are 1,000 s apart.
func grid(station string) body {
	return body{"station": station, "plan_id": "p", "command": "c", "plan_type": "second", "plan_value": 1000, "plan_repet": -1}
}

// again is a plan whose next occurrence is due when the last one has finished, and that
// retries quickly.
func again(station string, repet int) body {
	return once(station).with(body{"plan_id": "p", "plan_type": "second", "plan_value": 0, "plan_repet": repet})
}

func TestUpdateChangesWhatItNamesAndNullGoesBackToTheDefault(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		sent := grid(station).with(body{"description": "old", "labels": body{"a": "b"}, "messages": []any{"m", 9007199254740993}, "exec_timeout": 5})
		made := c.create(sent)
		events := c.events(station)
		answer := c.req("plans.update", name(station, "p").with(body{"description": "new", "caller": "me", "labels": nil, "exec_timeout": nil}))
		fields(t, "update's answer", answer, words("plan_id station state plan_time created revision")...)
		match(t, "update's answer", answer, body{"plan_id": "p", "station": station, "state": "queued", "plan_time": made.time("plan_time"), "created": false})
		if answer.int("revision") <= made.int("revision") {
			t.Errorf("revision %v after %v", answer["revision"], made["revision"])
		}
		match(t, "the event", events.of("updated"), body{"station": station, "plan_id": "p", "time": present})
		got := c.req("plans.get", name(station, "p"))
		want := sent.without("labels", "exec_timeout").with(body{"description": "new", "caller": "me"})
		if diff := cmp.Diff(same(want), same(map[string]any(got.obj("plan")))); diff != "" {
			t.Errorf("the definition (-want +got):\n%s", diff)
		}
		match(t, "its state", got.obj("state"), body{"status": "queued", "revision": answer["revision"], "plan_time": made.time("plan_time")})
	})
}

func TestUpdateOfAnotherRevisionIsAConflict(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		c.create(grid(station))
		read := c.state(station, "p")["revision"]
		first := c.req("plans.update", name(station, "p").with(body{"description": "first", "revision": read}))
		if e := c.refused("plans.update", name(station, "p").with(body{"description": "second", "revision": read})); e.text("code") != "conflict" {
			t.Errorf("with the old revision: %v", e)
		}
		got := c.req("plans.get", name(station, "p"))
		match(t, "the definition", got.obj("plan"), body{"description": "first", "revision": absent})
		c.req("plans.update", name(station, "p").with(body{"description": "third", "revision": first["revision"]}))
		match(t, "the definition", c.req("plans.get", name(station, "p")).obj("plan"), body{"description": "third"})
	})
}

func TestUpdateRefusesWhatCreateRefuses(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		before := c.create(grid(station))
		for what, row := range map[string]struct {
			change body
			field  string
		}{
			"an unknown field":          {body{"plan_valu": 2}, "plan_valu"},
			"an unknown type":           {body{"plan_type": "seconds"}, "plan_type"},
			"a value out of range":      {body{"plan_value": 32767}, "plan_value"},
			"a grid without plan_repet": {body{"plan_repet": nil}, "plan_repet"},
			"a time without plan_time":  {body{"plan_type": "time"}, "plan_time"},
			"cron without cron":         {body{"plan_type": "cron"}, "cron"},
			"a bad policy":              {body{"retry": body{"strategy": "linear"}}, "retry.strategy"},
			"no command":                {body{"command": nil}, "command"},
			"a bad zone":                {body{"plan_type": "cron", "cron": "@daily", "timezone": "Nowhere"}, "timezone"},
		} {
			if e := c.refused("plans.update", name(station, "p").with(row.change)); e.text("code") != "invalid_plan" || e.text("field") != row.field {
				t.Errorf("%s: %v, want invalid_plan, field %s", what, e, row.field)
			}
		}
		if e := c.refused("plans.update", name(station, "p").with(body{"messages": []any{strings.Repeat("x", 520<<10)}})); e.text("code") != "too_large" {
			t.Errorf("above 512 KiB: %v", e)
		}
		match(t, "the plan", c.state(station, "p"), body{"revision": before["revision"], "plan_time": before.time("plan_time")})
		if e := c.refused("plans.update", name(station, "nobody").with(body{"description": "x"})); e.text("code") != "not_found" {
			t.Errorf("of a plan that never was: %v", e)
		}
		c.req("plans.close", name(station, "p"))
		if e := c.refused("plans.update", name(station, "p").with(body{"description": "x"})); e.text("code") != "not_found" {
			t.Errorf("of a closed plan: %v", e)
		}
	})
}

func TestANewScheduleCountsFromNowAndAnUnchangedOneIsNotMoved(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	due := c.create(grid(station)).time("plan_time")
	for _, change := range []body{{"description": "x"}, {"plan_value": 1000}, {"plan_repet": 7}, {"end_at": "2100-01-01T00:00:00Z"}, {"retry": body{"strategy": "none"}}} {
		match(t, fmt.Sprint("the grid after ", change), c.req("plans.update", name(station, "p").with(change)), body{"plan_time": due})
	}
	before := time.Now()
	answer := c.req("plans.update", name(station, "p").with(body{"plan_value": 500}))
	if at := answer.time("plan_time"); at.Before(before.Add(500*time.Second-time.Millisecond)) || at.After(time.Now().Add(500*time.Second)) {
		t.Errorf("the new grid begins at %v, %v from the update", at, at.Sub(before))
	}
	answer = c.req("plans.update", name(station, "p").with(body{"plan_type": "time", "plan_time": "2100-01-01T00:00:00Z", "plan_value": nil, "plan_repet": nil}))
	match(t, "another type", answer, body{"plan_time": time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)})
}

func TestUpdateWhileExecutingCountsForTheNextExecution(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results, events := c.worker(station), c.results(station), c.events(station)
	c.create(again(station, 5))
	for range 2 {
		work.take().ok()
		results.next()
	}
	x := work.take()
	open := func() body { return c.state(station, "p").list("open")[0].list("executions")[0] }
	before := open()
	match(t, "update's answer", c.req("plans.update", name(station, "p").with(body{"command": "new", "plan_repet": 4, "exec_timeout": 7})),
		body{"state": "executing", "created": false})
	if diff := cmp.Diff(before, open()); diff != "" {
		t.Errorf("the execution in flight changed (-before +after):\n%s", diff)
	}
	match(t, "the one in flight", x.body, body{"command": "c", "occurrence": 3})
	x.send(body{"state": "error"})
	match(t, "its result", results.next(), body{"n": 3, "occurrence": 3, "state": "error"})
	x = work.take()
	match(t, "its retry", x.body, body{"command": "new", "occurrence": 3, "attempt": 2})
	x.ok()
	match(t, "the retry's result", results.next(), body{"n": 4, "occurrence": 3, "real_repet": 3, "command": "new"})
	x = work.take()
	match(t, "the next", x.body, body{"command": "new", "occurrence": 4, "attempt": 1})
	x.ok()
	match(t, "the last result", results.next(), body{"n": 5, "occurrence": 4, "real_repet": 4, "skip_num": 0})
	events.of("closed") // plan_repet counts since the plan was created
}

func TestOnConflictUpdateReplacesTheDefinition(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		made := c.create(grid(station).with(body{"description": "old", "labels": body{"a": "b"}}))
		next := grid(station).with(body{"caller": "me"})
		answer := c.create(next.with(body{"on_conflict": "update"}))
		match(t, "the answer", answer, body{"created": false, "plan_id": "p", "state": "queued", "plan_time": made.time("plan_time")})
		got := c.req("plans.get", name(station, "p")).obj("plan").without("on_conflict")
		if diff := cmp.Diff(same(next), same(map[string]any(got))); diff != "" {
			t.Errorf("the definition (-want +got):\n%s", diff)
		}
		match(t, "of a new id", c.create(next.with(body{"plan_id": "q", "on_conflict": "update"})), body{"created": true})
		match(t, "an import", c.req("plans.import", body{"on_conflict": "update", "plans": []any{next, next.with(body{"plan_id": "r"})}}),
			body{"created": 1, "updated": 1})
	})
}

// As create answers for a new plan.
func TestUpdateToATimeThatHasPassedClosesThePlanAsSkipped(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, results, events := c.worker(station), c.results(station), c.events(station)
		past := time.Now().Add(-time.Hour).Truncate(time.Second)
		c.create(far(station).with(body{"plan_id": "p"}))
		answer := c.req("plans.update", name(station, "p").with(body{"plan_time": c.moment(past)}))
		match(t, "update's answer", answer, body{"state": "closed", "reason": "skipped", "created": false, "plan_time": absent})
		match(t, "the result", results.next(), body{"occurrence": 1, "state": "skipped", "reason": "past", "final": true})
		events.of("closed")
		c.create(far(station).with(body{"plan_id": "q"}))
		c.req("plans.update", name(station, "q").with(body{"plan_time": c.moment(past), "no_keep": true}))
		x := work.take()
		match(t, "with no_keep", x.body, body{"plan_id": "q", "occurrence": 1, "plan_time": past})
		x.ok()
	})
}

// An answer has the encoding of its request; the plan keeps its publisher's.
func TestAPlanKeepsItsEncodingWhenOthersSpeakTheOther(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		other := &client{t, c.nc, c.enc.other()}
		at := time.Date(2100, 1, 1, 0, 0, 0, 500_000_000, time.UTC)
		c.create(grid(station).with(body{"messages": []any{int64(1<<62 + 1)}, "start_at": c.moment(time.Now().Add(-time.Hour))}))
		other.req("plans.update", name(station, "p").with(body{"ext": body{"big": uint64(1<<64 - 1)}, "end_at": other.moment(at)}))
		for _, asker := range []*client{c, other} {
			match(t, "get in "+asker.enc.name, asker.req("plans.get", name(station, "p")).obj("plan"),
				body{"messages": []any{int64(1<<62 + 1)}, "ext": body{"big": uint64(1<<64 - 1)}, "end_at": at})
		}
		work, results, events := c.worker(station), c.results(station), c.events(station)
		other.req("plans.trigger", name(station, "p"))
		x := work.take()
		if x.enc.name != c.enc.name {
			t.Errorf("the execution is in %s", x.enc.name)
		}
		match(t, "the execution", x.body, body{"messages": []any{int64(1<<62 + 1)}, "ext": body{"big": uint64(1<<64 - 1)}})
		x.ok()
		for what, msg := range map[string]string{"the result": results.msg().Header.Get("Content-Type"), "an event": events.msg().Header.Get("Content-Type")} {
			if msg != c.enc.contentType {
				t.Errorf("%s is in %s", what, msg)
			}
		}
		if run := other.req("plans.run", name(station, "p").with(body{"n": 1})).obj("run"); run.text("state") != "ok" {
			t.Errorf("the run, asked for in the other encoding: %v", run)
		}
	})
}
