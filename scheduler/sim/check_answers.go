package sim

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// The answers to users and workers.

// allowance is the most by which the clocks of users and nodes may differ.
const allowance = 2 * time.Second

// waitedFor checks that a request is carried out only if its user still waited when it arrived, as
// far as a node can know: the user may have asked again since.
func waitedFor(w *world, r *request) {
	if late := r.came.Sub(r.by); !r.by.IsZero() && late > allowance {
		w.fail("%T is carried out, and came %v after its user had given up", r.what, late)
	}
}

// answered checks that an answer to a user is true and durable; written means that it belongs to a
// batch with rows.
func (c *checker) answered(r *request, e event.Answer, written bool) {
	if written && !r.landed {
		c.w.fail("%T is answered, and no durable append has its effect", r.what)
	}
	if e.Err != nil {
		return
	}
	switch what := r.what.(type) {
	case command.CreatePlan:
		c.plans.isThere(what.Definition, r.asked, e.Body.(schema.Created))
	case command.RestorePlan:
		c.plans.isThere(what.Definition, r.asked, e.Body.(schema.Created))
	case command.PausePlan:
		c.plans.isPaused(what.Name, r.asked, true)
	case command.ResumePlan:
		c.plans.isPaused(what.Name, r.asked, false)
	case command.ClosePlan:
		c.plans.isEnding(what.Name, r.asked)
	case command.RemovePlan:
		c.plans.isEnding(what.Name, r.asked)
	case command.PutStation:
		c.stations.isWritten(what.Station.Station, r.asked)
	case command.DeleteStation:
		c.stations.isWritten(what.Station, r.asked)
	case command.PutCalendar:
		c.calendars.isWritten(what.Calendar.CalendarID, r.asked, what.Calendar)
	case command.DeleteCalendar:
		c.calendars.isWritten(what.CalendarID, r.asked, nil)
	case command.ReportTask:
		c.reported(what, e.Body.(command.TaskReported))
	case command.GetPlan:
		c.plans.isKnown(what.Name, e.Body.(command.PlanView).State)
	}
}

// acknowledged checks that a worker's final reply is durable before it is acknowledged.
func (c *checker) acknowledged(a *asker, ack schema.Ack) {
	if ack.Accepted {
		c.taken(a.effort.id, a.state)
	}
}

// taken checks that an accepted reply of a worker is durable.
func (c *checker) taken(id execID, state schema.State) {
	if state == schema.StateRunning || state == schema.StateWaiting || c.words.votes[id] {
		return // a vote is not the result
	}
	l := c.plans.lives[id.incarnation]
	if l == nil {
		c.w.fail("a word about %v is taken, and there is no such plan", id)
	}
	if state == schema.StateNotWorker && l.taken[id.n] == nil {
		return // the execution is no longer its worker's
	}
	if _, ok := l.results[id.n]; !ok {
		c.w.fail("%s: %s of execution %d is acknowledged, and not durable", l.name, state, id.n)
	}
}

// isThere checks the answer to a definition: its plan exists, or existed since the request. A plan
// that was created again with keep, by this user or another, may have run and closed since.
func (b *planModel) isThere(d *schema.Definition, asked time.Time, answer schema.Created) {
	name := nameOf(d)
	closed := !answer.Created && answer.State == schema.StatusClosed && b.repeated[name]
	switch {
	case b.current[name] != nil, b.livedSince(name, asked):
	case !closed:
		b.w.fail("%s is accepted, and not durable", name)
	case !b.livedSince(name, time.Time{}):
		b.w.fail("%s is answered as closed, and never was", name)
	}
}

// isPaused checks that a plan is paused, or not, as wanted, or was so at a time since the request.
func (b *planModel) isPaused(name schema.PlanName, asked time.Time, want bool) {
	l := b.current[name]
	if (l == nil || l.paused != want && l.turned.Before(asked)) && !b.livedSince(name, asked) {
		b.w.fail("%s is answered as paused: %t, and was not since the request", name, want)
	}
}

// livedSince reports that a plan of that name ended at t or later.
func (b *planModel) livedSince(name schema.PlanName, t time.Time) bool {
	return slices.ContainsFunc(b.byName[name], func(l *life) bool { return !l.gone.Before(t) })
}

func (b *planModel) isEnding(name schema.PlanName, asked time.Time) {
	if l := b.current[name]; l != nil && !l.ending && l.made.Before(asked) {
		b.w.fail("%s was closed, and no durable append has that", name)
	}
}

// isKnown checks that a read shows durable state only.
func (b *planModel) isKnown(name schema.PlanName, shown schema.PlanState) {
	if !slices.ContainsFunc(b.byName[name], func(l *life) bool {
		unwritten := l.updated > l.written // it was created or changed, and went, in one append
		return (unwritten || l.record.Revision >= shown.Revision) && max(l.most, l.last()) >= shown.N
	}) {
		b.w.fail("%s is shown at n %d, revision %d, which is not durable", name, shown.N, shown.Revision)
	}
}

// granted notes the requests that were granted, and the runs promised to their users.
func (c *checker) granted(e event.Answer) {
	if r, ok := e.To.(*request); ok {
		r.landed = true
		switch what := r.what.(type) {
		case command.EndTask:
			if e.Err == nil {
				c.plans.endedByPerson(what)
			}
		case command.PushItem:
			c.pushes.accepted(r, e)
		case command.ReturnWork:
			c.returned(what, e.Body.(command.Returned))
		case command.CompleteItems, command.ReleaseItems, command.DropItems:
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

// asked records a user's command.
func (b *planModel) asked(what command.Command) {
	switch what := what.(type) {
	case command.CreatePlan:
		b.mayBeRepeated(what.Definition)
	case command.RestorePlan:
		b.mayBeRepeated(what.Definition)
	}
}

func (b *planModel) mayBeRepeated(d *schema.Definition) {
	if d.Plan.OnConflict == schema.ConflictKeep {
		b.repeated[nameOf(d)] = true
	}
}

// isRepeated reports that a row shows that its plan, which is gone, was created again with keep;
// before holds the definitions of that name which its append has had so far.
func (b *planModel) isRepeated(row event.Row, before [][]byte) bool {
	gone := b.current[row.Name] == nil
	if len(before) > 0 {
		gone = len(before[len(before)-1]) == 0
	}
	if len(row.Value) > 0 || !gone {
		return false
	}
	if row.N == 0 || !b.repeated[row.Name] {
		b.w.fail("%s is removed twice", row.Name)
	}
	return true
}
