package e2e

import (
	"testing"
	"time"
)

// eventMembers are the members that docs/protocol.md gives to events, as far as they apply.
var eventMembers = words("kind station plan_id occurrence attempt n plan_time time reason worker_id progress")

// every kind of event and its required members, beside kind, station, plan_id and time; the
// reasons are those of results.
var everyEvent = map[string]body{
	"created":    {},
	"updated":    {},
	"dispatched": {"n": present, "occurrence": present, "attempt": present, "plan_time": present},
	"running":    {"n": present, "occurrence": present, "attempt": present, "worker_id": "w1", "progress": 10},
	"waiting":    {"n": present, "occurrence": present, "attempt": present, "worker_id": "w1", "progress": 20},
	"not_worker": {"n": present, "occurrence": present, "attempt": present},
	"timeout":    {"n": present, "occurrence": present, "attempt": present, "reason": "exec"},
	"retrying":   {"occurrence": present},
	"skipped":    {"occurrence": present, "reason": "manual"},
	"paused":     {},
	"resumed":    {},
	"closed":     {},
	"removed":    {},
	"plan_error": {"n": present, "occurrence": present, "attempt": present},
}

func TestEveryKindOfEventIsPublishedWithItsMembers(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		events := c.events(station)
		of := func(kind string) {
			t.Helper()
			for deadline := time.Now().Add(patience); ; {
				msg := events.msg()
				e := c.open(msg)
				if msg.Subject != "plan.event."+e.text("kind")+"."+station+"."+e.text("plan_id") {
					t.Errorf("%v is on %s", e, msg.Subject)
				}
				only(t, "event "+e.text("kind"), e, eventMembers...)
				if e.text("kind") == kind {
					match(t, "event "+kind, e, everyEvent[kind].with(body{"station": station, "plan_id": "p", "time": present}))
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("no event %s", kind)
				}
			}
		}
		c.create(again(station, 3).with(body{"exec_timeout": 8, "start_timeout": 8, "retry": body{"strategy": "fixed_period", "interval": 8}}))
		of("created")
		of("dispatched")
		of("not_worker")
		work := c.worker(station)
		x := work.take()
		x.request(body{"state": "running", "worker_id": "w1", "progress": 10})
		of("running")
		x.request(body{"state": "waiting", "worker_id": "w1", "progress": 20, "extend": 0.1})
		of("waiting")
		of("timeout")
		of("retrying")
		c.req("plans.update", name(station, "p").with(body{"exec_timeout": 30, "start_timeout": 30}))
		of("updated")
		c.req("plans.pause", name(station, "p"))
		of("paused")
		c.req("plans.resume", name(station, "p")) // and the retry is dispatched
		of("resumed")
		x = work.take()
		c.req("plans.skip", name(station, "p"))
		x.request(body{"state": "ok"})
		of("skipped")
		x = work.take()
		x.request(body{"state": "failure"})
		of("plan_error")
		c.req("plans.reset", name(station, "p"))
		work.take().request(body{"state": "ok"})
		of("closed")
		c.create(grid(station))
		c.req("plans.remove", name(station, "p"))
		of("removed")
	})
}
