package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// far is a plan that does not run during a test.
func far(station string) body {
	return body{"station": station, "command": "c", "plan_type": "time", "plan_time": "2100-01-01T00:00:00Z"}
}

func TestGetAnswersTheDefinitionAsItWasSentAndWhereItStands(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		due := time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
		sent := body{"station": station, "plan_id": "p1", "command": "c", "plan_type": 1, "plan_time": c.moment(due), "labels": body{"a": "b"}}
		made := c.create(sent)
		match(t, "create's answer", made, body{"plan_id": "p1", "station": station, "state": "queued", "plan_time": due, "created": true, "revision": present})
		got := c.req("plans.get", name(station, "p1"))
		fields(t, "get's answer", got, "plan", "state")
		if diff := cmp.Diff(same(sent), same(map[string]any(got.obj("plan")))); diff != "" {
			t.Errorf("the definition (-sent +got):\n%s", diff)
		}
		match(t, "its state", got.obj("state"), body{"status": "queued", "plan_time": due, "real_repet": 0, "skip_num": 0,
			"revision": made["revision"], "n": 0, "occurrence": 0, "attempt": 0})
	})
}

func TestAPlanIdIsMadeWhenNoneIsGiven(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	one, two := c.create(far(station)).text("plan_id"), c.create(far(station)).text("plan_id")
	if len(one) != 26 || len(two) != 26 || one == two {
		t.Errorf("ids %q and %q, want two ULIDs", one, two)
	}
	match(t, "a number as an id", c.create(far(station).with(body{"plan_id": 12345, "tenant_id": 7})), body{"plan_id": "12345"})
	match(t, "named by its number", c.req("plans.pause", body{"station": station, "plan_id": 12345}), body{"plan_id": "12345", "state": "paused"})
	if plans := c.pages("plans.list", "plans", body{"station": station, "tenant_id": "7"}); len(plans) != 1 {
		t.Errorf("tenant 7, sent as a number, has %d plans", len(plans))
	}
}

func TestOnConflictDecidesTheFateOfAnExistingId(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		plan := body{"station": station, "plan_id": "p", "command": "first", "plan_type": "cron", "cron": "0 0 1 1 *"}
		made := c.create(plan)
		for _, request := range []body{plan, plan.with(body{"on_conflict": "error"})} {
			if e := c.refused("plans.create", request); e.text("code") != "already_exists" {
				t.Errorf("again: %v", e)
			}
		}
		kept := c.create(plan.with(body{"on_conflict": "keep", "command": "second"}))
		match(t, "keep", kept, body{"created": false, "plan_id": "p", "state": "queued", "plan_time": made.time("plan_time"), "revision": made["revision"]})
		match(t, "the plan kept", c.req("plans.get", name(station, "p")).obj("plan"), body{"command": "first"})
		match(t, "keep of a new one", c.create(plan.with(body{"plan_id": "q", "on_conflict": "keep"})), body{"created": true})
		if e := c.refused("plans.create", plan.with(body{"on_conflict": "replace"})); e.text("field") != "on_conflict" || e.text("code") != "invalid_plan" {
			t.Errorf("an unknown word: %v", e)
		}
	})
}

func TestATimeThatHasPassedClosesThePlanAsSkipped(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, results := c.worker(station), c.results(station)
		past := time.Now().Add(-time.Hour).Truncate(time.Second)
		for what, plan := range map[string]body{
			"a time": {"plan_type": "time", "plan_time": c.moment(past)},
			"a grid": {"plan_type": "second", "plan_value": 10, "plan_repet": 3, "plan_time": c.moment(past)},
		} {
			made := c.create(plan.with(body{"station": station, "command": "c"}))
			match(t, what, made, body{"state": "closed", "reason": "skipped", "created": true, "plan_time": absent})
			id := made.text("plan_id")
			match(t, what, results.next(), body{"plan_id": id, "state": "skipped", "reason": "past", "real_repet": 0, "final": true})
			if runs := c.runs(station, id); len(runs) != 1 || runs[0].text("state") != "skipped" {
				t.Errorf("%s: %v", what, outcome(runs))
			}
			if e := c.refused("plans.get", name(station, id)); e.text("code") != "not_found" {
				t.Errorf("%s: %v", what, e)
			}
		}
		made := c.create(body{"station": station, "command": "c", "plan_type": "time", "plan_time": past.Unix(), "no_keep": true})
		match(t, "with no_keep", made, body{"state": present, "created": true})
		x := work.take()
		match(t, "the execution", x.body, body{"plan_id": made["plan_id"], "plan_time": past})
		x.ok()
	})
}

