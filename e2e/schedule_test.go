package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A schedule that is a mistake is refused with a reason, or answered without a walk over all
// occurrences, of which there are up to 2^38. It has no time zone, is far too long, is due once
// in a lifetime, or runs from 1970 or to 9999.
var oddSchedules = []struct {
	name   string
	plan   body
	from   string   // the clock by which it is previewed
	due    []string // the first due times
	field  string   // the field that is refused
	reason string
}{
	{name: "a zone with a NUL", plan: body{"plan_type": "cron", "cron": "@daily", "timezone": "Europe/Berlin\x00"}, field: "timezone", reason: "no IANA name"},
	{name: "a zone that is a NUL", plan: body{"plan_type": "cron", "cron": "@daily", "timezone": "\x00"}, field: "timezone", reason: "no IANA name"},
	{name: "a zone that is a file", plan: body{"plan_type": "cron", "cron": "@daily", "timezone": "/etc/localtime"}, field: "timezone", reason: "no IANA name"},
	{name: "a zone in another spelling", plan: body{"plan_type": "cron", "cron": "@daily", "timezone": "Europe//Berlin"}, field: "timezone", reason: "IANA name"},
	{name: "a zone by a detour", plan: body{"plan_type": "cron", "cron": "@daily", "timezone": "Europe/./Berlin"}, field: "timezone", reason: "IANA name"},
	{name: "a zone of 80 KB", plan: body{"plan_type": "cron", "cron": "@daily", "timezone": strings.Repeat("A/", 40_000)}, field: "timezone", reason: "no IANA name"},
	{name: "80 KB of minutes", plan: body{"plan_type": "cron", "cron": strings.Repeat("0,", 40_000) + "0 * * * *"}, field: "cron", reason: "80009 bytes"},
	{name: "80 KB of fields", plan: body{"plan_type": "cron", "cron": "* * * * *" + strings.Repeat(" *", 40_000)}, field: "cron", reason: "80009 bytes"},
	{name: "80 KB of blanks", plan: body{"plan_type": "cron", "cron": "0 0 1 1 *" + strings.Repeat(" ", 80_000)}, field: "cron", reason: "80009 bytes"},
	{name: "never", plan: body{"plan_type": "cron", "cron": "0 0 31 2,4,6,9,11 *"}, field: "cron", reason: "no day of any year"},
	{name: "a leap day that is a Monday", plan: body{"plan_type": "cron", "cron": "0 0 ? 2 MON#5"}, from: "1970-01-01T00:00:00Z", due: []string{"1988-02-29T00:00:00Z", "2016-02-29T00:00:00Z"}},
	{name: "each second since 1970", plan: body{"plan_type": "second", "plan_value": 1, "plan_repet": int64(1) << 53}, from: "1970-01-01T00:00:00Z", due: []string{"1970-01-01T00:00:01Z", "1970-01-01T00:00:02Z"}},
	{
		name: "each second since 1970 until 9999, by a cron expression", from: "1970-01-01T00:00:00Z", due: []string{"1970-01-01T00:00:01Z", "1970-01-01T00:00:02Z"},
		plan: body{"plan_type": "cron", "cron": "* * * * * *", "timezone": "Europe/London", "start_at": "1970-01-01T00:00:00Z", "end_at": "9999-12-31T23:59:59Z"},
	},
	{name: "each second from 9999 on", plan: body{"plan_type": "second", "plan_value": 1, "plan_repet": -1, "plan_time": "9999-12-31T23:59:57Z"}, due: []string{"9999-12-31T23:59:58Z", "9999-12-31T23:59:59Z"}},
	{name: "once in ninety years", plan: body{"plan_type": "day", "plan_value": 32766, "plan_repet": int64(1) << 62}, from: "1970-01-01T00:00:00Z", due: []string{"2059-09-17T00:00:00Z", "2149-06-03T00:00:00Z"}},
	{name: "behind the last year", plan: body{"plan_type": "second", "plan_value": 1, "plan_repet": -1, "plan_time": "9999-12-31T23:59:59Z"}, field: "plan_value", reason: "year 9999"},
	{name: "before the first year", plan: body{"plan_type": "second", "plan_value": 1, "plan_repet": -1, "plan_time": "1969-12-31T23:59:59Z"}, field: "plan_time", reason: "1970 to 9999"},
}

