package sim

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// What users and workers are told.

// answered checks that what a user is told is so, and on disk. Written says that it
// belongs to a batch that had rows.
func (c *checker) answered(r *request, e machine.Answer, written bool) {
	if written && !r.landed {
		c.w.fail("%T is answered, and nothing durable says so", r.what)
	}
	if e.Err != nil {
		return
	}
	switch what := r.what.(type) {
	case schema.CreatePlan:
		p := &what.Definition.Plan
		name := schema.PlanName{Station: p.Station, PlanID: p.PlanID}
		told := e.Body.(schema.Created)
		switch {
		case c.current[name] != nil, c.livedSince(name, r.asked):
		case !told.Created && told.State == schema.StatusClosed && what.Definition.Plan.OnConflict == schema.ConflictKeep:
			// One that was said again, of a plan that has run and closed since.
			if !c.livedSince(name, time.Time{}) {
				c.w.fail("%s is said to have closed, and never was", name)
			}
		default:
			c.w.fail("%s is accepted, and not durable", name)
		}
	case schema.RestorePlan:
		if name := nameOf(what.Definition); c.current[name] == nil && !c.livedSince(name, r.asked) &&
			(e.Body.(schema.Created).Created || !c.livedSince(name, time.Time{})) {
			c.w.fail("%s is restored, and not durable", name)
		}
	case schema.ClosePlan:
		c.isEnding(what.Name, r.asked)
	case schema.RemovePlan:
		c.isEnding(what.Name, r.asked)
	case schema.PutStation:
		c.isWritten(what.Station.Station, r.asked)
	case schema.DeleteStation:
		c.isWritten(what.Station, r.asked)
	case schema.ReportTask:
		c.reported(what, e.Body.(schema.TaskWord))
	case schema.GetPlan:
		c.isKnown(what.Name, e.Body.(schema.PlanView).State)
	}
}

// livedSince reports that a plan of that name ended at t or later.
func (c *checker) livedSince(name schema.PlanName, t time.Time) bool {
	return slices.ContainsFunc(c.byName[name], func(l *life) bool { return !l.gone.Before(t) })
}

func (c *checker) isEnding(name schema.PlanName, asked time.Time) {
	if l := c.current[name]; l != nil && !l.ending && l.made.Before(asked) {
		c.w.fail("%s was closed, and nothing durable says so", name)
	}
}

func (c *checker) isWritten(station string, asked time.Time) {
	if c.stations[station].at.Before(asked) {
		c.w.fail("station %s was written, and nothing durable says so", station)
	}
}

// isKnown checks that a read shows nothing that is not on disk.
func (c *checker) isKnown(name schema.PlanName, shown schema.PlanState) {
	if !slices.ContainsFunc(c.byName[name], func(l *life) bool {
		unwritten := l.record.Revision == 0 // it came and went in one append
		return (unwritten || l.record.Revision >= shown.Revision) && max(l.most, l.last()) >= shown.N
	}) {
		c.w.fail("%s is shown at n %d, revision %d, which is not durable", name, shown.N, shown.Revision)
	}
}

// acknowledged checks that a worker's last word is on disk before it is taken.
func (c *checker) acknowledged(a *asker, ack schema.Ack) {
	if ack.Accepted {
		c.taken(a.effort.id, a.state)
	}
}

// taken checks that a worker's word is on disk that is said to have been accepted.
func (c *checker) taken(id execID, state schema.State) {
	if state == schema.StateRunning || state == schema.StateWaiting || c.votes[id] {
		return // a vote is not the verdict
	}
	l := c.lives[id.incarnation]
	if l == nil {
		c.w.fail("a word about %v is taken, and there is no such plan", id)
	}
	if state == schema.StateNotWorker && l.taken[id.n] == nil {
		return // it is its worker's no more
	}
	if _, ok := l.results[id.n]; !ok {
		c.w.fail("%s: %s of execution %d is acknowledged, and not durable", l.name, state, id.n)
	}
}
