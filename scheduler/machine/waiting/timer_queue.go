package waiting

import "github.com/stationmaster-io/stationmaster/scheduler/machine/unit"

// A TimerQueue is a 4-ary heap of the moments at which plans are due for a look, one entry a
// plan; of one moment the lowest handle comes first, so that the order does not depend on
// insertion. Four children a node halve the depth for a million plans, and neither entries nor
// places hold pointers, so that sifting visits no plan, nor does the garbage collector.
type TimerQueue struct {
	entries []entry
	places  []int32 // by handle: the index in entries plus one; 0: none
}

type entry struct {
	at unit.Moment
	h  unit.Handle
}

func (e entry) before(other entry) bool {
	return e.at < other.at || e.at == other.at && e.h < other.h
}

// Next returns the earliest moment, 0 if no plan is due for a look.
func (t *TimerQueue) Next() unit.Moment {
	if len(t.entries) == 0 {
		return 0
	}
	return t.entries[0].at
}

// First returns the plan that is due first.
func (t *TimerQueue) First() unit.Handle { return t.entries[0].h }

// At returns the moment at which a plan is due, 0 if it has none.
func (t *TimerQueue) At(h unit.Handle) unit.Moment {
	if i, ok := t.place(h); ok {
		return t.entries[i].at
	}
	return 0
}

// Set makes a plan due at the given moment; 0 removes it.
func (t *TimerQueue) Set(h unit.Handle, at unit.Moment) {
	i, there := t.place(h)
	switch {
	case !there && at != 0:
		for len(t.places) <= int(h) {
			t.places = append(t.places, 0)
		}
		t.entries = append(t.entries, entry{})
		t.up(len(t.entries)-1, entry{at, h})
	case there && at == 0:
		t.remove(i)
	case there && t.entries[i].at != at:
		t.fix(i, entry{at, h})
	}
}

func (t *TimerQueue) place(h unit.Handle) (i int, there bool) {
	if int(h) >= len(t.places) || t.places[h] == 0 {
		return 0, false
	}
	return int(t.places[h]) - 1, true
}

func (t *TimerQueue) remove(i int) {
	t.places[t.entries[i].h] = 0
	last := len(t.entries) - 1
	moved := t.entries[last]
	t.entries = t.entries[:last]
	if i < last {
		t.fix(i, moved)
	}
}

func (t *TimerQueue) fix(i int, e entry) {
	if i > 0 && e.before(t.entries[(i-1)/4]) {
		t.up(i, e)
		return
	}
	t.down(i, e)
}

func (t *TimerQueue) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(t.entries[parent]) {
			break
		}
		t.put(i, t.entries[parent])
		i = parent
	}
	t.put(i, e)
}

func (t *TimerQueue) down(i int, e entry) {
	for {
		child := 4*i + 1
		if child >= len(t.entries) {
			break
		}
		for c := child + 1; c < min(4*i+5, len(t.entries)); c++ {
			if t.entries[c].before(t.entries[child]) {
				child = c
			}
		}
		if !t.entries[child].before(e) {
			break
		}
		t.put(i, t.entries[child])
		i = child
	}
	t.put(i, e)
}

func (t *TimerQueue) put(i int, e entry) {
	t.entries[i] = e
	t.places[e.h] = int32(i) + 1
}