func TestListFiltersInPages(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		base := c.station()
		a, b := base+".a", base+".b"
		put := func(station, id string, more body) { c.create(far(station).with(body{"plan_id": id}).with(more)) }
		put(a, "p3", body{"labels": body{"x": "1", "y": "2"}, "caller": "me"})
		put(a, "p1", body{"labels": body{"x": "1"}, "tenant_id": "t"})
		put(b, "p2", body{"category": "cat"})
		put(a, "p2", body{"plan_type": "cron", "cron": "0 0 1 1 *", "plan_time": nil})
		put(a+"x", "p0", nil)

		under := body{"station": base + ".>"}
		order := []string{a + "/p1", a + "/p2", a + "/p3", a + "x/p0", b + "/p2"}
		for what, row := range map[string]struct {
			filter body
			want   []string
		}{
			"a prefix":           {under, order},
			"one station":        {body{"station": a}, order[:3]},
			"pages of one":       {under.with(body{"limit": 1}), order},
			"pages of two":       {under.with(body{"limit": 2}), order},
			"status":             {under.with(body{"status": "queued"}), order},
			"status of a list":   {under.with(body{"status": []any{"paused", "queued"}}), order},
			"another status":     {under.with(body{"status": "executing"}), nil},
			"plan_type":          {under.with(body{"plan_type": "cron"}), order[1:2]},
			"plan_type's number": {under.with(body{"plan_type": 1, "limit": 2}), []string{order[0], order[2], order[3], order[4]}},
			"caller":             {under.with(body{"caller": "me"}), order[2:3]},
			"tenant_id":          {under.with(body{"tenant_id": "t"}), order[:1]},
			"category":           {under.with(body{"category": "cat"}), order[4:]},
			"labels":             {under.with(body{"labels": body{"x": "1"}}), []string{order[0], order[2]}},
			"all labels":         {under.with(body{"labels": body{"x": "1", "y": "2"}}), order[2:3]},
			"nobody":             {body{"station": base + ".c"}, nil},
		} {
			var got []string
			for _, p := range c.pages("plans.list", "plans", row.filter) {
				fields(t, what, p, "plan", "state")
				got = append(got, p.obj("plan").text("station")+"/"+p.obj("plan").text("plan_id"))
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		page := c.req("plans.list", under.with(body{"limit": 2}))
		if len(page.list("plans")) > 2 || page.text("next") == "" {
			t.Errorf("a page of two: %v", page)
		}
		for _, limit := range []any{0, 1001, -1, "two"} {
			if e := c.refused("plans.list", under.with(body{"limit": limit})); e.text("field") != "limit" {
				t.Errorf("limit %v: %v", limit, e)
			}
		}
		if e := c.refused("plans.list", under.with(body{"cursor": "nonsense"})); e.text("field") != "cursor" {
			t.Errorf("a cursor of no list: %v", e)
		}
	})
}

func TestCloseLetsWhatIsUnderWayFinish(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results, events := c.worker(station), c.results(station), c.events(station)
	id := c.create(body{"station": station, "command": "c", "plan_type": "second", "plan_value": 0, "plan_repet": -1}).text("plan_id")
	x := work.take()
	closed := c.req("plans.close", name(station, id))
	match(t, "close's answer", closed, body{"plan_id": id, "station": station, "state": present, "revision": present})
	if e := c.refused("plans.close", name(station, id)); e.text("code") != "not_found" {
		t.Errorf("a second close: %v", e)
	}
	match(t, "the ack", x.request(body{"state": "ok", "content": "kept"}), body{"accepted": true})
	match(t, "the result", results.next(), body{"n": 1, "state": "ok", "content": "kept"})
	events.of("closed")
	if e := c.refused("plans.get", name(station, id)); e.text("code") != "not_found" {
		t.Errorf("a closed plan: %v", e)
	}
	work.empty("an occurrence after close")
	wantRuns(t, c.runs(station, id), "n=1 k=1 a=1 ok final")
}

