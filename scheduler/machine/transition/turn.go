package transition

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A Turn is one event at one moment, with the batch that takes what it leads to. Between Begin
// and Keep nothing has happened yet: what it leads to is measured at its end, and where that does
// not fit, or something panics, all of it is undone.
type Turn struct {
	*partition.Partition
	Now   unit.Moment
	Batch *batch.Batch

	changed []change
	results int // published so far
	tight   tightness
}

// A change is a plan whose state is a row when the turn is kept, or that is gone then.
type change struct {
	plan *state.Plan
	gone bool
}

// A tightness is how little a turn does, because with more it fitted into no batch.
type tightness uint8

const (
	// all that is due.
	loose tightness = iota
	// one result, and what belongs to it; the rest comes in turns of its own.
	one
	// and results of what somebody ended repeat next to nothing of the definition.
	terse
)

// Begin begins a turn.
func (t *Turn) Begin() {
	t.BeginTurn()
	t.Batch.Begin()
	t.changed, t.results = t.changed[:0], 0
}

// At notes that p is looked at from here on, and saves what it is.
func (t *Turn) At(p *state.Plan) {
	t.Partition.At(p)
	t.Save(p)
}

// GoesOn reports that the turn may do one more thing that ends with a result, of those that can
// as well be done in a turn of their own.
func (t *Turn) GoesOn() bool { return t.tight < one || t.results == 0 }

// Touch notes that p has changed, so that its state is a row, and one that the bucket lacks.
func (t *Turn) Touch(p *state.Plan) {
	if c := (change{plan: p}); !slices.Contains(t.changed, c) {
		t.changed = append(t.changed, c)
	}
}

// Keep ends the turn. Its rows are written, and if they fit, what it had to do with waits for
// what it now wants; false: they do not, and nothing has happened.
func (t *Turn) Keep() bool {
	if !t.IsOpen() {
		return true
	}
	for _, c := range t.changed {
		if !c.plan.Removed {
			t.Partition.At(c.plan)
			t.Batch.Put(c.plan)
			t.Probe("row", c.plan.Name)
		}
	}
	if !t.Batch.Fits() {
		t.Undo()
		return false
	}
	unwrite(t)
	t.KeepTurn()
	t.Batch.Keep()
	t.Settle()
	t.tight = loose
	return true
}

// unwrite notes what the bucket lacks since the turn, in the order in which it came about. Of a
// turn that did less than it could its plans are looked at once more.
func unwrite(t *Turn) {
	for _, c := range t.changed {
		switch {
		case c.gone:
			t.UnwriteGone(c.plan, t.Batch.Number)
		default:
			t.Unwrite(c.plan, t.Batch.Number, t.Now)
		}
		if t.tight != loose && !c.plan.Removed {
			t.LookAgain(c.plan)
		}
	}
}

// Undo ends the turn: nothing of it has happened.
func (t *Turn) Undo() {
	t.UndoTurn()
	t.Batch.Cut()
}

// Tighten has the turn that was undone, because it fitted into no batch, do less when it is
// begun again; false: it cannot.
func (t *Turn) Tighten() bool {
	if t.tight == terse {
		t.tight = loose
		return false
	}
	t.tight++
	return true
}
