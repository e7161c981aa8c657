package command

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// DefaultHanded is how many items are handed over at most when the plan's batch has no limit.
const DefaultHanded = 1000

type (
	// PushItem is answered with Pushed. It adds an item to the inbox of a plan, which is made of
	// Definition when there is none; without one that is not_found. A Name without a station is
	// that of a merge queue, whose plan id is unique in the partition across stations; Exact
	// demands that the existing plan was made of an equal definition. Restored: the item waited
	// there before, and a plan that is made for it is taken beyond its tenant's quota, because a
	// restore loses none.
	PushItem struct {
		Name       schema.PlanName    // of the plan
		Definition *schema.Definition // nil: the plan has to exist
		Trace      string             // the request's traceparent; empty: none
		Item       wire.Value         // any value
		PlanTime   time.Time          // when it is due; zero, or past: now
		Retime     schema.Retime      // empty: [schema.RetimeNew]
		Exact      bool               // false: a plan of any definition does
		Restored   bool               // false: a push of a user
		Terms      InboxTerms         // of a queue that is made; Data counts at each push
	}

	// ClaimItems is answered with Claimed. The first Number items are locked with Random for
	// Timeout. The Random that they are locked with gets the same again. Without items there is
	// no lock.
	ClaimItems struct {
		PlanID  string        // that of the merge queue
		Number  int64         // at most
		Timeout time.Duration // the lock ends then by itself
		Random  string        // the name of the lock
	}

	// CompleteItems is answered with InboxLeft. The first Number items locked with Random are
	// removed (negative: all of them), and the lock ends.
	CompleteItems struct {
		PlanID string // that of the merge queue
		Number int64  // 0: none, and the lock ends all the same
		Random string // the name of the lock
	}

	// ReleaseItems is answered with InboxLeft. The lock ends, all items stay, and with a PlanTime
	// that is when they are handed over next.
	ReleaseItems struct {
		PlanID   string    // that of the merge queue
		Random   string    // the name of the lock
		PlanTime time.Time // zero: unchanged; past: now
	}

	// ListItems is answered with Claimed, the first Number items, or those from the number
	// From on, which are not locked. Without a Station it is about a merge queue, or a plan of
	// the services of pushes.
	ListItems struct {
		Station string // the plan's; empty: a merge queue
		PlanID  string // the plan's id
		Number  int64  // at most
		From    int64  // counted among all items that the plan ever had; 0: the first that waits
	}

	// DropItems is answered with InboxLeft. The queue is gone with all items.
	DropItems struct {
		PlanID string // that of the merge queue
	}
)

func (PushItem) command()      {}
func (ClaimItems) command()    {}
func (CompleteItems) command() {}
func (ReleaseItems) command()  {}
func (ListItems) command()     {}
func (DropItems) command()     {}

// InboxTerms are a merge queue's terms of its inbox when it is made, and Data the members
// that a push merges into the queue's.
type InboxTerms struct {
	Key          string         `json:"key,omitempty"`           // the name of the queue
	Manner       schema.Manner  `json:"manner,omitempty"`        // empty: [schema.MannerDeliver]
	AbandonAfter schema.Seconds `json:"abandon_after,omitempty"` // 0: never
	Data         wire.Value     `json:"data,omitzero"`           // a map, [schema.MaxInboxData] bytes at most; zero: none
	// Record is the state that a restored queue goes on with, as plans.export gave it. It was
	// scanned, but not checked. Zero: a new one, paused as its definition says.
	Record wire.Value `json:"record,omitzero"`
}

// Claimed answers a ClaimItems and a ListItems with the first items and the queue's data.
type Claimed struct {
	Items  []wire.Value `json:"items"`          // in order; empty: none wait
	Data   wire.Value   `json:"data,omitzero"`  // the merged data of all pushes; zero: none
	Length int64        `json:"length"`         // how many wait, these included
	Next   int64        `json:"next,omitempty"` // of a ListItems: From, for those behind; 0: there are none
}

// InboxLeft answers CompleteItems, ReleaseItems and DropItems.
type InboxLeft struct {
	Length   int64     `json:"length"`             // how many items wait now
	PlanTime time.Time `json:"plan_time,omitzero"` // when they are handed over next; zero: unknown
	Dropped  int64     `json:"dropped,omitempty"`  // of a DropItems: how many items were removed
}
