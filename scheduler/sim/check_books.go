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
	Open        []struct {
		Occurrence int64   `json:"occurrence"`
		Ended      []int64 `json:"ended"`
		Executions []struct {
			N     int64        `json:"n"`
			State schema.State `json:"state"`
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
		l.plan = d.Plan
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
		newest: map[int64]int64{}, recorded: map[int64]bool{}, due: map[int64]time.Time{},
	}
	c.w.report.Plans++
	c.current[name] = l
	c.byName[name] = append(c.byName[name], l)
	return l
}

// ended checks the books of a plan that is gone: nothing that began is left open, all
// that was to happen did, and every number has its result.
func (c *checker) ended(l *life, kind schema.NoticeKind) {
	last, n := int64(0), l.last()
	for k := range l.final {
		last = max(last, k)
	}
	if l.real+l.skips != last || int64(len(l.final)) != last {
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
	if l.final[x.Occurrence] {
		c.w.fail("%s: occurrence %d is settled, and dispatched as %d", x.Name, x.Occurrence, x.N)
	}
	if was, ok := l.due[x.Occurrence]; ok && !was.Equal(x.PlanTime) {
		c.w.fail("%s: occurrence %d was due at %v and is due at %v", x.Name, x.Occurrence, was, x.PlanTime)
	}
	l.due[x.Occurrence] = x.PlanTime
	now := [2]int64{x.Occurrence, x.Attempt}
	if was, ok := l.executions[x.N]; ok {
		if _, over := l.results[x.N]; over || was != now {
			c.w.fail("%s: execution %d is dispatched again, as %v, was %v", x.Name, x.N, now, was)
		}
		return
	}
	l.executions[x.N] = now
	if l.attempts[x.Occurrence]++; l.attempts[x.Occurrence] != x.Attempt {
		c.w.fail("%s: attempt %d of occurrence %d is number %d", x.Name, x.Attempt, x.Occurrence, l.attempts[x.Occurrence])
	}
	if x.Attempt > 1 {
		c.excused(l, x)
	}
	l.newest[x.Occurrence] = x.N
}

// excused checks that another attempt has a reason that is on record: the one before
// it has ended. Where on_unknown says skip, it has not ended by a timeout.
func (c *checker) excused(l *life, x *machine.Outgoing) {
	before := l.newest[x.Occurrence]
	r, ended := l.results[before]
	if !ended {
		c.w.fail("%s: execution %d is attempt %d of occurrence %d, and execution %d has not ended",
			x.Name, x.N, x.Attempt, x.Occurrence, before)
	}
	if l.plan.OnUnknown == schema.UnknownSkip && !l.changed && r.State == schema.StateTimeout {
		c.w.fail("%s: occurrence %d may have run and is run again, which on_unknown forbids", x.Name, x.Occurrence)
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
	if st.RealRepet+st.SkipNum+int64(len(st.Open)) != st.Occurrence {
		c.w.fail("%s: %d run, %d skipped and %d open are not the %d that fell due", name, st.RealRepet, st.SkipNum, len(st.Open), st.Occurrence)
	}
	if r := l.plan.PlanRepet; r != nil && *r > 0 && !l.changed && st.Occurrence > *r {
		c.w.fail("%s: occurrence %d of %d", name, st.Occurrence, *r)
	}
	if st.N < l.record.N || st.Revision < l.record.Revision {
		c.w.fail("%s goes back from n %d to %d", name, l.record.N, st.N)
	}
	for _, open := range st.Open {
		if l.final[open.Occurrence] {
			c.w.fail("%s: occurrence %d is settled and open", name, open.Occurrence)
		}
		if len(open.Executions) > 1 {
			c.w.fail("%s: occurrence %d has %d executions at a time", name, open.Occurrence, len(open.Executions))
		}
		for _, x := range open.Executions {
			l.recorded[x.N] = true
			begun := x.State == schema.StateRunning || x.State == schema.StateWaiting
			if begun && !c.heard[execID{st.Incarnation, x.N}][x.State] {
				c.w.fail("%s: execution %d is %s, which no worker said", name, x.N, x.State)
			}
		}
		for _, n := range open.Ended {
			l.recorded[n] = true
		}
	}
	l.record, l.raw = st, bytes.Clone(raw)
}
