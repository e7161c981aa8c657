package machine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// committed takes in a batch that has become durable.
func (o *observer) committed(u underway) {
	definitions := map[schema.PlanName][][]byte{}
	states := map[schema.PlanName]state{}
	results := 0
	if err := Rows(u.body, func(r Row) error {
		switch r.Kind {
		case RowDefinition:
			definitions[r.Name] = append(definitions[r.Name], r.Value)
		case RowState:
			st, err := parseState(r.Value)
			states[r.Name] = st
			return err
		case RowResult:
			results++
		}
		return nil
	}); err != nil {
		o.t.Fatal(err)
	}
	next := func(name schema.PlanName) []byte {
		if len(definitions[name]) == 0 {
			o.t.Fatalf("%s: an event without its row", name)
		}
		d := definitions[name][0]
		definitions[name] = definitions[name][1:]
		return d
	}
	told := 0
	for _, e := range u.effects {
		switch e := e.(type) {
		case Tell:
			o.told(e.Notice, next)
		case Answer:
			o.answered(e)
		case Publish:
			o.result(e)
			if e.Row > 0 {
				told++
			}
		case Dispatch:
			o.dispatched(e.Execution)
		}
	}
	if told != results {
		o.t.Fatalf("%d results are published, %d are recorded", told, results)
	}
	for _, name := range slices.SortedFunc(maps.Keys(states), compareNames) {
		o.state(name, states[name])
	}
	for _, e := range u.effects { // dispatched, and over in the same append
		if d, ok := e.(Dispatch); ok && !o.lives[d.Execution.Incarnation].recorded[d.Execution.N] {
			x := d.Execution
			_, ended := o.lives[x.Incarnation].results[x.N]
			if gone := o.current[x.Name] != o.lives[x.Incarnation]; !ended && !gone {
				o.t.Fatalf("%s: execution %d was decided, and no row says so", x.Name, x.N)
			}
			o.lives[x.Incarnation].recorded[x.N] = true
		}
	}
}

func compareNames(a, b schema.PlanName) int { return strings.Compare(a.String(), b.String()) }

// told follows the lives of plans.
func (o *observer) told(n schema.Notice, next func(schema.PlanName) []byte) {
	name := schema.PlanName{Station: n.Station, PlanID: n.PlanID}
	switch n.Kind {
	case schema.NoticeCreated, schema.NoticeUpdated:
		d, err := schema.LoadDefinition(next(name))
		if err != nil {
			o.t.Fatal(err)
		}
		l := o.current[name]
		if n.Kind == schema.NoticeCreated {
			if l != nil {
				o.t.Fatalf("%s is created, and lives", name)
			}
			l = &life{
				name: name, results: map[int64]schema.Result{}, final: map[int64]bool{}, attempts: map[int64]int64{},
				executions: map[int64][2]int64{}, recorded: map[int64]bool{}, due: map[int64]time.Time{},
			}
			l.paused = d.Plan.Paused
			o.current[name] = l
		} else {
			l.changed = true
		}
		l.plan = d.Plan
	case schema.NoticePaused:
		o.current[name].paused = true
	case schema.NoticeResumed, schema.NoticePlanError:
		o.current[name].paused = false
	case schema.NoticeClosed, schema.NoticeRemoved:
		if len(next(name)) != 0 {
			o.t.Fatalf("%s is gone, and has a definition", name)
		}
		o.ended(o.current[name], n.Kind)
		delete(o.current, name)
	}
}

// answered notes the runs that users were promised.
func (o *observer) answered(a Answer) {
	if t, ok := a.Body.(schema.Triggered); ok && a.Err == nil {
		if l := o.current[schema.PlanName{Station: t.Station, PlanID: t.PlanID}]; l != nil {
			l.promised = append(l.promised, t.N)
		}
	}
}

