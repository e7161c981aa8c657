package state

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// maxCrew bounds the workers that a plan keeps in its record, of all its occurrences.
const maxSlots = 300

// A crew is the workers of an occurrence that wants several (worker_count). Each has a
// place in it, with attempts, errors and lost workers of its own; who is at it now is
// among the occurrence's executions. The occurrence is settled when as many have ended
// ok as are wanted, or when one place has no retries left.
type Slots struct {
	Before int64  // how many attempts each place goes on from; see attemptsBefore
	Done   []Slot // ended ok
	Again  []Slot // ended badly: their places are claimed anew
}

// A member is a place in a crew whose execution has ended.
type Slot struct {
	N, Attempt int64
	State      schema.State
	Worker     string
	At, Wait   unit.Moment // when its place may be claimed anew, and how long before that was decided
	Tries
}

// muster gives o a crew once its plan wants one. What it has been through so far is that
// of its first place; a late ok of an execution of then does not settle what several are
// to do.
func (p *Plan) Expand(o *Occurrence, before int64) {
	if o.Slots != nil || p.Wants() == 1 {
		return
	}
	o.Slots = &Slots{}
	switch {
	case o.Executing():
		o.Live[0].Tries = o.Tries
	case o.Attempt > 0:
		o.Slots.Again = []Slot{{Attempt: o.Attempt, At: o.At, Wait: o.Wait, Tries: o.Tries}}
		o.At, o.Wait = o.Due, 0
	default:
		o.Slots.Before = before
	}
	o.Lost = 0
	for i, n := range o.Ended {
		o.Ended[i] = -max(n, -n)
	}
}

// Join gives x a place: one that is to be tried again before one that is new.
func (c *Slots) Join(x *Execution, now unit.Moment) {
	x.Attempt = c.Before + 1
	if i := c.due(now); i >= 0 {
		x.Attempt, x.Tries = c.Again[i].Attempt+1, c.Again[i].Tries
		c.Again = slices.Delete(c.Again, i, i+1)
	}
}

// due returns the place that was to be tried again first, -1 if none is yet.
func (c *Slots) due(now unit.Moment) int {
	first := -1
	for i, e := range c.Again {
		if e.At <= now && (first < 0 || e.At < c.Again[first].At) {
			first = i
		}
	}
	return first
}

// HasPlace reports that o may have one more execution, now or when its time has come.
func (p *Plan) HasPlace(o *Occurrence) bool {
	switch {
	case o.Slots == nil && p.Wants() == 1:
		return !o.Executing()
	case o.Taken() >= p.wantsOf(o):
		return false
	case !o.Executing():
		return p.slotCount() < maxSlots
	default:
		// What ends all of them at once has to fit in an append, also of a large plan.
		return p.Weight() < MaxOpen && p.slotCount() < maxSlots && p.Cost()+3*SmallEvent+2*MaxRepeated+MaxSaid < mostEvent
	}
}

// wantsOf is how many workers o wants: of one of which so many were successful that an
// update wants no more, the next one settles it.
func (p *Plan) wantsOf(o *Occurrence) int64 {
	if o.Slots == nil {
		return p.Wants()
	}
	return max(p.Wants(), int64(len(o.Slots.Done))+1)
}

const (
	// mostEvent is less than an append holds.
	mostEvent = 1000 << 10
	// costOfOther is at least what a result takes that repeats no more of the definition
	// than its name.
	costOfOther = 1536
)

// costOfCrew bounds what the end of one worker of p may add for the others that it ends.
func (p *Plan) costOfCrew() int {
	most := 1
	for _, o := range p.Open {
		most = max(most, len(o.Live))
	}
	return (most - 1) * costOfOther
}

// Taken counts the places of o in which a worker is, or was successful.
func (o *Occurrence) Taken() int64 {
	n := len(o.Live)
	if o.Slots != nil {
		n += len(o.Slots.Done)
	}
	return int64(n)
}

// StartsAt is when o may have its next execution as far as its own time is concerned:
// where no place is new, that is when the first one is tried again.
func (p *Plan) StartsAt(o *Occurrence) unit.Moment {
	if o.At == 0 || o.Slots == nil || o.Taken()+int64(len(o.Slots.Again)) < p.wantsOf(o) {
		return o.At
	}
	at := unit.Moment(0)
	for _, e := range o.Slots.Again {
		at = unit.Sooner(at, e.At)
	}
	return at
}

// Weight bounds what ending all that is open of p takes: as many results as that.
func (p *Plan) Weight() int {
	n := 0
	for _, o := range p.Open {
		n += max(1, len(o.Live))
	}
	return n
}

// crews counts the workers that the record of p tells of.
func (p *Plan) slotCount() int {
	n := 0
	for _, o := range p.Open {
		n += len(o.Live)
		if o.Slots != nil {
			n += len(o.Slots.Done) + len(o.Slots.Again)
		}
	}
	return n
}

// Keeps reports that a worker is at o, or was successful: it gets no other execution of
// it. Where an update wants no more than were successful, and an ok is all that is left
// to settle it, those may come again: there may be no others.
func (p *Plan) Keeps(o *Occurrence, worker string) bool {
	if slices.ContainsFunc(o.Live, func(x *Execution) bool { return x.Worker == worker }) {
		return true
	}
	return o.Slots != nil && int64(len(o.Slots.Done)) < p.Wants() && slices.ContainsFunc(o.Slots.Done, func(e Slot) bool { return e.Worker == worker })
}

// CountError counts an error of x where it is, and of several workers among those of all.
func (o *Occurrence) CountError(x *Execution) {
	o.TriesOf(x).Errors++
	if o.Slots != nil {
		o.Errors++
	}
}

// TriesOf is what went wrong so far where x is.
func (o *Occurrence) TriesOf(x *Execution) *Tries {
	if o.Slots != nil {
		return &x.Tries
	}
	return &o.Tries
}

// PutOff has what x was tried again after a wait, since it has ended badly.
func (o *Occurrence) PutOff(x *Execution, ended schema.State, now, wait unit.Moment) {
	at, wait := now+wait, max(wait, NoWait)
	if o.Slots == nil {
		o.At, o.Wait = at, wait
		return
	}
	o.Slots.Again = append(o.Slots.Again, Slot{
		N: x.N, Attempt: x.Attempt, State: ended, Worker: x.Worker, At: at, Wait: wait, Tries: x.Tries,
	})
}

// views shows those whose executions have ended.
func (c *Slots) views() []schema.OpenExecution {
	if c == nil {
		return nil
	}
	var out []schema.OpenExecution
	for _, list := range [...][]Slot{c.Done, c.Again} {
		for _, e := range list {
			if e.N != 0 {
				out = append(out, schema.OpenExecution{N: e.N, Attempt: e.Attempt, State: e.State, WorkerID: e.Worker})
			}
		}
	}
	return out
}

// bound is at least what the crew takes in a row.
func (c *Slots) bound() int {
	if c == nil {
		return 0
	}
	size := 32
	for _, list := range [...][]Slot{c.Done, c.Again} {
		for _, e := range list {
			size += liveBound + len(e.Worker)
		}
	}
	return size
}

func (p *Plan) Unserved() bool {
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.Unserved() {
				return true
			}
		}
	}
	return false
}
