package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A turn is one event for one plan, with its immediate consequences for others (a callback: two
// plans). It can be undone until it is kept, because a turn that does not fit an append, or
// panics, may leave no trace. There are three ways back:
//
//   - A plan is saved when the turn comes to it, and restored.
//   - A change that the rest of the turn has to see is made at once, with its undo (OnUndo).
//   - Every other change is made only when the turn is kept (OnKeep): the queues, the rows
//     that the bucket lacks, the tombstones of plans that left.
//
// Facts about workers and definitions in use are not undone, because they stay true.
type undo struct {
	open   bool
	saved  []state.Saved
	count  int // of saved
	back   []func()
	keep   []func()
	totals totals
}

// totals are counts that a turn changes, by value.
type totals struct {
	executing, inboxBytes int64
	incarnation           uint64
	counts                Counts
	checksum              Checksum
	waiting, touched      int // lengths of ReplyWait.Waiting and Touched
	repliesTo             unit.Moment
}

// BeginTurn begins a turn. Turns do not nest, and an open turn without effect is replaced.
func (m *Partition) BeginTurn() {
	m.undo.forget()
	m.undo.open = true
	m.Counted = m.Counted[:0]
	m.undo.totals = totals{
		m.Executing, m.InboxBytes, m.Incarnation, m.Counts, m.Checksum, len(m.ReplyWait.Waiting), len(m.Touched), m.ReplyWait.To,
	}
}

// LeaveTurn ends a turn that panicked and cannot be undone: its changes so far stay, and its
// deferred changes are dropped.
func (m *Partition) LeaveTurn() {
	m.undo.open = false
	m.undo.forget()
}

// IsOpen reports that a turn is under way, and can be undone.
func (m *Partition) IsOpen() bool { return m.undo.open }

// Save saves p for an undo of the turn under way, if there is one. Only the first call of a
// turn has an effect.
func (m *Partition) Save(p *state.Plan) {
	u := &m.undo
	if !u.open {
		return
	}
	for i := range u.saved[:u.count] {
		if u.saved[i].Plan() == p {
			return
		}
	}
	if u.count == len(u.saved) {
		u.saved = append(u.saved, state.Saved{})
	}
	u.saved[u.count].Save(p)
	u.count++
}

// OnUndo has f called when the turn under way is undone, in reverse order. f finds all plans as
// they are at the end of the turn.
func (m *Partition) OnUndo(f func()) {
	if m.undo.open {
		m.undo.back = append(m.undo.back, f)
	}
}

// OnKeep has f called when the turn under way is kept, in the order of the calls; at once if
// there is no turn.
func (m *Partition) OnKeep(f func()) {
	if m.undo.open {
		m.undo.keep = append(m.undo.keep, f)
		return
	}
	f()
}

// UndoTurn ends the turn under way without any effect.
func (m *Partition) UndoTurn() {
	u := &m.undo
	u.open = false
	for i := len(u.back) - 1; i >= 0; i-- {
		u.back[i]()
	}
	for i := u.count - 1; i >= 0; i-- {
		u.saved[i].Restore()
	}
	was := u.totals
	m.Executing, m.InboxBytes, m.Incarnation, m.Counts = was.executing, was.inboxBytes, was.incarnation, was.counts
	m.Checksum = was.checksum
	m.ReplyWait.Waiting, m.ReplyWait.To = m.ReplyWait.Waiting[:was.waiting], was.repliesTo
	m.Touched, m.Counted = m.Touched[:was.touched], m.Counted[:0]
	u.forget()
}

// KeepTurn ends the turn under way, makes its changes final and runs the deferred ones.
func (m *Partition) KeepTurn() {
	u := &m.undo
	u.open = false
	for i := range m.Counted {
		c := &m.Counted[i]
		m.Book.Add(m.CountsOf(c.P.Station), &c.Result)
		m.Book.NoteLate(c.P.Name, &c.Result)
		if c.Worker != "" {
			m.Registry.Ended(c.Worker, c.At)
		}
	}
	clear(m.Counted)
	m.Counted = m.Counted[:0]
	for _, f := range u.keep {
		f()
	}
	u.forget()
}

func (u *undo) forget() {
	clear(u.back)
	clear(u.keep)
	u.back, u.keep, u.count = u.back[:0], u.keep[:0], 0
}
