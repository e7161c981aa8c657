package partition

import (
	"bytes"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
)

// Large definitions leave memory once the bucket has them. What stays is what makes a
// definition of the plan still, without its messages and, where that is long yet, without
// ext: whatever is asked about the plan, its times and its policy is answered from that.
// Who needs the rest has it read back, and waits:
//
//	large ──Flush──▶ bucket ──next Flush──▶ away ──Fetch──▶ Fetched ──▶ what waited for it
//	                              ▲                            │
//	                              └──── others need the room ──┘
//
// Those are an execution that is to be sent, a worker's word that a result comes of, a
// deadline, and a user who wants to see the plan. What is under way meanwhile goes on.

const (
	// largeFrom is how many bytes a definition may have to stay in memory, and largeRoom
	// what those take that a leader keeps of the others, since they were used lately.
	largeFrom = 4 << 10
	largeRoom = 16 << 20
)

// IsLarge reports that p's definition, which is in memory, need not stay there. That of an
// inbox does: it holds no messages, since its items are in their place.
func (m *Partition) IsLarge(p *state.Plan) bool {
	return !p.Away && p.Inbox == nil && len(p.Raw) > m.Config.Large
}

// Large returns what is known of p's large definition, which is in memory.
func (m *Partition) Large(p *state.Plan) *table.Definition {
	l := m.Definitions.Of[p]
	if l == nil {
		l = &table.Definition{P: p, Print: event.Digest{Key: m.Config.Key, Size: len(p.Raw), Hash: event.HashOf(&m.Config.Key, p.Raw)}}
		m.Definitions.Of[p] = l
	}
	return l
}

// Use notes that p's definition is in use.
func (m *Partition) Use(p *state.Plan) {
	if len(p.Raw) <= m.Config.Large {
		return
	}
	l := m.Definitions.Of[p]
	if l == nil {
		return // the bucket does not have it yet
	}
	m.Definitions.Arrive(l)
	if m.Definitions.Whole.Tail != l && (l.Prev != nil || l.Next != nil) {
		m.Definitions.Whole.Drop(l)
		m.Definitions.Whole.Push(l)
	}
}

// SameDefinition reports that raw is p's definition.
func (m *Partition) SameDefinition(p *state.Plan, raw []byte) bool {
	if p.Away {
		return m.Definitions.Of[p].Print.Of(raw)
	}
	return bytes.Equal(p.Raw, raw)
}

// HashOf is that of p's definition, wherever it is.
func (m *Partition) HashOf(p *state.Plan) uint64 {
	if p.Away {
		return m.Definitions.Of[p].Print.Hash
	}
	return event.HashOf(&m.Config.Key, p.Raw)
}

// IsWhole reports that all of p's definition is in memory, or will never be.
func (m *Partition) IsWhole(p *state.Plan) bool {
	switch {
	case p == nil || p == m.Missing:
	case p.Away:
		return false
	default:
		m.Use(p)
	}
	return true
}
