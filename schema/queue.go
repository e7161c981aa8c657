package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Requests and answers of the services queues.* (PROTOCOL G). Times of theirs are Unix
// seconds, on the way in (where a time in RFC 3339 will do) and out.

// The built-in HTTP worker serves the queues that have a service: their plans' station and
// command.
const (
	QueueStation = "queue"
	QueueCommand = "queue"
)

// A QueueTarget is the ext of a queue's plan: its key, and what is called with its items.
type QueueTarget struct {
	Key     string `json:"key"`
	Method  string `json:"method,omitempty"`
	Service string `json:"service,omitempty"`
}

// Update says whether a push replaces the time of a queue that has one.
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
	// AbandonAfter throws the queue away when nobody takes what is due for so long. 0:
	// never.
	AbandonAfter Seconds `json:"abandon_after,omitempty"`
	// Where the items go at their time: Service, a URL as it is or in base64, called
	// with Method; or Station, whose workers are told to get them; or nowhere.
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

// QueueName asks queues.delete.
type QueueName struct {
	Key string `json:"key" wire:"numeric"`
}

// QueueDeleted answers queues.delete.
type QueueDeleted struct {
	Key     string `json:"key"`
	Deleted int64  `json:"deleted"`
}
