package claiming

import (
	"cmp"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// MaxClaims bounds the claims that wait; the next find nothing at once.
	MaxClaims = 10_000
	// SearchSlice bounds one look for what a claim wants to about half a millisecond: a
	// claim that wants something rare goes on at the next Tick. An offer costs searchVisit,
	// and one whose definition is read the bytes of that, too.
	SearchSlice = 160 << 10
	SearchVisit = 128
	// ReadWithin is how long a claim that does not wait waits all the same, for
	// definitions that are read back.
	ReadWithin = time.Second
)

// A Claim is a worker that has room. It is served at once when something is there; else it
// waits, in memory, and is lost with the leader, whose successor is asked again.
type Claim struct {
	From   event.Asker
	Want   schema.ClaimWork
	Filter *view.Filter
	Until  unit.Moment
	Seq    uint64 // claims are served in the order in which they came

	Granted []Granted
	Size    int // bytes of what it got
	Read    int // offers whose definitions are read first

	// Of one that waits. While it is being searched for, after is the last offer that
	// was looked at, with named saying in which list.
	waits, Searching bool
	After            *state.Offer
	AfterNamed       bool
}

// Granted is an execution that a claim got.
type Granted struct {
	Out *event.Outgoing
	P   *state.Plan
}

// FilterOf is what a claim asks of plans.
func FilterOf(c *schema.ClaimWork, now unit.Moment) *view.Filter {
	return view.NewFilter(&schema.LookPlans{Tasks: c.Tasks, Filter: schema.ListPlans{
		Caller: c.Caller, TenantID: c.TenantID, Category: c.Category, Creator: c.Creator, Labels: c.Labels,
	}}, now)
}

// Takes reports that an offer is for this claim.
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

// viewFrame and executionFrame are about what a view and an execution have, in bytes, beside the
// definition and the part of it that executions repeat.
const (
	viewFrame      = 1 << 10
	executionFrame = 512
)

// SizeOf is about what an execution takes in the answer. Those that hand over items go
// alone.
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

// ByTurnOf is the order of answers, which is that in which a claim finds what is ready.
func ByTurnOf(a, b Granted) int {
	return cmp.Or(
		cmp.Compare(b.Out.Priority, a.Out.Priority),
		compareNamed(a.Out.Named, b.Out.Named),
		a.Out.PlanTime.Compare(b.Out.PlanTime),
	)
}
