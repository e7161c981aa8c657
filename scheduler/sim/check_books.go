package sim

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// record is a plan's state as the journal has it, as far as the books go.
type record struct {
	Incarnation uint64    `json:"incarnation"`
	Revision    uint64    `json:"revision"`
	Accepted    time.Time `json:"accepted"`
	Base        int64     `json:"base"`
	Occurrence  int64     `json:"occurrence"`
	N           int64     `json:"n"`
	RealRepet   int64     `json:"real_repet"`
	SkipNum     int64     `json:"skip_num"`
	Halt        string    `json:"halt"`
	Closing     bool      `json:"closing"`
	SkipTo      int64     `json:"skip_to"`
	Open        []struct {
		Occurrence int64   `json:"occurrence"`
		Trigger    int64   `json:"trigger"`
		Ended      []int64 `json:"ended"`
		Executions []struct {
			N        int64        `json:"n"`
			State    schema.State `json:"state"`
			Deadline time.Time    `json:"deadline"`
		} `json:"executions"`
	} `json:"open"`
}

// rows are those of one append.
type rows struct {
	definitions map[schema.PlanName][][]byte
	states      map[schema.PlanName]record
	raw         map[schema.PlanName][]byte
	results     []resultID
}

// landed enters an append into the books, in the order of the journal.
func (c *checker) landed(a landed, effects []machine.Effect) {
	if a.epoch < c.epoch {
		c.w.fail("an append of epoch %d lands behind one of epoch %d", a.epoch, c.epoch)
	}
	c.epoch = a.epoch
	if a.takeover {
		return
	}
	r := c.read(a.body)
	c.seq = a.seq
	c.ending = endings(effects)
	for name := range c.ending {
		if l := c.current[name]; l != nil {
			l.ending = true
		}
	}
	published := 0
	for _, e := range effects {
		switch e := e.(type) {
		case machine.Tell:
			c.tell(e.Notice, r)
		case machine.Publish:
			c.result(e)
			if e.Row > 0 {
				published++
			}
		case machine.Dispatch:
			c.dispatched(e.Execution)
		case machine.Answer:
			c.granted(e)
		}
	}
	if published != len(r.results) {
		c.w.fail("%d results are published, %d are recorded", published, len(r.results))
	}
	c.results = append(c.results, r.results...)
	c.w.report.Results += published
	for _, name := range slices.SortedFunc(maps.Keys(r.states), compareNames) {
		c.state(name, r.states[name], r.raw[name])
	}
	for _, e := range effects {
		if d, ok := e.(machine.Dispatch); ok {
			c.recorded(d.Execution)
			c.defined(d.Execution)
			c.dueTime(d.Execution)
		}
	}
}

func compareNames(a, b schema.PlanName) int { return strings.Compare(a.String(), b.String()) }

// read decodes the rows of an append.
func (c *checker) read(body []byte) rows {
	r := rows{
		definitions: map[schema.PlanName][][]byte{}, states: map[schema.PlanName]record{}, raw: map[schema.PlanName][]byte{},
	}
	err := machine.Rows(body, func(row machine.Row) error {
		switch row.Kind {
		case machine.RowDefinition:
			r.definitions[row.Name] = append(r.definitions[row.Name], row.Value)
		case machine.RowState:
			v, err := wire.Scan(row.Value, wire.Limits{})
			if err != nil {
				return err
			}
			var st record
			if err := wire.DecodeLoose(v, &st); err != nil {
				return err
			}
			r.states[row.Name], r.raw[row.Name] = st, row.Value
		case machine.RowResult:
			r.results = append(r.results, resultID{row.Name, row.N, string(row.Value)})
		case machine.RowStation:
			c.stations[row.Name.Station] = stationBook{at: c.w.now, there: len(row.Value) > 0}
		}
		return nil
	})
	if err != nil {
		c.w.fail("an append cannot be read: %v", err)
	}
	return r
}

