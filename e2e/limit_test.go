package e2e

import (
	"slices"
	"testing"
	"time"
)

// limited is a plan of every second with a limit of executions under way.
func limited(station string, most, repet int) body {
	return everySecond(station, "allow", repet).with(body{"plan_id": "p", "max_concurrency": most})
}

func TestMaxConcurrencyQueuesAndWhatWaitedRunsWithItsOwnTime(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, events := c.worker(station), c.events(station)
		c.create(limited(station, 2, 4))
		first, second := work.take(), work.take()
		begin := first.time("plan_time")
		c.passed(begin.Add(3200 * time.Millisecond))
		work.empty("a third, while two are under way")
		second.request(body{"state": "ok"})
		third := work.take()
		match(t, "the third", third.body, body{"occurrence": 3, "plan_time": begin.Add(2 * time.Second)})
		work.empty("a fourth, while two are under way")
		first.request(body{"state": "ok"})
		fourth := work.take()
		match(t, "the fourth", fourth.body, body{"occurrence": 4, "plan_time": begin.Add(3 * time.Second)})
		fourth.request(body{"state": "ok"})
		third.request(body{"state": "ok"})
		events.of("closed")
		wantRuns(t, c.runs(station, "p"), "n=4 k=4 a=1 ok final", "n=3 k=3 a=1 ok final", "n=2 k=2 a=1 ok final", "n=1 k=1 a=1 ok final")
	})
}

// An execution that waits for a limit survives the scheduler's death, with any catch_up for
// the occurrences that fall due meanwhile.
func TestAnOccurrenceThatWaitsForALimitOutlivesTheScheduler(t *testing.T) {
	t.Parallel()
	s := start(t, "--misfire-grace", "100ms")
	c := connect(t, s, inJSON)
	work := c.worker("s")
	c.create(limited("s", 1, 3).with(body{"catch_up": "none"}))
	first := work.take()
	begin := first.time("plan_time")
	c.passed(begin.Add(2200 * time.Millisecond))
	s.kill9()
	s.restart(t)
	c.flush()
	match(t, "the first's answer", first.request(body{"state": "ok"}), body{"accepted": true})
	for k := range 2 {
		x := work.take()
		match(t, "what waited", x.body, body{"occurrence": k + 2, "attempt": 1, "plan_time": begin.Add(time.Duration(k+1) * time.Second)})
		x.request(body{"state": "ok"})
	}
	wantRuns(t, c.runs("s", "p"), "n=3 k=3 a=1 ok final", "n=2 k=2 a=1 ok final", "n=1 k=1 a=1 ok final")
}

func TestConcurrencySkipSkipsAndTriggerIsUnderIt(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, results, events := c.worker(station), c.results(station), c.events(station)
		c.create(limited(station, 1, -1).with(body{"concurrency": "skip"}))
		first := work.take()
		// On a slow machine, occurrences that fall due together are skipped as one.
		settled := int64(1)
		beyond := func(r body) {
			t.Helper()
			want := body{"occurrence": settled + max(1, r.int("count")), "trigger": absent, "skip_num": settled - 1 + max(1, r.int("count"))}
			if r.has("trigger") {
				want = body{"occurrence": 0, "trigger": "manual"}
			} else {
				settled += max(1, r.int("count"))
			}
			match(t, "one beyond the limit", r, want.with(body{"state": "skipped", "reason": "concurrency", "final": true}))
		}
		beyond(results.next())
		match(t, "its event", events.of("skipped"), body{"occurrence": settled, "reason": "concurrency"})
		n := c.req("plans.trigger", name(station, "p")).int("n")
		later := results.until(func(r body) bool { return r.has("trigger") })
		match(t, "the triggered one", last(later), body{"n": n})
		for _, r := range append(later, results.next()) {
			beyond(r)
		}
		work.empty("one more than the limit")
		first.ok()
		ended := results.until(func(r body) bool { return r.int("occurrence") == 1 })
		for _, r := range ended[:len(ended)-1] {
			beyond(r)
		}
		match(t, "the first", last(ended), body{"occurrence": 1, "state": "ok", "real_repet": 1, "skip_num": settled - 1})
		c.req("plans.remove", name(station, "p"))
	})
}