func TestOddSchedulesAreRefusedOrWork(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		for i, row := range oddSchedules {
			plan := body{"station": station, "plan_id": fmt.Sprintf("p%d", i), "command": "c"}.with(row.plan)
			preview := body{"plan": plan, "count": len(row.due)}
			if row.from != "" {
				preview["from"] = row.from
			}
			if row.field != "" {
				delete(preview, "count")
				for subject, request := range map[string]body{"plans.preview": preview, "plans.create": plan} {
					e := c.refused(subject, request)
					if field := strings.TrimPrefix(e.text("field"), "plan."); field != row.field || !strings.Contains(e.text("message"), row.reason) || len(e.text("message")) > 1000 {
						t.Errorf("%s: %s answers %v", row.name, subject, e)
					}
				}
				continue
			}
			shown := c.req("plans.preview", preview).list("occurrences")
			if len(shown) != len(row.due) {
				t.Errorf("%s: preview shows %v", row.name, shown)
				continue
			}
			for k, due := range row.due {
				if !shown[k].time("plan_time").Equal(instant(due)) {
					t.Errorf("%s: occurrence %d is due %v, want %s", row.name, k+1, shown[k]["plan_time"], due)
				}
			}
			if made := c.create(plan); !made.time("plan_time").After(time.Now().Add(-time.Minute)) {
				t.Errorf("%s: created, it is due %v", row.name, made["plan_time"])
			}
			c.req("plans.remove", name(station, plan.text("plan_id")))
		}
	})
}

// A backup may contain a plan of each second since 1970: its catch_up decides about 1,800
// million occurrences, and no other request waits meanwhile.
func TestAPlanOfEachSecondSince1970IsRestored(t *testing.T) {
	t.Parallel()
	s := start(t)
	c := connect(t, s, inJSON)
	schedules := map[string]body{
		"grid": {"plan_type": "second", "plan_value": 1, "plan_repet": -1},
		"cron": {"plan_type": "cron", "cron": "* * * * * *", "timezone": "Europe/London"},
	}
	for by, schedule := range schedules {
		for _, catchUp := range words("none compact full") {
			what := by + "-" + catchUp
			work := c.worker(what)
			plan := body{"station": what, "plan_id": "p", "command": "c", "catch_up": catchUp, "overlap": "queue"}.with(schedule)
			missed := time.Now().Unix() - 2
			match(t, what, c.req("plans.restore", body{"plans": []any{body{"plan": plan, "record": body{"revision": 1, "accepted": "1970-01-01T00:00:01Z"}}}}), body{"created": 1})
			x := work.take()
			if k := x.int("occurrence"); catchUp == "full" {
				match(t, what, x.body, body{"occurrence": 1, "plan_time": "1970-01-01T00:00:02Z"})
			} else if k < missed {
				t.Errorf("%s: occurrence %d runs first, of %d that were missed", what, k, missed)
			}
			match(t, what, x.request(body{"state": "ok"}), body{"accepted": true})
			state := c.state(what, "p")
			if all := state.int("real_repet") + state.int("skip_num"); catchUp != "full" && all < missed {
				t.Errorf("%s: %d occurrences are counted of %d", what, all, missed)
			}
		}
	}
	s.kill9()
	s.restart(t)
	if plans := connect(t, s, inJSON).pages("plans.list", "plans", body{}); len(plans) != 2*len(words("none compact full")) {
		t.Errorf("%d plans are there after a restart", len(plans))
	}
}
