package machine

import (
	"bytes"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
	"github.com/stationmaster-io/stationmaster/schema"
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

// isLarge reports that p's definition, which is in memory, need not stay there. That of an
// inbox does: it holds no messages, since its items are in their place.
func (m *Partition) isLarge(p *state.Plan) bool {
	return !p.Away && p.Inbox == nil && len(p.Raw) > m.config.Large
}

// large returns what is known of p's large definition, which is in memory.
func (m *Partition) large(p *state.Plan) *table.Definition {
	l := m.larges.Of[p]
	if l == nil {
		l = &table.Definition{P: p, Print: event.Digest{Key: m.config.Key, Size: len(p.Raw), Hash: event.HashOf(&m.config.Key, p.Raw)}}
		m.larges.Of[p] = l
	}
	return l
}

// mayLeave notes that the bucket has p's definition, large or not. A follower needs none of
// a large one.
func mayLeave(m *Partition, p *state.Plan) {
	if !m.isLarge(p) {
		return
	}
	l := m.large(p)
	if m.epoch == 0 || l.Print.Size > m.config.LargeRoom {
		putAway(m, l)
		return
	}
	stay(m, l)
}

// stay keeps l, which is in memory, for as long as there is room.
func stay(m *Partition, l *table.Definition) {
	makeRoom(m, max(0, m.config.LargeRoom-l.Print.Size))
	m.larges.Whole.Push(l)
	m.larges.Bytes += l.Print.Size
}

// storedNow notes that the bucket has what the Flush before handed out, as far as it was
// not replaced meanwhile.
func storedNow(m *Partition) {
	for _, l := range m.larges.Behind {
		if m.larges.Of[l.P] == l && l.P.Defined {
			mayLeave(m, l.P)
		}
	}
	clear(m.larges.Behind)
	m.larges.Behind = m.larges.Behind[:0]
}

// makeRoom puts away what was not used for the longest time, until the others have no more
// than so many bytes.
func makeRoom(m *Partition, bytes int) {
	for m.larges.Bytes > bytes {
		putAway(m, m.larges.Whole.Head)
	}
}

// putAway has l leave memory. What is long for other reasons than its messages and ext
// stays: it would be read back for little.
func putAway(m *Partition, l *table.Definition) {
	m.larges.Leave(l)
	p := l.P
	shared, count := p.Shared()
	d := schema.Definition{Enc: p.Enc, Raw: p.Raw, Shared: shared, SharedFrom: int(p.SharedFrom), SharedCount: count}
	lean := d.Lean(state.MaxRepeated)
	if len(lean) > len(p.Raw)/2 {
		delete(m.larges.Of, p)
		return
	}
	p.Raw, p.Away = lean, true
	m.timetable.Advance(p.Handle, nextLook(m, p)) // it is to be read ahead of its time
}

// bringBack takes in what was read of p.
func bringBack(m *Partition, p *state.Plan, raw []byte) {
	p.Raw, p.Away = raw, false
	l := m.larges.Of[p]
	l.Again, l.Late = 0, false
	stay(m, l)
}

// use notes that p's definition is in use.
func (m *Partition) use(p *state.Plan) {
	if len(p.Raw) <= m.config.Large {
		return
	}
	l := m.larges.Of[p]
	if l == nil {
		return // the bucket does not have it yet
	}
	m.larges.Arrive(l)
	if m.larges.Whole.Tail != l && (l.Prev != nil || l.Next != nil) {
		m.larges.Whole.Drop(l)
		m.larges.Whole.Push(l)
	}
}

// sameDefinition reports that raw is p's definition.
func (m *Partition) sameDefinition(p *state.Plan, raw []byte) bool {
	if p.Away {
		return m.larges.Of[p].Print.Of(raw)
	}
	return bytes.Equal(p.Raw, raw)
}

// hashOf is that of p's definition, wherever it is.
func (m *Partition) hashOf(p *state.Plan) uint64 {
	if p.Away {
		return m.larges.Of[p].Print.Hash
	}
	return event.HashOf(&m.config.Key, p.Raw)
}
