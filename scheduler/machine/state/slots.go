package state

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// maxSlots bounds the workers that a plan keeps in its record, of all its occurrences.
const maxSlots = 300

// Slots are the places that an occurrence has for workers: nearly always one, and worker_count
// of them where a plan sets that. The worker at a place is found in the executions of the
// occurrence, which is settled when as many have ended ok as are wanted, or when one place has
// no retries left.
//
// The place of one worker needs no fields beside the occurrence's own: its attempt, and the time
// of its retry. Several is set from when a second worker is wanted until no worker has begun any
// more.
type Slots struct {
	Tries   // of the one place; of several, the errors of all of them together
	Several *Several
}

// Several are the places of several workers. Each has attempts, errors and lost workers of its
// own.
type Several struct {
	Before int64  // how many attempts each place goes on from; see admission.AttemptsBefore
	Done   []Slot // ended ok
	Again  []Slot // ended badly: their places are claimed anew
}

// A Slot is a place whose execution has ended.
type Slot struct {
	N, Attempt int64
	State      schema.State
	Worker     string
	At, Wait   unit.Moment // when it may be claimed anew, and the delay from the decision until then
	Tries
}

// Tries counts the failures so far.
type Tries struct {
	Errors int64 // errors and timeouts
	Lost   int64 // workers whose pings stopped
}

// IsShared reports that several workers were wanted, so that none settles the occurrence alone.
func (s *Slots) IsShared() bool { return s.Several != nil }

// Done are the places of several that ended ok.
func (s *Slots) Done() []Slot {
	if s.Several == nil {
		return nil
	}
	return s.Several.Done
}

// Again are the places of several that are to be tried again.
func (s *Slots) Again() []Slot {
	if s.Several == nil {
		return nil
	}
	return s.Several.Again
}

// Left yields the places whose executions have ended.
func (s *Slots) Left(yield func(*Slot) bool) {
	for _, list := range [...][]Slot{s.Done(), s.Again()} {
		for i := range list {
			if !yield(&list[i]) {
				return
			}
		}
	}
}

// Join gives x, the next execution of o, one of the wanted places: one that is to be tried again
// before a new one. before is how many attempts o goes on from.
func (o *Occurrence) Join(x *Execution, before, wanted int64, now unit.Moment) {
	x.Attempt = before + 1
	if o.Several == nil && wanted > 1 {
		o.expand(before, now)
	}
	if c := o.Several; c != nil {
		x.Attempt = c.Before + 1
		if i := c.due(now); i >= 0 {
			x.Attempt, x.Tries = c.Again[i].Attempt+1, c.Again[i].Tries
			c.Again = slices.Delete(c.Again, i, i+1)
		}
	}
}

// expand turns a single-worker occurrence into one with several places, because its plan wants
// several workers by now. Its attempts so far count for the first place. A late ok of theirs
// does not settle the occurrence any more.
func (o *Occurrence) expand(before int64, now unit.Moment) {
	o.Several = &Several{}
	switch {
	case o.Executing():
		o.Live[0].Tries = o.Tries
	case o.Attempt > 0:
		o.Several.Again = []Slot{{Attempt: o.Attempt, At: o.At, Wait: o.Wait, Tries: o.Tries}}
		o.At, o.Wait = min(o.Due, now), 0 // it fell due later by a clock that was ahead
	default:
		o.Several.Before = before
	}
	o.Lost = 0
	for i, n := range o.Ended {
		o.Ended[i] = -max(n, -n)
	}
}

// due returns the place with the earliest retry, -1 if none is due.
func (c *Several) due(now unit.Moment) int {
	first := -1
	for i, e := range c.Again {
		if e.At <= now && (first < 0 || e.At < c.Again[first].At) {
			first = i
		}
	}
	return first
}

// Leave takes x, which no worker has, out of its place, as if it had never had it.
func (o *Occurrence) Leave(x *Execution, now unit.Moment) {
	o.Live = slices.DeleteFunc(o.Live, func(other *Execution) bool { return other == x })
	c := o.Several
	switch {
	case c != nil:
		if x.Attempt > c.Before+1 || x.Tries != (Tries{}) {
			c.Again = append(c.Again, Slot{Attempt: x.Attempt - 1, At: now, Wait: NoWait, Tries: x.Tries})
		}
		if o.Taken() == 0 && len(c.Again) == 0 && len(o.Ended) == 0 {
			o.Several, o.Attempt = nil, 0 // no worker has had it yet
		}
	case len(o.Ended) == 0:
		o.Attempt = 0
	default:
		o.Attempt--
	}
}

