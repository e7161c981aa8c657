package schema

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Requests and responses of plans with an inbox.

const (
	// MaxItemBytes bounds one item, in the encoding that the plan speaks.
	MaxItemBytes = 256 << 10
	// MaxItems bounds the items that wait at one plan.
	MaxItems = 1_000_000
	// MaxHandedBytes bounds the items that one execution, or one claim, hands over.
	// A larger first item goes alone.
	MaxHandedBytes = 512 << 10
	// MaxInboxData bounds the data that pushes of a queue merge beside its items.
	MaxInboxData = 16 << 10
	// MaxQueueKey bounds the name of a merge queue and the key with which a claim is
	// locked.
	MaxQueueKey = 600
)

// CheckAbandonAfter returns an *[Error] of that field when a queue cannot wait that long
// to be claimed. A time that is too long to count would be none at all.
func CheckAbandonAfter(s Seconds) error {
	if s >= 0 && s <= maxSpan {
		return nil
	}
	return &Error{
		Code: CodeInvalidRequest, Field: "abandon_after",
		Message: fmt.Sprintf("abandon_after is %v; it takes 0 (never) to %d seconds", float64(s), int64(maxSpan)),
	}
}

// Retime decides when a push sets the time of its inbox. Under any Retime, the time is set
// while the overwrite mark stands: from when items are handed over until they are
// completed.
type Retime string

const (
	RetimeNew    Retime = "new"    // only when the inbox was empty
	RetimeAlways Retime = "always" // at each push
)

// A Manner is how an inbox acts when its time comes.
type Manner string

const (
	MannerDeliver Manner = ""     // an execution hands over the first items
	MannerTell    Manner = "tell" // an execution carries their number; workers claim them
	MannerHold    Manner = "hold" // nothing: workers claim when they like
)

// Push asks plans.push. Plan is the definition to make when there is no such plan.
type Push struct {
	Station  string     `json:"station"`                // the plan's station
	PlanID   string     `json:"plan_id" wire:"numeric"` // the plan's id, unique at its station
	Item     wire.Value `json:"item"`                   // any value, MaxItemBytes at most
	PlanTime time.Time  `json:"plan_time,omitzero"`     // zero, or past: now
	Retime   Retime     `json:"retime,omitempty"`       // empty: new
	// a map, as plans.create takes it; zero: without a plan, not_found
	Plan wire.Value `json:"plan,omitzero"`
}

// Pushed answers plans.push. PlanTime is when the items are handed over next, as far as
// is known; Length counts the items that wait.
type Pushed struct {
	PlanID   string    `json:"plan_id"`            // the plan's id, unique at its station
	Station  string    `json:"station"`            // the plan's station
	State    Status    `json:"state"`              // the status of the plan
	PlanTime time.Time `json:"plan_time,omitzero"` // zero: unknown
	Length   int64     `json:"length"`             // this one included
}

// InboxState is where an inbox stands, for plans.get and plans.list.
type InboxState struct {
	Key    string `json:"key,omitempty"` // the name of the queue; empty: it is no merge queue
	Length int64  `json:"length"`        // how many items wait
	Bytes  int64  `json:"bytes"`         // the size of the items, in bytes
	// Locked counts the items that are handed over and not completed, Mark is the
	// overwrite mark.
	Locked int64 `json:"locked,omitempty"`
	Mark   bool  `json:"mark,omitempty"` // true: any push sets the time
	// Notified counts the notifications of workers, each answered ok, since items were got last.
	Notified int64 `json:"notified,omitempty"`
	// Errors counts the attempts to hand over items, or to notify of them, that failed in a row.
	// LastError is the last of them.
	Errors    int64      `json:"errors,omitempty"`     // 0: none
	LastError *LastError `json:"last_error,omitempty"` // nil: none
	// For a merge queue: the target of its items, and the time until they are deleted.
	Manner       Manner  `json:"manner,omitempty"`
	AbandonAfter Seconds `json:"abandon_after,omitempty"` // seconds; 0: never
}

// CheckRetime returns an *[Error] of the request's field when r is not valid.
func CheckRetime(r Retime) error {
	switch r {
	case "", RetimeNew, RetimeAlways:
		return nil
	}
	return &Error{Code: CodeInvalidRequest, Field: "retime", Message: "retime is new (only when the inbox was empty) or always"}
}
