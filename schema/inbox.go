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
	RetimeNew    Retime = "new" // only when the inbox was empty
	RetimeAlways Retime = "always"
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
	Station  string     `json:"station"`
	PlanID   string     `json:"plan_id" wire:"numeric"`
	Item     wire.Value `json:"item"`
	PlanTime time.Time  `json:"plan_time,omitzero"` // zero, or past: now
	Retime   Retime     `json:"retime,omitempty"`   // new
	Plan     wire.Value `json:"plan,omitzero"`
}

// Pushed answers plans.push. PlanTime is when the items are handed over next, as far as
// is known; Length counts the items that wait.
type Pushed struct {
	PlanID   string    `json:"plan_id"`
	Station  string    `json:"station"`
	State    Status    `json:"state"`
	PlanTime time.Time `json:"plan_time,omitzero"`
	Length   int64     `json:"length"`
}

// InboxTerms are a merge queue's terms of its inbox when it is made, and Data the members
// that a push merges into the queue's.
type InboxTerms struct {
	Key          string     `json:"key,omitempty"`
	Manner       Manner     `json:"manner,omitempty"`
	AbandonAfter Seconds    `json:"abandon_after,omitempty"` // 0: never
	Data         wire.Value `json:"data,omitzero"`
}

// InboxState is where an inbox stands, for plans.get and plans.list.
type InboxState struct {
	Key    string `json:"key,omitempty"`
	Length int64  `json:"length"`
	Bytes  int64  `json:"bytes"`
	// Locked counts the items that are handed over and not completed, Mark is the
	// overwrite mark.
	Locked int64 `json:"locked,omitempty"`
	Mark   bool  `json:"mark,omitempty"`
	// Of a merge queue, where its items go, and when they are thrown away.
	Manner       Manner  `json:"manner,omitempty"`
	AbandonAfter Seconds `json:"abandon_after,omitempty"`
}

// Claimed answers a ClaimItems and a LookItems: the first items and the queue's data.
type Claimed struct {
	Items  []wire.Value `json:"items"`
	Data   wire.Value   `json:"data,omitzero"`
	Length int64        `json:"length"`
	Next   int64        `json:"next,omitempty"` // of a LookItems: From, for those behind; 0: there are none
}

// InboxLeft answers CompleteItems, ReleaseItems and DropItems.
type InboxLeft struct {
	Length   int64     `json:"length"`
	PlanTime time.Time `json:"plan_time,omitzero"`
	Dropped  int64     `json:"dropped,omitempty"`
}

type (
	// PushItem answers Pushed: an item more in the inbox of a plan, which is made of
	// Definition when there is none; without one that is not_found. A Name without a
	// station is that of a merge queue, whose plan id is unique in the partition across
	// stations; Exact demands that the existing plan was made of an equal definition.
	// Restored: the item waited there before, and a plan that is made for it is taken
	// beyond its tenant's quota, because a restore loses none.
	PushItem struct {
		Name       PlanName
		Definition *Definition
		Trace      string
		Item       wire.Value
		PlanTime   time.Time
		Retime     Retime
		Exact      bool
		Restored   bool
		Terms      InboxTerms
	}

	// ClaimItems answers Claimed: the first Number items are locked with Random for
	// Timeout. With the Random that they are locked with, the same again. Nothing, and
	// no lock, when there are none.
	ClaimItems struct {
		PlanID  string
		Number  int64
		Timeout time.Duration
		Random  string
	}

	// CompleteItems answers InboxLeft: of those that are locked with Random the first
	// Number are removed, all when it is negative, and the lock ends.
	CompleteItems struct {
		PlanID string
		Number int64
		Random string
	}

	// ReleaseItems answers InboxLeft: the lock ends, all items stay, and with a
	// PlanTime that is when they are handed over next.
	ReleaseItems struct {
		PlanID   string
		Random   string
		PlanTime time.Time
	}

	// LookItems answers Claimed: the first Number items, or those from the number From
	// on, which are not locked. Without a Station it is about a merge queue, or a plan
	// of the services of pushes.
	LookItems struct {
		Station string
		PlanID  string
		Number  int64
		From    int64
	}

	// DropItems answers InboxLeft: the queue is gone with all items.
	DropItems struct{ PlanID string }
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
