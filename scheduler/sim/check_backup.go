package sim

import (
	"bytes"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// What plans are made of: what users asked for, or what a backup has.

// maker returns the request that has made a plan of which effects tell; nil: it was none
// that gives a whole plan.
func maker(effects []event.Effect, name schema.PlanName) *request {
	for _, e := range effects {
		answer, ok := e.(event.Answer)
		if !ok {
			continue
		}
		r, ok := answer.To.(*request)
		if !ok {
			continue
		}
		var of schema.PlanName
		switch what := r.what.(type) {
		case schema.CreatePlan:
			of = nameOf(what.Definition)
		case schema.RestorePlan:
			of = nameOf(what.Definition)
		case schema.PushItem:
			if what.Definition != nil && nameOf(what.Definition) == name {
				return nil
			}
		}
		if of == name {
			return r
		}
	}
	return nil
}

func nameOf(d *schema.Definition) schema.PlanName {
	return schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
}

// made checks that a plan is what its user asked for, and enters what a backup has of it.
func (b *planBook) made(l *life, definition []byte, r *request) {
	if r == nil {
		return
	}
	var asked *schema.Definition
	switch what := r.what.(type) {
	case schema.CreatePlan:
		asked = what.Definition
	case schema.RestorePlan:
		asked = what.Definition
		b.restored(l, what.Record, inMicroseconds(r.decided))
	}
	if !bytes.Equal(asked.Raw, definition) {
		b.w.fail("%s is made as %s, and was asked for as %s", l.name, definition, asked.Raw)
	}
}

// restored enters a plan that comes back from a backup at a moment: it goes on where its
// record says. What was under way then is under way no more.
func (b *planBook) restored(l *life, copied wire.Value, at time.Time) {
	var st record
	if err := wire.DecodeLoose(copied, &st); err != nil {
		b.w.fail("%s: a copy cannot be read: %v", l.name, err)
	}
	was := b.lives[st.Incarnation]
	l.restored, l.first, l.schedules.unclear = true, st.N, st.Occurrence
	l.changed = was == nil || was.changed
	l.real, l.skips = st.RealRepet, st.SkipNum
	l.paused = st.Halt == string(schema.StatusPaused)
	l.halted = st.Halt != "" && !l.paused
	for k := range st.Occurrence {
		l.final[k+1] = true
	}
	for _, o := range st.Open {
		k := o.Occurrence - o.Trigger
		delete(l.final, k)
		l.due[k] = o.PlanTime
		if o.Attempt > 0 {
			l.attempts[k] = o.Attempt
		}
		if o.Trigger != 0 {
			l.promised = append(l.promised, o.Trigger)
		}
		if l.plan.OnUnknown == schema.UnknownSkip || l.plan.OnUnknown == schema.UnknownHold {
			l.lose(k, o.Executions, at)
		}
	}
}

// lose enters what was under way of occurrence k when its plan was copied, and is not to be
// done again in doubt. Its time is up at once, and it stays in the record until the leader
// looks at the plan, which may be in a later append. Nobody has it: it never begins again,
// and its result says that nobody knows.
func (l *life) lose(k int64, copied []executionRecord, at time.Time) {
	for _, x := range copied {
		l.executions[x.N], l.newest[k], l.lost[x.N] = [2]int64{k, x.Attempt}, x.N, at
		if x.Claimed {
			l.taken[x.N] = &taken{k: k, worker: x.Worker}
		}
	}
}
