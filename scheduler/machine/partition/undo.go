package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// A turn is one event that happens to one plan, with what follows for others at once (a
// callback: two plans). Until it is kept, it can be undone, because what does not fit an append
// and what panics may leave no trace. Three ways lead back:
//
//   - A plan is saved when the turn comes to it, and restored.
//   - What is done to the table at once, because the rest of the turn has to see it, says how it
//     is undone (OnUndo).
//   - All else is done only when the turn is kept (OnKeep): the queues, the rows that the bucket
//     lacks, what is remembered of a plan that left.
//
// Not undone are what a turn learns of workers and of definitions that it had in use: both stay
// true.
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
	waiting, touched      int // lengths of Hearing.Waiting and Touched
}

// BeginTurn begins a turn, in the place of one in which nothing has happened: turns do not nest.
func (m *Partition) BeginTurn() {
	m.undo.forget()
	m.undo.open = true
	m.undo.totals = totals{
		m.Executing, m.InboxBytes, m.Incarnation, m.Counts, len(m.Hearing.Waiting), len(m.Touched),
	}
}

// LeaveTurn ends a turn at which something panicked and that was not undone: what it has changed
// so far stays, and nothing else of it is done.
func (m *Partition) LeaveTurn() {
	m.undo.open = false
	m.undo.forget()
}

// IsOpen reports that a turn is under way, and can be undone.
func (m *Partition) IsOpen() bool { return m.undo.open }

// Save has the turn under way, if there is one, give p back as it is now when it is undone. Only
// the first call of a turn does anything.
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

// OnUndo has f called when the turn under way is undone, the last one first. f finds all plans
// as they are at the end of the turn.
func (m *Partition) OnUndo(f func()) {
	if m.undo.open {
		m.undo.back = append(m.undo.back, f)
	}
}

// OnKeep has f called when the turn under way is kept, in the order of the calls; at once where
// there is no turn.
func (m *Partition) OnKeep(f func()) {
	if m.undo.open {
		m.undo.keep = append(m.undo.keep, f)
		return
	}
	f()
}

// UndoTurn ends the turn under way: nothing of it has happened.
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
	m.Hearing.Waiting = m.Hearing.Waiting[:was.waiting]
	m.Touched = m.Touched[:was.touched]
	u.forget()
}

// KeepTurn ends the turn under way: it has happened. What was left to be done then is done.
func (m *Partition) KeepTurn() {
	u := &m.undo
	u.open = false
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