func TestRemoveCancelsWhatIsUnderWayAndKeepsTheRuns(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, cancels, events := c.worker(station), c.cancels(station), c.events(station)
		id := c.create(body{"station": station, "command": "c", "plan_type": "second", "plan_value": 0, "plan_repet": -1}).text("plan_id")
		work.take().request(body{"state": "ok"})
		work.take()
		removed := c.req("plans.remove", name(station, id))
		match(t, "remove's answer", removed, body{"plan_id": id, "station": station, "state": present, "revision": present})
		cancel := cancels.next()
		match(t, "the cancel", cancel, body{"station": station, "plan_id": id, "n": 2, "occurrence": 2, "attempt": 1})
		events.of("removed")
		for _, verb := range []string{"plans.get", "plans.close", "plans.remove"} {
			if e := c.refused(verb, name(station, id)); e.text("code") != "not_found" {
				t.Errorf("%s of a removed plan: %v", verb, e)
			}
		}
		runs := c.runs(station, id)
		if len(runs) != 2 || runs[0].text("state") != "cancelled" || runs[1].text("state") != "ok" {
			t.Errorf("runs %v", outcome(runs))
		}
	})
}

func TestRunsAreNewestFirstAndHoldWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results := c.worker(station), c.results(station)
	id := c.create(once(station).with(body{
		"plan_type": "second", "plan_value": 0, "plan_repet": -1, "caller": "me", "messages": []any{"hi"},
	})).text("plan_id")
	for range 5 {
		work.take().ok()
		results.next()
	}
	work.take().request(body{"state": "error", "error": "e"})
	x := work.take()
	under := c.runs(station, id)
	if len(under) != 7 {
		t.Fatalf("runs %v", outcome(under))
	}
	match(t, "what is under way", under[0], body{
		"n": 7, "occurrence": 6, "attempt": 2, "state": "dispatched", "end_time": absent,
		"plan_id": id, "station": station, "command": under[1]["command"], "caller": "me", "messages": []any{"hi"},
	})
	x.request(body{"state": "running", "worker_id": "w"})
	match(t, "what is under way", c.runs(station, id)[0], body{"n": 7, "state": "running", "worker_id": "w", "end_time": absent})
	x.request(body{"state": "waiting"})
	match(t, "what is under way", c.runs(station, id)[0], body{"n": 7, "state": "waiting", "end_time": absent})
	for limit := 1; limit <= 8; limit++ {
		var ns []int64
		for _, r := range c.pages("plans.runs", "runs", name(station, id).with(body{"limit": limit})) {
			ns = append(ns, r.int("n"))
		}
		if !slices.Equal(ns, []int64{7, 6, 5, 4, 3, 2, 1}) {
			t.Errorf("in pages of %d: %v", limit, ns)
		}
	}
	for state, want := range map[string]int{"ok": 5, "error": 1, "waiting": 1, "timeout": 0} {
		if got := c.pages("plans.runs", "runs", name(station, id).with(body{"state": state})); len(got) != want {
			t.Errorf("runs that are %s: %v", state, outcome(got))
		}
	}
}

