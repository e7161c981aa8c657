package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A change of a calendar that many plans name is brought to them in slices, each of which has an
// event, and holds up nothing that is due meanwhile.
func TestAChangeOfACalendarHoldsUpNothing(t *testing.T) {
	const plans = 2000
	x := newBench(t)
	put := func(days ...schema.CalendarDay) {
		x.step(event.Ask{From: "user", What: command.PutCalendar{Calendar: &schema.Calendar{CalendarID: "c", Days: days, Revision: 1}}})
	}
	put(schema.CalendarDay{Date: x.now.Format(time.DateOnly)})
	for i := range plans {
		x.create(fmt.Sprintf(`{"station":"s","plan_id":"p%04d","command":"c","plan_type":"minute","plan_value":%d,"plan_repet":-1,"exclude":["c"]}`, i, 60+i%600))
	}
	x.create(`{"station":"z","plan_id":"due","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1}`)
	put()
	x.now = x.now.Add(time.Second)
	told, steps, ranIn := 0, 0, 0
	for len(x.m.recounts) > 0 {
		steps++
		for _, e := range x.step(event.Tick{}) {
			switch e := e.(type) {
			case event.Notify:
				if e.Notice.Kind == schema.NoticeRescheduled {
					told++
				}
			case event.Dispatch:
				ranIn = steps
			}
		}
	}
	if told != plans || steps < plans/recountSlice || ranIn != 1 {
		t.Errorf("%d of %d plans were told in %d steps; the due one ran in step %d", told, plans, steps, ranIn)
	}
	if differ := x.m.Audit(x.now); len(differ) > 0 {
		t.Errorf("places that differ: %v", differ)
	}
}

// A change of a calendar counts for the occurrences that fall due after its answer, also in the
// same second, and the former version for those due earlier in that second.
func TestAChangeOfACalendarCountsWithinItsSecond(t *testing.T) {
	x := newBench(t)
	begin := x.now.Truncate(time.Second)
	put := func(windows ...schema.CalendarWindow) {
		x.step(event.Ask{From: "user", What: command.PutCalendar{Calendar: &schema.Calendar{CalendarID: "c", Windows: windows, Revision: 1}}})
	}
	today := schema.CalendarWindow{Date: begin.Format(time.DateOnly), From: "00:00", To: "24:00"}
	at := func(offset time.Duration) string { return begin.Add(offset).Format(time.RFC3339Nano) }
	ran := map[string]int{}
	tick := func(offset time.Duration) {
		x.now = begin.Add(offset)
		for _, e := range x.step(event.Tick{}) {
			if d, is := e.(event.Dispatch); is {
				ran[d.Execution.Name.PlanID]++
			}
		}
	}
	x.now = begin.Add(10 * time.Second)
	put()
	x.create(fmt.Sprintf(`{"station":"s","plan_id":"later","command":"c","plan_type":"second","plan_value":60,"plan_repet":-1,"plan_time":%q,"exclude":["c"]}`, at(-39*time.Second+700*time.Millisecond)))
	tick(21*time.Second + 400*time.Millisecond)
	put(today)
	tick(21*time.Second + 500*time.Millisecond)
	tick(21*time.Second + 800*time.Millisecond)
	if ran["later"] != 0 {
		t.Errorf("an occurrence that the new calendar excludes ran in the second of its put")
	}

	x.create(fmt.Sprintf(`{"station":"s","plan_id":"earlier","command":"c","plan_type":"second","plan_value":60,"plan_repet":-1,"plan_time":%q,"exclude":["c"],"retry":{"strategy":"none"}}`, at(-29*time.Second+200*time.Millisecond)))
	x.now = begin.Add(31*time.Second + 400*time.Millisecond)
	put()
	tick(31*time.Second + 500*time.Millisecond)
	if ran["earlier"] != 0 {
		t.Errorf("an occurrence that the old calendar excluded ran in the second of the put behind it")
	}
}
