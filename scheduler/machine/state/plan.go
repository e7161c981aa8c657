package state

import (
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Plan is one row of the table: the user's definition, as bytes, and the scheduler's own state
// beside it. A million idle plans fit in a gigabyte, so that fields which most plans lack
// (options, open occurrences, a place in the dirty queue) hang on a pointer.
type Plan struct {
	Name    schema.PlanName
	Station *Station

	// The definition. Executions and results repeat sharedSize bytes of Raw from sharedFrom on,
	// so that neither needs to decode it. If it is evicted, these describe the definition that
	// will be read back.
	Raw                    []byte
	SharedFrom, SharedSize uint32
	Schedule               calendar.Schedule
	Opts                   *Options // nil: nothing unusual

	// Terms are the combination of the station's record and the plan's own policy, computed when
	// the station was of generation TermsOf.
	Terms *schema.Terms

	Record

	Next  calendar.Due // the first occurrence that was not taken yet; K 0: none
	Batch uint64       // the batch that holds this row
	Dirty *DirtyRow    // its place in the dirty queue

	Handle      unit.Handle
	Row         int32 // its index in that batch
	TermsOf     uint32
	Tallied     uint16 // executions that its station counts as under way; see Partition.Tally
	Type        uint8  // of its definition, as tally.TypeOf has it; 0: unknown
	sharedCount uint8
	Enc         wire.Encoding
	HasHeaders  bool // a caller or a description, which travel in headers too
	Stored      bool // the bucket may have it
	Defined     bool // the bucket has the present definition
	Removed     bool
	Evicted     bool // the definition is evicted, and Raw is the rest of it in memory; see large
	Again       bool // the next tick visits it, even if it waits
}

// Record is the part of a plan that the journal keeps beside its definition.
type Record struct {
	Incarnation uint64
	Revision    uint64
	Accepted    unit.Moment // grids without a start count from here
	Base        int64       // occurrences counted before the present schedule began
	Prev        calendar.Due
	N           int64 // the last number given to anything recorded
	RealRepet   int64
	SkipNum     int64
	ExecTime    unit.Moment
	Attempt     int32       // of the newest execution
	Closing     bool        // no further occurrence; leaves when its executions have ended
	Kept        bool        // created with on_conflict keep, and so perhaps again; see lately
	Last        lastState   // how its newest execution ended, or that it was skipped
	Runs        Runs        // how its last ones ended, and those that were skipped
	Suspension  *Suspension // nil, as for most: it is served
	Trace       *string     // the traceparent of its publisher; nil: none
	Open        []*Occurrence
	Skip        *Skipping // until which occurrence a user wants them skipped; nil: none is
	Marks       *Marks    // nil, as for most: none; see Mark
	Inbox       *Inbox    // of a merge queue; nil: its schedule has its due times
}

// TraceOf is a traceparent as plans keep it, by a pointer, because most have none.
func TraceOf(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// Traceparent returns that of the publisher, empty if there was none.
func (r *Record) Traceparent() string {
	if r.Trace == nil {
		return ""
	}
	return *r.Trace
}

// Marks are the traces of limits, failures and of a close.
type Marks struct {
	// Failed is the attempt of the last effective execution if that ended badly, else 0; Yielded:
	// an occurrence was skipped for it.
	Failed  int64
	Yielded bool
	Ran     Ran // that execution; zero: unknown, or Failed is 0
	// Queued is the last of the due occurrences that wait their turn, those behind Prev; K 0:
	// none waits.
	Queued calendar.Due
	// Closed names the user who closed the plan; nil: it is open, or an earlier release closed it.
	Closed *Requested
}

// A Ran is an execution that has ended.
type Ran struct {
	K, N   int64        // of its occurrence, 0 of a triggered run; and its number
	State  schema.State // how it ended
	Worker string       // that had it; empty: unknown
}

// Marked returns the marks.
func (r *Record) Marked() Marks {
	if r.Marks == nil {
		return Marks{}
	}
	return *r.Marks
}

// Mark replaces the marks.
func (r *Record) Mark(to Marks) {
	r.Marks = nil
	if to != (Marks{}) {
		kept := to // a copy for the heap, where there is something to keep
		r.Marks = &kept
	}
}

// Shared is the part of the definition that executions and results repeat, as far as it is in
// memory, and how many members it has.
func (p *Plan) Shared() ([]byte, int) {
	if p.Evicted {
		return schema.SharedOf(p.Enc, p.Raw)
	}
	return p.Raw[p.SharedFrom : p.SharedFrom+p.SharedSize : p.SharedFrom+p.SharedSize], int(p.sharedCount)
}

// Repeated is the part of the definition that results repeat: the shared part without the hidden
// members.
func (p *Plan) Repeated() ([]byte, int) {
	shared, count := p.Shared()
	if p.Name.Station == schema.HTTPStation {
		return schema.HideShared(p.Enc, shared, count)
	}
	return shared, count
}

// SetRaw takes over the bytes of a checked definition.
func (p *Plan) SetRaw(d *schema.Definition) {
	p.Raw, p.Enc, p.Evicted = d.Raw, d.Enc, false
	p.SharedFrom, p.SharedSize, p.sharedCount = uint32(d.SharedFrom), uint32(len(d.Shared)), uint8(d.SharedCount)
}

// Occurrence is one that fell due and is not settled. Nearly always a plan has one of them, with
// one execution.
type Occurrence struct {
	K       int64
	Due     unit.Moment
	From    unit.Moment // when it would have been due without calendars; none: at Due
	At      unit.Moment // when it is to be dispatched: due and jitter, or its retry
	Wait    unit.Moment // the delay of a retry, from its decision until At; or of another wait, cut when the clock went back
	Attempt int64       // of its newest execution; 0: none yet
	Trigger int64       // of a run that a user triggered, K being 0: the number of its first execution
	Spent   bool        // that number was given, and the execution put back
	// CaughtUp: it fell due while no scheduler acted.
	CaughtUp bool
	// Held: it has waited for more than its time, or was dispatched. A leader's own.
	Held   bool
	Unsure bool  // its items may have been taken, because the end of an execution is unknown
	Items  int64 // how many of the plan's first items it hands over
	Slots
	Live  []*Execution
	Offer *Offer  // it waits to be claimed
	Ended []int64 // numbers of its latest ended executions, whose ok still counts
	// LastError is the latest failure of an execution of it; nil: none has failed.
	LastError *schema.LastError
	Account   *Account // where its time went; nil: it has not waited. A leader's own
	// Asked is who triggered the run; nil: the schedule made it, or it is unknown.
	Asked *schema.Attribution
}

// MaxEnded bounds Occurrence.Ended, and so the row. A reply that is more attempts late does not
// count.
const MaxEnded = 8

func (o *Occurrence) Executing() bool { return len(o.Live) > 0 }

// Remember notes that execution n of o has ended; -n is one whose ok does not count.
func (o *Occurrence) Remember(n int64) {
	o.Ended = append(o.Ended, n)
	if len(o.Ended) > MaxEnded {
		o.Ended = o.Ended[1:]
	}
}

// AttemptOf returns the attempt that execution n was, since the attempts of an occurrence follow
// each other.
func (o *Occurrence) AttemptOf(n int64) int64 {
	newest := o.Attempt - int64(len(o.Live))
	for i, e := range o.Ended {
		if e == n {
			return newest - int64(len(o.Ended)-1-i)
		}
	}
	return o.Attempt
}

// Knows reports that o has had an execution with the number n.
func (o *Occurrence) Knows(n int64) bool {
	return slices.ContainsFunc(o.Live, func(x *Execution) bool { return x.N == n }) || slices.Contains(o.Ended, n) || slices.Contains(o.Ended, -n)
}

// Live is how many executions of p have not ended.
func (p *Plan) Live() (n int64) {
	for _, o := range p.Open {
		n += int64(len(o.Live))
	}
	return n
}

// Status is computed, never stored.
func (p *Plan) Status() schema.Status {
	switch {
	case p.Suspension != nil:
		return p.Suspension.Status
	case p.Executing():
		return schema.StatusExecuting
	case p.retrying():
		return schema.StatusRetrying
	default:
		return schema.StatusQueued
	}
}

func (p *Plan) Executing() bool {
	for _, o := range p.Open {
		if o.Executing() {
			return true
		}
	}
	return false
}

// retrying reports that an open occurrence was tried before.
func (p *Plan) retrying() bool {
	for _, o := range p.Open {
		if o.Attempt > 0 {
			return true
		}
	}
	return false
}

// AwaitsPerson reports that an open occurrence waits for a person.
func (p *Plan) AwaitsPerson() bool {
	for _, o := range p.Open {
		if o.AwaitsPerson() {
			return true
		}
	}
	return false
}

// AwaitsPerson reports that o waits for a person, though of several workers some may be at it.
func (o *Occurrence) AwaitsPerson() bool { return o.At == 0 }

// Find returns the live execution n and its occurrence, or the occurrence alone when that
// execution has ended while the occurrence is unsettled.
func (p *Plan) Find(n int64) (*Occurrence, *Execution) {
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.N == n {
				return o, x
			}
		}
		if slices.Contains(o.Ended, n) {
			return o, nil
		}
	}
	return nil, nil
}