func TestConcurrencyAndOverlapParallelIgnoreTheLimit(t *testing.T) {
	t.Parallel()
	for what, policy := range map[string]body{
		"concurrency": {"overlap": "allow", "concurrency": "parallel"},
		"overlap":     {"overlap": "parallel", "concurrency": "skip"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			work, events := c.worker(station), c.events(station)
			c.create(limited(station, 1, 2).with(policy))
			first, second := work.take(), work.take()
			match(t, "the second", second.body, body{"occurrence": 2})
			first.request(body{"state": "ok"})
			second.request(body{"state": "ok"})
			events.of("closed")
		})
	}
}

func TestATriggeredRunWaitsForTheLimitAndIsShown(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work := c.worker(station)
	c.create(limited(station, 1, 1))
	first := work.take()
	n := c.req("plans.trigger", name(station, "p")).int("n")
	work.empty("the triggered run, before the first has finished")
	match(t, "the run that waits", c.runs(station, "p")[0], body{"n": n, "state": "waiting", "trigger": "manual"})
	first.ok()
	second := work.take()
	match(t, "the triggered run", second.body, body{"occurrence": 0, "attempt": 1})
	second.ok()
}

func TestAStationsLimitIsAboutAllItsPlansTogether(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		c.req("stations.put", body{"station": station, "max_concurrency": 2})
		match(t, "the station", c.req("stations.get", body{"station": station}), body{"max_concurrency": 2})
		work, events := c.worker(station), c.events(station)
		var order []string
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			c.create(once(station).with(body{"plan_id": id}))
		}
		under := []*execution{work.take(), work.take()}
		for range 3 {
			work.empty("one more than the limit")
			order = append(order, under[0].text("plan_id"))
			under[0].request(body{"state": "ok"})
			under = append(under[1:], work.take())
		}
		work.empty("a sixth execution")
		for _, x := range under {
			order = append(order, x.text("plan_id"))
			x.request(body{"state": "ok"})
		}
		if want := []string{"a", "b", "c", "d", "e"}; !slices.Equal(order, want) {
			t.Errorf("they ran in the order %v, and came due in %v", order, want)
		}
		for range order {
			events.of("closed")
		}
	})
}

func TestALimitOfAStationThatIsLiftedCountsAtOnce(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	c.req("stations.put", body{"station": station, "max_concurrency": 1})
	work := c.worker(station)
	for _, id := range []string{"a", "b", "c"} {
		c.create(once(station).with(body{"plan_id": id}))
	}
	first := work.take()
	match(t, "one that waits", c.state(station, "b"), body{"status": "queued"})
	c.req("stations.put", body{"station": station})
	for range 2 {
		work.take().request(body{"state": "ok"})
	}
	first.request(body{"state": "ok"})
}

func TestAStationThatIsFullAndSkips(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	c.req("stations.put", body{"station": station, "max_concurrency": 1, "concurrency": "skip"})
	work, results := c.worker(station), c.results(station)
	c.create(once(station).with(body{"plan_id": "a"}))
	first := work.take()
	c.create(once(station).with(body{"plan_id": "b"}))
	match(t, "the second plan", results.next(), body{"plan_id": "b", "state": "skipped", "reason": "concurrency", "final": true})
	c.create(once(station).with(body{"plan_id": "c", "concurrency": "queue"}))
	work.empty("a plan that waits")
	first.ok()
	match(t, "the first", results.next(), body{"plan_id": "a", "state": "ok"})
	work.take().ok()
	match(t, "the third", results.next(), body{"plan_id": "c", "state": "ok"})
}
