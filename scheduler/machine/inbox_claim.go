package machine

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
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
func (m *Machine) claim(c schema.ClaimItems, from Asker, now moment, b *Batch) {
	p := m.inboxes[c.PlanID]
	if p == nil || p.closing || p.inbox.empty() {
		b.answer(from, schema.Claimed{}, nil)
		return
	}
	if o := p.locked(); o != nil {
		if o.live[0].lock != c.Random {
			b.answer(from, nil, lockedBy(p, o))
			return
		}
		m.handItems(p, from, p.inbox.first, o.items, b)
		return
	}
	if m.hold.on {
		b.answer(from, nil, errHeld())
		return
	}
	if err := m.makeWay(p, now, b); err != nil {
		b.answer(from, nil, err)
		return
	}
	m.lock(p, c, now, b)
	m.handItems(p, from, p.inbox.first, p.locked().items, b)
	m.look(p, now, b)
}

// makeWay ends what would hand the items to somebody else: nothing may have them.
func (m *Machine) makeWay(p *plan, now moment, b *Batch) error {
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
		m.abandon(p, o, schema.ReasonOverlap, now, b)
		break // of those that hand over items there is but one
	}
	return nil
}

// lock makes the execution of a claim.
func (m *Machine) lock(p *plan, c schema.ClaimItems, now moment, b *Batch) {
	in := p.inbox
	m.open(p, calendar.Due{K: p.prev.K + 1, At: now.time()}, now, b)
	o := p.open[len(p.open)-1]
	p.n++
	o.attempt, o.items = 1, p.fits(p.inbox.first, c.Number)
	x := &execution{
		n: p.n, attempt: 1, state: schema.StateRunning, sent: now, deadline: now.after(c.Timeout), lock: c.Random,
		ordered: b.Number,
	}
	o.live = append(o.live, x)
	p.execTime, p.attempt = now, 1
	in.mark, in.taken, in.asked, in.waiting, in.at = true, true, false, 0, x.deadline
	m.touch(p, now, b)
	m.tellExecution(p, o, x, schema.NoticeRunning, nil, now, b)
}

// handItems answers with items of p.
func (m *Machine) handItems(p *plan, from Asker, first, count int64, b *Batch) {
	in := p.inbox
	claimed := schema.Claimed{Data: in.data, Length: in.length()}
	if behind := first + count; behind < in.next {
		claimed.Next = behind
	}
	b.effect(Hand{To: from, Name: p.name, Incarnation: p.incarnation, First: first, Count: count, Claimed: claimed})
}

// lookItems shows items to who does not take them.
func (m *Machine) lookItems(c schema.LookItems, from Asker, b *Batch) {
	p := m.inboxes[c.PlanID]
	if c.Station != "" {
		p = m.plans[schema.PlanName{Station: c.Station, PlanID: c.PlanID}]
	}
	if p == nil || p.inbox == nil || c.From >= p.inbox.next || p.inbox.empty() {
		b.answer(from, schema.Claimed{}, nil)
		return
	}
	first := max(c.From, p.inbox.first)
	m.handItems(p, from, first, p.fits(first, c.Number), b)
}

// completeItems ends a claim well.
func (m *Machine) completeItems(c schema.CompleteItems, now moment, b *Batch) (schema.InboxLeft, error) {
	p, o, err := m.lockOf(c.PlanID, c.Random)
	if err != nil {
		return schema.InboxLeft{}, err
	}
	if c.Number >= 0 && c.Number < o.items {
		o.items = c.Number
	}
	if o.items == 0 {
		m.giveUp(p, o, o.live[0], outcome{state: schema.StateOK, silent: true}, now, b) // the lock ends, and nothing else
		p.inbox.mark = false
	} else {
		x := o.live[0]
		m.succeed(p, o, x.n, x.attempt, outcome{silent: true}, now, b)
	}
	m.look(p, now, b)
	return p.left(), nil
}

// releaseItems ends a claim badly: the items stay, until the time that it names.
func (m *Machine) releaseItems(c schema.ReleaseItems, now moment, b *Batch) (schema.InboxLeft, error) {
	p, o, err := m.lockOf(c.PlanID, c.Random)
	if err != nil {
		return schema.InboxLeft{}, err
	}
	m.giveUp(p, o, o.live[0], outcome{state: schema.StateError, silent: true}, now, b)
	if !c.PlanTime.IsZero() {
		p.retime(max(momentOf(c.PlanTime), now))
	}
	m.touch(p, now, b)
	m.look(p, now, b)
	return p.left(), nil
}

// unlock ends a claim whose time is up: its items are handed over again.
func (m *Machine) unlock(p *plan, o *occurrence, x *execution, now moment, b *Batch) {
	m.giveUp(p, o, x, outcome{state: schema.StateTimeout, reason: schema.ReasonExec, silent: true}, now, b)
}

// dropItems throws a queue away with all its items.
func (m *Machine) dropItems(c schema.DropItems, now moment, b *Batch) (schema.InboxLeft, error) {
	p := m.inboxes[c.PlanID]
	if p == nil || p.closing {
		return schema.InboxLeft{}, nil
	}
	dropped := p.inbox.length()
	return schema.InboxLeft{Dropped: dropped}, m.remove(p, now, b)
}

func (p *plan) left() schema.InboxLeft {
	out := schema.InboxLeft{Length: p.inbox.length()}
	if !p.removed {
		out.PlanTime = p.inboxComes().time()
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
			o.items, o.live[0].deadline.time().Format(time.RFC3339)),
	}
}
