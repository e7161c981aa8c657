package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"
)

// workers is the bucket of presence records.
func (c *client) workers() jetstream.KeyValue {
	c.t.Helper()
	return bucket(c.t, c, "workers")
}

// present puts a worker's presence record.
func (c *client) present(id string, stations ...string) {
	c.t.Helper()
	if _, err := c.workers().Put(c.t.Context(), id, c.encode(body{"worker_id": id, "stations": stations})); err != nil {
		c.t.Fatal(err)
	}
}

// gone deletes it.
func (c *client) gone(id string) {
	c.t.Helper()
	if err := c.workers().Delete(c.t.Context(), id); err != nil {
		c.t.Fatal(err)
	}
}

// named subscribes as a worker that is addressed by name.
func (c *client) named(id string) *worker {
	c.t.Helper()
	return &worker{*c.listen("worker." + id)}
}

// known waits until the scheduler lists exactly these workers of a station.
func (c *client) known(station string, ids ...string) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; {
		var got []string
		for _, w := range c.pages("workers.list", "workers", body{"station": station}) {
			got = append(got, w.text("worker_id"))
		}
		if slices.Equal(got, ids) {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatalf("workers.list of %s is %v, want %v", station, got, ids)
		}
	}
}

func TestAnExecutionGoesToTheFirstOfItsWorkersThatIsPresent(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		a, b, x := "a-"+station, "b-"+station, "x-"+station
		work, first, second, other := c.worker(station), c.named(a), c.named(b), c.named(x)
		results := c.results(station)
		run := func(want *worker, what string) {
			t.Helper()
			id := c.create(once(station).with(body{"worker_ids": []any{a, b}})).text("plan_id")
			exec := want.take()
			match(t, what, exec.body, body{"plan_id": id, "station": station, "occurrence": 1, "attempt": 1})
			if got := exec.head("Plan-Station"); got != station {
				t.Errorf("Plan-Station is %s", got)
			}
			exec.request(body{"state": "ok", "worker_id": exec.msg.Subject[len("worker."):]})
			match(t, what+", the result", results.next(), body{"plan_id": id, "state": "ok", "worker_id": exec.msg.Subject[len("worker."):]})
		}
		c.present(x, station)
		c.present(b, station)
		c.known(station, b, x)
		run(second, "only the second is present")
		c.present(a, station)
		c.known(station, a, b, x)
		run(first, "both are present")
		c.gone(a)
		c.known(station, b, x)
		run(second, "the first has gone")
		work.empty("a plan for named workers, on the station's subject")
		other.empty("a plan for others")
	})
}

func TestNamedWorkersThatAreNotThereAreWaitedFor(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	a, x := "a-"+station, "x-"+station
	events, work := c.events(station), c.worker(station)
	stranger := c.named(x)
	c.present(x, station)
	c.create(once(station).with(body{"plan_id": "p", "worker_ids": []any{a}}))
	match(t, "not_worker", events.of("not_worker"), body{"plan_id": "p", "n": 1})
	named := c.named(a)
	c.present(a, station)
	x1 := named.take()
	match(t, "the same execution", x1.body, body{"occurrence": 1, "attempt": 1})
	if x1.n() != 1 {
		t.Errorf("it is n=%d", x1.n())
	}
	x1.ok()
	events.of("closed")
	work.empty("a plan for named workers, on the station's subject")
	stranger.empty("a plan for others")
	wantRuns(t, c.runs(station, "p"), "n=1 k=1 a=1 ok final")
}

// A record that has outlived its worker does not keep the next one from work.
func TestNextNamedWorkerGetsItWhenTheFirstDoesNotListen(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	a, b := "a-"+station, "b-"+station
	second, results := c.named(b), c.results(station)
	c.present(a, station)
	c.present(b, station)
	c.known(station, a, b)
	c.create(once(station).with(body{"worker_ids": []any{a, b}}))
	x := second.take()
	match(t, "the execution", x.body, body{"occurrence": 1, "attempt": 1})
	x.ok()
	match(t, "the result", results.next(), body{"n": 1, "attempt": 1, "state": "ok"})
}

func TestAnUpdateOfWorkerIdsCountsForTheNextExecution(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	a, b := "a-"+station, "b-"+station
	first, second := c.named(a), c.named(b)
	c.present(a, station)
	c.present(b, station)
	c.known(station, a, b)
	c.create(again(station, 3).with(body{"worker_ids": []any{a}}))
	x := first.take()
	c.req("plans.update", name(station, "p").with(body{"worker_ids": []any{b}}))
	match(t, "the one in flight", x.request(body{"state": "ok"}), body{"accepted": true})
	x = second.take()
	match(t, "the next", x.body, body{"occurrence": 2})
	work := c.worker(station)
	c.req("plans.update", name(station, "p").with(body{"worker_ids": nil}))
	x.ok()
	x = work.take()
	match(t, "without names again", x.body, body{"occurrence": 3})
	x.ok()
}