// ended checks the books of a plan that is gone: nothing that began is left open,
// and all that was to happen did.
func (o *observer) ended(l *life, kind schema.NoticeKind) {
	last, scheduled := int64(0), int64(0)
	for k := range l.final {
		last = max(last, k)
		if k > 0 {
			scheduled++
		}
	}
	if l.real+l.skips != last || scheduled != last {
		o.t.Fatalf("%s ended at occurrence %d with %d run and %d skipped", l.name, last, l.real, l.skips)
	}
	for k := range l.attempts {
		if !l.final[k] {
			o.t.Fatalf("%s ended, and occurrence %d was dispatched and not settled", l.name, k)
		}
	}
	for _, n := range l.promised {
		if !l.final[-n] {
			o.t.Fatalf("%s ended, and run %d was promised and not settled", l.name, n)
		}
	}
	unborn := l.incarnation == 0 // it was closed in the append that created it
	if unborn || kind == schema.NoticeRemoved || o.ending[l.incarnation] || l.changed || !l.plan.EndAt.IsZero() {
		return
	}
	want := int64(1)
	if r := l.plan.PlanRepet; r != nil && l.plan.PlanType != schema.TypeTime && l.plan.PlanType != schema.TypeNone {
		want = *r
	}
	if last != want {
		o.t.Fatalf("%s closed by itself after %d of %d occurrences", l.name, last, want)
	}
}

// of returns the life that an incarnation is.
func (o *observer) of(name schema.PlanName, incarnation uint64) *life {
	l := o.current[name]
	switch {
	case l == nil:
		o.t.Fatalf("%s: something happens to a plan that is not there", name)
	case l.incarnation == 0:
		if o.lives[incarnation] != nil {
			o.t.Fatalf("%s: incarnation %d was given before", name, incarnation)
		}
		l.incarnation = incarnation
		o.lives[incarnation] = l
	case l.incarnation != incarnation:
		o.t.Fatalf("%s is of incarnation %d, not %d", name, l.incarnation, incarnation)
	}
	return l
}

// dispatched checks an execution that is decided.
func (o *observer) dispatched(x *Outgoing) {
	l := o.of(x.Name, x.Incarnation)
	k := x.Occurrence - x.Trigger
	if x.Trigger != 0 && x.Occurrence != 0 {
		o.t.Fatalf("%s: triggered run %d is of occurrence %d", x.Name, x.Trigger, x.Occurrence)
	}
	if x.Trigger != 0 && x.Attempt == 1 && x.N != x.Trigger {
		o.t.Fatalf("%s: run %d was promised as %d", x.Name, x.N, x.Trigger)
	}
	if l.final[k] {
		o.t.Fatalf("%s: occurrence %d is settled, and dispatched as %d", x.Name, k, x.N)
	}
	if was, ok := l.due[k]; ok && !was.Equal(x.PlanTime) {
		o.t.Fatalf("%s: occurrence %d was due at %v and is due at %v", x.Name, k, was, x.PlanTime)
	}
	l.due[k] = x.PlanTime
	now := [2]int64{k, x.Attempt}
	if was, ok := l.executions[x.N]; ok {
		if _, over := l.results[x.N]; over || was != now {
			o.t.Fatalf("%s: execution %d is dispatched again, as %v, was %v", x.Name, x.N, now, was)
		}
		return
	}
	if l.paused && (x.Trigger == 0 || x.Attempt > 1) {
		o.t.Fatalf("%s: execution %d begins while it is paused", x.Name, x.N)
	}
	l.executions[x.N] = now
	if l.attempts[k]++; l.attempts[k] != x.Attempt {
		o.t.Fatalf("%s: attempt %d of occurrence %d is number %d", x.Name, x.Attempt, k, l.attempts[k])
	}
}

// state checks a record against the books.
func (o *observer) state(name schema.PlanName, st state) {
	l := o.of(name, st.incarnation)
	if st.realRepet != l.real || st.skipNum != l.skips {
		o.t.Fatalf("%s: the record says %d run and %d skipped, there were %d and %d", name, st.realRepet, st.skipNum, l.real, l.skips)
	}
	scheduled := int64(0)
	for _, open := range st.open {
		if open.trigger == 0 {
			scheduled++
		}
	}
	if st.realRepet+st.skipNum+scheduled != st.prev.K {
		o.t.Fatalf("%s: %d run, %d skipped and %d open are not the %d that fell due", name, st.realRepet, st.skipNum, scheduled, st.prev.K)
	}
	if len(st.open) > maxOpen {
		o.t.Fatalf("%s: %d open occurrences", name, len(st.open))
	}
	if r := l.plan.PlanRepet; r != nil && *r > 0 && !l.changed && st.prev.K > *r {
		o.t.Fatalf("%s: occurrence %d of %d", name, st.prev.K, *r)
	}
	for _, open := range st.open {
		if k := open.k - open.trigger; l.final[k] {
			o.t.Fatalf("%s: occurrence %d is settled and open", name, k)
		}
		for _, x := range open.live {
			l.recorded[x.n] = true
		}
		for _, n := range open.ended {
			l.recorded[max(n, -n)] = true
		}
	}
}

