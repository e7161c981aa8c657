package state

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// MaxOpen bounds the open occurrences of a plan, and so its row. An occurrence beyond it is
// skipped, reason concurrency.
const MaxOpen = 100

// LookAhead finds the first occurrence that was not taken yet. Only a plan whose occurrences
// follow each other without a pause needs to know the time.
func (p *Plan) LookAhead(now unit.Moment) {
	if p.Inbox != nil {
		p.Next = calendar.Due{} // its pushes set its due time
		return
	}
	var notBefore time.Time
	if p.Schedule.Continuous() {
		notBefore = now.Time()
		if p.Prev.At.After(notBefore) {
			notBefore = p.Prev.At
		}
	}
	next, ok := p.Schedule.Next(p.Prev, notBefore)
	if !ok {
		next = calendar.Due{}
	}
	p.Next = next
}

// Advance takes all occurrences up to d off the schedule.
func (p *Plan) Advance(d calendar.Due, now unit.Moment) {
	p.Prev = d
	if p.Skip != nil && p.Skip.K <= d.K {
		p.Skip = nil
	}
	if k := p.Marked(); k.Queued.K != 0 && k.Queued.K <= d.K {
		k.Queued = calendar.Due{}
		p.Mark(k)
	}
	p.LookAhead(now)
}

// NumberOf returns the number of a result that settles o while no worker has it: that of its
// live execution, or of the run that was promised, else a new one.
func (p *Plan) NumberOf(o *Occurrence) int64 {
	switch {
	case o.Executing():
		return o.Live[len(o.Live)-1].N
	case o.Trigger != 0 && o.Attempt == 0:
		return o.Trigger
	default:
		p.N++
		return p.N
	}
}

// Settle takes o out of the open occurrences, and counts it. A run that a user triggered is not
// counted.
func (p *Plan) Settle(o *Occurrence, s schema.State) {
	p.Withdraw(o)
	p.drop(o)
	if p.Inbox != nil {
		p.Inbox.settled(o, s == schema.StateOK)
	}
	switch {
	case o.Trigger != 0:
	case s == schema.StateSkipped:
		p.SkipNum++
	default:
		p.RealRepet++
		if s != schema.StateCancelled { // cancelRun judges a run that a user cancelled
			p.Judge(o, s)
		}
	}
}

// Done reports that p has no further occurrence or execution.
func (p *Plan) Done() bool {
	if p.IsBlamed() {
		return false
	}
	if p.Closing {
		return !p.Executing()
	}
	if p.Inbox != nil && !p.Inbox.Empty() {
		return false
	}
	return p.Next.K == 0 && len(p.Open) == 0
}

// The occurrences of a schedule that do not run: those that fall due while the plan is paused or
// executes, and those that a user wants skipped.

// NextNote is when to note the occurrences that fell due while p is paused: the first at its due
// time, then each time the pause has lasted twice as long as at the last note. So a plan of
// every second that is paused for a day has some twenty results, and neither fills its history
// nor costs as much as a running plan. Resume notes the rest.
func (p *Plan) NextNote() unit.Moment {
	since := p.Suspended().Since
	if since == 0 {
		since = p.Accepted
	}
	due := unit.DueMoment(p.Next.At)
	if p.Prev.K == 0 {
		return due
	}
	return max(due, TwiceAsLong(since, unit.DueMoment(p.Prev.At)))
}

// TwiceAsLong is the moment of the next report on a state that began at since: when it has
// lasted twice as long as at the last report.
func TwiceAsLong(since, reported unit.Moment) unit.Moment { return reported + max(0, reported-since) }

// LongRun is how long a plan executes before the occurrences lost to that are reported. Those
// lost to a shorter execution are one result, at its end.
const LongRun = unit.Moment(time.Minute / time.Microsecond)

// ExecutesSince is when the oldest execution of p that a worker may have was sent; 0: none.
func (p *Plan) ExecutesSince() unit.Moment {
	since := unit.Moment(0)
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.Retry == 0 {
				since = unit.Sooner(since, x.Sent)
			}
		}
	}
	return since
}

// Rests reports that p's next occurrence will not fall due, because it follows the one before,
// and no time passes at which it could be skipped.
func (p *Plan) Rests() bool {
	return p.Schedule.Continuous() && (p.IsPaused() || p.Skip != nil && p.Skip.K == SkipAll)
}

// SkipsNext reports that p's next occurrence is to be skipped, and may fall due.
func (p *Plan) SkipsNext() bool {
	return p.Skip != nil && !(p.Schedule.Continuous() && p.Busy() != Idle)
}

// Skips returns how many occurrences are to be skipped, -1: all.
func (p *Plan) Skips() int64 {
	switch {
	case p.Skip == nil:
		return 0
	case p.Skip.K == SkipAll:
		return -1
	default:
		return p.Schedule.Runs(p.Prev, p.Skip.Due)
	}
}

// BehindQueue is the last occurrence that was taken or waits its turn.
func (p *Plan) BehindQueue() calendar.Due {
	if k := p.Marked(); k.Queued.K > p.Prev.K {
		return k.Queued
	}
	return p.Prev
}

// JustOpened reports that p has an occurrence that the same look will try to dispatch.
func (p *Plan) JustOpened() bool {
	for _, o := range p.Open {
		if o.Attempt == 0 && o.At == o.Due {
			return true
		}
	}
	return false
}

// IsInLine reports that p is in the concurrency queue of its station.
func (p *Plan) IsInLine() bool {
	_, _, there := p.Station.Line.Entry(p.Handle)
	return there
}

// IsBehind reports that p is in that queue and was not granted its turn.
func (p *Plan) IsBehind() bool {
	_, called, there := p.Station.Line.Entry(p.Handle)
	return there && !called
}

// The effect of an execution that ended badly on the next occurrence (the policy failure). The
// last effective execution counts: the one that settled an occurrence last. Not effective are an
// error that is retried, a run that a user triggered, a skipped occurrence, and one that was
// cancelled in favour of the next, because the next would else be skipped for it.

// Judge notes how o was settled by an execution of its own.
func (p *Plan) Judge(o *Occurrence, s schema.State) {
	if o.Trigger != 0 {
		return
	}
	k := p.Marked()
	k.Failed, k.Yielded, k.Ran = 0, false, Ran{}
	if s != schema.StateOK {
		k.Failed, k.Ran = max(o.Attempt, 1), Ran{K: o.K, N: o.Newest(), State: s}
		if o.Executing() {
			k.Ran.Worker = o.Live[len(o.Live)-1].Worker
		}
	}
	p.Mark(k)
}

// Yield notes that an occurrence was skipped for the failure of the one before.
func (p *Plan) Yield() {
	k := p.Marked()
	k.Yielded = true
	p.Mark(k)
}
