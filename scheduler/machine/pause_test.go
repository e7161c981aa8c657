package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// TestLongPause checks that a plan of every second that is paused for a year is looked at some
// thirty times, and leaves room in its history.
func TestLongPause(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1,"paused":true}`)
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
	resumed, looks := x.now.AddDate(1, 0, 0), x.counted("look")
	for x.m.Wake().Before(resumed) {
		x.now = x.m.Wake()
		x.looks()
	}
	x.now = resumed
	x.step(event.Ask{From: "user", What: command.ResumePlan{Name: p.Name}})
	if seconds := int64(365 * 24 * 3600); p.SkipNum != seconds || p.Prev.K != seconds {
		t.Errorf("%d of %d are skipped", p.SkipNum, seconds)
	}
	if p.N > 30 || *looks > 30 {
		t.Errorf("%d results, %d looks", p.N, *looks)
	}
}

// TestSkipCount checks, for schedules of all kinds, that the first run after a skip is the one
// after the skipped count, and that the answer had its time.
func TestSkipCount(t *testing.T) {
	for _, schedule := range []string{
		`"plan_type":"second","plan_value":7,"plan_repet":-1`,
		`"plan_type":"week","plan_value":3,"plan_repet":-1`,
		`"plan_type":"month","plan_value":0,"plan_repet":-1,"timezone":"Europe/Berlin"`,
		`"plan_type":"cron","cron":"*/20 * * * *","timezone":"America/New_York"`,
		`"plan_type":"cron","cron":"30 2 * * *","timezone":"Europe/Berlin"`,
		`"plan_type":"cron","cron":"0 0 29 2 *"`,
		`"plan_type":"cron","cron":"@every 90s"`,
	} {
		for _, count := range []int64{1, 2, 100} {
			t.Run(fmt.Sprintf("%s %d", schedule, count), func(t *testing.T) {
				x := newBench(t)
				x.create(`{"plan_id":"p","station":"s","command":"c",` + schedule + `}`)
				p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
				due := p.Next
				for range count {
					due, _ = p.Schedule.Next(due, time.Time{})
				}
				standing := x.last(x.step(event.Ask{From: "user", What: command.SkipPlan{Name: p.Name, Count: count}})).(event.Answer).Body.(schema.Standing)
				if !standing.PlanTime.Equal(due.At) {
					t.Errorf("the answer has %v, and occurrence %d is due at %v", standing.PlanTime, due.K, due.At)
				}
				for p.Attempt == 0 {
					x.now = x.m.Wake()
					x.looks()
				}
				if p.Prev != due || p.SkipNum != count {
					t.Errorf("%+v ran behind %d skipped, not %+v", p.Prev, p.SkipNum, due)
				}
			})
		}
	}
}
