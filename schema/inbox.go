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
	// DefaultHanded is how many items are handed over at most when the plan's batch has no
	// limit.
	DefaultHanded = 1000
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

// InboxTerms are a merge queue's terms of its inbox when it is made, and Data the members
// that a push merges into the queue's.
type InboxTerms struct {
	Key          string     `json:"key,omitempty"`           // the name of the queue
	Manner       Manner     `json:"manner,omitempty"`        // empty: MannerDeliver
	AbandonAfter Seconds    `json:"abandon_after,omitempty"` // 0: never
	Data         wire.Value `json:"data,omitzero"`           // a map, MaxInboxData bytes at most; zero: none
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
	// Of a merge queue, where its items go, and when they are thrown away.
	Manner       Manner  `json:"manner,omitempty"`
	AbandonAfter Seconds `json:"abandon_after,omitempty"` // seconds; 0: never
}

// Claimed answers a ClaimItems and a LookItems: the first items and the queue's data.
type Claimed struct {
	Items  []wire.Value `json:"items"`          // in order; empty: none wait
	Data   wire.Value   `json:"data,omitzero"`  // the merged data of all pushes; zero: none
	Length int64        `json:"length"`         // how many wait, these included
	Next   int64        `json:"next,omitempty"` // of a LookItems: From, for those behind; 0: there are none
}

// InboxLeft answers CompleteItems, ReleaseItems and DropItems.
type InboxLeft struct {
	Length   int64     `json:"length"`             // how many items wait now
	PlanTime time.Time `json:"plan_time,omitzero"` // when they are handed over next; zero: unknown
	Dropped  int64     `json:"dropped,omitempty"`  // of a DropItems: how many items were removed
}

type (
	// PushItem answers Pushed: an item more in the inbox of a plan, which is made of
	// Definition when there is none; without one that is not_found. A Name without a
	// station is that of a merge queue, whose plan id is unique in the partition across
	// stations; Exact demands that the existing plan was made of an equal definition.
	// Restored: the item waited there before, and a plan that is made for it is taken
	// beyond its tenant's quota, because a restore loses none.
	PushItem struct {
		Name       PlanName    // of the plan
		Definition *Definition // nil: the plan has to exist
		Trace      string      // the request's traceparent; empty: none
		Item       wire.Value  // any value
		PlanTime   time.Time   // when it is due; zero, or past: now
		Retime     Retime      // empty: RetimeNew
		Exact      bool        // false: a plan of any definition does
		Restored   bool        // false: a push of a user
		Terms      InboxTerms  // of a queue that is made; Data counts at each push
	}

	// ClaimItems answers Claimed: the first Number items are locked with Random for
	// Timeout. With the Random that they are locked with, the same again. Nothing, and
	// no lock, when there are none.
	ClaimItems struct {
		PlanID  string        // that of the merge queue
		Number  int64         // at most
		Timeout time.Duration // the lock ends then by itself
		Random  string        // the name of the lock
	}

	// CompleteItems answers InboxLeft: of those that are locked with Random the first
	// Number are removed, all when it is negative, and the lock ends.
	CompleteItems struct {
		PlanID string // that of the merge queue
		Number int64  // 0: none, and the lock ends all the same
		Random string // the name of the lock
	}

	// ReleaseItems answers InboxLeft: the lock ends, all items stay, and with a
	// PlanTime that is when they are handed over next.
	ReleaseItems struct {
		PlanID   string    // that of the merge queue
		Random   string    // the name of the lock
		PlanTime time.Time // zero: unchanged; past: now
	}

	// LookItems answers Claimed: the first Number items, or those from the number From
	// on, which are not locked. Without a Station it is about a merge queue, or a plan
	// of the services of pushes.
	LookItems struct {
		Station string // the plan's; empty: a merge queue
		PlanID  string // the plan's id
		Number  int64  // at most
		From    int64  // counted among all items that the plan ever had; 0: the first that waits
	}

	// DropItems answers InboxLeft: the queue is gone with all items.
	DropItems struct {
		PlanID string // that of the merge queue
	}
)

func (PushItem) command()      {}
func (ClaimItems) command()    {}
func (CompleteItems) command() {}
func (ReleaseItems) command()  {}
func (LookItems) command()     {}
func (DropItems) command()     {}

// CheckRetime returns an *[Error] of the request's field when r is not valid.
func CheckRetime(r Retime) error {
	switch r {
	case "", RetimeNew, RetimeAlways:
		return nil
	}
	return &Error{Code: CodeInvalidRequest, Field: "retime", Message: "retime is new (only when the inbox was empty) or always"}
}
