package sim

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Claims at pull stations: the claimant, its permission, and the outcome.

// taken is an execution that was claimed.
type taken struct {
	k      int64
	worker string
	holder *worker // the worker that was sent it; nil: none yet
}

// work enters the executions granted to a claim, in the order of the answer.
func (c *checker) work(e event.ClaimGranted) {
	r := e.To.(*request)
	r.landed = true
	what := r.what.(command.ClaimWork)
	if len(e.Executions) > what.Limit {
		c.w.fail("%s claims %d executions, and gets %d", what.WorkerID, what.Limit, len(e.Executions))
	}
	for i, x := range e.Executions {
		if i > 0 && before(x, e.Executions[i-1]) {
			c.w.fail("%s: execution %d is leased behind one of %s that comes later", x.Name, x.N, e.Executions[i-1].Name)
		}
		l := c.plans.of(x.Name, x.Incarnation)
		c.gaveBack(l)
		l.mayHave(&what, x, c.landing.redefines(l))
		_, begun := l.due[x.Occurrence-x.Trigger]
		c.dispatched(x)
		l.taken[x.N] = &taken{k: x.Occurrence - x.Trigger, worker: what.WorkerID}
		// The offer came when x was due, by a clock that may have been set back since.
		if !begun && x.Attempt == 1 && inMicroseconds(r.latest.Add(c.w.apart)).Before(x.PlanTime) {
			c.w.fail("%s: occurrence %d of %v is claimed early, at %v", x.Name, x.Occurrence, x.PlanTime, r.latest)
		}
	}
}

// before reports that a claim finds x sooner than y.
func before(x, y *event.Outgoing) bool {
	switch {
	case x.Priority != y.Priority:
		return x.Priority > y.Priority
	case x.Named != y.Named:
		return x.Named
	default:
		return x.PlanTime.Before(y.PlanTime)
	}
}

// mayHave checks that a worker gets an execution that it asked for and is allowed, and no second one
// of an occurrence; redefined means that the plan's definition may be another one.
func (l *life) mayHave(what *command.ClaimWork, x *event.Outgoing, redefined bool) {
	if len(what.Stations) > 0 && !slices.Contains(what.Stations, x.Name.Station) {
		l.w.fail("%s: execution %d is claimed for stations %v", x.Name, x.N, what.Stations)
	}
	k := x.Occurrence - x.Trigger
	under := int64(1)
	for n, t := range l.taken {
		r, over := l.results[n]
		if t.k != k || over && r.State != schema.StateOK {
			continue
		}
		if t.worker == what.WorkerID && !(over && l.changed) {
			l.w.fail("%s: %s has execution %d of occurrence %d, and gets %d", x.Name, what.WorkerID, n, k, x.N)
		}
		under++
	}
	if redefined {
		return // it may have been claimed before
	}
	if what.Caller != "" && l.plan.Caller != what.Caller {
		l.w.fail("%s: execution %d of caller %q is claimed for %q", x.Name, x.N, l.plan.Caller, what.Caller)
	}
	if ids := l.plan.WorkerIDs; len(ids) > 0 && !slices.Contains(ids, what.WorkerID) {
		l.w.fail("%s: execution %d is for %v, and %s gets it", x.Name, x.N, ids, what.WorkerID)
	}
	if !l.changed && under > max(1, l.plan.WorkerCount) {
		l.w.fail("%s: execution %d is one of %d of occurrence %d; it wants %d", x.Name, x.N, under, k, l.plan.WorkerCount)
	}
}

// isShared reports that several workers are wanted, or were at some time.
func (l *life) isShared() bool { return l.plan.WorkerCount > 1 || l.changed }

// handedOut checks that the answer to a claim is durable, and its worker's.
func (b *planModel) handedOut(r *request, e event.ClaimGranted, written bool) {
	if written && !r.landed {
		b.w.fail("%T is answered, and no durable append has its effect", r.what)
	}
	for _, x := range e.Executions {
		l := b.lives[x.Incarnation]
		if !b.isRecorded(x) || l.taken[x.N] == nil || l.taken[x.N].worker != r.what.(command.ClaimWork).WorkerID {
			b.w.fail("%s: execution %d is leased, and no durable append has it", x.Name, x.N)
		}
		b.w.report.Executions++
	}
}

// obtained notes that a worker has its claimed execution: no other may have it.
func (b *planModel) obtained(k *worker, id execID, name schema.PlanName) {
	t := b.lives[id.incarnation].taken[id.n]
	if t == nil || t.worker != k.id || t.holder != nil {
		b.w.fail("%s: %s gets execution %d, which is %+v", name, k.id, id.n, t)
	}
	t.holder = k
}

