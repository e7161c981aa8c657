package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
	"github.com/stationmaster-io/stationmaster/schema"
)

// MayLeave notes that the bucket has p's definition, large or not. A follower needs none of
// a large one.
func MayLeave(m *partition.Partition, p *state.Plan) {
	if !m.IsLarge(p) {
		return
	}
	l := m.Large(p)
	if m.Epoch == 0 || l.Print.Size > m.Config.LargeRoom {
		PutAway(m, l)
		return
	}
	stay(m, l)
}

// stay keeps l, which is in memory, for as long as there is room.
func stay(m *partition.Partition, l *table.Definition) {
	MakeRoom(m, max(0, m.Config.LargeRoom-l.Print.Size))
	m.Definitions.Whole.Push(l)
	m.Definitions.Bytes += l.Print.Size
}

// StoredNow notes that the bucket has what the Flush before handed out, as far as it was
// not replaced meanwhile.
func StoredNow(m *partition.Partition) {
	for _, l := range m.Definitions.Behind {
		if m.Definitions.Of[l.P] == l && l.P.Defined {
			MayLeave(m, l.P)
		}
	}
	clear(m.Definitions.Behind)
	m.Definitions.Behind = m.Definitions.Behind[:0]
}

// MakeRoom puts away what was not used for the longest time, until the others have no more
// than so many bytes.
func MakeRoom(m *partition.Partition, bytes int) {
	for m.Definitions.Bytes > bytes {
		PutAway(m, m.Definitions.Whole.Head)
	}
}

// PutAway has l leave memory. What is long for other reasons than its messages and ext
// stays: it would be read back for little.
func PutAway(m *partition.Partition, l *table.Definition) {
	m.Definitions.Leave(l)
	p := l.P
	shared, count := p.Shared()
	d := schema.Definition{Enc: p.Enc, Raw: p.Raw, Shared: shared, SharedFrom: int(p.SharedFrom), SharedCount: count}
	lean := d.Lean(state.MaxRepeated)
	if len(lean) > len(p.Raw)/2 {
		delete(m.Definitions.Of, p)
		return
	}
	p.Raw, p.Away = lean, true
	if m.Epoch != 0 {
		m.Touched = append(m.Touched, partition.Touch{P: p}) // it is to be read ahead of its time
	}
}

// BringBack takes in what was read of p.
func BringBack(m *partition.Partition, p *state.Plan, raw []byte) {
	p.Raw, p.Away = raw, false
	l := m.Definitions.Of[p]
	l.Again, l.Late = 0, false
	stay(m, l)
}
