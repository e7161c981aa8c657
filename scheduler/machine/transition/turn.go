package transition

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Turn is one event at one moment, with the batch that takes its rows and effects. Nothing is
// final between Begin and Keep: the batch is measured at the end, and if it does not fit, or a
// step panics, the whole turn is undone.
type Turn struct {
	*partition.Partition
	Now   unit.Moment
	Batch *batch.Batch
	// Asked is who asks for the change that the turn carries out, and why; zero: unknown, or no
	// user does.
	Asked schema.Attribution
	// Verb is the effect of that change on the occurrences that it ends; see [VerbOf].
	Verb string

	changed []change
	results int // published so far
	tight   tightness
}

// A change is a plan whose state becomes a row when the turn is kept, or that is gone then.
type change struct {
	plan *state.Plan
	gone bool
}

// A tightness is how much of its work a turn leaves out, because the whole fitted into no
// batch.
type tightness uint8

const (
	// all due work.
	loose tightness = iota
	// one result and its consequences; the rest comes in turns of its own.
	one
	// as one, and the results of ended executions repeat almost nothing of the definition.
	terse
)

// Renew makes t a new turn on m.
func Renew(t *Turn, m *partition.Partition, now unit.Moment, b *batch.Batch) {
	*t = Turn{Partition: m, Now: now, Batch: b, changed: t.changed[:0]}
}

// Begin begins a turn.
func (t *Turn) Begin() {
	t.BeginTurn()
	t.Batch.Begin()
	t.changed, t.results, t.Asked, t.Verb = t.changed[:0], 0, schema.Attribution{}, ""
}

// At sets p as the subject of the turn, and saves its state for an undo.
func (t *Turn) At(p *state.Plan) {
	t.Partition.At(p)
	t.Save(p)
}

// GoesOn reports that the turn may produce one more result, of those that could as well come in
// a turn of their own.
func (t *Turn) GoesOn() bool { return t.tight < one || t.results == 0 }

// Touch notes that p has changed, so that its state becomes a row, and one that the bucket
// lacks.
func (t *Turn) Touch(p *state.Plan) {
	if c := (change{plan: p}); !slices.Contains(t.changed, c) {
		t.changed = append(t.changed, c)
	}
}

// Keep ends the turn. Its rows are written, and if they fit, the queues of its plans are set;
// false if they do not fit, and then the turn is undone.
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

// unwrite notes the rows that the bucket lacks since the turn, in their order. The plans of a
// tightened turn are looked at once more, because it left work out.
func unwrite(t *Turn) {
	for _, c := range t.changed {
		switch {
		case c.gone:
			t.UnwriteGone(c.plan, t.Batch.Number)
		default:
			t.Unwrite(c.plan, t.Batch.Number, t.Now)
		}
		if t.tight != loose && !c.plan.Removed {
			t.EvaluateLater(c.plan)
		}
	}
}

// Undo ends the turn without any effect.
func (t *Turn) Undo() {
	t.UndoTurn()
	t.Batch.Cut()
}

// Tighten has a turn that was undone, because it fitted into no batch, do less when it is begun
// again; false if it already does the least.
func (t *Turn) Tighten() bool {
	if t.tight == terse {
		t.tight = loose
		return false
	}
	t.tight++
	return true
}