// result checks a verdict.
func (o *observer) result(e Publish) {
	v, err := wire.Scan(e.Body, wire.Limits{})
	if err != nil {
		o.t.Fatalf("%s: result %q: %v", e.Name, e.Body, err)
	}
	var r schema.Result
	if err := wire.DecodeLoose(v, &r); err != nil {
		o.t.Fatal(err)
	}
	parts := strings.Split(r.Key, "/")
	incarnation, err := strconv.ParseUint(parts[2], 10, 64)
	if err != nil || r.N != e.N || r.Station != e.Name.Station || r.PlanID != e.Name.PlanID {
		o.t.Fatalf("%s: result %d has key %s and is of %s/%s", e.Name, e.N, r.Key, r.Station, r.PlanID)
	}
	l := o.of(e.Name, incarnation)
	fail := func(format string, args ...any) {
		o.t.Helper()
		o.t.Fatalf("%s: result %s: %s", e.Name, v, fmt.Sprintf(format, args...))
	}
	if r.Trigger != "" { // the books know triggered runs by the number of the first, below zero
		first, err := strconv.ParseInt(strings.TrimPrefix(parts[3], "0."), 10, 64)
		if err != nil || r.Occurrence != 0 || r.Count != 0 {
			fail("a triggered run: %v", err)
		}
		r.Occurrence = -first
	}
	if was, again := l.results[r.N]; again && (was.Final || r.State != schema.StateOK || was.State == schema.StateOK) {
		fail("there is one already: %s", was.State)
	}
	l.results[r.N] = r
	if len(r.Votes) > 0 {
		o.votes(l, &r, fail)
	} else if said := o.said[execID{incarnation, r.N}]; (r.State == schema.StateOK || r.State == schema.StateError && r.Reason == "") && !said[r.State] {
		fail("no worker said so, but %v", said)
	}
	if x, ok := l.executions[r.N]; ok && (x[0] != r.Occurrence || x[1] != r.Attempt) {
		fail("execution %d is of occurrence %d, attempt %d", r.N, x[0], x[1])
	}
	if r.Final {
		o.settle(l, &r, fail)
	}
	if r.RealRepet != l.real || r.SkipNum != l.skips {
		fail("there were %d run and %d skipped", l.real, l.skips)
	}
}

// votes checks that all that is counted was said, once by each.
func (o *observer) votes(l *life, r *schema.Result, fail func(string, ...any)) {
	seen := map[string]bool{}
	oks := 0
	for _, v := range r.Votes {
		if v.WorkerID != "" && seen[v.WorkerID] {
			fail("%s has voted twice", v.WorkerID)
		}
		seen[v.WorkerID] = true
		if v.State != schema.StateOK {
			continue // said, or what an answer that is too large comes to
		}
		oks++
		if said := o.said[execID{l.incarnation, r.N}]; !said[v.State] {
			fail("no worker said so, but %v", said)
		}
	}
	if r.State == schema.StateOK && oks == 0 {
		fail("nobody said ok")
	}
}

// settle enters the occurrences that a result settles.
func (o *observer) settle(l *life, r *schema.Result, fail func(string, ...any)) {
	if r.Trigger != "" {
		if l.final[r.Occurrence] {
			fail("triggered run %d is settled twice", -r.Occurrence)
		}
		l.final[r.Occurrence] = true
		return
	}
	count := max(r.Count, 1)
	if count > 1 && r.State != schema.StateSkipped {
		fail("a count")
	}
	for k := r.Occurrence - count + 1; k <= r.Occurrence; k++ {
		if l.final[k] || k < 1 {
			fail("occurrence %d is settled twice", k)
		}
		l.final[k] = true
	}
	if r.State == schema.StateSkipped {
		l.skips += count
	} else {
		l.real++
	}
}
