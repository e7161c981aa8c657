package schema

// Kind selects how an execution reaches the workers of a station.
type Kind string

const (
	KindAPI  Kind = "api"  // one member of the queue group
	KindVote Kind = "vote" // every member; votes are counted
	KindPub  Kind = "pub"  // fan-out, done once published
	KindPull Kind = "pull" // workers claim it when they have room
)

// A Station is the record behind stations.put. A station that was never put is of kind api
// with the defaults.
type Station struct {
	Station     string `json:"station,omitempty"`     // words of A-Z a-z 0-9 _ - joined by dots
	Kind        Kind   `json:"kind,omitempty"`        // empty: KindAPI
	Description string `json:"description,omitempty"` // for people; empty: none
	// Encoding forces the encoding of this station's executions: "json" or "msgpack";
	// absent, each plan has its publisher's.
	Encoding string `json:"encoding,omitempty"`

	Policy // the defaults of its plans

	// Callback configures the calls that report how the occurrences of its plans ended.
	Callback *Callback `json:"callback,omitempty"`

	// TaskType is the record of which task_types.put made the station; nil: it is a plain
	// one, whose plans are no tasks.
	TaskType *TaskType `json:"task_type,omitempty"`

	// Revision grows with each put. In stations.put it is the one that is to be replaced; 0: any.
	Revision uint64 `json:"revision,omitempty"`
}

// IsBuiltIn reports that the program itself works at a station. There is no room there for
// workers of others.
func IsBuiltIn(station string) bool {
	_, delivers := CalledBack(station)
	return delivers || station == HTTPStation || station == QueueStation
}
