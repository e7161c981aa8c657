package sim

// resultModel holds the results to be stored, those that subscribers have received, and those of
// users' commands. Its promise: each is stored once, in the order of the journal, and none before a
// subscriber could receive it.
type resultModel struct {
	w      *world
	rows   []resultID        // in the order of the journal
	put    int               // of them, how many are stored
	known  map[resultID]bool // that were received, and are not stored
	byHand map[execID]bool   // of users' commands
}

func newResultModel(w *world) *resultModel {
	return &resultModel{w: w, known: map[resultID]bool{}, byHand: map[execID]bool{}}
}

// received notes that the subscribers to results have received one.
func (b *resultModel) received(id resultID) { b.known[id] = true }

// stored checks a result as it is stored: each once, in the order of the journal, and none that no
// subscriber could receive.
func (b *resultModel) stored(id resultID) {
	if b.put >= len(b.rows) {
		b.w.fail("%s: result %d is stored, and none is to come", id.name, id.n)
	}
	if want := b.rows[b.put]; want != id {
		b.w.fail("%s: result %d is stored where result %d of %s belongs", id.name, id.n, want.n, want.name)
	}
	if !b.known[id] {
		b.w.fail("%s: result %d is stored, and no subscriber could receive it", id.name, id.n)
	}
	delete(b.known, id)
	b.put++
}

// missing is how many are still to be stored.
func (b *resultModel) missing() int { return len(b.rows) - b.put }
