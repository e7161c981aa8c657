package e2e

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A history is a plan's results as an observer receives them, in their order.
type history []body

// observe adds results until the settled occurrences account for real_repet and skip_num.
func (h *history) observe(f *feed, realRepet, skipNum int64) {
	f.c.t.Helper()
	for {
		if executed, skipped := h.counts(); executed == realRepet && skipped == skipNum {
			return
		}
		*h = append(*h, f.next())
	}
}

// counts are real_repet and skip_num, computed from the results alone.
func (h *history) counts() (executed, skipped int64) {
	for _, r := range *h {
		switch {
		case !r.bool("final") || r.has("trigger"): // not settled, or outside the schedule
		case r.text("state") == "skipped":
			skipped += max(1, r.int("count"))
		default:
			executed++
		}
	}
	return executed, skipped
}

// check checks that the counts in each result of a history are those after it, that every n has a
// result, and that every occurrence is settled once.
func (h *history) check(t *testing.T) {
	t.Helper()
	ns, settled := map[int64]bool{}, map[int64]int{}
	newest := int64(0)
	for i, r := range *h {
		before := (*h)[:i+1]
		executed, skipped := before.counts()
		match(t, fmt.Sprintf("result %d", i), r, body{"real_repet": executed, "skip_num": skipped, "end_time": present, "key": present})
		ns[r.int("n")] = true
		newest = max(newest, r.int("n"))
		if r.bool("final") && !r.has("trigger") {
			for k := range max(1, r.int("count")) {
				settled[r.int("occurrence")-k]++
			}
		}
	}
	if int64(len(ns)) != newest {
		t.Errorf("%d numbers are seen up to n=%d: %v", len(ns), newest, outcome(*h))
	}
	for k := range int64(len(settled)) {
		if settled[k+1] != 1 {
			t.Errorf("occurrence %d is settled %d times: %v", k+1, settled[k+1], outcome(*h))
		}
	}
}

// like compares a history with plans.runs, which is newest first and has one run for each n, and
// so one for a late ok.
func (h *history) like(t *testing.T, runs []body) {
	t.Helper()
	byNumber := func(a, b body) int { return int(a.int("n") - b.int("n")) }
	last := map[int64]body{}
	for _, r := range *h {
		last[r.int("n")] = r
	}
	sorted := func(runs []body) []any {
		var all []any
		for _, r := range slices.SortedFunc(slices.Values(runs), byNumber) {
			all = append(all, same(r))
		}
		return all
	}
	if diff := cmp.Diff(sorted(runs), sorted(slices.Collect(maps.Values(last)))); diff != "" {
		t.Errorf("the history (-plans.runs +results):\n%s", diff)
	}
}

// The publisher keeps the log, or a station of its own does. An
// observer that subscribes to plan.result.> from the beginning can do so.
func TestResultsAloneHoldAPlansWholeHistory(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		results, work, events := c.results(station), c.worker(station), c.events(station)
		var seen history
		c.create(again(station, 6).with(body{"overlap": "parallel", "retry": body{"strategy": "fixed_period", "interval": 5}, "messages": []any{"m", 7}, "caller": "me"}))
		verb := func(verb string, more body) body {
			t.Helper()
			return c.req("plans."+verb, name(station, "p").with(more))
		}
		for done := false; !done; {
			x := work.take()
			switch k, first := x.int("occurrence"), x.int("attempt") == 1; {
			case k == 1:
				verb("pause", nil)
				x.request(body{"state": "ok", "content": body{"k": 1}})
				verb("resume", nil)
			case k == 2 && first:
				x.request(body{"state": "error", "error": "e", "worker_id": "w1", "delay": 0.05})
			case k == 2:
				verb("skip", nil)
				verb("update", body{"start_timeout": 0.8}) // for the fourth, which gets no reply
				x.request(body{"state": "ok"})
			case k == 4: // 3 is skipped
				c.unhurried(station)
				now := verb("get", nil).obj("state")
				seen.observe(results, now.int("real_repet"), now.int("skip_num"))
				retry := work.take()
				retry.request(body{"state": "running"})
				match(t, "the answer to a late ok", x.request(body{"state": "ok", "content": "late"}), body{"accepted": true})
			case k == 5 && first:
				x.request(body{"state": "failure", "error": "broken"})
				verb("reset", nil)
			case k == 6:
				x.request(body{"state": "running"})
				verb("trigger", nil)
				extra := work.take()
				match(t, "the extra one", extra.body, body{"occurrence": 0})
				extra.request(body{"state": "ok", "content": "extra"})
				verb("cancel", body{"n": x.n()})
				done = true
			default:
				x.request(body{"state": "ok"})
			}
		}
		seen.observe(results, 5, 1)
		events.of("closed")
		runs := c.runs(station, "p")
		results.empty("results that settle nothing more")
		var stored history // the stored runs are the same for an observer that comes later
		for _, msg := range c.kept("plan.result." + station + ".p") {
			v, err := c.enc.decode(msg.Data())
			if err != nil {
				t.Fatal(err)
			}
			stored = append(stored, v.(map[string]any))
		}
		if diff := cmp.Diff(seen, stored); diff != "" {
			t.Errorf("the stream (-seen +stored):\n%s", diff)
		}
		seen.check(t)
		seen.like(t, runs)
		for _, r := range seen {
			if r.text("state") != "skipped" {
				match(t, "a result", r, body{"station": station, "plan_id": "p", "caller": "me", "command": "c", "messages": []any{"m", 7}})
			}
		}
		wantRuns(t, runs[len(runs)-4:], "n=4 k=3 a=0 skipped manual final", "n=3 k=2 a=2 ok final", "n=2 k=2 a=1 error", "n=1 k=1 a=1 ok final")
	})
}

func TestResultsHoldOccurrencesSkippedByTheClock(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	results, events := c.results(station), c.events(station)
	c.serve(station, ok)
	var seen history
	due := c.create(everySecond(station, "skip", 3).with(body{"plan_id": "p", "paused": true})).time("plan_time")
	c.passed(due.Add(200 * time.Millisecond))
	c.ask("plans.resume", c.encode(name(station, "p"))) // it may have closed already
	for executed, skipped := seen.counts(); executed+skipped < 3; executed, skipped = seen.counts() {
		seen = append(seen, results.next())
	}
	events.of("closed")
	seen.check(t)
	seen.like(t, c.runs(station, "p"))
	match(t, "the first", seen[0], body{"n": 1, "attempt": 0, "state": "skipped", "reason": "paused", "final": true})
}
