package sim

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

// countsEvery is the number of steps from one pass over all counters to the next, because a pass takes
// as long as several steps.
const countsEvery = 16

// countsRow notes that the machine of l has taken in the row of a result. By a planted mistake it
// takes it in twice, or has not.
func countsRow(l *leader, seq uint64, r event.Row) {
	if l.w.planted(CountsTwice) {
		_ = l.m.Replay(seq, r)
	}
	counts(l, r.Name.Station, r.Value)
}

// counts enters a result that the machine of l is to have counted.
func counts(l *leader, station string, body []byte) {
	result, err := machine.ReadResult(body)
	if err != nil {
		l.w.fail("a result of %s cannot be read: %v", station, err)
	}
	l.counted.Add(l.counted.Of(station), &result)
}

// auditCounts holds the counters of the machine against a pass over all plans, and against the results
// that were decided, after a step.
func auditCounts(l *leader, ev event.Event, decided []event.Effect) {
	for _, e := range decided {
		if p, is := e.(event.Publish); is {
			counts(l, p.Name.Station, p.Body)
		}
	}
	if l.w.planted(MovesOne) && l.counted.All.Total.States[0] > 0 {
		l.m.Counts().Plans.Status[0]++
	}
	if l.audits++; l.audits%countsEvery != 0 {
		return // a counter that differs once differs from then on
	}
	if differ := machine.AuditCounts(l.m); len(differ) > 0 {
		l.w.fail("epoch %d: after %T counters differ from what the plans say: %v", l.epoch, ev, differ)
	}
	if at := l.counted.Differs(l.m.Counts()); at != "" {
		l.w.fail("epoch %d: after %T other results count than were decided, of %s", l.epoch, ev, at)
	}
}
