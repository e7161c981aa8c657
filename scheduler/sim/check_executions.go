package sim

import (
	"bytes"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// dispatched checks an execution that is decided.
func (c *checker) dispatched(x *event.Outgoing) {
	l := c.plans.of(x.Name, x.Incarnation)
	c.plans.nonces[aboutOf(x).Nonce] = x.Incarnation
	c.gaveBack(l) // at a station that is no longer a pull station
	k := x.Occurrence - x.Trigger
	fresh := l.fallsDue(x, k)
	if l.inbox != nil {
		l.inbox.handsOver(x, k, fresh, c.landing.triggered[x.Name], c.sends.decided[execID{x.Incarnation, x.N}])
	} else if x.Items != 0 || !x.ItemsNotice.IsZero() {
		c.w.fail("%s has no inbox, and execution %d hands over items", x.Name, x.N)
	}
	if l.goesOut(x, k) {
		return
	}
	l.mayBegin(x)
	c.recalled(l, x)
	c.landing.starts[x.Name.Station] = true
	l.begins(x, k)
}

// fallsDue enters the due time of occurrence k, of which an execution is decided. True: it was not
// known before.
func (l *life) fallsDue(x *event.Outgoing, k int64) (fresh bool) {
	if x.Trigger != 0 && (x.Occurrence != 0 || x.Attempt == 1 && x.N != x.Trigger && !l.isShared() && !l.wentBack(x.Trigger)) {
		l.w.fail("%s: execution %d of occurrence %d was promised as %d", x.Name, x.N, x.Occurrence, x.Trigger)
	}
	if l.final[k] {
		l.w.fail("%s: occurrence %d is settled, and dispatched as %d", x.Name, k, x.N)
	}
	was, ok := l.due[k]
	if ok && !was.Equal(x.PlanTime) {
		l.w.fail("%s: occurrence %d was due at %v and is due at %v", x.Name, k, was, x.PlanTime)
	}
	l.due[k] = x.PlanTime
	return !ok
}

// goesOut checks the trigger of an execution's occurrence, that no backup has lost the execution,
// and that a repeated decision equals the first. True: it is repeated.
func (l *life) goesOut(x *event.Outgoing, k int64) (again bool) {
	if was, ok := l.madeBy[k]; ok && was != x.MadeBy || (x.MadeBy == schema.TriggerManual) != (x.Trigger != 0) {
		l.w.fail("%s: occurrence %d was made by %q, and its execution %d by %q", x.Name, k, was, x.N, x.MadeBy)
	}
	l.madeBy[k] = x.MadeBy
	if _, lost := l.lost[x.N]; lost {
		l.w.fail("%s: execution %d was under way in a backup, and begins again", x.Name, x.N)
	}
	was, again := l.executions[x.N]
	if now := [2]int64{k, x.Attempt}; again {
		if _, over := l.results[x.N]; over || was != now {
			l.w.fail("%s: execution %d is dispatched again, as %v, was %v", x.Name, x.N, now, was)
		}
	}
	return again
}

// mayBegin checks that the state of its plan lets a new execution begin.
func (l *life) mayBegin(x *event.Outgoing) {
	if l.paused && (x.Trigger == 0 || x.Attempt > 1) {
		l.w.fail("%s: execution %d begins while it is paused", x.Name, x.N)
	}
	if l.halted {
		l.w.fail("%s: execution %d begins while it waits for a person", x.Name, x.N)
	}
	if l.unmade[x.N] {
		l.w.fail("%s: execution %d went back, and its number is given again", x.Name, x.N)
	}
}

// begins enters a new execution of occurrence k, whose attempt follows the one before.
func (l *life) begins(x *event.Outgoing, k int64) {
	l.executions[x.N] = [2]int64{k, x.Attempt}
	switch before := l.attempts[k]; {
	case l.isShared(): // each slot counts its own attempts
	case before != 0 && before+1 != x.Attempt:
		l.w.fail("%s: attempt %d of occurrence %d comes after attempt %d", x.Name, x.Attempt, k, before)
	case before != 0:
		l.excused(x, k)
	case x.Attempt > 1:
		l.goesOn(x)
	}
	l.attempts[k] = x.Attempt
	l.newest[k] = x.N
}

// wentBack reports that execution n was returned, or is in the landing append. Any execution with a
// number from a backup may have been.
func (l *life) wentBack(n int64) bool {
	if n <= l.first {
		return true
	}
	_, made := l.executions[n]
	_, ended := l.results[n]
	return l.unmade[n] || made && !ended
}

// goesOn checks that an occurrence which does not begin with attempt 1 continues one that was
// settled badly, with at most one skipped occurrence between them.
func (l *life) goesOn(x *event.Outgoing) {
	if l.restored {
		return
	}
	for _, r := range l.results {
		bad := r.State == schema.StateFailure || r.State == schema.StateCancelled ||
			r.State == schema.StateTimeout || r.State == schema.StateError // the last two are of claims
		if gap := x.Attempt - r.Attempt; r.Final && bad && r.Trigger != schema.TriggerManual && x.Trigger == 0 && (gap == 1 || gap == 2) {
			return
		}
	}
	l.w.fail("%s: execution %d begins as attempt %d, and no run ended badly as the one before", x.Name, x.N, x.Attempt)
}

// excused checks that another attempt has a recorded reason, the end of the one before; with
// on_unknown: skip that end is no timeout, nor an error of which the worker was unsure.
func (l *life) excused(x *event.Outgoing, k int64) {
	before := l.newest[k]
	if before == 0 && l.restored {
		return // it was under way when the plan was copied
	}
	r, ended := l.results[before]
	if !ended {
		l.w.fail("%s: execution %d is attempt %d of occurrence %d, and execution %d has not ended",
			x.Name, x.N, x.Attempt, k, before)
	}
	unsure := r.State == schema.StateError && r.Reason == "" && len(r.Votes) == 0 && characterOf(repliedExecution(l, &r)).unsure
	if l.plan.OnUnknown == schema.UnknownSkip && !l.changed && (unsure || r.State == schema.StateTimeout) {
		l.w.fail("%s: occurrence %d may have run and is run again, which on_unknown forbids", x.Name, k)
	}
}

// decidedOn checks an execution against the rows of its append.
func (c *checker) decidedOn(x *event.Outgoing) {
	l := c.plans.lives[x.Incarnation]
	if _, is := l.executions[x.N]; !is {
		return // it was returned meanwhile
	}
	l.inRecord(x)
	if !c.landing.redefines(l) {
		l.defined(x)
	}
	l.schedules.dueTime(x)
	if x.Attempt == 1 && !c.landing.redefines(l) {
		c.calendars.mayRun(l, x)
	}
}

// inRecord checks that a row of the same append shows an execution that was decided, unless it is
// over or its plan is gone.
func (l *life) inRecord(x *event.Outgoing) {
	if l.recorded[x.N] {
		return
	}
	if _, ended := l.results[x.N]; !ended && l.gone.IsZero() {
		l.w.fail("%s: execution %d was decided, and no row has it", x.Name, x.N)
	}
	l.recorded[x.N] = true
}

// defined checks that an execution is of the current definition.
func (l *life) defined(x *event.Outgoing) {
	if !bytes.Equal(x.Shared, l.shared) {
		l.w.fail("%s: execution %d is of a definition that was replaced", x.Name, x.N)
	}
}
