package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// An Event is something that happened. It was decoded and checked at the door.
type Event interface{ event() }

// An Asker is whoever waits for an [Answer]; the machine hands it back unseen.
type Asker any

type (
	// Ask carries one command; it gets exactly one Answer.
	Ask struct {
		From Asker
		What schema.Command
	}

	// Heard is a worker's word about one execution. From is nil when the worker
	// asked for no acknowledgement.
	Heard struct {
		From  Asker
		About schema.ReplyName
		Reply schema.Reply
		// Reason is set when the door turned the reply into an error
		// (schema.ReasonTooLarge).
		Reason schema.Reason
		// Captured says that it was said while nobody led, and that more of its
		// kind may follow, which come before any deadline.
		Captured bool
	}

	// Nobody says that no one subscribes to the subject of an execution: NATS
	// proved that nobody has it.
	Nobody struct{ About schema.ReplyName }

	// Sent says that an execution of a pub station was handed to NATS. The
	// incarnation is that of its plan: another may have the name by now.
	Sent struct {
		Name        schema.PlanName
		Incarnation uint64
		N           int64
	}

	// Seen says that a worker has put its record, or with Gone that it has left, and
	// then names its id alone. The names in it were checked.
	Seen struct {
		Worker schema.Worker
		Gone   bool
	}

	// Here says that a worker has said at a station that it is there, or with Gone that it
	// leaves. Of Worker the id, the version and the load count. The names were checked.
	Here struct {
		Worker  schema.Worker
		Station string
		Gone    bool
	}

	// Overwritten names rows of the bucket that somebody else has written.
	Overwritten struct{ Keys []string }

	// Left says that an execution has left, and until when its worker was told that it may
	// begin and end; see Outgoing.Leave. Both are zero when it could not be sent.
	Left struct {
		Name              schema.PlanName
		Incarnation       uint64
		N                 int64
		Order             uint64
		StartBy, Deadline time.Time
	}

	// Listened says that all that was said to the leader up to a moment was stepped, and
	// that all effects of the batches up to a number were performed; it answers
	// Machine.Unheard.
	Listened struct {
		To        time.Time
		Performed uint64
	}

	// Tick says that time has passed.
	Tick struct{}

	// Flush asks for at most Max rows for the bucket: those that are quiet, or
	// with Force also those that are not, oldest first. It says, too, that those which
	// the Flush before handed out are stored.
	Flush struct {
		Max   int
		Force bool
	}
)

func (Ask) event()         {}
func (Heard) event()       {}
func (Nobody) event()      {}
func (Sent) event()        {}
func (Seen) event()        {}
func (Here) event()        {}
func (Left) event()        {}
func (Listened) event()    {}
func (Tick) event()        {}
func (Flush) event()       {}
func (Overwritten) event() {}
