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
	QueueStation = "queue"
	QueueCommand = "queue"
)

// A QueueTarget is the ext of a queue's plan: its key, and the target that is called with
// its items.
type QueueTarget struct {
	Key     string `json:"key"`
	Method  string `json:"method,omitempty"`
	Service string `json:"service,omitempty"`
}

// Update decides whether a push replaces the time of a queue that has one.
type Update string

const (
	UpdateOnce   Update = "once" // only that of a new queue
	UpdateAlways Update = "always"
)

// QueuePush asks queues.push.
type QueuePush struct {
	Key  string     `json:"key" wire:"numeric"`
	Task wire.Value `json:"task"`
	// Data is a map that is merged into the queue's.
	Data   wire.Value `json:"data,omitzero"`
	OnTime time.Time  `json:"ontime,omitzero"` // zero, or past: now
	Update Update     `json:"update,omitempty"`
	// AbandonAfter is how long due items wait to be claimed before the queue is thrown
	// away. 0: for ever.
	AbandonAfter Seconds `json:"abandon_after,omitempty"`
	// Where the items go at their time: Service, a URL as it is or in base64, called with
	// Method; or Station, whose workers are notified to get them; or nowhere.
	Method  string `json:"method,omitempty"`
	Service string `json:"service,omitempty"`
	Station string `json:"station,omitempty"`
}

// QueuePushed answers queues.push; Length counts the items that wait.
type QueuePushed struct {
	Key    string `json:"key"`
	Length int64  `json:"length"`
	OnTime int64  `json:"ontime,omitempty"`
}

// QueueGet asks queues.get, and queues.peek, which takes Key and Number only.
type QueueGet struct {
	Key     string   `json:"key" wire:"numeric"`
	Number  *int64   `json:"number,omitempty"`  // 1
	Timeout *Seconds `json:"timeout,omitempty"` // 60
	Random  string   `json:"random,omitempty" wire:"numeric"`
}

// QueueGot answers both: the first tasks, and the data of the queue.
type QueueGot struct {
	Key    string       `json:"key"`
	Tasks  []wire.Value `json:"tasks"`
	Data   wire.Value   `json:"data"`
	Length int64        `json:"length"`
}

// QueueComplete asks queues.complete; without Number all that is locked is completed.
type QueueComplete struct {
	Key    string `json:"key" wire:"numeric"`
	Number *int64 `json:"number,omitempty"`
	Random string `json:"random,omitempty" wire:"numeric"`
}

// QueueCompleted answers queues.complete.
type QueueCompleted struct {
	Key    string `json:"key"`
	Length int64  `json:"length"`
}

// QueueRelease asks queues.release.
type QueueRelease struct {
	Key    string    `json:"key" wire:"numeric"`
	Random string    `json:"random,omitempty" wire:"numeric"`
	OnTime time.Time `json:"ontime,omitzero"`
}

// QueueReleased answers queues.release.
type QueueReleased struct {
	Key    string `json:"key"`
	OnTime int64  `json:"ontime,omitempty"`
}

// QueueName asks queues.delete, queues.info and queues.retry.
type QueueName struct {
	Key string `json:"key" wire:"numeric"`
}

// QueueDeleted answers queues.delete.
type QueueDeleted struct {
	Key     string `json:"key"`
	Deleted int64  `json:"deleted"`
}

// A Queue is where a merge queue stands; it answers queues.info.
type Queue struct {
	Key string `json:"key"`
	// Station and PlanID are those of its plan; Method and Service the called target.
	Station string `json:"station"`
	PlanID  string `json:"plan_id"`
	Method  string `json:"method,omitempty"`
	Service string `json:"service,omitempty"`

	Length int64 `json:"length"`
	Bytes  int64 `json:"bytes"`
	// Locked counts the tasks that are handed over and not completed, Overwrite is the
	// mark under which any push sets the time.
	Locked    int64 `json:"locked,omitempty"`
	Overwrite bool  `json:"overwrite,omitempty"`

	Status Status `json:"status"`
	OnTime int64  `json:"ontime,omitempty"` // when it is handed over next; the end of the lock while it is
	// LastState is how the last hand-over ended, LastTime when one began.
	LastState State `json:"last_state,omitempty"`
	LastTime  int64 `json:"last_time,omitempty"`
}

// ListQueues asks queues.list: queues by station, then plan id. Limit is 1 to 1,000
// (100); Text is looked for in keys, in any case of ASCII letters.
type ListQueues struct {
	Station string `json:"station,omitempty"`
	Text    string `json:"text,omitempty"`
	Limit   *int64 `json:"limit,omitempty"`
	Cursor  string `json:"cursor,omitempty"`
}

// QueuePage answers queues.list; no Next on the last page.
type QueuePage struct {
	Queues []Queue `json:"queues"`
	Next   string  `json:"next,omitempty"`
}

// QueueRetried answers queues.retry.
type QueueRetried struct {
	Key   string `json:"key"`
	State Status `json:"state"`
}
