package machine

import (
	"fmt"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A clock that was ahead for a while has occurrences taken off their schedules long before
// their time, and waits set that end long behind it. When it is right again, plans would
// rest until the time has come that it had shown. So all plans are gone through then, and
// what is yet to come is reckoned anew:
//
//	prev     12:00:10 ──▶ ahead: 13:00:10 ──▶ right: 12:00:15, next due 12:00:16
//	number         10             3610                         3611
//
// A due time comes again under a new number, never a number. Rows say what a leader did
// while its clock was ahead, so a successor whose clock is right does the same.

// setbackFrom is how far the clock has to go back for that. Less is waited out: clocks are
// slewed, and those of two leaders differ.
const setbackFrom = unit.Moment(time.Second / time.Microsecond)

// noWait is the wait of what is tried again at once. Without any, a row says nothing of how
// long that was: those of earlier releases do not.
const noWait = unit.Moment(1)

// A setback is a clock that went back, and how far the plans were gone through for it.
type setback struct {
	latest unit.Moment     // the latest moment that was acted on, since it went back last
	since  unit.Moment     // when that was noticed; none: there is no plan to go through
	after  schema.PlanName // the last one that was
}

// WentBack reports that a clock which shows now went back since the last Step, so that a
// Tick is due, whatever Wake says.
func (m *Machine) WentBack(now time.Time) bool {
	return unit.MomentOf(now)+setbackFrom < m.setback.latest
}

// observe notes the moment of a step, and whether the clock went back. What no row keeps is
// set right at once.
func (m *Machine) observe(now unit.Moment) {
	if now+setbackFrom >= m.setback.latest {
		m.setback.latest = max(m.setback.latest, now)
		return
	}
	m.setback = setback{latest: now, since: now}
	m.since = min(m.since, now) // else what falls due until then was missed
	for p, at := range m.restored {
		m.restored[p] = min(at, now)
	}
	m.claims.setBack(now)
	m.roster.SetBack(now)
	m.lately.setBack(now)
}

// setRightSome sets some more plans right, as far as b has room.
func (t *turn) setRightSome() {
	if t.setback.since == 0 {
		return
	}
	left, through := tickSlice, true
	t.sorted.Ascend(&plan{name: t.setback.after}, func(p *plan) bool {
		if p.name == t.setback.after {
			return true
		}
		if left--; left < 0 || !t.b.Room(p.cost()) {
			through = false
			return false
		}
		t.looks++
		t.at(p)
		t.setRight(p, t.setback.since)
		t.setback.after = p.name
		return true
	})
	if through {
		t.looks++
		t.setback.since, t.setback.after = 0, schema.PlanName{}
	}
}

// setRight has p go on by a clock that was ahead of now, and went back at a moment.
func (t *turn) setRight(p *plan, since unit.Moment) {
	reckoned := t.reckon(p, since)
	shortened := t.shorten(p)
	if !reckoned && !shortened && p.execTime <= t.now {
		return
	}
	p.execTime = min(p.execTime, t.now)
	t.touch(p)
	t.timetable.Set(p.handle, t.now) // also where somebody's word wants a look already
}

// isAhead reports that p may have something to be set right at now.
func (p *plan) isAhead(now unit.Moment) bool {
	late := now + setbackFrom
	if p.accepted > late || p.halting().since > late || unit.MomentOf(p.prev.At) > late || unit.MomentOf(p.marked().queued.At) > late {
		return true
	}
	if in := p.inbox; in != nil && in.waiting > late {
		return true
	}
	return slices.ContainsFunc(p.open, func(o *occurrence) bool { return o.isAhead(late) })
}

// isAhead reports that o was due after a moment, or has to wait for longer from then on than
// it was to.
func (o *occurrence) isAhead(late unit.Moment) bool {
	switch {
	case o.due > late, o.retries() && waitsFrom(late, o.at, o.wait):
		return true
	case o.crew == nil:
		return false
	default:
		return slices.ContainsFunc(o.crew.again, func(e member) bool { return waitsFrom(late, e.at, e.wait) })
	}
}

// waitsFrom reports that what is to be tried again at a moment, after a wait, waits for
// longer than that from now on, as far as is known.
func waitsFrom(now, at, wait unit.Moment) bool { return wait != 0 && at > now+wait }

// reckon has the due times of p since a moment come again that were taken while the clock
// was ahead. One alone was taken a little early, and its occurrence stands for it.
func (t *turn) reckon(p *plan, since unit.Moment) (changed bool) {
	if h := p.halting(); h.since > t.now {
		h.since = t.now
		p.stop(p.halt, h)
		changed = true
	}
	late := t.now + setbackFrom
	switch {
	case p.inbox != nil, p.next.K == 0:
		return changed
	case p.accepted > late:
	case p.schedule.Continuous() && unit.MomentOf(p.prev.At) > late:
	case p.schedule.Ahead(p.prev, t.now.Time()) > 1:
	default:
		return t.requeue(p) || p.followsNow(t.now) || changed
	}
	rewound := t.rewind(p, since)
	return t.requeue(p) || rewound || changed
}

// followsNow has p's next occurrence, where it follows the one before, be due no later than
// it may be at now.
func (p *plan) followsNow(now unit.Moment) bool {
	was := p.next
	if p.schedule.Continuous() && unit.MomentOf(was.At) > now {
		p.lookAhead(now)
	}
	return p.next != was
}

// rewind takes p's schedule back to where it was at a moment. The numbers go on. False: it
// would have no occurrence then, since its grid reaches beyond the last year that there is,
// and stays as it was.
func (m *Machine) rewind(p *plan, to unit.Moment) bool {
	d, err := schema.LoadDefinition(p.raw)
	if err != nil { // as with termsOf: it was read when it came in
		panic(fmt.Sprintf("definition of %s cannot be read: %v", p.name, err))
	}
	skips, base, prev, accepted := p.skips(), p.base, p.prev, p.accepted
	switch {
	case p.schedule.IsGrid():
		p.base += p.schedule.Ahead(p.prev, to.Time())
	case to < unit.MomentOf(d.Plan.StartAt):
		p.base = p.prev.K // none of those that count is over: from the first on
	}
	if p.prev.K > 0 {
		p.prev.At = to.Time()
	}
	p.accepted = min(p.accepted, to/1000*1000)
	if p.derive(d) != nil {
		p.base, p.prev, p.accepted = base, prev, accepted
		return false
	}
	m.agree(p, &d.Plan)
	p.lookAhead(to)
	if p.skip != nil {
		p.skipNext(skips)
	}
	return true
}

// requeue has nothing of p wait its turn that is not due yet.
func (t *turn) requeue(p *plan) bool {
	k := p.marked()
	if unit.MomentOf(k.queued.At) <= t.now+setbackFrom {
		return false
	}
	k.queued = calendar.Due{}
	if n, last := p.schedule.Passed(p.prev, (t.now + 1).Time()); n > 0 {
		k.queued = last
	}
	p.mark(k)
	return true
}

// shorten has what is open of p wait for no longer than it was to: a jitter, a retry, a
// ping.
func (t *turn) shorten(p *plan) (changed bool) {
	in := p.inbox
	for _, o := range p.open {
		if in == nil || !in.asked { // else somebody has said when
			changed = p.shortenWait(o, t.now) || changed
		}
		for _, x := range o.live {
			changed = t.shortenTerms(p, x) || changed
		}
	}
	if in != nil && in.waiting > t.now {
		in.waiting, changed = t.now, true
	}
	return changed
}

// retries reports that o waits to be tried again.
func (o *occurrence) retries() bool { return o.attempt > 0 && o.crew == nil && !o.executing() }

func (p *plan) shortenWait(o *occurrence, now unit.Moment) (changed bool) {
	switch {
	case o.at == 0:
	case o.retries():
		changed = cutWait(&o.at, o.wait, now)
	case o.due <= now+setbackFrom:
	case o.at >= o.due && (p.inbox == nil || o.at == o.due): // else a push has put it off
		changed = o.at.Cut(now + o.at - o.due)
	case p.inbox == nil: // it was cut before
		changed = o.at.Cut(now + unit.Moment(0).After(p.options().jitter))
	}
	if o.crew != nil {
		for i := range o.crew.again {
			e := &o.crew.again[i]
			changed = cutWait(&e.at, e.wait, now) || changed
		}
	}
	return changed
}

// cutWait has at, which comes after a wait, be no later than if that began now.
func cutWait(at *unit.Moment, wait, now unit.Moment) bool {
	return waitsFrom(now, *at, wait) && at.Cut(now+wait)
}

// shortenTerms has x's next ping, or its next publication, come no later than if its time
// began now. Until when it may begin and end its worker was told, and that stands: a clock
// that was set back by mistake would else take time from it that it has.
func (t *turn) shortenTerms(p *plan, x *execution) (changed bool) {
	if timeout := t.termsOf(p).PingTimeout; timeout > 0 {
		changed = x.pingBy.Cut(t.now.After(timeout))
	}
	again := t.now
	if x.misses > 0 {
		again = t.now.After(missDelay(x.misses))
	}
	return x.retry.Cut(again) || changed
}