// endings returns which plans end, in an append, because a user said so.
func endings(effects []machine.Effect) map[schema.PlanName]bool {
	out := map[schema.PlanName]bool{}
	for _, e := range effects {
		answer, ok := e.(machine.Answer)
		if !ok || answer.Err != nil {
			continue
		}
		r, ok := answer.To.(*request)
		if !ok {
			continue
		}
		switch what := r.what.(type) {
		case schema.ClosePlan:
			out[what.Name] = true
		case schema.RemovePlan:
			out[what.Name] = true
		}
	}
	return out
}

// tell follows the lives of plans.
func (c *checker) tell(n schema.Notice, r rows) {
	name := schema.PlanName{Station: n.Station, PlanID: n.PlanID}
	next := func() []byte {
		if len(r.definitions[name]) == 0 {
			c.w.fail("%s is %s, and no row says so", name, n.Kind)
		}
		d := r.definitions[name][0]
		r.definitions[name] = r.definitions[name][1:]
		return d
	}
	l := c.current[name]
	switch n.Kind {
	case schema.NoticeCreated, schema.NoticeUpdated:
		d, err := schema.LoadDefinition(bytes.Clone(next()))
		if err != nil {
			c.w.fail("%s: %v", name, err)
		}
		if n.Kind == schema.NoticeCreated {
			if l != nil {
				c.w.fail("%s is created, and lives", name)
			}
			l = c.born(name)
		} else {
			l.changed, l.moving = true, true
		}
		if l.plan = d.Plan; n.Kind == schema.NoticeCreated {
			l.paused = d.Plan.Paused
		}
		l.shared, l.updated = d.Shared, c.seq
	case schema.NoticePaused:
		l.paused = true
	case schema.NoticePlanError:
		l.paused, l.halted = false, true
	case schema.NoticeResumed:
		l.paused, l.halted = false, false
	case schema.NoticeClosed, schema.NoticeRemoved:
		if len(next()) != 0 {
			c.w.fail("%s is gone, and has a definition", name)
		}
		if l == nil {
			c.w.fail("%s is %s, and was not there", name, n.Kind)
		}
		l.gone = c.w.now
		delete(c.current, name)
		c.ended(l, n.Kind)
	}
}

func (c *checker) born(name schema.PlanName) *life {
	l := &life{
		name: name, made: c.w.now, ending: c.ending[name], results: map[int64]schema.Result{}, bodies: map[string]bool{},
		final: map[int64]bool{}, attempts: map[int64]int64{}, executions: map[int64][2]int64{},
		newest: map[int64]int64{}, recorded: map[int64]bool{}, deadline: map[int64]time.Time{}, due: map[int64]time.Time{}, madeBy: map[int64]string{},
	}
	c.w.report.Plans++
	c.current[name] = l
	c.byName[name] = append(c.byName[name], l)
	return l
}

// granted notes what users were granted, and the runs that they were promised.
func (c *checker) granted(e machine.Answer) {
	if r, ok := e.To.(*request); ok {
		r.landed = true
	}
	if t, ok := e.Body.(schema.Triggered); ok && e.Err == nil {
		if l := c.current[schema.PlanName{Station: t.Station, PlanID: t.PlanID}]; l != nil {
			l.promised = append(l.promised, t.N)
		}
	}
}

// ended checks the books of a plan that is gone: nothing that began is left open, all
// that was to happen did, and every number has its result.
func (c *checker) ended(l *life, kind schema.NoticeKind) {
	last, scheduled, n := int64(0), int64(0), l.last()
	for k := range l.final {
		last = max(last, k)
		if k > 0 {
			scheduled++
		}
	}
	if l.real+l.skips != last || scheduled != last {
		c.w.fail("%s ended at occurrence %d with %d run and %d skipped", l.name, last, l.real, l.skips)
	}
	if int64(len(l.results)) != n {
		c.w.fail("%s ended with %d results, the last of which is number %d", l.name, len(l.results), n)
	}
	for _, k := range slices.Sorted(maps.Keys(l.attempts)) {
		if !l.final[k] {
			c.w.fail("%s ended, and occurrence %d was dispatched and not settled", l.name, k)
		}
	}
	for _, n := range l.promised {
		if !l.final[-n] {
			c.w.fail("%s ended, and run %d was promised and not settled", l.name, n)
		}
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
		c.w.fail("%s closed by itself after %d of %d occurrences", l.name, last, want)
	}
}

