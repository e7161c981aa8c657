package transition

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// ServeAgain takes p out of whatever halted it. What fell due while it waited for a
// person is as lost as to a long execution, unless it waits its turn.
func (t *Turn) ServeAgain(p *state.Plan) {
	if p.NeedsPerson() && !p.IsBlamed() && !admission.Queues(t.Partition, p) { // what a plan that is to blame was about to run, it runs
		t.SkipPassed(p, t.Now, schema.ReasonPast)
	}
	p.Suspension = nil
	if p.Schedule.Continuous() {
		p.LookAhead(t.Now)
	}
	t.Touch(p)
	t.Tell(p, schema.Notice{Kind: schema.NoticeResumed})
}

// skipRest skips what p, which was closed, has open and no worker has, so that nothing
// disappears without a line. An execution may come back after the close: it reached nobody,
// or its worker returned it. What was said of p and is not heard yet may settle it, and
// comes first. False: some are left to another turn.
func skipRest(t *Turn, p *state.Plan) bool {
	for _, o := range slices.Clone(p.Open) {
		switch {
		case o.IsOut():
		case !t.GoesOn():
			return false
		default:
			t.Abandon(p, o, schema.ReasonManual)
		}
	}
	return true
}

// close takes a plan out that has nothing more to come. One that nobody closed is
// remembered for a while, but for a queue that is empty: its next push makes it anew.
func (t *Turn) close(p *state.Plan) {
	if p.Closing || p.Inbox != nil {
		t.SkipItems(p, schema.ReasonManual)
		t.Leave(p, schema.NoticeClosed, 0)
		return
	}
	hash := t.HashOf(p)
	t.OnKeep(func() { t.Tombstones.Add(p.Name, hash, p.Kept, t.Now) })
	t.Leave(p, schema.NoticeClosed, int64(t.Now))
}

// Leave takes p off the table; ended is the number of the row that says so.
func (t *Turn) Leave(p *state.Plan, kind schema.NoticeKind, ended int64) {
	t.Batch.AppendRow(event.RowDefinition, p.Name, ended, nil)
	if ended != 0 && p.Kept {
		t.Batch.AppendRow(event.RowDefinition, p.Name, ended, nil) // whatever state rows have of that
	}
	t.leaveInbox(p)
	t.Batch.Drop(p)
	t.changed = append(t.changed, change{p, true})
	Forget(t.Partition, p, t.Now)
	t.Tell(p, schema.Notice{Kind: kind})
}
