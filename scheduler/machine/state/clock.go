package state

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// SetbackFrom is the least step back of the clock that counts as a setback. Less is waited out,
// because clocks are slewed, and those of two leaders differ.
const SetbackFrom = unit.Moment(time.Second / time.Microsecond)

// NoWait is the wait of an immediate retry. A wait of zero means that the row does not record
// its length, as rows of earlier releases do not.
const NoWait = unit.Moment(1)

// IsAhead reports that p may have a time that has to be set right at now.
func (p *Plan) IsAhead(now unit.Moment) bool {
	late := now + SetbackFrom
	if p.Accepted > late || p.Suspended().Since > late || unit.MomentOf(p.Prev.At) > late || unit.MomentOf(p.Marked().Queued.At) > late {
		return true
	}
	if in := p.Inbox; in != nil && (in.Waiting > late || waitsFrom(late, in.At, in.Wait)) {
		return true
	}
	return slices.ContainsFunc(p.Open, func(o *Occurrence) bool { return o.isAhead(late) })
}

// isAhead reports that o was due after a moment, or has to wait from that moment on for longer
// than intended.
func (o *Occurrence) isAhead(late unit.Moment) bool {
	return o.Due > late || o.retries() && waitsFrom(late, o.At, o.Wait) ||
		slices.ContainsFunc(o.Again(), func(e Slot) bool { return waitsFrom(late, e.At, e.Wait) })
}

// waitsFrom reports that a retry at a moment is further away from now than the wait that was
// decided for it; false where that is unknown.
func waitsFrom(now, at, wait unit.Moment) bool { return wait != 0 && at > now+wait }

// FollowsNow has p's next occurrence, where it follows the one before, be due no later than it
// may be at now.
func (p *Plan) FollowsNow(now unit.Moment) bool {
	was := p.Next
	if p.Schedule.Continuous() && unit.MomentOf(was.At) > now {
		p.LookAhead(now)
	}
	return p.Next != was
}

// retries reports that o waits for a retry.
func (o *Occurrence) retries() bool { return o.Attempt > 0 && !o.IsShared() && !o.Executing() }

// ShortenWait has o wait no longer than intended, if it waits since a clock that was ahead of now.
func (p *Plan) ShortenWait(o *Occurrence, now unit.Moment) (changed bool) {
	switch {
	case o.At == 0:
	case o.Wait != 0: // of a retry, or cut before
		changed = cutWait(&o.At, o.Wait, now)
	case o.retries(), o.Due <= now+SetbackFrom:
	case o.At >= o.Due && (p.Inbox == nil || o.At == o.Due || p.Inbox.At == o.Due): // else a push has put it off
		// The length is kept, because the plan may have another jitter when the clock goes back again,
		// or when a successor sees that it did.
		o.Wait = max(o.At-o.Due, NoWait)
		changed = o.At.Cut(now + o.At - o.Due)
	case p.Inbox == nil: // an earlier release cut it, and kept no length
		changed = o.At.Cut(now + unit.Moment(0).After(p.Options().Jitter))
	}
	again := o.Again()
	for i := range again {
		changed = cutWait(&again[i].At, again[i].Wait, now) || changed
	}
	return changed
}

// ShortenWait has the items of in, if there are any, wait no longer than intended.
func (in *Inbox) ShortenWait(now unit.Moment) (changed bool) {
	if in == nil {
		return false
	}
	changed = cutWait(&in.At, in.Wait, now)
	return in.Waiting.Cut(now) || changed
}

// cutWait has at, which comes after a wait, be no later than if that began now.
func cutWait(at *unit.Moment, wait, now unit.Moment) bool {
	return waitsFrom(now, *at, wait) && at.Cut(now+wait)
}