// of returns the life that an incarnation is.
func (c *checker) of(name schema.PlanName, incarnation uint64) *life {
	l := c.current[name]
	switch {
	case l == nil:
		c.w.fail("%s: something happens to a plan that is not there", name)
	case l.incarnation == 0:
		if c.lives[incarnation] != nil {
			c.w.fail("%s: incarnation %d was given before", name, incarnation)
		}
		l.incarnation = incarnation
		c.lives[incarnation] = l
	case l.incarnation != incarnation:
		c.w.fail("%s is of incarnation %d, not %d", name, l.incarnation, incarnation)
	}
	return l
}

// dispatched checks an execution that is decided.
func (c *checker) dispatched(x *machine.Outgoing) {
	l := c.of(x.Name, x.Incarnation)
	k := x.Occurrence - x.Trigger
	if x.Trigger != 0 && (x.Occurrence != 0 || x.Attempt == 1 && x.N != x.Trigger) {
		c.w.fail("%s: execution %d of occurrence %d was promised as %d", x.Name, x.N, x.Occurrence, x.Trigger)
	}
	if l.final[k] {
		c.w.fail("%s: occurrence %d is settled, and dispatched as %d", x.Name, k, x.N)
	}
	if was, ok := l.due[k]; ok && !was.Equal(x.PlanTime) {
		c.w.fail("%s: occurrence %d was due at %v and is due at %v", x.Name, k, was, x.PlanTime)
	}
	l.due[k] = x.PlanTime
	if was, ok := l.madeBy[k]; ok && was != x.MadeBy || (x.MadeBy == schema.TriggerManual) != (x.Trigger != 0) {
		c.w.fail("%s: occurrence %d was made by %q, and its execution %d by %q", x.Name, k, was, x.N, x.MadeBy)
	}
	l.madeBy[k] = x.MadeBy
	now := [2]int64{k, x.Attempt}
	if was, ok := l.executions[x.N]; ok {
		if _, over := l.results[x.N]; over || was != now {
			c.w.fail("%s: execution %d is dispatched again, as %v, was %v", x.Name, x.N, now, was)
		}
		return
	}
	if l.paused && (x.Trigger == 0 || x.Attempt > 1) {
		c.w.fail("%s: execution %d begins while it is paused", x.Name, x.N)
	}
	if l.halted {
		c.w.fail("%s: execution %d begins while it waits for a person", x.Name, x.N)
	}
	l.executions[x.N] = now
	switch before := l.attempts[k]; {
	case before != 0 && before+1 != x.Attempt:
		c.w.fail("%s: attempt %d of occurrence %d comes after attempt %d", x.Name, x.Attempt, k, before)
	case before != 0:
		c.excused(l, x, k)
	case x.Attempt > 1:
		c.goesOn(l, x)
	}
	l.attempts[k] = x.Attempt
	l.newest[k] = x.N
}

// goesOn checks that an occurrence which does not begin with attempt 1 goes on from one
// that was settled badly, at most one skipped occurrence before.
func (c *checker) goesOn(l *life, x *machine.Outgoing) {
	for _, r := range l.results {
		bad := r.State == schema.StateFailure || r.State == schema.StateCancelled
		if gap := x.Attempt - r.Attempt; r.Final && bad && r.Trigger != schema.TriggerManual && x.Trigger == 0 && (gap == 1 || gap == 2) {
			return
		}
	}
	c.w.fail("%s: execution %d begins as attempt %d, and no run ended badly as the one before", x.Name, x.N, x.Attempt)
}

