package sim

import (
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// result checks a verdict.
func (c *checker) result(e event.Publish) {
	r := c.w.decode(e)
	l := c.plans.resultOf(e, &r)
	l.because(&r)
	c.calendars.because(l, &r, c.landing.seq, c.landing.redefines(l) || l.restored)
	l.lateness(&r)
	c.gaveBackPromised(l, &r)
	l.ends(e, &r, c.landing.redefines(l))
	claim := l.inbox != nil && l.inbox.lock != nil && l.inbox.lock.n == r.N
	c.inboxResult(l, &r)
	switch {
	case len(r.Votes) > 0:
		c.words.counted(l, &r)
	case claim:
		c.w.report.Claims++
	default:
		c.words.hasReply(l, &r)
	}
	l.wasMade(&r)
	station := c.stations.rows[e.Name.Station]
	if !claim && !c.words.wantsNoCallback(l, &r) {
		c.callbacks.owes(l, &r, station.callback, c.stations.changed[e.Name.Station])
	}
	c.wasSent(l, &r)
	if !c.results.byHand[execID{l.incarnation, r.N}] {
		l.gaveWay(&r)
	}
	if r.Final {
		l.settle(&r, station.pullSince)
	}
	if r.RealRepet != l.real || r.SkipNum != l.skips {
		c.w.fail("%s: result %d says %d run and %d skipped, there were %d and %d",
			e.Name, r.N, r.RealRepet, r.SkipNum, l.real, l.skips)
	}
}

// resultOf returns the life of a result's plan, and enters the part of its key about the occurrence.
func (b *planModel) resultOf(e event.Publish, r *schema.Result) *life {
	if r.N != e.N || r.Station != e.Name.Station || r.PlanID != e.Name.PlanID {
		b.w.fail("%s: result %d has key %s and is of %s/%s", e.Name, e.N, r.Key, r.Station, r.PlanID)
	}
	l := b.of(e.Name, incarnationOf(r.Key))
	if r.Trigger == schema.TriggerManual {
		if r.Occurrence = -triggerOf(r.Key); r.Occurrence >= 0 || r.Count != 0 {
			b.w.fail("%s: result %d is of a triggered run, with key %s", e.Name, e.N, r.Key)
		}
	}
	return l
}

// ends enters the result of an execution, which has no other and is stored if its plan wants that;
// redefined means that the plan's definition may be another one.
func (l *life) ends(e event.Publish, r *schema.Result, redefined bool) {
	if was, again := l.results[r.N]; again {
		l.w.fail("%s: execution %d has a result already, %s, and gets %s", e.Name, r.N, was.State, r.State)
	}
	_, calls := schema.CalledBack(e.Name.Station)
	kept := l.plan.Log != schema.LogNone && (!calls || r.Attempt <= 16 || r.Attempt&(r.Attempt-1) == 0 || e.Row > 0)
	if !redefined {
		if kept != (e.Row > 0) {
			l.w.fail("%s: result %d is to be stored: %t; its log is %q", e.Name, r.N, e.Row > 0, l.plan.Log)
		}
		l.repeats(r)
	}
	delete(l.unmade, r.N)
	l.late(r)
	l.results[r.N] = *r
	if t := l.taken[r.N]; t != nil && t.worker != r.WorkerID {
		l.w.fail("%s: execution %d is %s's, and its result %s's", e.Name, r.N, t.worker, r.WorkerID)
	}
	if r.State == schema.StateOK && !l.blamed {
		l.halted = false // the execution that stopped it may have succeeded after all
	}
	l.bodies[string(e.Body)] = true
}

// late checks an ok of an execution that has ended: it names it, and has a number of its own.
func (l *life) late(r *schema.Result) {
	if r.Of == 0 {
		return
	}
	was, ended := l.results[r.Of]
	if ended && (was.Final || was.State == schema.StateOK || was.Occurrence != r.Occurrence || was.Attempt != r.Attempt) || r.State != schema.StateOK || !r.Final {
		l.w.fail("%s: result %d, %s, is of execution %d, which ended %s", l.name, r.N, r.State, r.Of, was.State)
	}
	if !ended && !l.restored {
		l.w.fail("%s: result %d is of execution %d, which has not ended", l.name, r.N, r.Of)
	}
}

// repeats checks that a result has the messages of its plan, as far as it is to.
func (l *life) repeats(r *schema.Result) {
	ended := r.State != schema.StateSkipped && r.State != schema.StateCancelled
	if want := len(l.plan.Messages); ended && l.plan.Log != schema.LogTrigger && len(r.Messages) != want {
		l.w.fail("%s: result %d repeats %d messages, and the definition has %d (%s %s, log %q)", l.name, r.N, len(r.Messages), want, r.State, r.Reason, l.plan.Log)
	}
}

// repliedExecution is the execution whose reply a result repeats.
func repliedExecution(l *life, r *schema.Result) execID {
	if r.Of != 0 {
		return execID{l.incarnation, r.Of}
	}
	return execID{l.incarnation, r.N}
}

// wasMade checks a result against the execution that it ends, and the trigger of its occurrence.
func (l *life) wasMade(r *schema.Result) {
	if x, ok := l.executions[r.N]; ok && (x[0] != r.Occurrence || x[1] != r.Attempt) {
		l.w.fail("%s: execution %d is of occurrence %d, attempt %d, and its result of %d, %d",
			l.name, r.N, x[0], x[1], r.Occurrence, r.Attempt)
	}
	if was, ok := l.madeBy[r.Occurrence]; ok && r.Count <= 1 && was != r.Trigger {
		l.w.fail("%s: occurrence %d was made by %q, and its result %d by %q", l.name, r.Occurrence, was, r.N, r.Trigger)
	}
}

// gaveWay checks that a superseded occurrence has its last error if it had failed before, and none
// if it had not.
func (l *life) gaveWay(r *schema.Result) {
	if r.State != schema.StateSkipped || r.Reason != schema.ReasonOverlap || l.inbox != nil || l.restored {
		return
	}
	failed := false
	for _, was := range l.results {
		bad := was.State == schema.StateError || was.State == schema.StateTimeout ||
			was.State == schema.StateFailure && !was.Final // it stopped its plan, which was reset
		failed = failed || bad && was.Occurrence == r.Occurrence && was.N != r.N
	}
	if shown := !r.Error.IsZero(); r.Count <= 1 && shown != failed {
		l.w.fail("%s: occurrence %d gives way; it has failed: %t, and its result has an error: %t", l.name, r.Occurrence, failed, shown)
	}
}

// wasSent checks that no leader gives up an occurrence of which no execution ever left, if its plan
// executes in doubt: a successor publishes its predecessor's unsent executions, and a leader's own
// leave before it ends.
func (c *checker) wasSent(l *life, r *schema.Result) {
	gaveUp := r.State == schema.StateFailure && (r.Reason == schema.ReasonRetries || r.Reason == schema.ReasonUnsent)
	redone := l.plan.OnUnknown != schema.UnknownSkip && l.plan.OnUnknown != schema.UnknownHold
	claimed := l.inbox != nil || l.isShared() || len(l.taken) > 0 || !c.stations.rows[l.name.Station].pullSince.IsZero()
	if !gaveUp || !redone || claimed || l.changed || l.ending || l.restored || l.blamed {
		return
	}
	begun := false
	for n, is := range l.executions {
		if is[0] != r.Occurrence {
			continue
		}
		if c.sends.left(execID{l.incarnation, n}) {
			return
		}
		begun = true
	}
	if begun {
		c.w.fail("%s: occurrence %d is given up (%s), and was never sent", l.name, r.Occurrence, r.Reason)
	}
}

// settle enters the occurrences that a result settles. PullSince is since when its station is a
// pull station; zero: it is none.
func (l *life) settle(r *schema.Result, pullSince time.Time) {
	if r.Trigger == schema.TriggerManual {
		if l.final[r.Occurrence] {
			l.w.fail("%s: triggered run %d is settled twice", l.name, -r.Occurrence)
		}
		l.final[r.Occurrence] = true
		return // it counts nowhere
	}
	if l.discarded(r) {
		return // it is about items, not about an occurrence
	}
	count := max(r.Count, 1)
	if count > 1 && r.State != schema.StateSkipped {
		l.w.fail("%s: result %d is %s and counts %d", l.name, r.N, r.State, count)
	}
	l.doneBySeveral(r, pullSince)
	for k := r.Occurrence - count + 1; k <= r.Occurrence; k++ {
		if l.final[k] || k < 1 {
			l.w.fail("%s: occurrence %d is settled twice", l.name, k)
		}
		l.final[k] = true
	}
	if r.State == schema.StateSkipped {
		l.skips += count
	} else {
		l.real++
	}
}

// decode reads a result.
func (w *world) decode(e event.Publish) schema.Result {
	var r schema.Result
	v, err := wire.Scan(e.Body, wire.Limits{})
	if err == nil {
		err = wire.DecodeLoose(v, &r)
	}
	if err != nil {
		w.fail("%s: result %q: %v", e.Name, e.Body, err)
	}
	return r
}

// incarnationOf reads the third part of a key.
func incarnationOf(key string) uint64 {
	var n uint64
	if parts := strings.Split(key, "/"); len(parts) == 4 {
		_, _ = fmt.Sscan(parts[2], &n)
	}
	return n
}

// triggerOf reads the number of a triggered run's first execution from its key.
func triggerOf(key string) (n int64) {
	_, first, _ := strings.Cut(key, "/0.")
	_, _ = fmt.Sscan(first, &n)
	return n
}
