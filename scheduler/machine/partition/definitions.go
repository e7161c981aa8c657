package partition

import (
	"bytes"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
)

// Large definitions leave memory once the bucket has them. The rest stays: a valid definition
// of the plan without its messages and, where that is still long, without ext. Requests about
// the plan, its times and its policy are answered from that part. An event that needs the whole
// definition fetches it, and waits:
//
//	large ──Flush──▶ bucket ──next Flush──▶ away ──Fetch──▶ Fetched ──▶ the waiting events
//	                              ▲                            │
//	                              └──── others need the room ──┘
//
// Such events are an execution to be sent, a worker's reply that produces a result, a deadline,
// and a user's request to see the plan. Executions go on meanwhile.

const (
	// largeFrom is the size of a definition that may stay in memory, and largeRoom the room
	// that a leader gives to recently used larger ones, both in bytes.
	largeFrom = 4 << 10
	largeRoom = 16 << 20
)

// IsLarge reports that p's definition, which is in memory, need not stay there. The definition
// of an inbox always stays, because its items take the place of messages.
func (m *Partition) IsLarge(p *state.Plan) bool {
	return !p.Evicted && p.Inbox == nil && len(p.Raw) > m.Config.Large
}

// Large returns the entry of p's large definition, which is in memory.
func (m *Partition) Large(p *state.Plan) *table.Definition {
	l := m.Definitions.Of[p]
	if l == nil {
		l = &table.Definition{P: p, Digest: event.Digest{Key: m.Config.Key, Size: len(p.Raw), Hash: event.HashOf(&m.Config.Key, p.Raw)}}
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
		return // the bucket lacks it so far
	}
	m.Arrive(l)
	if m.Definitions.Whole.Tail != l && (l.Prev != nil || l.Next != nil) {
		m.Definitions.Whole.Drop(l)
		m.Definitions.Whole.Push(l)
	}
}

// Arrive notes that l is no longer ahead of its time.
func (m *Partition) Arrive(l *table.Definition) {
	if !l.Ahead {
		return
	}
	m.Definitions.Arrive(l)
	m.OnUndo(func() {
		l.Ahead = true
		m.Definitions.Ahead += l.Digest.Size
	})
}

// SameDefinition reports that raw is p's definition.
func (m *Partition) SameDefinition(p *state.Plan, raw []byte) bool {
	if p.Evicted {
		return m.Definitions.Of[p].Digest.Of(raw)
	}
	return bytes.Equal(p.Raw, raw)
}

// HashOf is the hash of p's definition, in memory or away.
func (m *Partition) HashOf(p *state.Plan) uint64 {
	if p.Evicted {
		return m.Definitions.Of[p].Digest.Hash
	}
	return event.HashOf(&m.Config.Key, p.Raw)
}

// IsResident reports that the whole definition of p is in memory, or will never be.
func (m *Partition) IsResident(p *state.Plan) bool {
	switch {
	case p == nil || p == m.Missing:
	case p.Evicted:
		return false
	default:
		m.Use(p)
	}
	return true
}
