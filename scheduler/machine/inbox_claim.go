package machine

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Whoever claims items gets an execution that nobody publishes: it hands over the first
// items, its deadline is the end of the lock, and the claim's random word takes the
// place of a nonce. Completing is its ok, releasing its error.

// locked returns the occurrence whose items are claimed, nil when none is.
func (p *plan) locked() *occurrence {
	for _, o := range p.open {
		if len(o.live) == 1 && o.live[0].lock != "" {
			return o
		}
	}
	return nil
}

// claim locks the first items of a queue for whoever asks.
func (t *turn) claim(c schema.ClaimItems, from Asker) {
	p := t.inboxes[c.PlanID]
	if p == nil || p.closing || p.inbox.empty() {
		t.b.answer(from, schema.Claimed{}, nil)
		return
	}
	if o := p.locked(); o != nil {
		if o.live[0].lock != c.Random {
			t.b.answer(from, nil, lockedBy(p, o))
			return
		}
		t.handItems(p, from, p.inbox.first, o.items)
		return
	}
	if t.hold.on {
		t.b.answer(from, nil, errHeld())
		return
	}
	if err := t.makeWay(p); err != nil {
		t.b.answer(from, nil, err)
		return
	}
	t.lock(p, c)
	t.handItems(p, from, p.inbox.first, p.locked().items)
	t.look(p)
}

// makeWay ends what would hand the items to somebody else: nothing may have them.
func (t *turn) makeWay(p *plan) error {
	if p.halt != served {
		return &schema.Error{
			Code: schema.CodeConflict, Message: fmt.Sprintf("%s is %s, and hands nothing over until it is resumed or reset", p.name, p.status()),
		}
	}
	for _, o := range p.open {
		if o.items == 0 {
			continue // workers were told; one of them claims now
		}
		if o.delivered() {
			return &schema.Error{
				Code: schema.CodeConflict, Field: "key", Message: "the items are being delivered; try again when that has ended",
			}
		}
		p.inbox.errors = o.errors
		t.abandon(p, o, schema.ReasonOverlap)
		break // of those that hand over items there is but one
	}
	return nil
}

// lock makes the execution of a claim.
func (t *turn) lock(p *plan, c schema.ClaimItems) {
	in := p.inbox
	t.open(p, calendar.Due{K: p.prev.K + 1, At: t.now.Time()})
	o := p.open[len(p.open)-1]
	p.n++
	o.attempt, o.items = 1, p.fits(p.inbox.first, c.Number)
	x := &execution{
		n: p.n, attempt: 1, state: schema.StateRunning, sent: t.now, deadline: t.now.After(c.Timeout), lock: c.Random,
		ordered: t.b.Number,
	}
	o.live = append(o.live, x)
	p.execTime, p.attempt = t.now, 1
	in.mark, in.taken, in.asked, in.waiting, in.at = true, true, false, 0, x.deadline
	t.touch(p)
	t.tellExecution(p, o, x, schema.NoticeRunning, nil)
}

// handItems answers with items of p.
func (t *turn) handItems(p *plan, from Asker, first, count int64) {
	in := p.inbox
	claimed := schema.Claimed{Data: in.data, Length: in.length()}
	if behind := first + count; behind < in.next {
		claimed.Next = behind
	}
	t.b.effect(Hand{To: from, Name: p.name, Incarnation: p.incarnation, First: first, Count: count, Claimed: claimed})
}

// lookItems shows items to who does not take them.
func (t *turn) lookItems(c schema.LookItems, from Asker) {
	p := t.inboxes[c.PlanID]
	if c.Station != "" {
		p = t.plans[schema.PlanName{Station: c.Station, PlanID: c.PlanID}]
	}
	if p == nil || p.inbox == nil || c.From >= p.inbox.next || p.inbox.empty() {
		t.b.answer(from, schema.Claimed{}, nil)
		return
	}
	first := max(c.From, p.inbox.first)
	t.handItems(p, from, first, p.fits(first, c.Number))
}

// completeItems ends a claim well.
func (t *turn) completeItems(c schema.CompleteItems) (schema.InboxLeft, error) {
	p, o, err := t.lockOf(c.PlanID, c.Random)
	if err != nil {
		return schema.InboxLeft{}, err
	}
	if c.Number >= 0 && c.Number < o.items {
		o.items = c.Number
	}
	if o.items == 0 {
		t.giveUp(p, o, o.live[0], outcome{state: schema.StateOK, silent: true}) // the lock ends, and nothing else
		p.inbox.mark = false
	} else {
		x := o.live[0]
		t.succeed(p, o, x.n, x.attempt, outcome{silent: true})
	}
	t.look(p)
	return p.left(), nil
}

// releaseItems ends a claim badly: the items stay, until the time that it names.
func (t *turn) releaseItems(c schema.ReleaseItems) (schema.InboxLeft, error) {
	p, o, err := t.lockOf(c.PlanID, c.Random)
	if err != nil {
		return schema.InboxLeft{}, err
	}
	t.giveUp(p, o, o.live[0], outcome{state: schema.StateError, silent: true})
	if !c.PlanTime.IsZero() {
		p.retime(max(unit.MomentOf(c.PlanTime), t.now))
	}
	t.touch(p)
	t.look(p)
	return p.left(), nil
}

// unlock ends a claim whose time is up: its items are handed over again.
func (t *turn) unlock(p *plan, o *occurrence, x *execution) {
	t.giveUp(p, o, x, outcome{state: schema.StateTimeout, reason: schema.ReasonExec, silent: true})
}

// dropItems throws a queue away with all its items.
func (t *turn) dropItems(c schema.DropItems) (schema.InboxLeft, error) {
	p := t.inboxes[c.PlanID]
	if p == nil || p.closing {
		return schema.InboxLeft{}, nil
	}
	dropped := p.inbox.length()
	return schema.InboxLeft{Dropped: dropped}, t.remove(p)
}

func (p *plan) left() schema.InboxLeft {
	out := schema.InboxLeft{Length: p.inbox.length()}
	if !p.removed {
		out.PlanTime = p.inboxComes().Time()
	}
	return out
}

// lockOf returns the queue that is locked with random.
func (m *Machine) lockOf(planID, random string) (*plan, *occurrence, error) {
	p := m.inboxes[planID]
	if p == nil {
		return nil, nil, notLocked()
	}
	o := p.locked()
	switch {
	case o == nil:
		return nil, nil, notLocked()
	case o.live[0].lock != random:
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

func lockedBy(p *plan, o *occurrence) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "random",
		Message: fmt.Sprintf("%d items of the queue are locked with another random until %s",
			o.items, o.live[0].deadline.Time().Format(time.RFC3339)),
	}
}
