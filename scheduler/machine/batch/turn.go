package batch

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// A turn adds its rows and effects to a batch, followed by the states of the plans that it has
// changed ([Batch.Put]). If they do not fit, they are cut off again, so that the rows of one
// event are never split over two appends.

// A mark is the position in the batch at which the turn under way began.
type mark struct {
	effects, body, rows, states, waste, results, items, size int
	affirmed                                                 *state.Plan
}

// A replaced is a row of an earlier turn as it was before the turn under way rewrote or dropped
// it.
type replaced struct {
	at  int
	was row
}

// Begin begins a turn.
func (b *Batch) Begin() {
	b.turn = mark{
		len(b.Effects), len(b.body), len(b.rows), len(b.states), b.waste, b.Results, b.Items, b.Size(), b.affirmed,
	}
	b.replaced = b.replaced[:0]
}

// Put makes the state of p a row, replacing an earlier one.
func (b *Batch) Put(p *state.Plan) {
	from := len(b.states)
	b.states = b.appendState(b.states, p)
	now := row{plan: p, from: from, size: len(b.states) - from}
	if p.Batch != b.Number {
		p.Batch, p.Row = b.Number, int32(len(b.rows)) //nolint:gosec // a batch has a megabyte
		b.rows = append(b.rows, now)
		return
	}
	b.replace(int(p.Row), now)
}

// Drop removes the row of p, which is gone.
func (b *Batch) Drop(p *state.Plan) {
	if p.Batch == b.Number && int(p.Row) < len(b.rows) && b.rows[p.Row].plan == p {
		b.replace(int(p.Row), row{plan: p})
	}
}

func (b *Batch) replace(at int, now row) {
	b.replaced = append(b.replaced, replaced{at, b.rows[at]})
	b.waste += b.rows[at].size
	b.rows[at] = now
}

// Fits reports that the turn under way fits in addition to the earlier ones.
func (b *Batch) Fits() bool {
	size := b.Size()
	if b.affirmed != nil && len(b.body)+len(b.rows) == 0 {
		size = len(b.appendState(b.states, b.affirmed)) - len(b.states)
	}
	return size <= b.capacity && (b.turn.size == 0 || size <= b.capacity-b.left)
}

// Cut ends the turn under way and removes all its additions.
func (b *Batch) Cut() {
	m := b.turn
	clear(b.Effects[m.effects:])
	b.Effects = b.Effects[:m.effects]
	b.body, b.states = b.body[:m.body], b.states[:m.states]
	for _, r := range slices.Backward(b.replaced) {
		b.rows[r.at] = r.was
	}
	clear(b.rows[m.rows:])
	b.rows = b.rows[:m.rows]
	b.waste, b.Results, b.Items, b.affirmed = m.waste, m.results, m.items, m.affirmed
}

// mostWaste is how many unused bytes of states are allowed for each used one.
const mostWaste = 4

// Keep ends the turn under way, which becomes part of the batch.
func (b *Batch) Keep() {
	if b.waste <= b.capacity || b.waste <= mostWaste*b.Size() {
		return
	}
	kept := make([]byte, 0, len(b.states)-b.waste)
	for i, r := range b.rows {
		b.rows[i].from = len(kept)
		kept = append(kept, b.states[r.from:r.from+r.size]...)
	}
	b.states, b.waste = kept, 0
}
