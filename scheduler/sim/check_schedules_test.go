package sim

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An append that ends a plan has no record of it. An occurrence that it decides after a clock was
// set back is due again under a later number, and the checker forgives that and nothing else.
func TestOccurrencesOfAPlanThatEndsAfterASetback(t *testing.T) {
	accepted := time.Date(2026, 3, 27, 23, 0, 0, 0, time.UTC)
	after := func(d time.Duration) time.Time { return accepted.Add(d) }
	step, always := int64(10), int64(-1)
	var floating, rule schema.Plan
	floating.PlanType, floating.PlanValue, floating.PlanRepet = schema.TypeSecond, &step, &always
	anchored := floating
	anchored.PlanTime = accepted
	rule.PlanType, rule.Cron = schema.TypeCron, "0 * * * *"
	const recorded = 8 // the last occurrence that a record shows
	for _, c := range []struct {
		what         string
		plan         schema.Plan
		occurrence   int64
		at           time.Time
		steady, goes bool // no clock was ever set; the plan goes on
		wrong        bool
	}{
		{what: "in order", plan: anchored, occurrence: 9, at: after(90 * time.Second)},
		{what: "due again", plan: anchored, occurrence: 16, at: after(80 * time.Second)},
		{what: "before the grid", plan: floating, occurrence: 9, at: after(-40 * time.Minute)},
		{what: "on a grid that begins earlier", plan: floating, occurrence: 16, at: after(83 * time.Second)},
		{what: "before the rule", plan: rule, occurrence: 9, at: after(-time.Hour)},

		{what: "due again, and its plan goes on", plan: anchored, occurrence: 16, at: after(80 * time.Second), goes: true, wrong: true},
		{what: "due again, and no clock was set", plan: anchored, occurrence: 16, at: after(80 * time.Second), steady: true, wrong: true},
		{what: "recorded before", plan: anchored, occurrence: recorded, at: after(70 * time.Second), wrong: true},
		{what: "beside the grid", plan: anchored, occurrence: 16, at: after(83 * time.Second), wrong: true},
		{what: "beside the grid, in order", plan: anchored, occurrence: 9, at: after(93 * time.Second), wrong: true},
		{what: "a number too few", plan: anchored, occurrence: 9, at: after(100 * time.Second), wrong: true},
		{what: "a number too few, of a grid that may begin earlier", plan: floating, occurrence: 9, at: after(100 * time.Second), wrong: true},
		{what: "beside the rule", plan: rule, occurrence: 9, at: after(time.Hour + time.Second), wrong: true},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := &world{apart: time.Hour}
			if c.steady {
				w.apart = 0
			}
			l := newLife(w, schema.PlanName{Station: "s", PlanID: "p"})
			l.plan = c.plan
			l.schedules.rescheduled(record{Accepted: accepted})
			l.record.Occurrence = recorded
			if !c.goes {
				l.gone = after(time.Minute)
			}
			defer func() {
				if v, wrong := recover().(violation); wrong != c.wrong {
					t.Errorf("a violation: %t, want %t: %s", wrong, c.wrong, v)
				}
			}()
			l.schedules.dueTime(&event.Outgoing{Name: l.name, Occurrence: c.occurrence, PlanTime: c.at})
		})
	}
}
