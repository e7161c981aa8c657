package machine

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

// claimItems locks the first items of a queue for the caller.
func claimItems(t *turn, c command.ClaimItems, from event.Asker) {
	p := t.InboxPlans[c.PlanID]
	if p == nil || p.Closing || p.Inbox.Empty() {
		t.Batch.Answer(from, command.Claimed{}, nil)
		return
	}
	if o := p.Locked(); o != nil {
		if o.Live[0].Lock != c.Random {
			t.Batch.Answer(from, nil, lockedBy(p, o))
			return
		}
		t.handItems(p, from, p.Inbox.First, o.Items)
		return
	}
	if t.Holding.On {
		t.Batch.Answer(from, nil, errHeld())
		return
	}
	if err := t.makeWay(p); err != nil {
		t.Batch.Answer(from, nil, err)
		return
	}
	t.lock(p, c)
	t.handItems(p, from, p.Inbox.First, p.Locked().Items)
	t.Evaluate(p)
}

// makeWay ends a delivery of the items to another worker, because no worker may have them.
func (t *turn) makeWay(p *state.Plan) error {
	if p.Suspension != nil {
		return &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("%s is %s, and hands nothing over until it is resumed or reset", p.Name, p.Status()),
		}
	}
	for _, o := range p.Open {
		if o.Items == 0 {
			continue // workers were notified; one of them claims now
		}
		if o.Delivered() {
			return &schema.Error{
				Code: schema.CodeConflict, Field: "key", Message: "the items are being delivered; try again when that has ended",
			}
		}
		p.Inbox.Errors = o.Errors
		t.Abandon(p, o, schema.ReasonOverlap, nil)
		break // at most one occurrence hands over items
	}
	return nil
}

// lock makes the execution of a claim.
func (t *turn) lock(p *state.Plan, c command.ClaimItems) {
	in := p.Inbox
	t.Open(p, calendar.Due{K: p.Prev.K + 1, At: t.Now.Time()})
	o := p.Open[len(p.Open)-1]
	p.N++
	o.Attempt, o.Items = 1, p.Fits(p.Inbox.First, c.Number)
	x := &state.Execution{
		N: p.N, Attempt: 1, State: schema.StateRunning, Sent: t.Now, Deadline: t.Now.After(c.Timeout), Lock: c.Random,
		Ordered: t.Batch.Number,
	}
	o.Live = append(o.Live, x)
	p.ExecTime, p.Attempt = t.Now, 1
	in.Mark, in.Taken, in.Asked, in.Notified, in.Waiting, in.At, in.Wait = true, true, false, 0, 0, x.Deadline, 0
	t.Touch(p)
	t.NotifyExecution(p, o, x, schema.NoticeRunning, nil)
}

// handItems answers with items of p.
func (t *turn) handItems(p *state.Plan, from event.Asker, first, count int64) {
	in := p.Inbox
	claimed := command.Claimed{Data: in.Data, Length: in.Length()}
	if behind := first + count; behind < in.Next {
		claimed.Next = behind
	}
	t.Batch.Effect(event.ItemsGranted{To: from, Name: p.Name, Incarnation: p.Incarnation, First: first, Count: count, Claimed: claimed})
}

// listItems shows items to a caller that does not take them.
func listItems(t *turn, c command.ListItems, from event.Asker) {
	p := t.InboxPlans[c.PlanID]
	if c.Station != "" {
		p = t.Plans[schema.PlanName{Station: c.Station, PlanID: c.PlanID}]
	}
	if p == nil || p.Inbox == nil || c.From >= p.Inbox.Next || p.Inbox.Empty() {
		t.Batch.Answer(from, command.Claimed{}, nil)
		return
	}
	first := max(c.From, p.Inbox.First)
	t.handItems(p, from, first, p.Fits(first, c.Number))
}

// completeItems ends a claim with ok.
func completeItems(t *turn, c command.CompleteItems) (command.InboxLeft, error) {
	p, o, err := t.m.lockOf(c.PlanID, c.Random)
	if err != nil {
		return command.InboxLeft{}, err
	}
	if c.Number >= 0 && c.Number < o.Items {
		o.Items = c.Number
	}
	if o.Items == 0 {
		t.GiveUp(p, o, o.Live[0], transition.Outcome{State: schema.StateOK, Silent: true}) // the lock ends, and nothing else
		p.Inbox.Mark = false
	} else {
		x := o.Live[0]
		t.Succeed(p, o, x.N, x.Attempt, transition.Outcome{Silent: true})
	}
	t.Evaluate(p)
	return view.Left(p), nil
}

// releaseItems ends a claim with an error, and leaves the items until the time that it
// names.
func releaseItems(t *turn, c command.ReleaseItems) (command.InboxLeft, error) {
	p, o, err := t.m.lockOf(c.PlanID, c.Random)
	if err != nil {
		return command.InboxLeft{}, err
	}
	t.GiveUp(p, o, o.Live[0], transition.Outcome{State: schema.StateError, Silent: true})
	if !c.PlanTime.IsZero() {
		p.Retime(unit.MomentOf(c.PlanTime), t.Now)
	}
	t.Touch(p)
	t.Evaluate(p)
	return view.Left(p), nil
}

// dropItems deletes a queue with all its items.
func dropItems(t *turn, c command.DropItems) (command.InboxLeft, error) {
	p := t.InboxPlans[c.PlanID]
	if p == nil || p.Closing {
		return command.InboxLeft{}, nil
	}
	dropped := p.Inbox.Length()
	return command.InboxLeft{Dropped: dropped}, t.remove(p)
}

// lockOf returns the queue that is locked with random.
func (m *Machine) lockOf(planID, random string) (*state.Plan, *state.Occurrence, error) {
	p := m.part.InboxPlans[planID]
	if p == nil {
		return nil, nil, notLocked()
	}
	o := p.Locked()
	switch {
	case o == nil:
		return nil, nil, notLocked()
	case o.Live[0].Lock != random:
		return nil, nil, lockedBy(p, o)
	}
	return p, o, nil
}

func notLocked() error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "random",
		Message: "the queue is not locked: its time was up, or it was completed or released; get it again",
	}
}

func lockedBy(p *state.Plan, o *state.Occurrence) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "random",
		Message: fmt.Sprintf("%d items of the queue are locked with another random until %s",
			o.Items, o.Live[0].Deadline.Time().Format(time.RFC3339)),
	}
}
