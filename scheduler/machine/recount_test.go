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
// and holds up nothing that is due meanwhile.
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
