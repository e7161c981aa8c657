package sim

import (
	"bytes"
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// tell follows the lives of plans; rest are the effects from the notice on.
func (c *checker) tell(n schema.Notice, rest []machine.Effect) {
	r := c.landing.rows
	name := schema.PlanName{Station: n.Station, PlanID: n.PlanID}
	next := func() []byte {
		if len(r.definitions[name]) == 0 {
			c.w.fail("%s is %s, and no row says so", name, n.Kind)
		}
		d := r.definitions[name][0]
		r.definitions[name] = r.definitions[name][1:]
		return d
	}
	l := c.plans.current[name]
	switch n.Kind {
	case schema.NoticeCreated, schema.NoticeUpdated:
		raw := bytes.Clone(next())
		d, err := schema.LoadDefinition(raw)
		if err != nil {
			c.w.fail("%s: %v", name, err)
		}
		if n.Kind == schema.NoticeCreated {
			if l != nil {
				c.w.fail("%s is created, and lives", name)
			}
			l = c.plans.born(name, c.landing.ending[name])
		} else {
			l.changed, l.schedules.moving = true, true
		}
		if l.plan = d.Plan; n.Kind == schema.NoticeCreated {
			l.paused = d.Plan.Paused
		}
		l.shared, l.updated = d.Shared, c.landing.seq
		if n.Kind == schema.NoticeCreated {
			c.plans.made(l, raw, maker(rest, name))
		}
	case schema.NoticeRunning:
		c.claims.begun[name] = n.N
	case schema.NoticePaused:
		l.paused, l.turned = true, c.w.now
	case schema.NoticePlanError:
		task := l.plan.Command == schema.TaskCommand && l.inbox == nil && c.stations.ofTasks(name.Station)
		settles := l.plan.OnFailure == schema.FailureSettle || task
		if why := n.Reason; settles && why != schema.ReasonRetries && why != schema.ReasonUnknown && why != schema.ReasonInternal {
			c.w.fail("%s stops at execution %d (%s), and is to go on after a failure", name, n.N, why)
		}
		l.paused, l.halted, l.turned = false, true, c.w.now
		l.blamed = n.Reason == schema.ReasonInternal
	case schema.NoticeResumed:
		l.paused, l.halted, l.blamed, l.turned = false, false, false, c.w.now
	case schema.NoticeClosed, schema.NoticeRemoved:
		if len(next()) != 0 {
			c.w.fail("%s is gone, and has a definition", name)
		}
		if l == nil {
			c.w.fail("%s is %s, and was not there", name, n.Kind)
		}
		l.gone = c.w.now
		delete(c.plans.current, name)
		c.ended(l, n.Kind)
	}
}

// granted notes what users were granted, and the runs that they were promised.
func (c *checker) granted(e machine.Answer) {
	if r, ok := e.To.(*request); ok {
		r.landed = true
		switch what := r.what.(type) {
		case schema.EndTask:
			if e.Err == nil {
				c.endedByPerson(what)
			}
		case schema.PushItem:
			c.pushes.accepted(r, e)
		case schema.ReturnWork:
			c.returned(what, e.Body.(schema.Returned))
		case schema.CompleteItems, schema.ReleaseItems, schema.DropItems:
			c.claims.left(r, e)
		}
	}
	if t, ok := e.Body.(schema.Triggered); ok && e.Err == nil {
		l := c.plans.current[schema.PlanName{Station: t.Station, PlanID: t.PlanID}]
		switch {
		case l == nil:
		case l.inbox != nil:
			l.inbox.at = time.Time{} // now
		default:
			l.promised = append(l.promised, t.N)
		}
	}
}

// ended checks the books of a plan that is gone: nothing that began is left open, all
// that was to happen did, and every number has its result.
func (c *checker) ended(l *life, kind schema.NoticeKind) {
	c.gaveBack(l)
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
		c.w.fail("%s ended with %d results, the last of which is number %d, and %d numbers went back", l.name, len(l.results), n, gaps)
	}
	for _, k := range slices.Sorted(maps.Keys(l.attempts)) {
		if !l.final[k] {
			c.w.fail("%s ended, and occurrence %d was dispatched and not settled", l.name, k)
		}
	}
	for _, o := range l.record.Open {
		if k := o.Occurrence - o.Trigger; !l.final[k] {
			c.w.fail("%s ended, and occurrence %d was open and not settled", l.name, k)
		}
	}
	for _, n := range l.promised {
		if !l.final[-n] {
			c.w.fail("%s ended, and run %d was promised and not settled", l.name, n)
		}
	}
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
		c.w.fail("%s closed by itself after %d of %d occurrences", l.name, last, want)
	}
}
