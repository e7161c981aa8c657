package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An Inbox names the items that wait at a plan.
type Inbox struct {
	Name        schema.PlanName
	Incarnation uint64
	First, Next int64
	// Unknown is how many of them are neither stored nor in the journal.
	Unknown int64
}

// Inboxes calls f with every inbox, in the order of lists.
func (m *Machine) Inboxes(f func(Inbox)) {
	m.part.Sorted.Scan(func(p *state.Plan) bool {
		if p.Inbox != nil {
			in := p.Inbox
			f(Inbox{p.Name, p.Incarnation, in.First, in.Next, in.Sizes.Unknown(in.First, in.Next)})
		}
		return true
	})
}

// replayItem notes an item of an append.
func (m *Machine) replayItem(r event.Row) error {
	size, err := event.ItemSize(r.Value)
	if err != nil {
		return fmt.Errorf("replay item %d of %s: %w", r.N, r.Name, err)
	}
	p := m.part.Plans[r.Name]
	if p == nil {
		p = m.add(r.Name)
	}
	p.NoteItem(r.N, size)
	return nil
}

// ReplayItem notes a stored item. It is ignored when the id has another plan by now, or the plan
// has completed it.
func (m *Machine) ReplayItem(name schema.PlanName, incarnation uint64, n int64, size int) {
	p := m.part.Plans[name]
	if p != nil && p.Inbox != nil && p.Incarnation == incarnation && n >= p.Inbox.First {
		p.NoteItem(n, size)
	}
}

// countItems adds up the sizes of all items, for a leader.
func (m *Machine) countItems() {
	m.part.InboxBytes = 0
	m.part.Sorted.Scan(func(p *state.Plan) bool {
		if p.Inbox != nil {
			p.Inbox.Dropped = p.Inbox.First
			p.Inbox.Sizes.Trim(p.Inbox.First)
			m.part.InboxBytes += p.Inbox.Sizes.Bytes + int64(len(p.Inbox.Sizes.List))*p.ItemOverhead()
		}
		return true
	})
}
