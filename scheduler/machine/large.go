package machine

import (
	"bytes"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
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

// larges are the large definitions that the bucket has.
type larges struct {
	of     map[*state.Plan]*large
	whole  unit.List[*large] // those that are in memory, the longest unused first
	bytes  int               // of them
	ahead  int               // of those that are read, or being read, ahead of their time
	behind []*large          // handed out by the last Flush
	// words counts what workers have said of plans whose definitions are read for it.
	words map[schema.PlanName]int
}

// large is a definition that the bucket has, in memory or away.
type large struct {
	p     *state.Plan
	print event.Digest
	asked bool        // it is being read for a look at its plan
	ahead bool        // that is ahead of its time
	late  bool        // there was no room for that: it is read when it is due
	again unit.Moment // a look may have it read from then on; none: at once
	unit.Neighbours[*large]
}

// isLarge reports that p's definition, which is in memory, need not stay there. That of an
// inbox does: it holds no messages, since its items are in their place.
func (m *Machine) isLarge(p *state.Plan) bool {
	return !p.Away && p.Inbox == nil && len(p.Raw) > m.config.Large
}

// large returns what is known of p's large definition, which is in memory.
func (m *Machine) large(p *state.Plan) *large {
	l := m.larges.of[p]
	if l == nil {
		l = &large{p: p, print: event.Digest{Key: m.config.Key, Size: len(p.Raw), Hash: event.HashOf(&m.config.Key, p.Raw)}}
		m.larges.of[p] = l
	}
	return l
}

// mayLeave notes that the bucket has p's definition, large or not. A follower needs none of
// a large one.
func (m *Machine) mayLeave(p *state.Plan) {
	if !m.isLarge(p) {
		return
	}
	l := m.large(p)
	if m.epoch == 0 || l.print.Size > m.config.LargeRoom {
		m.putAway(l)
		return
	}
	m.stay(l)
}

// stay keeps l, which is in memory, for as long as there is room.
func (m *Machine) stay(l *large) {
	m.makeRoom(max(0, m.config.LargeRoom-l.print.Size))
	m.larges.whole.Push(l)
	m.larges.bytes += l.print.Size
}

// storedNow notes that the bucket has what the Flush before handed out, as far as it was
// not replaced meanwhile.
func (m *Machine) storedNow() {
	for _, l := range m.larges.behind {
		if m.larges.of[l.p] == l && l.p.Defined {
			m.mayLeave(l.p)
		}
	}
	clear(m.larges.behind)
	m.larges.behind = m.larges.behind[:0]
}

// makeRoom puts away what was not used for the longest time, until the others have no more
// than so many bytes.
func (m *Machine) makeRoom(bytes int) {
	for m.larges.bytes > bytes {
		m.putAway(m.larges.whole.Head)
	}
}

// putAway has l leave memory. What is long for other reasons than its messages and ext
// stays: it would be read back for little.
func (m *Machine) putAway(l *large) {
	m.larges.leave(l)
	p := l.p
	shared, count := p.Shared()
	d := schema.Definition{Enc: p.Enc, Raw: p.Raw, Shared: shared, SharedFrom: int(p.SharedFrom), SharedCount: count}
	lean := d.Lean(state.MaxRepeated)
	if len(lean) > len(p.Raw)/2 {
		delete(m.larges.of, p)
		return
	}
	p.Raw, p.Away = lean, true
	m.timetable.Advance(p.Handle, m.nextLook(p)) // it is to be read ahead of its time
}

// bringBack takes in what was read of p.
func (m *Machine) bringBack(p *state.Plan, raw []byte) {
	p.Raw, p.Away = raw, false
	l := m.larges.of[p]
	l.again, l.late = 0, false
	m.stay(l)
}

// leave takes l off the list of those that are in memory, if it is there.
func (ls *larges) leave(l *large) {
	ls.arrive(l)
	if l.Prev == nil && l.Next == nil && ls.whole.Head != l {
		return
	}
	ls.whole.Drop(l)
	ls.bytes -= l.print.Size
}

// forget lets go of p's definition, which is another now, or gone.
func (ls *larges) forget(p *state.Plan) {
	if l := ls.of[p]; l != nil {
		ls.leave(l)
		delete(ls.of, p)
	}
}

// use notes that p's definition is in use.
func (m *Machine) use(p *state.Plan) {
	if len(p.Raw) <= m.config.Large {
		return
	}
	l := m.larges.of[p]
	if l == nil {
		return // the bucket does not have it yet
	}
	m.larges.arrive(l)
	if m.larges.whole.Tail != l && (l.Prev != nil || l.Next != nil) {
		m.larges.whole.Drop(l)
		m.larges.whole.Push(l)
	}
}

// arrive notes that l is no longer ahead of its time.
func (ls *larges) arrive(l *large) {
	if l.ahead {
		l.ahead = false
		ls.ahead -= l.print.Size
	}
}

// sameDefinition reports that raw is p's definition.
func (m *Machine) sameDefinition(p *state.Plan, raw []byte) bool {
	if p.Away {
		return m.larges.of[p].print.Of(raw)
	}
	return bytes.Equal(p.Raw, raw)
}

// hashOf is that of p's definition, wherever it is.
func (m *Machine) hashOf(p *state.Plan) uint64 {
	if p.Away {
		return m.larges.of[p].print.Hash
	}
	return event.HashOf(&m.config.Key, p.Raw)
}