// defined checks that an execution is of the definition that counts.
func (c *checker) defined(x *machine.Outgoing) {
	if l := c.lives[x.Incarnation]; l.updated != c.seq && !bytes.Equal(x.Shared, l.shared) {
		c.w.fail("%s: execution %d is of a definition that was replaced", x.Name, x.N)
	}
}

// excused checks that another attempt has a reason that is on record: the one before
// it has ended. Where on_unknown says skip, it has not ended by a timeout.
func (c *checker) excused(l *life, x *machine.Outgoing, k int64) {
	before := l.newest[k]
	r, ended := l.results[before]
	if !ended {
		c.w.fail("%s: execution %d is attempt %d of occurrence %d, and execution %d has not ended",
			x.Name, x.N, x.Attempt, k, before)
	}
	if l.plan.OnUnknown == schema.UnknownSkip && !l.changed && r.State == schema.StateTimeout {
		c.w.fail("%s: occurrence %d may have run and is run again, which on_unknown forbids", x.Name, k)
	}
}

// recorded checks that a row of the same append speaks of an execution that was
// decided, unless it is over or its plan is gone.
func (c *checker) recorded(x *machine.Outgoing) {
	l := c.lives[x.Incarnation]
	if l.recorded[x.N] {
		return
	}
	_, ended := l.results[x.N]
	if gone := c.current[x.Name] != l; !ended && !gone {
		c.w.fail("%s: execution %d was decided, and no row says so", x.Name, x.N)
	}
	l.recorded[x.N] = true
}

// state checks a record against the books.
func (c *checker) state(name schema.PlanName, st record, raw []byte) {
	l := c.of(name, st.Incarnation)
	c.rescheduled(l, st)
	if l.moving {
		l.moving, l.unclear = false, st.Occurrence
	}
	if st.RealRepet != l.real || st.SkipNum != l.skips {
		c.w.fail("%s: the record says %d run and %d skipped, there were %d and %d", name, st.RealRepet, st.SkipNum, l.real, l.skips)
	}
	scheduled := int64(0)
	for _, open := range st.Open {
		if open.Trigger == 0 {
			scheduled++
		}
	}
	if st.RealRepet+st.SkipNum+scheduled != st.Occurrence {
		c.w.fail("%s: %d run, %d skipped and %d open are not the %d that fell due", name, st.RealRepet, st.SkipNum, scheduled, st.Occurrence)
	}
	if r := l.plan.PlanRepet; r != nil && *r > 0 && !l.changed && st.Occurrence > *r {
		c.w.fail("%s: occurrence %d of %d", name, st.Occurrence, *r)
	}
	if st.N < l.record.N || st.Revision < l.record.Revision {
		c.w.fail("%s goes back from n %d to %d", name, l.record.N, st.N)
	}
	for _, open := range st.Open {
		if k := open.Occurrence - open.Trigger; l.final[k] {
			c.w.fail("%s: occurrence %d is settled and open", name, k)
		}
		if len(open.Executions) > 1 {
			c.w.fail("%s: occurrence %d has %d executions at a time", name, open.Occurrence, len(open.Executions))
		}
		for _, x := range open.Executions {
			l.recorded[x.N] = true
			if x.State == schema.StateWaiting && x.Deadline.Before(l.deadline[x.N]) {
				c.w.fail("%s: execution %d asked for more time, and has less", name, x.N)
			}
			if x.State != schema.StateDispatched {
				l.deadline[x.N] = x.Deadline
			}
			begun := x.State == schema.StateRunning || x.State == schema.StateWaiting
			id := execID{st.Incarnation, x.N}
			if begun && !c.heard[id][x.State] && !(c.votes[id] && len(c.heard[id]) > 0) {
				c.w.fail("%s: execution %d is %s, which no worker said", name, x.N, x.State)
			}
		}
		for _, n := range open.Ended {
			l.recorded[max(n, -n)] = true // a vote's, below zero: its ok does not count later
		}
	}
	l.record, l.raw = st, bytes.Clone(raw)
}
