package sim

import (
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/explain"
	"github.com/stationmaster-io/stationmaster/schema"
)

// life is one plan from its creation to its end. Its promise: each number is given
// once and has one result, each occurrence is settled once and by one execution at a time, whose
// attempts follow each other; the counters add up; and no occurrence is left open in the end.
type life struct {
	w           *world
	name        schema.PlanName
	incarnation uint64
	made, gone  time.Time
	plan        schema.Plan
	schedules   *scheduleModel
	changed     bool   // its definition was replaced
	ending      bool   // a user has asked for its end
	restored    bool   // it comes from a backup,
	first       int64  // which has numbers up to this one
	updated     uint64 // the append of its newest definition
	shared      []byte // the part of it that executions repeat

	inbox     *inboxModel // nil: it has none
	abandoned bool        // its inbox was discarded, because no worker took it

	paused   bool
	turned   time.Time // when it was last paused, or ceased to be
	halted   bool      // it waits for a person
	blamed   bool      // since a machine panicked at it
	promised []int64   // numbers of triggered runs

	taken  map[int64]*taken    // executions that were claimed
	unmade map[int64]bool      // numbers of executions that went back
	lost   map[int64]time.Time // executions that were under way in a backup, and when it was restored
	most   int64               // the greatest number that a record ever had

	record  record // the newest
	raw     []byte
	written uint64 // the append that it came with

	results     map[int64]schema.Result
	bodies      map[string]bool // of results
	shown       []explain.Kept  // results that were there when its occurrences were explained last
	logsNone    bool            // its results were not kept for some time
	final       map[int64]bool
	real, skips int64
	// Occurrences by their k; a triggered run has its first number, below zero.
	attempts   map[int64]int64     // the newest of occurrence k
	executions map[int64][2]int64  // k and attempt of execution n
	newest     map[int64]int64     // execution of occurrence k
	recorded   map[int64]bool      // execution n is in a durable record
	deadline   map[int64]time.Time // of execution n, once its worker has begun
	due        map[int64]time.Time // of occurrence k
	madeBy     map[int64]string    // of occurrence k: whether it is caught up with, or was asked for
}

func newLife(w *world, name schema.PlanName) *life {
	l := &life{
		w: w, name: name, made: w.now, turned: w.now,
		taken: map[int64]*taken{}, unmade: map[int64]bool{}, lost: map[int64]time.Time{},
		results: map[int64]schema.Result{}, bodies: map[string]bool{}, final: map[int64]bool{},
		attempts: map[int64]int64{}, executions: map[int64][2]int64{}, newest: map[int64]int64{}, recorded: map[int64]bool{},
		deadline: map[int64]time.Time{}, due: map[int64]time.Time{}, madeBy: map[int64]string{},
	}
	l.schedules = &scheduleModel{w: w, l: l}
	return l
}

// last is the greatest number that has a result.
func (l *life) last() (n int64) {
	for number := range l.results {
		n = max(n, number)
	}
	return n
}

// ended checks the model of a removed plan: no execution is left open, all promised events
// happened, and every number has its result.
func (l *life) ended(kind schema.NoticeKind) {
	last := l.lastSettled()
	l.hasResults()
	l.leavesNothing()
	l.endExplained()
	if l.inbox != nil {
		l.inbox.ended(kind)
		return
	}
	unborn := l.incarnation == 0 // it was closed in the append that created it
	if unborn || kind == schema.NoticeRemoved || l.ending || l.changed || !l.plan.EndAt.IsZero() {
		return
	}
	want := int64(1)
	if r := l.plan.PlanRepet; r != nil && l.plan.PlanType != schema.TypeTime && l.plan.PlanType != schema.TypeNone {
		want = *r
	}
	if last != want {
		l.w.fail("%s closed by itself after %d of %d occurrences", l.name, last, want)
	}
}

// lastSettled is the last occurrence of all that fell due, each of which is settled and counted.
func (l *life) lastSettled() (last int64) {
	scheduled := int64(0)
	for k := range l.final {
		last = max(last, k)
		if k > 0 {
			scheduled++
		}
	}
	if l.real+l.skips != last || scheduled != last {
		l.w.fail("%s ended at occurrence %d with %d run and %d skipped", l.name, last, l.real, l.skips)
	}
	return last
}

// hasResults checks that every number has its result, unless it went back.
func (l *life) hasResults() {
	n := l.last()
	gaps, results := 0, int64(0) // gaps are those that went back when later numbers had been given
	for number := range l.unmade {
		if number > l.first && number < n { // a backup may have promised the others
			gaps++
		}
	}
	for number := range l.results {
		if number > l.first {
			results++
		}
	}
	if results+int64(gaps) != max(n-l.first, 0) {
		l.w.fail("%s ended with %d results, the last of which is number %d, and %d numbers went back", l.name, len(l.results), n, gaps)
	}
}

// leavesNothing checks that all is settled that began, was open or was promised.
func (l *life) leavesNothing() {
	for _, k := range slices.Sorted(maps.Keys(l.attempts)) {
		if !l.final[k] {
			l.w.fail("%s ended, and occurrence %d was dispatched and not settled", l.name, k)
		}
	}
	for _, o := range l.record.Open {
		if k := o.Occurrence - o.Trigger; !l.final[k] {
			l.w.fail("%s ended, and occurrence %d was open and not settled", l.name, k)
		}
	}
	for _, n := range l.promised {
		if !l.final[-n] {
			l.w.fail("%s ended, and run %d was promised and not settled", l.name, n)
		}
	}
}

// define enters a definition, of append seq.
func (l *life) define(d *schema.Definition, seq uint64) {
	l.plan, l.shared, l.updated = d.Plan, d.Shared, seq
	l.logsNone = l.logsNone || d.Plan.Log == schema.LogNone
}

// stops enters that a plan waits for a person: at a failure only where it does not settle those.
func (l *life) stops(n schema.Notice, ofTasks bool) {
	task := l.plan.Command == schema.TaskCommand && l.inbox == nil && ofTasks
	settles := l.plan.OnFailure == schema.FailureSettle || task
	if why := n.Reason; settles && why != schema.ReasonRetries && why != schema.ReasonUnknown && why != schema.ReasonInternal {
		l.w.fail("%s stops at execution %d (%s), and is to go on after a failure", l.name, n.N, why)
	}
	l.paused, l.halted, l.turned = false, true, l.w.now
	l.blamed = n.Reason == schema.ReasonInternal
}
