package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Requests and answers of the services queues.*. Times of theirs are Unix
// seconds, on the way in (where a time in RFC 3339 will do) and out.

// The built-in HTTP worker serves the queues that have a service: their plans' station and
// command.
const (
	QueueStation = "queue" // the station of the plans
	QueueCommand = "queue" // the command of the plans
)

// A QueueTarget is the ext of a queue's plan: its key, and the target that is called with
// its items.
type QueueTarget struct {
	Key     string `json:"key"`               // the name of the queue
	Method  string `json:"method,omitempty"`  // of the call; empty without Service
	Service string `json:"service,omitempty"` // a URL, called with the items; empty: none
}

// Update decides whether a push replaces the time of a queue that has one.
type Update string

const (
	UpdateOnce   Update = "once"   // only that of a new queue
	UpdateAlways Update = "always" // of any queue
)

// QueuePush asks queues.push.
type QueuePush struct {
	Key  string     `json:"key" wire:"numeric"` // the name of the queue
	Task wire.Value `json:"task"`               // the item: any value, 256 KiB at most
	// Data is a map that is merged into the queue's.
	Data   wire.Value `json:"data,omitzero"`
	OnTime time.Time  `json:"ontime,omitzero"`  // zero, or past: now
	Update Update     `json:"update,omitempty"` // empty: once
	// AbandonAfter is the wait of due items for a claim before the queue is deleted. 0: for
	// ever.
	AbandonAfter Seconds `json:"abandon_after,omitempty"`
	// The target of the items at their time: Service, a URL as it is or in base64, called with
	// Method; or Station, whose workers are notified to get them; or nowhere.
	Method  string `json:"method,omitempty"`
	Service string `json:"service,omitempty"` // empty: no call
	Station string `json:"station,omitempty"` // empty: no notice
}

// QueuePushed answers queues.push; Length counts the items that wait.
type QueuePushed struct {
	Key    string `json:"key"`              // the name of the queue
	Length int64  `json:"length"`           // how many items wait
	OnTime int64  `json:"ontime,omitempty"` // when they are handed over, in Unix seconds; 0: unknown
	// Warning is why the task may not be handed over as its publisher expects; empty: no cause is known.
	Warning string `json:"warning,omitempty"`
}

// QueueGet asks queues.get, and queues.peek, which takes Key and Number only.
type QueueGet struct {
	Key     string   `json:"key" wire:"numeric"`              // the name of the queue
	Number  *int64   `json:"number,omitempty"`                // how many of the first at most; nil: 1
	Timeout *Seconds `json:"timeout,omitempty"`               // seconds after which the lock ends by itself; nil: 60
	Random  string   `json:"random,omitempty" wire:"numeric"` // names the lock: a unique text, 600 bytes at most
}

// QueueGot answers both with the first tasks and the data of the queue.
type QueueGot struct {
	Key    string       `json:"key"`    // the name of the queue
	Tasks  []wire.Value `json:"tasks"`  // the items, in order; empty: none wait
	Data   wire.Value   `json:"data"`   // the merged data of all pushes
	Length int64        `json:"length"` // how many wait, these included
}

// QueueComplete asks queues.complete; without Number all that is locked is completed.
type QueueComplete struct {
	Key    string `json:"key" wire:"numeric"`              // the name of the queue
	Number *int64 `json:"number,omitempty"`                // how many of the first are removed; nil: all
	Random string `json:"random,omitempty" wire:"numeric"` // the name of the lock, as in queues.get
}

// QueueCompleted answers queues.complete.
type QueueCompleted struct {
	Key    string `json:"key"`    // the name of the queue
	Length int64  `json:"length"` // how many items wait
}

// QueueRelease asks queues.release.
type QueueRelease struct {
	Key    string    `json:"key" wire:"numeric"`              // the name of the queue
	Random string    `json:"random,omitempty" wire:"numeric"` // the name of the lock, as in queues.get
	OnTime time.Time `json:"ontime,omitzero"`                 // when the items are handed over next; zero: unchanged
}

// QueueReleased answers queues.release.
type QueueReleased struct {
	Key    string `json:"key"`              // the name of the queue
	OnTime int64  `json:"ontime,omitempty"` // when the items are handed over next, in Unix seconds; 0: unknown
}

// QueueName asks queues.delete, queues.info and queues.retry.
type QueueName struct {
	Key string `json:"key" wire:"numeric"` // the name of the queue
}

// QueueDeleted answers queues.delete.
type QueueDeleted struct {
	Key     string `json:"key"`               // the name of the queue
	Deleted int64  `json:"deleted"`           // how many items were in it; 0: it did not exist
	DryRun  bool   `json:"dry_run,omitempty"` // true: nothing was done, and this would be the outcome
}

// A Queue is where a merge queue stands; it answers queues.info.
type Queue struct {
	Key string `json:"key"` // the name of the queue
	// Station and PlanID are those of its plan; Method and Service the called target.
	Station string `json:"station"`
	PlanID  string `json:"plan_id"`           // the plan's id, unique at its station
	Method  string `json:"method,omitempty"`  // empty without Service
	Service string `json:"service,omitempty"` // empty: none is called

	Length int64 `json:"length"` // how many items wait
	Bytes  int64 `json:"bytes"`  // the size of the items, in bytes
	// Locked counts the tasks that are handed over and not completed, Overwrite is the
	// mark under which any push sets the time.
	Locked    int64 `json:"locked,omitempty"`
	Overwrite bool  `json:"overwrite,omitempty"` // false: the mark is not set
	// Notified counts the notifications of workers, each answered ok, since items were got last.
	Notified int64 `json:"notified,omitempty"`

	Status Status `json:"status"`           // the status of the plan
	OnTime int64  `json:"ontime,omitempty"` // when it is handed over next; the end of the lock while it is
	// LastState is how the last hand-over ended, LastTime when one began.
	LastState State `json:"last_state,omitempty"`
	LastTime  int64 `json:"last_time,omitempty"` // Unix seconds; 0: none has begun
	// Errors counts the attempts to hand over items, or to notify of them, that failed in a row.
	// LastError is the error of the last one, which ended at ErrorTime.
	Errors    int64  `json:"errors,omitempty"`     // 0: none
	LastError string `json:"last_error,omitempty"` // its beginning, 256 bytes at most
	ErrorTime int64  `json:"error_time,omitempty"` // Unix seconds; 0: none
}

// ListQueues asks queues.list: queues by station, then plan id. Limit is 1 to 1,000
// (100); Text is looked for in keys, in any case of ASCII letters.
type ListQueues struct {
	Station string `json:"station,omitempty"`             // empty: all
	Text    string `json:"text,omitempty"`                // empty: all
	Limit   int64  `json:"limit,omitempty" wire:"1-1000"` // 0: 100
	Cursor  string `json:"cursor,omitempty"`              // Next of the page before; empty: the first page
}

// QueuePage answers queues.list; no Next on the last page.
type QueuePage struct {
	Queues []Queue `json:"queues"`         // one page of queues
	Next   string  `json:"next,omitempty"` // the cursor of the next page
}

// QueueRetried answers queues.retry.
type QueueRetried struct {
	Key   string `json:"key"`   // the name of the queue
	State Status `json:"state"` // the status of the plan
}
