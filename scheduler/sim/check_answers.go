package sim

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/schema"
)

// What users and workers are told.

// asked takes in what a user asks for.
func (c *checker) asked(what schema.Command) {
	switch what := what.(type) {
	case schema.CreatePlan:
		c.mayBeSaidAgain(what.Definition)
	case schema.RestorePlan:
		c.mayBeSaidAgain(what.Definition)
	}
}

func (c *checker) mayBeSaidAgain(d *schema.Definition) {
	if d.Plan.OnConflict == schema.ConflictKeep {
		c.saidAgain[nameOf(d)] = true
	}
}

// allowance is by how much the clocks of users and nodes may differ.
const allowance = 2 * time.Second

// waitedFor checks that a request which is carried out came when somebody waited for its
// answer, for all that a node can tell: who asked may have asked again since.
func (c *checker) waitedFor(r *request) {
	if late := r.came.Sub(r.by); !r.by.IsZero() && late > allowance {
		c.w.fail("%T is carried out, and came %v after its user had given up", r.what, late)
	}
}

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
		c.isThere(what.Definition, r.asked, e.Body.(schema.Created))
	case schema.RestorePlan:
		c.isThere(what.Definition, r.asked, e.Body.(schema.Created))
	case schema.PausePlan:
		c.isPaused(what.Name, r.asked, true)
	case schema.ResumePlan:
		c.isPaused(what.Name, r.asked, false)
	case schema.ClosePlan:
		c.isEnding(what.Name, r.asked)
	case schema.RemovePlan:
		c.isEnding(what.Name, r.asked)
	case schema.PutStation:
		c.stations.isWritten(what.Station.Station, r.asked)
	case schema.DeleteStation:
		c.stations.isWritten(what.Station, r.asked)
	case schema.ReportTask:
		c.reported(what, e.Body.(schema.TaskWord))
	case schema.GetPlan:
		c.isKnown(what.Name, e.Body.(schema.PlanView).State)
	}
}

// isThere checks what the user of a definition is told: its plan is there, or was since it
// was asked for. One that was said again, by them or by another, may have run and closed
// since.
func (c *checker) isThere(d *schema.Definition, asked time.Time, told schema.Created) {
	name := nameOf(d)
	closed := !told.Created && told.State == schema.StatusClosed && c.saidAgain[name]
	switch {
	case c.current[name] != nil, c.livedSince(name, asked):
	case !closed:
		c.w.fail("%s is accepted, and not durable", name)
	case !c.livedSince(name, time.Time{}):
		c.w.fail("%s is said to have closed, and never was", name)
	}
}

// isPaused checks that a plan is paused, or is not, or was so since somebody asked for it.
func (c *checker) isPaused(name schema.PlanName, asked time.Time, want bool) {
	l := c.current[name]
	if (l == nil || l.paused != want && l.turned.Before(asked)) && !c.livedSince(name, asked) {
		c.w.fail("%s is said to be paused: %t, and was not since that was asked for", name, want)
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
	if state == schema.StateRunning || state == schema.StateWaiting || c.words.votes[id] {
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