// Succeed notes that x, which is still at its place, has ended ok, and reports whether that
// settles o: because as many are by now as are wanted, or because x was the last one and no
// other worker comes.
func (o *Occurrence) Succeed(x *Execution, wanted int64, noWorkerComes bool) bool {
	c := o.Several
	if c == nil {
		return true
	}
	c.Done = append(c.Done, Slot{N: x.N, Attempt: x.Attempt, State: schema.StateOK, Worker: x.Worker})
	return int64(len(c.Done)) >= wanted || noWorkerComes && len(o.Live) == 1
}

// HasPlace reports that o may have one more execution, now or when its time has come.
func (p *Plan) HasPlace(o *Occurrence) bool {
	switch {
	case !o.IsShared() && p.Wants() == 1:
		return !o.Executing()
	case o.Taken() >= p.wantsOf(o):
		return false
	case !o.Executing():
		return p.slotCount() < maxSlots
	default:
		// The end of all of them at once has to fit in an append.
		return p.Weight() < MaxOpen && p.slotCount() < maxSlots
	}
}

// wantsOf is the number of workers that o wants. After an update that wants no more than
// were successful already, the next one settles it.
func (p *Plan) wantsOf(o *Occurrence) int64 { return max(p.Wants(), int64(len(o.Done()))+1) }

// Taken counts the places of o in which a worker is, or was successful.
func (o *Occurrence) Taken() int64 { return int64(len(o.Live) + len(o.Done())) }

// StartsAt is when o may have its next execution as far as its own time is concerned: where no
// place is new, that is the time of the first retry.
func (p *Plan) StartsAt(o *Occurrence) unit.Moment {
	if o.At == 0 || !o.IsShared() || o.Taken()+int64(len(o.Again())) < p.wantsOf(o) {
		return o.At
	}
	return o.NextTry()
}

// NextTry is the time of the first retry of a place; 0: there is none, or it awaits a person.
func (o *Occurrence) NextTry() unit.Moment {
	if o.retries() {
		return o.At // 0 when it awaits a person
	}
	at := unit.Moment(0)
	for _, e := range o.Again() {
		at = unit.Sooner(at, e.At)
	}
	return at
}

// Weight bounds the results that the end of all open occurrences of p takes.
func (p *Plan) Weight() int {
	n := 0
	for _, o := range p.Open {
		n += max(1, len(o.Live))
	}
	return n
}

// slotCount counts the workers in the record of p.
func (p *Plan) slotCount() int {
	n := 0
	for _, o := range p.Open {
		n += len(o.Live) + len(o.Done()) + len(o.Again())
	}
	return n
}

// Keeps reports that a worker is at o, or was successful, so that it gets no other execution of
// it. After an update that wants no more than were successful, when only one more ok is missing
// to settle it, those may come again, because there may be no other workers.
func (p *Plan) Keeps(o *Occurrence, worker string) bool {
	if slices.ContainsFunc(o.Live, func(x *Execution) bool { return x.Worker == worker }) {
		return true
	}
	return int64(len(o.Done())) < p.Wants() && slices.ContainsFunc(o.Done(), func(e Slot) bool { return e.Worker == worker })
}

// CountError counts an error of x at its place, and of several workers among those of all.
func (o *Occurrence) CountError(x *Execution) {
	o.TriesOf(x).Errors++
	if o.IsShared() {
		o.Errors++
	}
}

// TriesOf are the failures so far of the place of x.
func (o *Occurrence) TriesOf(x *Execution) *Tries {
	if o.IsShared() {
		return &x.Tries
	}
	return &o.Tries
}

// LostWorkers counts those of o whose pings stopped, at all its places.
func (o *Occurrence) LostWorkers() int64 {
	n := o.Lost
	for _, x := range o.Live {
		n += x.Lost
	}
	for _, e := range o.Again() {
		n += e.Lost
	}
	return n
}

// PutOff has the place of x, which has ended badly, tried again after a wait.
func (o *Occurrence) PutOff(x *Execution, ended schema.State, now, wait unit.Moment) {
	at, wait := now+wait, max(wait, NoWait)
	c := o.Several
	if c == nil {
		o.At, o.Wait = at, wait
		return
	}
	c.Again = append(c.Again, Slot{
		N: x.N, Attempt: x.Attempt, State: ended, Worker: x.Worker, At: at, Wait: wait, Tries: x.Tries,
	})
}

// Vacate has the place of x claimed anew at once, by other workers. That of a single worker has
// the time of its occurrence, which has come.
func (o *Occurrence) Vacate(x *Execution, ended schema.State, now unit.Moment) {
	if o.IsShared() {
		o.PutOff(x, ended, now, 0)
	}
}

func (p *Plan) Undelivered() bool {
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.Undelivered() {
				return true
			}
		}
	}
	return false
}
