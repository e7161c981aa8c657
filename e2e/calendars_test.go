package e2e

import (
	"testing"
	"time"
)

// A calendar is put, read, listed and shown; plans leave its days out, move around them, and follow
// a change of it; it cannot be deleted while they name it.
func TestCalendars(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		id := station + "-free"
		calendar := body{"calendar_id": id, "days": []any{body{"weekday": "sat", "name": "Saturday"}, body{"date": "2100-01-01", "until": "2100-01-03"}}}
		match(t, "put", c.req("calendars.put", calendar), body{"calendar_id": id, "created": true, "revision": 1})
		match(t, "get", c.req("calendars.get", body{"calendar_id": id}), body{"calendar_id": id, "revision": 1})
		days := c.req("calendars.days", body{"calendar_id": id, "from": "2100-01-01", "until": "2100-01-09"}).list("days")
		if len(days) != 4 || days[3].text("date") != "2100-01-09" || days[3].text("name") != "Saturday" {
			t.Errorf("days: %v", days)
		}
		schedule := body{
			"command": "c", "plan_type": "cron", "cron": "0 9 * * *", "exclude": []any{id},
			"start_at": c.moment(time.Date(2100, 1, 2, 0, 0, 0, 0, time.UTC)),
		}
		skips, moves := name(station, "skips"), name(station, "moves")
		match(t, "a plan that skips", c.req("plans.create", skips.with(schedule)), body{"created": true})
		schedule["excluded"] = "next"
		match(t, "a plan that moves", c.req("plans.create", moves.with(schedule)), body{"created": true})
		first := func(plan body) body {
			return c.req("plans.upcoming", plan.with(body{"count": 1})).list("occurrences")[0]
		}
		match(t, "after those that are skipped", first(skips), body{"occurrence": 3, "local": "2100-01-04T09:00:00Z"})
		match(t, "the first one moves", first(moves), body{"occurrence": 1, "local": "2100-01-04T09:00:00Z"})

		if e := c.refused("calendars.delete", body{"calendar_id": id}); e.text("code") != "conflict" {
			t.Errorf("deleted while plans name it: %v", e)
		}
		if e := c.refused("plans.create", name(station, "x").with(body{"command": "c", "plan_type": "cron", "cron": "@daily", "exclude": []any{id + "z"}})); e.text("field") != "exclude" {
			t.Errorf("a calendar that does not exist: %v", e)
		}
		if e := c.refused("plans.create", name(station, "x").with(body{"command": "c", "plan_type": "cron", "cron": "0 9 * * sat", "exclude": []any{id}})); e.text("field") != "exclude" {
			t.Errorf("a plan that never runs: %v", e)
		}

		calendar["days"], calendar["revision"] = []any{body{"weekday": "sun"}}, 1
		match(t, "put again", c.req("calendars.put", calendar), body{"created": false, "revision": 2})
		match(t, "the change counts", first(skips), body{"occurrence": 1, "local": "2100-01-02T09:00:00Z"})
		match(t, "its next time, too", c.req("plans.get", skips).obj("state"), body{"plan_time": c.moment(time.Date(2100, 1, 2, 9, 0, 0, 0, time.UTC))})
		if e := c.refused("calendars.put", calendar); e.text("code") != "conflict" {
			t.Errorf("another revision: %v", e)
		}
		c.req("plans.remove", skips)
		c.req("plans.remove", moves)
		match(t, "delete", c.req("calendars.delete", body{"calendar_id": id}), body{"deleted": true})
	})
}
