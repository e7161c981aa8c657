package e2e

import (
	"testing"
)

// These verbs answer the plan as it is afterwards, with exactly these members.
func TestEveryVerbAnswersThePlanAsItNowIs(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work := c.worker(station)
		stopped := again(station, 2).with(body{"retry": body{"strategy": "none"}})
		due := func(id string) { c.create(grid(station).with(body{"plan_id": id})) }
		due("p")
		for _, row := range []struct {
			verb  string
			id    string
			state string
			setup func()
			more  body
		}{
			{verb: "pause", id: "p", state: "paused"},
			{verb: "pause", id: "p", state: "paused"},
			{verb: "resume", id: "p", state: "queued"},
			{verb: "resume", id: "p", state: "queued"},
			{verb: "skip", id: "p", state: "queued", more: body{"count": 2}},
			{verb: "skip", id: "p", state: "queued", more: body{"count": 2}},
			{verb: "reset", id: "stopped", setup: func() {
				c.create(stopped.with(body{"plan_id": "stopped"}))
				work.take().request(body{"state": "failure"})
			}},
			{verb: "cancel", id: "flying", more: body{"n": 1}, setup: func() {
				c.create(grid(station).with(body{"plan_id": "flying"}))
				c.req("plans.trigger", name(station, "flying"))
				for work.take().text("plan_id") != "flying" {
				}
			}},
			{verb: "close", id: "p", state: "closed"},
			{verb: "remove", id: "gone", state: "closed", setup: func() { due("gone") }},
		} {
			if row.setup != nil {
				row.setup()
			}
			answer := c.req("plans."+row.verb, name(station, row.id).with(row.more))
			want := words("plan_id station state revision")
			if answer.has("plan_time") {
				want = append(want, "plan_time")
			}
			fields(t, row.verb+"'s answer", answer, want...)
			match(t, row.verb, answer, name(station, row.id))
			if row.state != "" {
				match(t, row.verb, answer, body{"state": row.state})
			}
			if row.state == "closed" {
				if e := c.refused("plans."+row.verb, name(station, row.id)); e.text("code") != "not_found" {
					t.Errorf("a second %s: %v", row.verb, e)
				}
				continue
			}
			now := c.state(station, row.id)
			match(t, row.verb+"'s answer, beside get", answer, body{"state": now["status"], "revision": now["revision"]})
			if answer.has("plan_time") != now.has("plan_time") || !answer.time("plan_time").Equal(now.time("plan_time")) {
				t.Errorf("%s answers plan_time %v, get %v", row.verb, answer["plan_time"], now["plan_time"])
			}
		}
	})
}

func TestEveryVerbOfAPlanThatIsNotThereAnswersNotFound(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		c.create(grid(station))
		c.req("plans.close", name(station, "p"))
		c.create(grid(station).with(body{"plan_id": "r"}))
		c.req("plans.remove", name(station, "r"))
		for _, verb := range words("get update pause resume trigger skip reset close remove cancel run") {
			more := body{}
			switch verb {
			case "cancel", "run":
				more = body{"n": 1}
			case "update":
				more = body{"description": "x"}
			}
			for what, id := range map[string]string{"a plan that never was": "nobody", "a closed plan": "p", "a removed plan": "r"} {
				if e := c.refused("plans."+verb, name(station, id).with(more)); e.text("code") != "not_found" {
					t.Errorf("%s of %s: %v", verb, what, e)
				}
			}
			for field, request := range map[string]body{
				"plan_id": body{"station": station}.with(more),
				"station": body{"plan_id": "p"}.with(more),
				"zzz":     name(station, "p").with(more).with(body{"zzz": 1}),
			} {
				if e := c.refused("plans."+verb, request); e.text("code") != "invalid_plan" || e.text("field") != field {
					t.Errorf("%s %v: %v, want invalid_plan, field %s", verb, request, e, field)
				}
			}
			for _, raw := range []string{"", "{", "[]", "\xdd\xff\xff\xff\xff"} {
				c.refusal("plans."+verb, c.ask("plans."+verb, []byte(raw)))
			}
		}
	})
}

// An open occurrence of a plan that ends is settled with a result.
func TestAnOccurrenceThatWaitsForItsRetryIsSettledByClose(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"close", "remove"} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			work, results, events := c.worker(station), c.results(station), c.events(station)
			c.create(again(station, 2).with(body{"retry": body{"strategy": "fixed_period", "interval": 1000}}))
			work.take().send(body{"state": "error"})
			match(t, "the error", results.next(), body{"final": false})
			c.req("plans."+verb, name(station, "p"))
			match(t, "the result", results.next(), body{"occurrence": 1, "final": true})
			events.of(map[string]string{"close": "closed", "remove": "removed"}[verb])
			if e := c.refused("plans.get", name(station, "p")); e.text("code") != "not_found" {
				t.Errorf("it is still there: %v", e)
			}
			work.empty("its retry")
		})
	}
}
