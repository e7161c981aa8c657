package e2e

import (
	"fmt"
	"testing"
	"time"
)

func TestStationsArePutGotListedAndDeleted(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		record := body{"station": station, "kind": "api", "description": "d", "exec_timeout": 7, "start_timeout": 0.5,
			"retry": body{"strategy": "fixed_period", "interval": 2}, "overlap": "queue"}
		put := c.req("stations.put", record)
		fields(t, "put's answer", put, words("station kind created revision")...)
		match(t, "put", put, body{"station": station, "kind": "api", "created": true})
		got := c.req("stations.get", body{"station": station})
		match(t, "get", got, record)

		again := c.req("stations.put", body{"station": station, "kind": "pub"})
		match(t, "put again", again, body{"station": station, "kind": "pub", "created": false})
		if again.int("revision") <= put.int("revision") {
			t.Errorf("revision %v after %v", again["revision"], put["revision"])
		}
		match(t, "a put replaces the whole record", c.req("stations.get", body{"station": station}),
			body{"station": station, "kind": "pub", "description": absent, "exec_timeout": absent, "retry": absent})

		listed := 0
		for _, s := range c.pages("stations.list", "stations", body{"limit": 2}) {
			if s.text("station") == station {
				match(t, "the record listed", s, body{"kind": "pub"})
				listed++
			}
		}
		if listed != 1 {
			t.Errorf("listed %d times", listed)
		}

		gone := c.req("stations.delete", body{"station": station})
		fields(t, "delete's answer", gone, "station", "deleted")
		match(t, "delete", gone, body{"station": station, "deleted": true})
		if e := c.refused("stations.get", body{"station": station}); e.text("code") != "not_found" {
			t.Errorf("a deleted station: %v", e)
		}
	})
}

func TestAStationThatWasNeverPutIsNotFound(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		for _, verb := range []string{"stations.get", "stations.delete"} {
			if e := c.refused(verb, body{"station": c.station()}); verb == "stations.get" && e.text("code") != "not_found" {
				t.Errorf("%s: %v", verb, e)
			}
		}
	})
}

func TestAChangeOfAStationCountsFromTheNextDispatchOn(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	c.req("stations.put", body{"station": station, "kind": "api", "retry": body{"strategy": "fixed_period", "interval": 0.02}})
	work, results := c.worker(station), c.results(station)
	id := c.create(body{"station": station, "command": "c", "plan_type": "second", "plan_value": 0, "plan_repet": 3}).text("plan_id")
	work.take().send(body{"state": "error"})
	x := work.take() // retried under the station's policy
	c.req("stations.put", body{"station": station, "kind": "api", "exec_timeout": 1, "retry": body{"strategy": "none"}})
	match(t, "the execution in flight", x.request(body{"state": "waiting", "extend": 5}), body{"accepted": true})
	x.ok()
	// From now on the station has no retry, and a timeout of 1 s.
	second := work.take()
	c.req("stations.put", body{"station": station, "kind": "api", "exec_timeout": 60, "retry": body{"strategy": "none"}}) // for the third
	settled := results.until(func(r body) bool { return r.int("occurrence") == 2 })
	failed := settled[len(settled)-1]
	match(t, "occurrence 2", failed, body{"n": 3, "attempt": 1, "state": "failure", "reason": "retries", "final": true})
	if got := second.time("deadline").Sub(failed.time("exec_time")); got != time.Second {
		t.Errorf("the deadline is %v after the dispatch, want 1 s", got)
	}
	work.take().ok()
	match(t, "occurrence 3", results.next(), body{"n": 4, "occurrence": 3, "attempt": 1, "state": "ok"})
	wantRuns(t, c.runs(station, id), "n=4 k=3 a=1 ok final", "n=3 k=2 a=1 failure retries final", "n=2 k=1 a=2 ok final", "n=1 k=1 a=1 error")
}

// An execution that no worker has when its station becomes one of votes is voted on, and no voter
// settles it alone. An execution that a worker has by then is settled by that worker. A restart
// changes neither.
func TestAStationThatBecomesOneOfVotes(t *testing.T) {
	t.Parallel()
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprintf("restart %v", restarts), func(t *testing.T) {
			t.Parallel()
			s := start(t)
			c := connect(t, s, inJSON)
			plan := body{"station": "w", "command": "c", "plan_type": "none", "retry": body{"strategy": "none"}}
			events, alone := c.listen("plan.event.not_worker.w.waits"), c.worker("w")
			c.create(plan.with(body{"plan_id": "has"}))
			has := alone.take()
			match(t, "its worker begins", has.request(body{"state": "running"}), body{"accepted": true})
			if err := alone.sub.Unsubscribe(); err != nil {
				t.Fatal(err)
			}
			c.flush()
			c.create(plan.with(body{"plan_id": "waits", "exec_timeout": 8}))
			events.next()
			c.req("stations.put", body{"station": "w", "kind": "vote", "voters": 2})
			if restarts {
				s.kill9()
				s.restart(t)
				c = connect(t, s, inJSON)
				has.c = c
			}
			done, voted, voters := c.listen("plan.result.w.has"), c.listen("plan.result.w.waits"), c.voters("w", 2)
			polled := poll(voters)
			has.ok()
			match(t, "what a worker has", done.next(), body{"state": "ok", "votes": absent})
			for n, x := range polled {
				match(t, "a vote", x.request(body{"state": "ok", "worker_id": fmt.Sprint("w", n)}), body{"accepted": true})
			}
			settled := voted.until(func(r body) bool { return r.bool("final") })
			last := settled[len(settled)-1]
			match(t, "what waited", last, body{"state": "ok"})
			if votes(last) != "w0 ok, w1 ok" {
				t.Errorf("the votes are %q", votes(last))
			}
		})
	}
}
