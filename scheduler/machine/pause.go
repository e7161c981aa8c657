package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// What of a plan's schedule is not to run: what falls due while it is paused or executes, and
// what a user wants skipped.

// nextNote is when to note what fell due while p is paused: the first at its due time,
// then each time the pause has lasted twice as long as at the last note. So a plan of
// every second that is paused for a day has some twenty results, and neither fills its
// history nor costs what a living one does. Resume notes the rest.
func (p *plan) nextNote() unit.Moment {
	since := p.halting().since
	if since == 0 {
		since = p.accepted
	}
	due := unit.DueMoment(p.next.At)
	if p.prev.K == 0 {
		return due
	}
	return max(due, twiceAsLong(since, unit.DueMoment(p.prev.At)))
}

// twiceAsLong is when what began at since has lasted twice as long as when something was told
// of it last.
func twiceAsLong(since, told unit.Moment) unit.Moment { return told + max(0, told-since) }

// longRun is how long a plan executes before what is lost to that is told. What an execution
// that ends sooner has cost is one result, at its end.
const longRun = unit.Moment(time.Minute / time.Microsecond)

// nextLost is when to tell what is lost to an execution of p that goes on: when it has gone on
// for longRun, then each time that it has lasted twice as long as at what was told last, as
// with a pause. A new leader waits as long: it may hear that the execution ended before what
// fell due meanwhile, which then was not lost to it.
func (m *Machine) nextLost(p *plan) unit.Moment {
	since := p.executesSince()
	t := m.termsOf(p)
	if since == 0 || p.schedule.Continuous() || t.Overlap != schema.BusySkip ||
		t.CatchUp == schema.MissedFull && m.isMissed(p, p.next) {
		return 0
	}
	return max(unit.DueMoment(p.next.At), max(since, m.since)+longRun, twiceAsLong(since, unit.DueMoment(p.prev.At)))
}

// executesSince is when the oldest execution of p that a worker may have was sent; 0: none.
func (p *plan) executesSince() unit.Moment {
	since := unit.Moment(0)
	for _, o := range p.open {
		for _, x := range o.live {
			if x.retry == 0 {
				since = unit.Sooner(since, x.sent)
			}
		}
	}
	return since
}

// rests reports that p's next occurrence will not fall due: it follows the one before,
// so no time passes that it could be skipped at.
func (p *plan) rests() bool {
	return p.schedule.Continuous() && (p.halt == paused || p.skip != nil && p.skip.K == skipAll)
}

// skipsNext reports that p's next occurrence is to be skipped, and may fall due.
func (p *plan) skipsNext() bool {
	return p.skip != nil && !(p.schedule.Continuous() && p.load() != idle)
}

// skipAsked skips what has fallen due of what a user wants skipped.
func (t *turn) skipAsked(p *plan) {
	if p.schedule.Continuous() { // all of them at once: there is no time between
		t.skipDue(p, p.skip.K-p.prev.K, calendar.Due{K: p.skip.K, At: p.next.At}, schema.ReasonManual)
		return
	}
	n, last := p.schedule.Passed(p.prev, (t.now + 1).Time())
	if last.K > p.skip.K {
		n, last = p.skip.K-p.prev.K, *p.skip
	}
	if n > 0 {
		t.skipDue(p, n, last, schema.ReasonManual)
	}
}

// skipNext has the next count occurrences skipped; -1: all.
func (p *plan) skipNext(count int64) {
	p.skip = nil
	if count < 0 {
		p.skip = &calendar.Due{K: skipAll}
		return
	}
	if d, ok := p.schedule.Nth(p.prev, count); ok {
		p.skip = &d
	}
}

// skips returns how many occurrences are to be skipped, -1: all.
func (p *plan) skips() int64 {
	switch {
	case p.skip == nil:
		return 0
	case p.skip.K == skipAll:
		return -1
	default:
		return p.skip.K - p.prev.K
	}
}

// comes returns the next due time that is to run as far as can be told now, the zero
// time if there is none.
func (p *plan) comes(now unit.Moment) time.Time {
	if p.inbox != nil {
		return p.inboxComes().Time()
	}
	if p.next.K == 0 || p.skips() < 0 {
		return time.Time{}
	}
	prev := p.prev
	if p.skip != nil {
		prev = *p.skip
	}
	notBefore := time.Time{}
	switch {
	case p.schedule.Continuous():
		notBefore = p.next.At
	case p.halt == paused:
		notBefore = (now + 1).Time() // what has fallen due is skipped at the latest when it resumes
	case p.skip == nil:
		return p.next.At
	}
	next, _ := p.schedule.Next(prev, notBefore)
	return next.At
}

// takeStock takes off the schedule what has fallen due and was not taken, before a pause
// or another schedule would hide when that was: what waits its turn is opened, to run in
// its turn; what will never run is skipped.
func (t *turn) takeStock(p *plan) {
	if p.next.K == 0 || p.schedule.Continuous() {
		return
	}
	if p.skip != nil && p.halt != paused {
		t.skipAsked(p)
	}
	why := schema.ReasonPast
	if t.hold.on && p.halt == served {
		t.openHeld(p)
	}
	switch {
	case p.halt == paused:
		why = schema.ReasonPaused
	case t.queues(p):
		for p.next.K != 0 && unit.DueMoment(p.next.At) <= t.now && p.weight() < maxOpen {
			t.open(p, p.next)
		}
		why = schema.ReasonConcurrency
	}
	t.skipPassed(p, t.now+1, why)
}
