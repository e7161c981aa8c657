package sim

import (
	"bytes"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The origin of plans: a user's request, or a backup.

// maker returns the request that made the plan of these effects; nil: none of them gives a whole
// plan.
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
		case command.CreatePlan:
			of = nameOf(what.Definition)
		case command.RestorePlan:
			of = nameOf(what.Definition)
		case command.PushItem:
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

// made checks that a plan is the one requested, and enters the state that comes from a backup.
func (b *planModel) made(l *life, definition []byte, r *request) {
	if r == nil {
		return
	}
	var asked *schema.Definition
	switch what := r.what.(type) {
	case command.CreatePlan:
		asked = what.Definition
	case command.RestorePlan:
		asked = what.Definition
		b.restored(l, what.Record, inMicroseconds(r.decided))
	}
	if !bytes.Equal(asked.Raw, definition) {
		b.w.fail("%s is made as %s, and was requested as %s", l.name, definition, asked.Raw)
	}
}

// restored enters a plan that comes back from a backup at a moment: it continues from its record,
// and its executions of then are under way no longer.
func (b *planModel) restored(l *life, copied wire.Value, at time.Time) {
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

// lose enters the executions of occurrence k that were under way when its plan was copied, and that
// may not be repeated in doubt. Their time is up at once, but they stay in the record until the
// leader reconciles the plan, which may be in a later append. They have no worker, so they never
// begin again, and their result has an unknown outcome.
func (l *life) lose(k int64, copied []executionRecord, at time.Time) {
	for _, x := range copied {
		l.executions[x.N], l.newest[k], l.lost[x.N] = [2]int64{k, x.Attempt}, x.N, at
		if x.Claimed {
			l.taken[x.N] = &taken{k: k, worker: x.Worker}
		}
	}
}
