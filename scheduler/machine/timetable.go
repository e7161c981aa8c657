package machine

// A timetable is a 4-ary heap of the moments at which plans want a look, one
// entry a plan. Four children a node halve the depth of a million plans, and the
// moments lie beside the pointers, so that sifting does not visit the plans.
type timetable struct{ entries []entry }

type entry struct {
	at moment
	p  *plan
}

// next returns the earliest moment, none when nobody wants a look.
func (t *timetable) next() moment {
	if len(t.entries) == 0 {
		return 0
	}
	return t.entries[0].at
}

// first returns the plan that wants a look first.
func (t *timetable) first() *plan { return t.entries[0].p }

// set makes p want its look at the given moment; none takes it out.
func (t *timetable) set(p *plan, at moment) {
	switch {
	case p.slot < 0 && at != 0:
		t.entries = append(t.entries, entry{})
		t.up(len(t.entries)-1, entry{at, p})
	case p.slot >= 0 && at == 0:
		t.remove(int(p.slot))
	case p.slot >= 0 && t.entries[p.slot].at != at:
		t.fix(int(p.slot), entry{at, p})
	}
}

// advance makes p, which wants a look, want it no later than at the given moment.
func (t *timetable) advance(p *plan, at moment) {
	if at != 0 && at < t.entries[p.slot].at {
		t.fix(int(p.slot), entry{at, p})
	}
}

func (t *timetable) remove(i int) {
	t.entries[i].p.slot = -1
	last := len(t.entries) - 1
	moved := t.entries[last]
	t.entries[last] = entry{}
	t.entries = t.entries[:last]
	if i < last {
		t.fix(i, moved)
	}
}

func (t *timetable) fix(i int, e entry) {
	if i > 0 && e.at < t.entries[(i-1)/4].at {
		t.up(i, e)
		return
	}
	t.down(i, e)
}

func (t *timetable) up(i int, e entry) {
	for i > 0 {
		parent := (i - 1) / 4
		if t.entries[parent].at <= e.at {
			break
		}
		t.place(i, t.entries[parent])
		i = parent
	}
	t.place(i, e)
}

func (t *timetable) down(i int, e entry) {
	for {
		child := 4*i + 1
		if child >= len(t.entries) {
			break
		}
		for c := child + 1; c < min(4*i+5, len(t.entries)); c++ {
			if t.entries[c].at < t.entries[child].at {
				child = c
			}
		}
		if e.at <= t.entries[child].at {
			break
		}
		t.place(i, t.entries[child])
		i = child
	}
	t.place(i, e)
}

func (t *timetable) place(i int, e entry) {
	t.entries[i] = e
	e.p.slot = int32(i)
}
