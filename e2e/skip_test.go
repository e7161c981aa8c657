package e2e

import (
	"slices"
	"testing"
	"time"
)

func TestSkipReturnsTheNewTimeAndTheLatestCountStands(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		made := c.create(grid(station))
		due := made.time("plan_time")
		for _, row := range []struct {
			count any
			plan  time.Time // zero: none
		}{
			{nil, due.Add(1000 * time.Second)},
			{3, due.Add(3000 * time.Second)},
			{2, due.Add(2000 * time.Second)},
			{0, due},
			{-1, time.Time{}},
			{1, due.Add(1000 * time.Second)},
		} {
			request := name(station, "p")
			if row.count != nil {
				request["count"] = row.count
			}
			answer := c.req("plans.skip", request)
			want := body{"plan_id": "p", "station": station, "state": "queued", "revision": present, "plan_time": row.plan}
			if row.plan.IsZero() {
				want["plan_time"] = absent
			} else {
				fields(t, "skip's answer", answer, words("plan_id station state plan_time revision")...)
			}
			match(t, "skip's answer", answer, want)
			match(t, "get", c.state(station, "p"), want.without("plan_id", "station", "state", "revision"))
		}
		for _, count := range []any{-2, 1.5, "all"} {
			if e := c.refused("plans.skip", name(station, "p").with(body{"count": count})); e.text("code") != "invalid_plan" || e.text("field") != "count" {
				t.Errorf("count %v: %v", count, e)
			}
		}
	})
}

func TestSkippedOccurrencesAreResultsAndCount(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name          string
		plan          body
		counts        []any // set one after the other, while the first is executing
		skipped, runs int64 // of 4
	}{
		{"one", body{"plan_value": 0}, []any{nil}, 1, 3},
		{"two, set after ten", body{"plan_value": 0}, []any{10, 2}, 2, 2},
		{"two of a grid that keeps all", body{"plan_value": 1, "no_keep": true}, []any{2}, 2, 2},
		{"none, set after all", body{"plan_value": 0}, []any{-1, 0}, 0, 4},
		{"all of a grid", body{"plan_value": 1, "no_keep": true}, []any{-1}, 3, 1},
		{"more than there are", body{"plan_value": 0}, []any{100}, 3, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			work, events := c.worker(station), c.events(station)
			c.create(again(station, 4).with(row.plan))
			x := work.take()
			for _, count := range row.counts {
				request := name(station, "p")
				if count != nil {
					request["count"] = count
				}
				match(t, "the plan", c.req("plans.skip", request), body{"state": "executing"})
			}
			x.ok()
			for range row.runs - 1 {
				x = work.take()
				match(t, "one after the skipped ones", x.body, body{"attempt": 1})
				x.ok()
			}
			events.of("closed")
			runs := c.runs(station, "p")
			slices.Reverse(runs)
			contiguous(t, "p", runs)
			last := runs[len(runs)-1]
			match(t, "the counts at the end", last, body{"occurrence": 4, "real_repet": row.runs, "skip_num": row.skipped})
			for _, r := range runs {
				k := r.int("occurrence")
				want := body{"state": "ok"}
				if 1 < k && k <= 1+row.skipped {
					want = body{"state": "skipped", "reason": "manual", "final": true}
				}
				match(t, "the run", r, want)
			}
		})
	}
}

// Without a pause between them all would be over before a request could set 0.
func TestAPlanWithoutPausesRestsWhileAllIsSkipped(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results := c.worker(station), c.results(station)
	c.create(again(station, 3))
	x := work.take()
	c.req("plans.skip", name(station, "p").with(body{"count": -1}))
	x.request(body{"state": "ok"})
	match(t, "the first", results.next(), body{"occurrence": 1, "state": "ok"})
	match(t, "the plan", c.state(station, "p"), body{"status": "queued", "plan_time": absent})
	work.empty("an occurrence while all is skipped")
	c.req("plans.skip", name(station, "p").with(body{"count": 0}))
	x = work.take()
	match(t, "the next", x.body, body{"attempt": 1})
	x.ok()
}