// MadeBy is the origin of o, as its executions and results state it; empty: the schedule, in
// time.
func (o *Occurrence) MadeBy() string {
	switch {
	case o.Trigger != 0:
		return schema.TriggerManual
	case o.CaughtUp:
		return schema.TriggerCatchUp
	default:
		return ""
	}
}

// drop takes o out of the open occurrences.
func (p *Plan) drop(o *Occurrence) {
	for i, other := range p.Open {
		if other == o {
			p.Open = append(p.Open[:i], p.Open[i+1:]...)
			break
		}
	}
	if len(p.Open) == 0 {
		p.Open = nil // an idle plan keeps nothing
	}
}

// Define takes over a checked definition: its bytes, its schedule and its options.
func (p *Plan) Define(d *schema.Definition, calendars *exclude.Set) error {
	if err := p.Derive(d, calendars); err != nil {
		return err
	}
	p.SetRaw(d)
	return nil
}

// Derive computes from a definition the fields that p needs to be timed and run. The schedule
// counts from p.Accepted, behind p.Base occurrences.
func (p *Plan) Derive(d *schema.Definition, calendars *exclude.Set) error {
	spec := calendar.SpecOf(&d.Plan)
	spec.After = p.Base
	s, err := calendar.Compile(spec, p.Accepted.Time())
	if err != nil {
		return err
	}
	p.Schedule = calendars.Apply(s, &d.Plan)
	p.HasHeaders = d.Plan.Caller != "" || d.Plan.Description != ""
	p.Opts, p.Type = optionsOf(&d.Plan), tally.TypeOf(d.Plan.PlanType)
	p.Terms = nil // the old definition's; see Machine.agree
	return nil
}