func TestWorkerIdsAreChecked(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	for what, ids := range map[string]any{
		"a subject":     []any{"a.b"},
		"a wildcard":    []any{">"},
		"an empty one":  []any{""},
		"not a list":    "w1",
		"not even text": []any{body{}},
	} {
		if e := c.refused("plans.create", once(station).with(body{"worker_ids": ids})); e.text("code") != "invalid_plan" || e.text("field") != "worker_ids" {
			t.Errorf("%s: %v", what, e)
		}
	}
}

func TestWorkersListShowsPresentWorkers(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		before := time.Now().Add(-time.Second)
		one, two := "w1-"+station, "w2-"+station
		record := body{"worker_id": one, "stations": []any{station, station + ".b"}, "version": "1.2.3", "load": 5}
		if _, err := c.workers().Put(t.Context(), one, c.encode(record)); err != nil {
			t.Fatal(err)
		}
		c.present(two, station)
		c.known(station, one, two)
		listed := c.pages("workers.list", "workers", body{"station": station})
		fields(t, "a worker", listed[0], words("worker_id stations version load last_seen")...)
		match(t, "a worker", listed[0], record)
		for _, w := range listed {
			if seen := w.time("last_seen"); seen.Before(before) || seen.After(time.Now().Add(time.Second)) {
				t.Errorf("%s was seen at %v", w.text("worker_id"), seen)
			}
		}
		only(t, "a worker that says little", listed[1], words("worker_id stations last_seen load")...)
		match(t, "a worker that says little", listed[1], body{"worker_id": two, "stations": []any{station}})
		page := c.req("workers.list", body{"station": station, "limit": 1})
		if len(page.list("workers")) != 1 || page.text("next") == "" {
			t.Errorf("a page of one: %v", page)
		}
		if got := c.pages("workers.list", "workers", body{"station": station, "limit": 1}); len(got) != 2 || cmp.Diff(got, listed) != "" {
			t.Errorf("in pages of one: %v", got)
		}
		c.known(station+".b", one)
		c.known(station + ".nobody")
		all := c.pages("workers.list", "workers", body{"limit": 1000})
		if !slices.ContainsFunc(all, func(w body) bool { return w.text("worker_id") == two }) {
			t.Errorf("%s is not among all", two)
		}
		c.gone(one)
		c.known(station, two)
	})
}

func TestAWorkerIsSeenByTheIdOfItsReplies(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work := c.worker(station)
	c.create(once(station))
	work.take().request(body{"state": "ok", "worker_id": "plain-" + station})
	c.known(station, "plain-"+station)
}

func TestWorkersListChecksItsRequest(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		for field, request := range map[string]body{
			"limit":   {"limit": 0},
			"cursor":  {"cursor": "a.b"},
			"station": {"station": "a..b"},
			"zzz":     {"zzz": 1},
		} {
			if e := c.refused("workers.list", request); e.text("code") != "invalid_request" || e.text("field") != field {
				t.Errorf("%v: %v, want invalid_request, field %s", request, e, field)
			}
		}
	})
}

// An answer can carry any worker's name. A worker that announces itself is not forgotten
// because of such answers, at any station.
func TestAnswersInManyNamesForgetNoWorker(t *testing.T) {
	t.Parallel()
	c := connect(t, start(t), inJSON)
	honest, hostile := c.station(), c.station()
	c.present("recorded", honest)
	c.here("here", honest)
	c.known(honest, "here", "recorded")
	w := c.worker(hostile)
	c.create(once(hostile).with(body{"exec_timeout": 60}))
	x := w.take()
	acked := c.listen(c.nc.NewRespInbox())
	const ghosts = 12_000
	for i := range ghosts {
		if err := c.nc.PublishRequest(x.msg.Reply, acked.sub.Subject, c.encode(body{"state": "running", "worker_id": fmt.Sprintf("ghost-%d", i)})); err != nil {
			c.t.Fatal(err)
		}
	}
	for range ghosts {
		acked.msg()
	}
	c.known(honest, "here", "recorded")
}

// here announces a worker at a station.
func (c *client) here(id, station string) {
	c.t.Helper()
	if err := c.nc.Publish("worker.here."+id+"."+station, nil); err != nil {
		c.t.Fatal(err)
	}
}
