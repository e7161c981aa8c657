package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// maxCrew bounds the workers that a plan keeps in its record, of all its occurrences.
const maxCrew = 300

// A crew is the workers of an occurrence that wants several (worker_count). Each has a
// place in it, with attempts, errors and lost workers of its own; who is at it now is
// among the occurrence's executions. The occurrence is settled when as many have ended
// ok as are wanted, or when one place has no retries left.
type crew struct {
	before int64    // how many attempts each place goes on from; see attemptsBefore
	done   []member // ended ok
	again  []member // ended badly: their places are claimed anew
}

// A member is a place in a crew whose execution has ended.
type member struct {
	n, attempt int64
	state      schema.State
	worker     string
	at, wait   unit.Moment // when its place may be claimed anew, and how long before that was decided
	tries
}

// muster gives o a crew once its plan wants one. What it has been through so far is that
// of its first place; a late ok of an execution of then does not settle what several are
// to do.
func (p *plan) muster(o *occurrence, before int64) {
	if o.crew != nil || p.wants() == 1 {
		return
	}
	o.crew = &crew{}
	switch {
	case o.executing():
		o.live[0].tries = o.tries
	case o.attempt > 0:
		o.crew.again = []member{{attempt: o.attempt, at: o.at, wait: o.wait, tries: o.tries}}
		o.at, o.wait = o.due, 0
	default:
		o.crew.before = before
	}
	o.lost = 0
	for i, n := range o.ended {
		o.ended[i] = -max(n, -n)
	}
}

// join gives x a place: one that is to be tried again before one that is new.
func (c *crew) join(x *execution, now unit.Moment) {
	x.attempt = c.before + 1
	if i := c.due(now); i >= 0 {
		x.attempt, x.tries = c.again[i].attempt+1, c.again[i].tries
		c.again = slices.Delete(c.again, i, i+1)
	}
}

// due returns the place that was to be tried again first, -1 if none is yet.
func (c *crew) due(now unit.Moment) int {
	first := -1
	for i, e := range c.again {
		if e.at <= now && (first < 0 || e.at < c.again[first].at) {
			first = i
		}
	}
	return first
}

// hasPlace reports that o may have one more execution, now or when its time has come.
func (p *plan) hasPlace(o *occurrence) bool {
	switch {
	case o.crew == nil && p.wants() == 1:
		return !o.executing()
	case o.taken() >= p.wantsOf(o):
		return false
	case !o.executing():
		return p.crews() < maxCrew
	default:
		// What ends all of them at once has to fit in an append, also of a large plan.
		return p.weight() < maxOpen && p.crews() < maxCrew && p.cost()+3*smallEvent+2*maxRepeated+maxSaid < mostEvent
	}
}

// wantsOf is how many workers o wants: of one of which so many were successful that an
// update wants no more, the next one settles it.
func (p *plan) wantsOf(o *occurrence) int64 {
	if o.crew == nil {
		return p.wants()
	}
	return max(p.wants(), int64(len(o.crew.done))+1)
}

const (
	// mostEvent is less than an append holds.
	mostEvent = 1000 << 10
	// costOfOther is at least what a result takes that repeats no more of the definition
	// than its name.
	costOfOther = 1536
)

// costOfCrew bounds what the end of one worker of p may add for the others that it ends.
func (p *plan) costOfCrew() int {
	most := 1
	for _, o := range p.open {
		most = max(most, len(o.live))
	}
	return (most - 1) * costOfOther
}

// taken counts the places of o in which a worker is, or was successful.
func (o *occurrence) taken() int64 {
	n := len(o.live)
	if o.crew != nil {
		n += len(o.crew.done)
	}
	return int64(n)
}

// startsAt is when o may have its next execution as far as its own time is concerned:
// where no place is new, that is when the first one is tried again.
func (p *plan) startsAt(o *occurrence) unit.Moment {
	if o.at == 0 || o.crew == nil || o.taken()+int64(len(o.crew.again)) < p.wantsOf(o) {
		return o.at
	}
	at := unit.Moment(0)
	for _, e := range o.crew.again {
		at = unit.Sooner(at, e.at)
	}
	return at
}

// weight bounds what ending all that is open of p takes: as many results as that.
func (p *plan) weight() int {
	n := 0
	for _, o := range p.open {
		n += max(1, len(o.live))
	}
	return n
}

// crews counts the workers that the record of p tells of.
func (p *plan) crews() int {
	n := 0
	for _, o := range p.open {
		n += len(o.live)
		if o.crew != nil {
			n += len(o.crew.done) + len(o.crew.again)
		}
	}
	return n
}