// ByName is the order of lists: by station, then id.
func ByName(a, b *Plan) bool {
	if a.Name.Station != b.Name.Station {
		return a.Name.Station < b.Name.Station
	}
	return a.Name.PlanID < b.Name.PlanID
}

// TooLarge refuses a definition that outgrows its bound in the station's encoding, because
// control characters are six times as long in JSON.
func (p *Plan) TooLarge() error {
	if p.Station.Record == nil {
		return nil
	}
	enc, ok := wire.ParseEncoding(p.Station.Record.Encoding)
	if !ok || enc == p.Enc {
		return nil
	}
	if size := len(wire.Trust(p.Enc, p.Raw).AppendTo(nil, enc)); size > schema.MaxDefinitionBytes {
		return &schema.Error{
			Code: schema.CodeTooLarge,
			Message: fmt.Sprintf("station %s wants %s, in which the definition has %d bytes; at most %d are taken",
				p.Name.Station, enc, size, schema.MaxDefinitionBytes),
		}
	}
	return nil
}

// Rounded refuses a definition with a number that would lose digits in the station's encoding,
// because a worker would get another number, unnoticed.
func (p *Plan) Rounded() error {
	if p.Station.Record == nil || p.Station.Record.Encoding != wire.MsgPack.String() {
		return nil
	}
	field, number := wire.Trust(p.Enc, p.Raw).Rounded()
	if number.IsZero() {
		return nil
	}
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: field,
		Message: fmt.Sprintf("%s has the number %.60s, and station %s wants MessagePack, which cannot hold all its digits: send it as a text, or let the station's encoding be json",
			field, number, p.Name.Station),
	}
}

// Tenant is the tenant that p counts for. Its members stay in memory when a large definition is
// evicted.
func (p *Plan) Tenant() schema.Tenant {
	shared, count := p.Shared()
	return schema.TenantOf(p.Enc, shared, count)
}

func (p *Plan) DeliversCallbacks() bool {
	_, calls := schema.CalledBack(p.Name.Station)
	return calls
}
