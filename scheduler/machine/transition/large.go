package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
	"github.com/stationmaster-io/stationmaster/schema"
)

// MayLeave notes that the bucket has p's definition, large or not. A follower keeps no large
// definition whole.
func MayLeave(m *partition.Partition, p *state.Plan) {
	if !m.IsLarge(p) {
		return
	}
	l := m.Large(p)
	if m.Epoch == 0 || l.Digest.Size > m.Config.LargeRoom {
		Evict(m, l)
		return
	}
	stay(m, l)
}

// stay keeps l, which is in memory, as long as there is room.
func stay(m *partition.Partition, l *table.Definition) {
	MakeRoom(m, max(0, m.Config.LargeRoom-l.Digest.Size))
	m.Definitions.Whole.Push(l)
	m.Definitions.Bytes += l.Digest.Size
}

// StoredNow notes that the bucket has the definitions of the previous Flush, except those
// replaced since.
func StoredNow(m *partition.Partition) {
	for _, l := range m.Definitions.Behind {
		if m.Definitions.Of[l.P] == l && l.P.Defined {
			MayLeave(m, l.P)
		}
	}
	clear(m.Definitions.Behind)
	m.Definitions.Behind = m.Definitions.Behind[:0]
}

// MakeRoom puts away the least recently used definitions until the others take at most so many
// bytes.
func MakeRoom(m *partition.Partition, bytes int) {
	for m.Definitions.Bytes > bytes {
		Evict(m, m.Definitions.Whole.Head)
	}
}

// Evict removes l from memory. A definition that is long for other reasons than its messages
// and ext stays, because reading it back would cost more than is saved.
func Evict(m *partition.Partition, l *table.Definition) {
	m.Definitions.Leave(l)
	p := l.P
	shared, count := p.Shared()
	d := schema.Definition{Enc: p.Enc, Raw: p.Raw, Shared: shared, SharedFrom: int(p.SharedFrom), SharedCount: count}
	lean := d.Lean(state.MaxRepeated)
	if len(lean) > len(p.Raw)/2 {
		delete(m.Definitions.Of, p)
		return
	}
	p.Raw, p.Evicted = lean, true
	if m.Epoch != 0 {
		m.Touched = append(m.Touched, partition.Touch{P: p}) // so that it is read ahead of its time
	}
}

// BringBack puts the fetched definition of p back into memory.
func BringBack(m *partition.Partition, p *state.Plan, raw []byte) {
	p.Raw, p.Evicted = raw, false
	l := m.Definitions.Of[p]
	l.Again, l.Late = 0, false
	stay(m, l)
}
