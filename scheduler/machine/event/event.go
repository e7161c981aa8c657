package event

import (
	"encoding/binary"
	"time"

	"github.com/dchest/siphash"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An Event is an input of the machine. It was decoded and checked before it arrived here.
type Event interface{ event() }

// An Asker is the caller that waits for an [Answer]; the machine returns it as it is.
type Asker any

type (
	// Ask carries one command; it gets exactly one Answer. By is until when the asker waits, by
	// its clock; zero: unknown. Asked is who asks, and why. Dry: the answer is a [schema.DryRun],
	// and nothing else happens.
	Ask struct {
		From  Asker
		What  command.Command
		By    time.Time
		Asked schema.Attribution
		Dry   bool
	}

	// ReplyReceived is a worker's reply about one execution. From is nil if the worker asked for no
	// acknowledgement.
	ReplyReceived struct {
		From  Asker
		About schema.ReplyName
		Reply schema.Reply
		// Reason is set if the reply filter turned the reply into an error
		// (schema.ReasonTooLarge).
		Reason schema.Reason
		// Captured: the reply was sent while there was no leader. More such replies may follow,
		// and come before any deadline.
		Captured bool
	}

	// NoResponders is the no-responders status of NATS: the subject of an execution has no
	// subscriber, so no worker has the execution.
	NoResponders struct{ About schema.ReplyName }

	// Sent reports that an execution of a pub station was published. The incarnation is its
	// plan's, because another plan may have the name by now.
	Dispatched struct {
		Name        schema.PlanName
		Incarnation uint64
		N           int64
	}

	// Unsent reports an execution that an earlier leader created and no leader has sent.
	Unsent struct {
		Name        schema.PlanName
		Incarnation uint64
		N           int64
	}

	// Seen reports that a worker has put its record or, with Gone, that it has left, in which
	// case only its id is set. The names in it were checked.
	WorkerSeen struct {
		Worker schema.Worker
		Gone   bool
	}

	// Here reports that a worker has announced its presence at a station or, with Gone, its
	// departure. Only the id, the version and the load of Worker count. The names were checked.
	StationPresence struct {
		Worker  schema.Worker
		Station string
		Gone    bool
	}

	// Overwritten names rows of the bucket that another writer has changed.
	Overwritten struct{ Keys []string }

	// Left reports that an execution was sent, with the times until which its worker may begin
	// and end; see Outgoing.Leave. Both are zero if it could not be sent.
	Left struct {
		Name              schema.PlanName
		Incarnation       uint64
		N                 int64
		Order             uint64
		StartBy, Deadline time.Time
	}

	// RepliesRead reports that all replies sent to the leader up to a moment were stepped, and
	// that all effects of the batches up to a number were performed. It answers
	// Machine.AwaitsReplies.
	RepliesRead struct {
		To        time.Time
		Performed uint64
	}

	// Tick reports that time has passed.
	Tick struct{}

	// Flush requests at most Max rows for the bucket: those unchanged for a while or, with
	// Force, the others too, oldest first. It also confirms that the rows of the previous Flush
	// are stored.
	Flush struct {
		Max   int
		Force bool
	}
)

func (Ask) event() {}

func (ReplyReceived) event() {}

func (NoResponders) event() {}

func (Dispatched) event() {}

func (Unsent) event() {}

func (WorkerSeen) event() {}

func (StationPresence) event() {}

func (Left) event() {}

func (RepliesRead) event() {}

func (Tick) event() {}

func (Flush) event() {}

func (Overwritten) event() {}

// Fetched answers a Fetch. Raw is the definition; nil: the bucket lacks it.
type Fetched struct {
	Fetch
	Raw []byte
}

func (Fetched) event() {}

// A machine can report on its own panic. A defect, or a row that no release would write, may
// make any step panic; a leader or a follower then goes on without the cause:
//
//	request                     answered internal, and not retried
//	a plan, in its own time     Blame: plan_error, reason internal, until a person resets it
//	a plan that was blamed      SetAside: in no table of this process
//	a row, while it is replayed LeaveOut: as a row that cannot be read
//
// The machine that panicked is discarded, because its state cannot be trusted.

// Blame suspends a plan whose look made a machine panic, as plan_error does, before the next
// look at it. The occurrence that it was about to run stays, and reset goes on with it.
type Blame struct {
	Name        schema.PlanName
	Incarnation uint64
}

func (Blame) event() {}

// A Suspect is the plan that a machine was looking at when it panicked.
type Suspect struct {
	Name        schema.PlanName // zero: no plan
	Incarnation uint64
	// Asked: it was looked at for a request, which is suspected as well.
	Asked bool
	// Blamed: a Blame had suspended it already.
	Blamed bool
	// Reads: the step reads and changes nothing, so that machine and batch are as before,
	// except for the effects that it added to its batch.
	Reads bool
}

// A PlanID identifies one plan, because its name may belong to another before and after.
type PlanID struct {
	Name        schema.PlanName
	Incarnation uint64
}

// A RowID identifies a row by kind, name and hash.
type RowID struct {
	Kind RowKind
	Name schema.PlanName
	Hash uint64
}

// ID returns the identity of r. Its value is not frozen.
func (r Row) ID() RowID {
	h := siphash.Hash(0, 0, binary.BigEndian.AppendUint64(append([]byte(nil), r.Value...), uint64(r.N)))
	return RowID{r.Kind, r.Name, h}
}

// CanBeLost reports that a machine can go on without an event at which it panicked, because a
// request is answered with the incident, and the execution of a lost reply ends by its deadlines.
// For an event that comes once, such as Left, a machine would wait for ever, so it is read anew
// instead.
func CanBeLost(ev Event) bool {
	switch ev.(type) {
	case Ask, ReplyReceived, Tick:
		return true
	}
	return false
}