// keeps reports that a worker is at o, or was successful: it gets no other execution of
// it. Where an update wants no more than were successful, and an ok is all that is left
// to settle it, those may come again: there may be no others.
func (p *plan) keeps(o *occurrence, worker string) bool {
	if slices.ContainsFunc(o.live, func(x *execution) bool { return x.worker == worker }) {
		return true
	}
	return o.crew != nil && int64(len(o.crew.done)) < p.wants() && slices.ContainsFunc(o.crew.done, func(e member) bool { return e.worker == worker })
}

// countError counts an error of x where it is, and of several workers among those of all.
func (o *occurrence) countError(x *execution) {
	o.triesOf(x).errors++
	if o.crew != nil {
		o.errors++
	}
}

// triesOf is what went wrong so far where x is.
func (o *occurrence) triesOf(x *execution) *tries {
	if o.crew != nil {
		return &x.tries
	}
	return &o.tries
}

// putOff has what x was tried again after a wait, since it has ended badly.
func (o *occurrence) putOff(x *execution, ended schema.State, now, wait unit.Moment) {
	at, wait := now+wait, max(wait, noWait)
	if o.crew == nil {
		o.at, o.wait = at, wait
		return
	}
	o.crew.again = append(o.crew.again, member{
		n: x.n, attempt: x.attempt, state: ended, worker: x.worker, at: at, wait: wait, tries: x.tries,
	})
}

// done ends x with an ok, which settles its occurrence unless more workers are wanted.
// Of a plan that was closed nobody comes any more.
func (t *turn) done(p *plan, o *occurrence, x *execution, said outcome) {
	if o.crew == nil {
		t.succeed(p, o, x.n, x.attempt, said)
		return
	}
	o.crew.done = append(o.crew.done, member{n: x.n, attempt: x.attempt, state: schema.StateOK, worker: x.worker})
	if int64(len(o.crew.done)) >= p.wants() || p.closing && len(o.live) == 1 {
		t.succeed(p, o, x.n, x.attempt, said)
		return
	}
	said.state = schema.StateOK
	t.end(p, o, x, said)
}

// views shows those whose executions have ended.
func (c *crew) views() []schema.OpenExecution {
	if c == nil {
		return nil
	}
	var out []schema.OpenExecution
	for _, list := range [...][]member{c.done, c.again} {
		for _, e := range list {
			if e.n != 0 {
				out = append(out, schema.OpenExecution{N: e.n, Attempt: e.attempt, State: e.state, WorkerID: e.worker})
			}
		}
	}
	return out
}

// bound is at least what the crew takes in a row.
func (c *crew) bound() int {
	if c == nil {
		return 0
	}
	size := 32
	for _, list := range [...][]member{c.done, c.again} {
		for _, e := range list {
			size += liveBound + len(e.worker)
		}
	}
	return size
}

func (c *crew) write(w *wire.Writer) {
	w.BeginMap()
	writeInt(w, "before", c.before)
	writeMembers(w, "done", c.done)
	writeMembers(w, "again", c.again)
	w.EndMap()
}

func writeMembers(w *wire.Writer, key wire.Name, list []member) {
	if len(list) == 0 {
		return
	}
	w.Key(key)
	w.BeginList()
	for _, e := range list {
		w.BeginMap()
		writeInt(w, "n", e.n)
		writeInt(w, "attempt", e.attempt)
		writeText(w, "state", string(e.state))
		writeText(w, "worker_id", e.worker)
		writeTime(w, "at", e.at)
		writeInt(w, "wait", int64(e.wait))
		e.tries.write(w)
		w.EndMap()
	}
	w.EndList()
}

func (t *tries) write(w *wire.Writer) {
	writeInt(w, "errors", t.errors)
	writeInt(w, "lost", t.lost)
}

// crewRecord is a crew as it is read.
type crewRecord struct {
	Before int64             `json:"before"`
	Done   []executionRecord `json:"done" wire:"list"`
	Again  []executionRecord `json:"again" wire:"list"`
}

func (r *crewRecord) crew() *crew {
	if r == nil {
		return nil
	}
	return &crew{before: r.Before, done: members(r.Done), again: members(r.Again)}
}

func members(records []executionRecord) []member {
	var list []member
	for _, r := range records {
		list = append(list, member{
			n: r.N, attempt: r.Attempt, state: r.State, worker: r.Worker, at: unit.MomentOf(r.At), wait: unit.Moment(r.Wait),
			tries: tries{errors: r.Errors, lost: r.Lost},
		})
	}
	return list
}
