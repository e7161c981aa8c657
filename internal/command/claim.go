package command

import (
	"cmp"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

type (
	// ClaimWork is answered with ClaimedWork, at most Limit executions that wait to be
	// claimed at pull stations of the partition, by priority, then due time. When there are none,
	// it waits up to Wait for the first to arrive.
	ClaimWork struct {
		// ID is the claim's own, for StopClaim; empty when the claim will not be stopped.
		ID       string
		WorkerID string // the worker that claims
		// Stations are those that the worker serves; none: every pull station.
		Stations []string      `wire:"set"`
		Limit    int           // 1 to [schema.MaxClaim]
		Wait     time.Duration // 0: no wait; at most [schema.MaxClaimWait]

		// Each field that is not empty must equal the plan's.
		TenantID, Category, Caller, Creator string
		Labels                              map[string]string // all must match; nil: any

		// Tasks asks for tasks alone.
		Tasks bool
		// Views asks for the plan of each execution, as it then stands and, of a task, with
		// its trace, in place of a body.
		Views bool
	}

	// StopClaim is answered with Stopped. The claim with that ID waits no longer and is answered
	// with nothing, unless it was answered already.
	StopClaim struct {
		ID string // of the claim, as its caller named it
	}

	// ReturnWork is answered with Returned. Executions that reached no worker go back to the
	// stations they were claimed from, as if they had not been claimed.
	ReturnWork struct {
		Executions []ClaimedName `wire:"list"` // those that go back
	}
)

func (ClaimWork) command()  {}
func (StopClaim) command()  {}
func (ReturnWork) command() {}

// ClaimedName names an execution that was claimed, and proves that it was.
type ClaimedName struct {
	Name  schema.PlanName // of its plan
	N     int64           // its number within the plan
	Nonce string          // 16 hex digits
}

// ClaimedWork answers ClaimWork.
type ClaimedWork struct {
	Executions []ClaimedExecution // by priority, then due time; empty: none
}

// A ClaimedExecution is one that a worker has from now on.
type ClaimedExecution struct {
	ClaimedName // the execution's
	// Occurrence and Attempt identify the execution within its plan.
	Occurrence, Attempt int64
	// Priority, Named (worker_ids name the worker) and PlanTime are the sort keys of
	// claims.
	Priority int64
	Named    bool      // worker_ids name the worker
	PlanTime time.Time // UTC; when it was due
	// Body is an [schema.Execution] in the encoding that the plan or its station speaks, and
	// Reply where the worker answers.
	Body  wire.Value
	Reply string // a subject
	// View is the plan, in place of Body, if that was asked for.
	View *PlanView
}

// Stopped answers StopClaim; false when no such claim waits.
type Stopped struct {
	Stopped bool // false: no such claim waits
}

// Returned answers ReturnWork with how many went back. The others were never claimed, or their
// worker has replied.
type Returned struct {
	Returned int // a number of executions
}

// Compare is the order of executions in the answer to a claim. It goes by priority, 9 first; at
// one priority those first that name the worker; then by due time.
func (e *ClaimedExecution) Compare(f *ClaimedExecution) int {
	switch {
	case e.Priority != f.Priority:
		return cmp.Compare(f.Priority, e.Priority)
	case e.Named != f.Named && e.Named:
		return -1
	case e.Named != f.Named:
		return 1
	default:
		return e.PlanTime.Compare(f.PlanTime)
	}
}
