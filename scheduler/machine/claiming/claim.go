package claiming

import (
	"cmp"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// MaxClaims bounds the waiting claims; further ones are answered empty at once.
	MaxClaims = 10_000
	// SearchSlice bounds one search for the offers of a claim to about half a millisecond: a
	// claim that wants rare plans continues at the next Tick. An offer costs SearchVisit, and
	// the bytes of its definition if that is read.
	SearchSlice = 160 << 10
	SearchVisit = 128
	// ReadWithin is how long a claim without a wait nevertheless waits for definitions that are
	// read back.
	ReadWithin = time.Second
)

// A Claim is a request of a worker with free capacity. It is served at once if an offer suits
// it; otherwise it waits, in memory, and is lost with the leader, so that the worker asks the
// next leader again.
type Claim struct {
	From   event.Asker
	Want   command.ClaimWork
	Filter *view.Filter
	Until  unit.Moment
	Seq    uint64 // claims are served in the order in which they came

	Granted []Granted
	Size    int // bytes of the granted executions
	Read    int // offers whose definitions are read first

	// For a waiting claim. During a search After is the last offer that was examined, and
	// AfterNamed is whether it was in a named list.
	waits, Searching bool
	After            *state.Offer
	AfterNamed       bool
}

// Granted is an execution granted to a claim.
type Granted struct {
	Out *event.Outgoing
	P   *state.Plan
}

// FilterOf is the filter of a claim on plans.
func FilterOf(c *command.ClaimWork, now unit.Moment) *view.Filter {
	return view.NewFilter(&command.ListPlans{Tasks: c.Tasks, Filter: schema.ListPlans{
		Caller: c.Caller, TenantID: c.TenantID, Category: c.Category, Creator: c.Creator, Labels: c.Labels,
	}}, now)
}

// Takes reports that the claim accepts an offer.
func (cl *Claim) Takes(of *state.Offer) bool {
	worker := cl.Want.WorkerID
	switch {
	case len(cl.Granted) >= cl.Want.Limit,
		len(cl.Granted) > 0 && cl.Size+cl.SizeOf(of) > schema.MaxClaimBytes,
		len(of.Workers) > 0 && !slices.Contains(of.Workers, worker),
		of.P.Keeps(of.O, worker):
		return false
	}
	return !cl.Filter.Reads || cl.Filter.MatchesDefinition(of.P)
}

// viewFrame and executionFrame are about the bytes that a view and an execution have beside the
// definition and its repeated part.
const (
	viewFrame      = 1 << 10
	executionFrame = 512
)

// SizeOf is about the size of an execution in the response, in bytes. An execution that hands
// over items is granted alone.
func (cl *Claim) SizeOf(of *state.Offer) int {
	switch {
	case of.P.Inbox != nil:
		return schema.MaxClaimBytes
	case cl.Want.Views:
		return len(of.P.Raw) + viewFrame
	default:
		return int(of.P.SharedSize) + executionFrame
	}
}

// ByTurnOf is the order of executions in a response, the same as the order in which a claim
// finds offers.
func ByTurnOf(a, b Granted) int {
	return cmp.Or(
		cmp.Compare(b.Out.Priority, a.Out.Priority),
		compareNamed(a.Out.Named, b.Out.Named),
		a.Out.PlanTime.Compare(b.Out.PlanTime),
	)
}
