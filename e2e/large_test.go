package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Large definitions leave memory once they are in the bucket, and are read back for their
// dispatch. After a kill -9 and a restart all of them are out of memory, and every verb
// acts on all of their messages.
func TestLargeDefinitionsAreReadBack(t *testing.T) {
	t.Parallel()
	inBothOfTheirOwn(t, func(t *testing.T, s *server, c *client) {
		const station, plans = "large", 50
		message := func(id string) string { return strings.Repeat(id, 400<<10/len(id)) }
		// None is due before the kill, because an execution that was sent to no worker just
		// then would be adopted, and wait for its start timeout.
		due := time.Now().Add(24 * time.Hour)
		for i := range plans {
			id := fmt.Sprintf("p%02d", i)
			c.create(body{"station": station, "plan_id": id, "command": "c", "plan_type": "time", "plan_time": c.moment(due), "messages": []any{message(id)}})
		}
		rows := bucket(t, c, "plans")
		row(t, rows, fmt.Sprintf("state.%s.p%02d", station, plans-1), true)
		s.kill9()
		s.restart(t)
		c.flush()

		shown := map[string]bool{}
		for _, view := range c.pages("plans.list", "plans", body{"station": station}) {
			plan := view.obj("plan")
			id := plan.text("plan_id")
			shown[id] = true
			match(t, id, plan, body{"messages": []any{message(id)}})
		}
		if len(shown) != plans {
			t.Errorf("%d plans are listed", len(shown))
		}
		match(t, "a plan", c.req("plans.get", name(station, "p01")).obj("plan"), body{"messages": []any{message("p01")}})
		match(t, "an update", c.req("plans.update", name(station, "p03").with(body{"exec_timeout": 30})), body{"revision": 2})
		match(t, "a plan", c.req("plans.get", name(station, "p03")).obj("plan"), body{"exec_timeout": 30, "messages": []any{message("p03")}})

		work, results := c.worker(station), c.results(station)
		run := func(count int) {
			ended := map[string]bool{}
			for range count {
				x := work.take()
				id := x.text("plan_id")
				match(t, "the execution of "+id, x.body, body{"messages": []any{message(id)}})
				x.send(body{"state": "ok", "content": id})
				result := results.next()
				match(t, "the result of "+id, result, body{"state": "ok", "content": id, "plan_id": id, "messages": []any{message(id)}})
				ended[result.text("plan_id")] = true
			}
			if len(ended) != count {
				t.Errorf("%d of %d have ended", len(ended), count)
			}
		}
		for i := 0; i < plans; i += 2 {
			c.req("plans.trigger", name(station, fmt.Sprintf("p%02d", i)))
		}
		run(plans / 2)
		wantRuns(t, c.runs(station, "p00"), "n=1 k=0 a=1 ok final")
		c.req("plans.trigger", name(station, "p03"))
		run(1)
		c.req("plans.update", name(station, "p05").with(body{"plan_time": c.moment(time.Now().Add(8 * time.Second))}))
		run(1)
		wantRuns(t, c.runs(station, "p05"), "n=1 k=1 a=1 ok final")
	})
}

// When the row of a large definition was deleted from the bucket, no answer shows the rest
// as if it were complete, no execution goes without its messages, and a create of the same
// plan mends it.
func TestALargeDefinitionThatTheBucketHasLost(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	const station = "lost"
	plan := body{
		"station": station, "plan_id": "p", "command": "c", "messages": []any{strings.Repeat("m", 40<<10)},
		"plan_type": "second", "plan_value": 1, "plan_repet": -1, "start_at": c.moment(time.Now().Add(15 * time.Second)),
	}
	c.create(plan)
	rows := bucket(t, c, "plans")
	row(t, rows, "state."+station+".p", true)
	s.kill9()
	s.restart(t)
	c.flush()
	if err := rows.Purge(t.Context(), "plan."+station+".p"); err != nil {
		t.Fatal(err)
	}
	work := c.worker(station)
	match(t, "get", c.refusal("plans.get", c.ask("plans.get", c.encode(name(station, "p")))), body{"code": "unavailable"})
	match(t, "a list", c.req("plans.list", body{"station": station}).list("plans")[0].obj("plan"), body{"plan_id": "p"})
	s.log.await("the bucket does not have the definition of a plan", s.ended)
	match(t, "the plan, sent again", c.create(plan.with(body{"on_conflict": "update"})), body{"revision": 2})
	match(t, "the execution", work.take().body, body{"messages": plan["messages"]})
	match(t, "get", c.req("plans.get", name(station, "p")).obj("plan"), body{"messages": plan["messages"]})
}