// returned removes executions that reached no worker. Their numbers are not given again.
func (c *checker) returned(what command.ReturnWork, answer command.Returned) {
	count := 0
	for _, name := range what.Executions {
		l := c.plans.current[name.Name]
		if l == nil || l.taken[name.N] == nil || l.incarnation != c.plans.nonces[name.Nonce] {
			continue
		}
		_, over := l.results[name.N]
		id := execID{l.incarnation, name.N}
		if over || len(c.words.sent[id]) > 0 {
			continue
		}
		if l.taken[name.N].holder != nil {
			c.w.fail("%s: execution %d goes back, and %s has it", l.name, name.N, l.taken[name.N].worker)
		}
		count++
		l.unmake(name.N)
	}
	if count != answer.Returned {
		c.w.fail("%d executions went back, and %d could", answer.Returned, count)
	}
}

// unmake forgets an execution without a worker: its occurrence is as it was before.
func (l *life) unmake(n int64) {
	x := l.executions[n]
	delete(l.executions, n)
	delete(l.taken, n)
	delete(l.recorded, n)
	delete(l.deadline, n)
	if k := x[0]; l.newest[k] == n {
		delete(l.newest, k)
		delete(l.attempts, k)
		for other, y := range l.executions {
			if y == [2]int64{k, x[1] - 1} {
				l.newest[k], l.attempts[k] = other, y[1]
			}
		}
	}
	l.unmade[n] = true
}

// gaveBack removes the executions that workers have returned in the append that lands: its record
// lists them no more, and they have no result. The record may be that of the plan which has taken
// the name since.
func (c *checker) gaveBack(l *life) {
	under := c.underWay(l)
	for n := range l.taken {
		_, ended := l.results[n]
		if c.words.gaveBack(execID{l.incarnation, n}) && !ended && !under[n] && !c.landing.ends[lastWord{l.name, n}] {
			l.unmake(n)
		}
	}
}

// underWay are the numbers of the executions that the record of the append that lands lists.
func (c *checker) underWay(l *life) map[int64]bool {
	under := map[int64]bool{}
	if now := c.landing.rows.states[l.name]; now.Incarnation == l.incarnation {
		for _, o := range now.Open {
			for _, x := range o.Executions {
				under[x.N] = true
			}
		}
	}
	return under
}

// gaveBackPromised forgets the execution whose number the result r has, if its worker returned it: a
// run that was promised is skipped under the number of its first execution, even in the same append.
func (c *checker) gaveBackPromised(l *life, r *schema.Result) {
	if r.State == schema.StateSkipped && r.Trigger == schema.TriggerManual && l.taken[r.N] != nil && c.words.gaveBack(execID{l.incarnation, r.N}) {
		l.unmake(r.N)
	}
}

// recalled forgets the execution replaced by x: it reached no worker, because its station has become
// a pull station, if only for a moment. Of an occurrence with several workers x may be another slot's.
func (c *checker) recalled(l *life, x *event.Outgoing) {
	n := l.newest[x.Occurrence-x.Trigger]
	_, over := l.results[n]
	if n != x.N && !over && l.taken[n] == nil && !c.underWay(l)[n] && c.sends.reachedNone(execID{l.incarnation, n}) {
		l.unmake(n)
	}
}

// withdrawn forgets the executions without a result of a plan that has ended, if they reached no worker
// and its station is a pull station by now: no record shows that they went back.
func (c *checker) withdrawn(l *life) {
	for n := range l.executions {
		_, over := l.results[n]
		if !over && l.taken[n] == nil && !c.stations.rows[l.name.Station].pullSince.IsZero() && c.sends.reachedNone(execID{l.incarnation, n}) {
			l.unmake(n)
		}
	}
}

// vanished checks the executions missing from a record: one that began is dropped without a result
// only if it reached no worker, or its worker has returned it.
func (c *checker) vanished(l *life, st record) {
	open := map[int64]bool{}
	for _, o := range st.Open {
		for _, x := range o.Executions {
			open[x.N] = true
		}
	}
	for n := range l.executions {
		if _, over := l.results[n]; over || open[n] {
			continue
		}
		id := execID{l.incarnation, n}
		gaveBack := l.taken[n] != nil && c.words.gaveBack(id)
		if !gaveBack && (l.taken[n] != nil || !c.sends.reachedNone(id)) {
			c.w.fail("%s: execution %d has no result, and is under way no more", l.name, n)
		}
		l.unmake(n)
	}
}

// doneBySeveral checks that an occurrence which is settled well was done by as many as it wants.
func (l *life) doneBySeveral(r *schema.Result, since time.Time) {
	always := !since.IsZero() && since.Before(l.made) // it was a pull station
	if r.State != schema.StateOK || l.changed || l.restored || l.ending || l.plan.WorkerCount < 2 || !always || l.taken[r.N] == nil {
		return
	}
	done := map[string]bool{}
	for n, t := range l.taken {
		if t.k == r.Occurrence && l.results[n].State == schema.StateOK {
			done[t.worker] = true
		}
	}
	if int64(len(done)) != l.plan.WorkerCount {
		l.w.fail("%s: occurrence %d was done by %d workers, and wants %d", l.name, r.Occurrence, len(done), l.plan.WorkerCount)
	}
}
