package machine

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A clock that was ahead for a while has occurrences taken off their schedules long before their
// time, and sets waits that end long after it. When the clock is right again, plans would rest
// until the time that it had shown. So all plans are gone through then, and the occurrences that
// have yet to come are reckoned anew:
//
//	prev     12:00:10 ──▶ ahead: 13:00:10 ──▶ right: 12:00:15, next due 12:00:16
//	number         10             3610                         3611
//
// A due time comes again under a new number, never a number. Rows show the acts of a leader
// whose clock was ahead, so that a successor whose clock is right does the same.

// A setback is a clock that went back, and the progress of the round through the plans for it.
type setback struct {
	latest unit.Moment     // the latest moment of a step, since it went back last
	since  unit.Moment     // when that was noticed; none: there is no plan to go through
	after  schema.PlanName // the last plan gone through
}

// WentBack reports that a clock which shows now went back since the last Step, so that a Tick is
// due even if Wake returns a later time.
func (m *Machine) WentBack(now time.Time) bool {
	return unit.MomentOf(now)+state.SetbackFrom < m.setback.latest
}

// observe notes the moment of a step, and whether the clock went back. State that no row keeps
// is set right at once.
func (m *Machine) observe(now unit.Moment) {
	if now+state.SetbackFrom >= m.setback.latest {
		m.setback.latest = max(m.setback.latest, now)
		return
	}
	m.setback = setback{latest: now, since: now}
	m.part.Since = min(m.part.Since, now) // else an occurrence that falls due until then would count as missed
	for p, at := range m.part.Restored {
		m.part.Restored[p] = min(at, now)
	}
	m.closeEarly(now)
	m.part.Claims.SetBack(now)
	m.part.Registry.SetBack(now)
	m.part.Tombstones.SetBack(now)
}

// setRightSome sets some more plans right; false: b has no room for more of them.
func (t *turn) setRightSome() bool {
	if t.m.setback.since == 0 {
		return true
	}
	var some []*state.Plan
	t.Sorted.Ascend(&state.Plan{Name: t.m.setback.after}, func(p *state.Plan) bool {
		if p.Name != t.m.setback.after {
			some = append(some, p)
		}
		return len(some) < tickSlice
	})
	for _, p := range some {
		if !t.visit(p, func(p *state.Plan) { t.setRight(p, t.m.setback.since) }) {
			return false
		}
		t.m.setback.after = p.Name
	}
	if len(some) < tickSlice {
		t.m.setback.since, t.m.setback.after = 0, schema.PlanName{}
	}
	return true
}

// setRight corrects p after a clock that was ahead of now went back at a moment.
func (t *turn) setRight(p *state.Plan, since unit.Moment) {
	reckoned := t.reckon(p, since)
	shortened := t.shorten(p)
	if !reckoned && !shortened && p.ExecTime <= t.Now {
		t.Changed(p) // the moment since which a leader acts is another now
		return
	}
	p.ExecTime = min(p.ExecTime, t.Now)
	t.Touch(p)
	t.EvaluateLater(p)
}

// reckon returns the due times of p since a moment to the schedule that were taken while the
// clock was ahead. A single one was taken a little early, and its occurrence stands for it.
func (t *turn) reckon(p *state.Plan, since unit.Moment) (changed bool) {
	if s := p.Suspended(); s.Since > t.Now {
		s.Since = t.Now
		p.Suspension = &s
		changed = true
	}
	late := t.Now + state.SetbackFrom
	switch {
	case p.Inbox != nil, p.Next.K == 0:
		return changed
	case p.Accepted > late:
	case p.Schedule.Continuous() && unit.MomentOf(p.Prev.At) > late:
	case p.Schedule.Ahead(p.Prev, t.Now.Time()) > 1:
	default:
		return t.requeue(p) || p.FollowsNow(t.Now) || changed
	}
	rewound := t.m.rewind(p, since)
	return t.requeue(p) || rewound || changed
}

// rewind takes p's schedule back to its position at a moment. The numbers go on. False: it would
// have no occurrence then, because its grid reaches beyond the last year of the calendar, and
// stays as it was.
func (m *Machine) rewind(p *state.Plan, to unit.Moment) bool {
	d, err := schema.LoadDefinition(p.Raw)
	if err != nil { // as with termsOf: it was read when it came in
		panic(fmt.Sprintf("definition of %s cannot be read: %v", p.Name, err))
	}
	skips, base, prev, accepted := p.Skips(), p.Base, p.Prev, p.Accepted
	switch {
	case p.Schedule.IsGrid():
		p.Base += p.Schedule.Ahead(p.Prev, to.Time())
	case to < unit.MomentOf(d.Plan.StartAt):
		p.Base = p.Prev.K // none of the counted ones is over: from the first on
	}
	if p.Prev.K > 0 {
		p.Prev.At = to.Time()
	}
	p.Accepted = min(p.Accepted, to/1000*1000)
	if p.Derive(d, &m.part.Calendars.Set) != nil {
		p.Base, p.Prev, p.Accepted = base, prev, accepted
		return false
	}
	m.part.Agree(p, &d.Plan)
	p.LookAhead(to)
	if p.Skip != nil {
		p.SkipNext(skips, p.SkipRequested())
	}
	return true
}

// requeue takes the occurrences of p out of the queue that are not due yet.
func (t *turn) requeue(p *state.Plan) bool {
	k := p.Marked()
	if unit.MomentOf(k.Queued.At) <= t.Now+state.SetbackFrom {
		return false
	}
	k.Queued = calendar.Due{}
	if n, last := p.Schedule.Passed(p.Prev, (t.Now + 1).Time()); n > 0 {
		k.Queued = last
	}
	p.Mark(k)
	return true
}

// shorten cuts the waits of p's open occurrences to their intended length: a jitter, a retry, a
// ping.
func (t *turn) shorten(p *state.Plan) (changed bool) {
	in := p.Inbox
	for _, o := range p.Open {
		if in == nil || !in.Asked { // else a push has set the time
			changed = p.ShortenWait(o, t.Now) || changed
		}
		for _, x := range o.Live {
			changed = t.shortenTerms(p, x) || changed
		}
	}
	return in.ShortenWait(t.Now) || changed
}

// shortenTerms moves x's next ping, or its next publication, to no later than if its time began
// now. Its start and end deadlines stand, because its worker was given them, and a clock that
// was set back by mistake would shorten the worker's time.
func (t *turn) shortenTerms(p *state.Plan, x *state.Execution) (changed bool) {
	if timeout := t.TermsOf(p).PingTimeout; timeout > 0 {
		changed = x.PingBy.Cut(t.Now.After(timeout))
	}
	again := t.Now
	if x.Misses > 0 {
		again = t.Now.After(state.MissDelay(x.Misses))
	}
	return x.Retry.Cut(again) || changed
}
