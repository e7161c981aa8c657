package machine

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A plan is one row of the table: the user's definition, as bytes, and the
// scheduler's own state beside it. A million idle ones fit in a gigabyte, so
// what most plans lack (options, open occurrences, a place in the write-behind
// queue) hangs on a pointer.
type plan struct {
	name    schema.PlanName
	station *station

	// The definition. Of raw, sharedSize bytes from sharedFrom on are what
	// executions and results repeat, so that neither needs to decode it. Where it is
	// away they are what will be.
	raw                    []byte
	sharedFrom, sharedSize uint32
	schedule               calendar.Schedule
	opts                   *options // nil: nothing unusual

	// terms is what the station's record and the plan's own policy come to,
	// computed when the station was of generation termsOf.
	terms *schema.Terms

	state

	next   calendar.Due // the first occurrence that was not taken yet; K 0: none
	batch  uint64       // the batch that holds this row
	behind *unwritten   // its place in the write-behind queue

	handle      unit.Handle
	booked      int32 // bytes that batch reserved for this row
	termsOf     uint32
	tallied     uint32 // executions that its station counts as under way; see Machine.tally
	sharedCount uint16
	enc         wire.Encoding
	hasHeaders  bool // a caller or a description, which travel in headers too
	stored      bool // the bucket may have it
	defined     bool // the bucket has the present definition
	removed     bool
	away        bool // raw is what stays of it in memory; see large
}

// state is what the journal keeps of a plan beside its definition.
type state struct {
	incarnation uint64
	revision    uint64
	accepted    unit.Moment // grids without a start count from here
	base        int64       // occurrences counted before the present schedule began
	prev        calendar.Due
	n           int64 // the last number given to anything recorded
	realRepet   int64
	skipNum     int64
	execTime    unit.Moment
	attempt     int32 // of the newest execution
	halt        halt
	closing     bool      // no further occurrence; leaves when its executions have ended
	kept        bool      // it was said with on_conflict keep, and so perhaps again; see lately
	last        lastState // how its newest execution ended, or that it was skipped
	halted      *halted   // of a plan that is not served; nil: nothing is known
	trace       *string   // the traceparent of its publisher; nil: none
	open        []*occurrence
	skip        *calendar.Due // the last occurrence that a user wants skipped; nil: none is
	marks       *marks        // nil, as for most: none; see mark
	inbox       *inbox        // of a merge queue; nil: its schedule says when it is due
}

