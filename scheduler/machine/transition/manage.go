package transition

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// ServeAgain ends the suspension of p. Occurrences that fell due while it waited for a person
// are lost as during a long execution, unless the plan queues them.
func (t *Turn) ServeAgain(p *state.Plan) {
	if p.NeedsPerson() && !p.IsBlamed() && !admission.Queues(t.Partition, p) { // a plan whose failure suspended it runs the occurrence that was due
		t.SkipPassed(p, t.Now, schema.ReasonPast)
	}
	p.Suspension = nil
	if p.Schedule.Continuous() {
		p.LookAhead(t.Now)
	}
	t.Touch(p)
	t.Notify(p, schema.Notice{Kind: schema.NoticeResumed})
}

// skipRest skips the open occurrences of p, which was closed, that no worker has, so that none
// disappears without a record. An execution may become one of them after the close, because it
// had no responders, or its worker returned it. Replies that have not been stepped yet may
// settle an occurrence, so they come first. False: some are left to another turn.
func skipRest(t *Turn, p *state.Plan) bool {
	for _, o := range slices.Clone(p.Open) {
		switch {
		case o.IsOut():
		case !t.GoesOn():
			return false
		default:
			t.Abandon(p, o, schema.ReasonManual, manual(t, p))
		}
	}
	return true
}

// close removes a plan that has nothing left to run. A plan that ended by itself leaves a
// tombstone for a while, except an empty queue, because its next push creates it anew.
func (t *Turn) close(p *state.Plan) {
	if p.Closing || p.Inbox != nil {
		t.SkipItems(p, schema.ReasonManual)
		t.Leave(p, schema.NoticeClosed, 0)
		return
	}
	hash := t.HashOf(p)
	t.OnKeep(func() {
		closed := t.Tombstones.AddOwn(state.Tombstone{Name: p.Name, At: t.Now, Definition: hash, Kept: p.Kept}, p.ExecTime)
		t.Tombstones.Unwrite(closed, t.Batch.Number)
	})
	t.Leave(p, schema.NoticeClosed, int64(t.Now))
}

// Leave removes p from the table; ended is the number of its end row, 0 for none.
func (t *Turn) Leave(p *state.Plan, kind schema.NoticeKind, ended int64) {
	t.Batch.AppendRow(event.RowDefinition, p.Name, ended, nil)
	if ended != 0 && p.Kept {
		t.Batch.AppendRow(event.RowDefinition, p.Name, ended, nil) // a second row overrides the mark in state rows
	}
	t.leaveInbox(p)
	t.Batch.Drop(p)
	t.changed = append(t.changed, change{p, true})
	Forget(t.Partition, p, t.Now)
	t.Notify(p, schema.Notice{Kind: kind})
}
