package event

import (
	"encoding/binary"
	"time"

	"github.com/dchest/siphash"

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

	// Unsent says that an execution was decided by an earlier leader, and that nobody has
	// sent it.
	Unsent struct {
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

func (Ask) event() {}

func (Heard) event() {}

func (Nobody) event() {}

func (Sent) event() {}

func (Unsent) event() {}

func (Seen) event() {}

func (Here) event() {}

func (Left) event() {}

func (Listened) event() {}

func (Tick) event() {}

func (Flush) event() {}

func (Overwritten) event() {}

// Fetched answers a Fetch. Raw is what was wanted; nil: the bucket does not have it.
type Fetched struct {
	Fetch
	Raw []byte
}

func (Fetched) event() {}

// What a machine can tell of its own panic. A defect, or a row that no release would
// write, may make any step panic, and a leader or a follower goes on without what did it:
//
//	request                     answered internal, and not tried again
//	a plan, in its own time     Blame: plan_error, reason internal, until a person resets it
//	a plan that was blamed      SetAside: in no table of this process
//	a row, while it is replayed LeaveOut: as a row that cannot be read
//
// The machine that panicked is thrown away, since nothing in it is known to be right.

// Blame stops a plan that made a machine panic when its own time had come, as plan_error
// does, before anything of it is looked at again. What it was about to run stays: reset
// goes on with it.
type Blame struct {
	Name        schema.PlanName
	Incarnation uint64
}

func (Blame) event() {}

// A Suspect is what a machine that panicked was looking at.
type Suspect struct {
	Name        schema.PlanName // zero: no plan
	Incarnation uint64
	// Asked says that it was looked at for a request, which is to blame as well as it is.
	Asked bool
	// Blamed says that it was stopped by a Blame already.
	Blamed bool
	// Reads says that the step reads and changes nothing: but for the effects that it
	// added to its batch, machine and batch are as they were.
	Reads bool
}

// A PlanID is one plan: its name may be another's before and after.
type PlanID struct {
	Name        schema.PlanName
	Incarnation uint64
}

// A RowID tells a row from others.
type RowID struct {
	Kind RowKind
	Name schema.PlanName
	Hash uint64
}

// ID tells r from others. It is not frozen.
func (r Row) ID() RowID {
	h := siphash.Hash(0, 0, binary.BigEndian.AppendUint64(append([]byte(nil), r.Value...), uint64(r.N)))
	return RowID{r.Kind, r.Name, h}
}