func TestPreviewShowsWhatWouldRun(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC)
	at := func(s string) time.Time {
		moment, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	inBoth(t, func(t *testing.T, c *client) {
		for what, row := range map[string]struct {
			plan  body
			count any
			want  []string // occurrence and time
		}{
			"a daily cron": {body{"plan_type": "cron", "cron": "30 9 * * *", "timezone": "Europe/Berlin"}, 2,
				[]string{"1 2026-03-29T07:30:00Z", "2 2026-03-30T07:30:00Z"}},
			"a gap of the clock": {body{"plan_type": "cron", "cron": "30 2 29 3 *", "timezone": "Europe/Berlin"}, 1,
				[]string{"1 2026-03-29T01:00:00Z"}},
			"a grid that ends": {body{"plan_type": "minute", "plan_value": 30, "plan_repet": 2}, 10,
				[]string{"1 2026-03-28T12:30:00Z", "2 2026-03-28T13:00:00Z"}},
			"a grid whose beginning is past": {body{"plan_type": "hour", "plan_value": 1, "plan_repet": 5, "plan_time": c.moment(at("2026-03-28T09:30:00Z"))}, 2,
				[]string{"3 2026-03-28T12:30:00Z", "4 2026-03-28T13:30:00Z"}},
			"the same with no_keep": {body{"plan_type": "hour", "plan_value": 1, "plan_repet": 5, "plan_time": c.moment(at("2026-03-28T09:30:00Z")), "no_keep": true}, 2,
				[]string{"1 2026-03-28T10:30:00Z", "2 2026-03-28T11:30:00Z"}},
			"the last day of the month": {body{"plan_type": "month", "plan_value": 0, "plan_repet": -1}, 2,
				[]string{"1 2026-03-31T00:00:00Z", "2 2026-04-30T00:00:00Z"}},
			"a weekday": {body{"plan_type": "week", "plan_value": 0, "plan_repet": 1, "plan_time": c.moment(at("2026-01-01T08:15:00Z"))}, nil,
				[]string{"1 2026-03-29T08:15:00Z"}},
			"none":               {body{"plan_type": "none"}, nil, []string{"1 2026-03-28T12:00:00Z"}},
			"a time that passed": {body{"plan_type": "time", "plan_time": c.moment(at("2026-01-01T00:00:00Z"))}, nil, nil},
		} {
			request := body{"plan": row.plan, "from": c.moment(from)}
			if row.count != nil {
				request["count"] = row.count
			}
			answer := c.req("plans.preview", request)
			fields(t, what, answer, "occurrences", "words")
			var got []string
			for _, o := range answer.list("occurrences") {
				fields(t, what, o, "occurrence", "plan_time", "local", "offset", "notes")
				got = append(got, fmt.Sprintf("%d %s", o.int("occurrence"), o.time("plan_time").UTC().Format(time.RFC3339)))
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		six := c.req("plans.preview", body{"plan": body{"plan_type": "cron", "cron": "@daily"}})
		if got := len(six.list("occurrences")); got != 6 {
			t.Errorf("%d occurrences without a count, want 6", got)
		}
		fromNow := c.req("plans.preview", body{"plan": body{"plan_type": "second", "plan_value": 1, "plan_repet": 1}})
		if at := fromNow.list("occurrences")[0].time("plan_time"); at.Nanosecond()%int(time.Millisecond) != 0 {
			t.Errorf("due at %v; create counts from a whole millisecond", at)
		}
		for _, count := range []any{0, 1001} {
			if e := c.refused("plans.preview", body{"plan": body{"plan_type": "none"}, "count": count}); e.text("field") != "count" {
				t.Errorf("count %v: %v", count, e)
			}
		}
	})
}

func TestOneBadPlanDoesNotStopTheOthersOfAnImport(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		c.create(far(station).with(body{"plan_id": "there"}))
		request := body{"plans": []any{
			far(station).with(body{"plan_id": "a"}),
			far(station).with(body{"plan_id": "b", "plan_typ": 1}),
			far(station).with(body{"plan_id": "there"}),
			7,
			far(station).with(body{"plan_id": "c"}),
		}}
		answer := c.req("plans.import", request)
		match(t, "import", answer, body{"created": 2})
		var at []string
		for _, e := range answer.list("errors") {
			fields(t, "an error", e, "index", "error")
			at = append(at, fmt.Sprint(e.int("index"), " ", e.obj("error").text("code")))
		}
		if diff := cmp.Diff([]string{"1 invalid_plan", "2 already_exists", "3 invalid_plan"}, at); diff != "" {
			t.Errorf("errors (-want +got):\n%s", diff)
		}
		again := c.req("plans.import", request.with(body{"on_conflict": "keep"}))
		match(t, "import again", again, body{"kept": 3})
		if again.int("created") > 0 || len(again.list("errors")) != 2 {
			t.Errorf("import again: %v", again)
		}
		if plans := c.pages("plans.list", "plans", body{"station": station}); len(plans) != 3 {
			t.Errorf("%d plans", len(plans))
		}
		many := make([]any, 1001)
		for i := range many {
			many[i] = far(station)
		}
		if e := c.refused("plans.import", body{"plans": many}); e.text("field") != "plans" {
			t.Errorf("1,001 plans: %v", e)
		}
	})
}
