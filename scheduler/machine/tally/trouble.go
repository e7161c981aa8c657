package tally

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Found are plans in trouble, by its kind: they stand still until a person acts, wait for a worker,
// or deliver callbacks that are not taken.
type Found struct{ Stopped, Workers, Callbacks []unit.Handle }

// troubles has for each shape the list that its plans belong in; 0: none.
var troubles = func() (of [1 << (callsFrom + 1)]uint8) {
	for i := range of {
		s := Shape(i) //nolint:gosec // 13 bits
		if s.status() > len(statuses) || s.wait() > len(waits) {
			continue
		}
		switch {
		case s.Calls() && s.Wait() == schema.WaitRetry:
			of[i] = 3
		case s.Status() == schema.StatusPlanError || s.Status() == schema.StatusPending:
			of[i] = 1
		case s.Wait() == schema.WaitWorker:
			of[i] = 2
		}
	}
	return of
}()

// Trouble finds plans in trouble in one pass over all shapes, at most so many of each kind.
func (b *Book) Trouble(most int) (f Found) {
	lists := [...]*[]unit.Handle{nil, &f.Stopped, &f.Workers, &f.Callbacks}
	for h, s := range b.shapes {
		if kind := troubles[s]; kind != 0 && len(*lists[kind]) < most {
			*lists[kind] = append(*lists[kind], unit.Handle(h)) //nolint:gosec // an index of handles
		}
	}
	return f
}

// mostLate is how many late executions are kept.
const mostLate = 20

// A Late execution is the newest one of its plan that began late because of the scheduler.
type Late struct {
	Plan schema.PlanName
	At   unit.Moment // when its result was decided
	Sent unit.Moment
	Late unit.Moment
}

// NoteLate keeps a result whose execution began more than a second late.
func (b *Book) NoteLate(plan schema.PlanName, r *Result) {
	if r.Late <= explained {
		return
	}
	b.late[b.lateAt%mostLate] = Late{plan, r.At, r.Sent, r.Late}
	b.lateAt++
}

// Latest returns the late executions that are kept, the newest first, each plan once.
func (b *Book) Latest() (all []Late) {
	for i := range min(b.lateAt, mostLate) {
		l := b.late[(b.lateAt-1-i)%mostLate]
		known := false
		for _, other := range all {
			known = known || other.Plan == l.Plan
		}
		if !known {
			all = append(all, l)
		}
	}
	return all
}
