package worker

import "sync"

// A table holds the executions that this worker has taken and not answered, so
// that a cancellation finds its own. Executions of one name and number are chained by
// older, because a plan's id may be used again while an execution of the closed plan still
// runs, and they differ only by the nonce, which no cancellation carries.
type table struct {
	mu   sync.Mutex
	rows map[tableKey]*Execution
	load int
}

type tableKey struct {
	station, planID string
	n               int64
}

func keyOf(x *Execution) tableKey {
	return tableKey{x.name.Station, x.name.PlanID, x.N}
}

// add reports false when the same execution is in the table already. An execution that
// wants no reply is never the same as another.
func (t *table) add(x *Execution) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	key := keyOf(x)
	if x.reply != "" {
		for other := t.rows[key]; other != nil; other = other.older {
			if other.reply == x.reply {
				return false
			}
		}
	}
	if t.rows == nil {
		t.rows = make(map[tableKey]*Execution)
	}
	x.older = t.rows[key]
	t.rows[key] = x
	t.load++
	return true
}

func (t *table) remove(x *Execution) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.load--
	key := keyOf(x)
	if first := t.rows[key]; first != x {
		for ; first.older != x; first = first.older {
		}
		first.older = x.older
		return
	}
	if x.older == nil {
		delete(t.rows, key)
		return
	}
	t.rows[key] = x.older
}

// find returns the executions of that name and number, mostly one or none.
func (t *table) find(key tableKey) (found []*Execution) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for x := t.rows[key]; x != nil; x = x.older {
		found = append(found, x)
	}
	return found
}

func (t *table) all() (all []*Execution) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.rows {
		for ; x != nil; x = x.older {
			all = append(all, x)
		}
	}
	return all
}

func (t *table) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.load
}