// traceOf is a traceparent as plans keep it: most have none.
func traceOf(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// traceparent returns that of p's publisher, empty if there was none.
func (p *plan) traceparent() string {
	if p.trace == nil {
		return ""
	}
	return *p.trace
}

// marks are what limits and failures leave behind.
type marks struct {
	// failed is the attempt of the last effective execution if that ended badly, else 0;
	// yielded says that an occurrence was skipped for it.
	failed  int64
	yielded bool
	// queued is the last of the occurrences that fell due and wait their turn, those
	// behind prev; K 0: none waits.
	queued calendar.Due
}

// marked returns p's marks.
func (p *plan) marked() marks {
	if p.marks == nil {
		return marks{}
	}
	return *p.marks
}

// mark replaces p's marks.
func (p *plan) mark(to marks) {
	p.marks = nil
	if to != (marks{}) {
		kept := to // a copy for the heap, where there is something to keep
		p.marks = &kept
	}
}

// shared is the part of the definition that executions and results repeat, as far as it is
// in memory, and how many members it has.
func (p *plan) shared() ([]byte, int) {
	if p.away {
		return schema.SharedOf(p.enc, p.raw)
	}
	return p.raw[p.sharedFrom : p.sharedFrom+p.sharedSize : p.sharedFrom+p.sharedSize], int(p.sharedCount)
}

// told is what results repeat of the definition: shared, without what is not shown.
func (p *plan) told() ([]byte, int) {
	shared, count := p.shared()
	if p.name.Station == schema.HTTPStation {
		return schema.HideShared(p.enc, shared, count)
	}
	return shared, count
}

// setRaw takes over the bytes of a checked definition.
func (p *plan) setRaw(d *schema.Definition) {
	p.raw, p.enc, p.away = d.Raw, d.Enc, false
	p.sharedFrom, p.sharedSize, p.sharedCount = uint32(d.SharedFrom), uint32(len(d.Shared)), uint16(d.SharedCount)
}

// occurrence is one that fell due and is not settled. Nearly always a plan has
// one of them, with one execution.
type occurrence struct {
	k       int64
	due     unit.Moment
	at      unit.Moment // when it is to be dispatched: due and jitter, or its retry
	wait    unit.Moment // how long before at that was decided, of a retry
	attempt int64       // of its newest execution; 0: none yet
	trigger int64       // of a run that somebody asked for, k being 0: the number of its first execution
	spent   bool        // that number was given, and the execution put back
	tries               // with a crew: the errors of all places together
	// caughtUp says that it fell due while no scheduler acted.
	caughtUp bool
	// held says that it has waited for more than its time, or was dispatched. A leader's own.
	held   bool
	live   []*execution
	items  int64   // how many of the plan's first items it hands over
	unsure bool    // they may have been taken: nobody knows what became of an execution
	crew   *crew   // of a plan that wants several workers; nil: it wanted one so far
	offer  *offer  // it waits to be claimed
	ended  []int64 // numbers of its latest executions that ended: an ok of theirs still counts
	// lastError is how an execution of it failed the last time; nil: none has.
	lastError *schema.LastError
}

// tries counts what went wrong so far.
type tries struct {
	errors int64 // errors and timeouts
	lost   int64 // workers whose pings stopped
}

// maxEnded bounds occurrence.ended, and so the row: an answer older than so many
// attempts is not waited for.
const maxEnded = 8

// execution is one dispatch that has not ended.
type execution struct {
	n, attempt int64
	state      schema.State
	sent       unit.Moment
	startBy    unit.Moment // a first word must come by then; none: no limit
	deadline   unit.Moment // the end must come by then; none: no limit
	worker     string
	lock       string  // what the claim of its items said; empty: it was no such claim
	claimed    bool    // by its worker, at a pull station
	pub        bool    // nobody is asked for a reply
	ballot     *ballot // of a vote: many are asked for one
	tries              // of its place in a crew

	// What a leader knows of the delivery and a successor learns anew: nobody
	// subscribed, so many times; next try.
	misses int
	retry  unit.Moment
	others []string // the named workers that are tried when this one is not there

	// adopted says that a leader before this one decided it, and nobody has said a word of
	// it: that one alone knew whether it was sent.
	adopted bool

	// What a leader knows of its worker: by when it must ping, none when it need not,
	// and whether it has said anything.
	pingBy unit.Moment
	heard  bool
	cut    bool // what it says once it has ended changes nothing

	// unheard is when its time was up while what was said by then was not heard, or it had
	// not left; none: it does not wait for that.
	unheard unit.Moment
	// ordered is the batch with which it leaves; untilLeft: a Left tells that it did; 0: an
	// earlier leader ordered it.
	ordered uint64
}

func (o *occurrence) executing() bool { return len(o.live) > 0 }

// remember notes that execution n of o has ended; -n is one whose ok does not count.
func (o *occurrence) remember(n int64) {
	o.ended = append(o.ended, n)
	if len(o.ended) > maxEnded {
		o.ended = o.ended[1:]
	}
}

// attemptOf returns the attempt that execution n was; attempts of an occurrence
// follow each other.
func (o *occurrence) attemptOf(n int64) int64 {
	newest := o.attempt - int64(len(o.live))
	for i, e := range o.ended {
		if e == n {
			return newest - int64(len(o.ended)-1-i)
		}
	}
	return o.attempt
}

// status is computed, never stored.
func (p *plan) status() schema.Status {
	switch {
	case p.halt != served:
		return halts[p.halt]
	case p.executing():
		return schema.StatusExecuting
	case p.retrying():
		return schema.StatusRetrying
	default:
		return schema.StatusQueued
	}
}

func (p *plan) executing() bool {
	for _, o := range p.open {
		if o.executing() {
			return true
		}
	}
	return false
}

// retrying reports that an open occurrence was tried before.
func (p *plan) retrying() bool {
	for _, o := range p.open {
		if o.attempt > 0 {
			return true
		}
	}
	return false
}

// stopped reports that an open occurrence waits for a person.
func (p *plan) stopped() bool {
	for _, o := range p.open {
		if o.stopped() {
			return true
		}
	}
	return false
}

// stopped reports that o waits for a person, though of several workers some may be at it.
func (o *occurrence) stopped() bool { return o.at == 0 }

// find returns the live execution n and its occurrence, or the occurrence alone
// when that execution has ended while the occurrence is unsettled.
func (p *plan) find(n int64) (*occurrence, *execution) {
	for _, o := range p.open {
		for _, x := range o.live {
			if x.n == n {
				return o, x
			}
		}
		if slices.Contains(o.ended, n) {
			return o, nil
		}
	}
	return nil, nil
}

// madeBy says what made o, as its executions and results do; empty: the schedule, in time.
func (o *occurrence) madeBy() string {
	switch {
	case o.trigger != 0:
		return schema.TriggerManual
	case o.caughtUp:
		return schema.TriggerCatchUp
	default:
		return ""
	}
}

// drop takes o out of the open occurrences.
func (p *plan) drop(o *occurrence) {
	for i, other := range p.open {
		if other == o {
			p.open = append(p.open[:i], p.open[i+1:]...)
			break
		}
	}
	if len(p.open) == 0 {
		p.open = nil // an idle plan keeps nothing
	}
}

// define takes over a checked definition: its bytes, its schedule and its options.
func (p *plan) define(d *schema.Definition) error {
	if err := p.derive(d); err != nil {
		return err
	}
	p.setRaw(d)
	return nil
}

// derive makes of a definition what p needs to be timed and run. The schedule counts from
// p.accepted, behind p.base occurrences.
func (p *plan) derive(d *schema.Definition) error {
	spec := calendar.SpecOf(&d.Plan)
	spec.After = p.base
	s, err := calendar.Compile(spec, p.accepted.Time())
	if err != nil {
		return err
	}
	p.schedule = s
	p.hasHeaders = d.Plan.Caller != "" || d.Plan.Description != ""
	p.opts = optionsOf(&d.Plan)
	p.terms = nil // the old definition's; see Machine.agree
	return nil
}

// standing is the answer to commands about p, as it now is.
func (p *plan) standing(now unit.Moment) schema.Standing {
	s := schema.Standing{
		PlanID: p.name.PlanID, Station: p.name.Station,
		State: p.status(), PlanTime: p.comes(now), Revision: p.revision,
	}
	if p.removed || p.isGone() {
		s.State, s.PlanTime = schema.StatusClosed, time.Time{}
	}
	return s
}
