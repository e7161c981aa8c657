package event

import (
	"math"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Outgoing is an execution as it is to be published. Shared is the part of the
// definition that it repeats.
type Outgoing struct {
	Name        schema.PlanName
	Enc         wire.Encoding
	Shared      []byte
	SharedCount int
	HasHeaders  bool // a caller or a description are among Shared

	N, Occurrence, Attempt int64
	Trigger                int64  // of a triggered run: the number of its first execution
	MadeBy                 string // as Plan-Trigger says; empty: the schedule, in time
	Incarnation            uint64
	Nonce                  Nonce
	Epoch                  int64
	PlanTime               time.Time
	// Expected is when it was to be dispatched; zero when it waited for more than that.
	Expected          time.Time
	Deadline, StartBy time.Time
	// Sent is when it was ordered, with the batch of that number; with Within its worker has
	// so long to say something, 0 for no limit.
	Sent     time.Time
	Within   time.Duration
	Order    uint64
	Priority int64
	// Force names the encoding that the station wants, whatever the plan speaks.
	Force string
	Trace string
	// To names the one worker that it goes to; empty: the workers of the station.
	To string
	// Named says that worker_ids reserve it for the worker that claimed it.
	Named bool
	// Pub asks for a Sent event once it is published, since nobody will reply.
	Pub bool
	// Vote says that all workers are asked, and their votes counted.
	Vote bool
	// Of a plan with an inbox: the numbers of the items that it hands over, Items of
	// them from FirstItem on; or, as messages, what workers are told of those that
	// they may claim.
	FirstItem, Items int64
	Told             wire.Value
}

// What a leader orders leaves when it is durable, and an append may take seconds. The time
// that a worker has counts from when its execution leaves: one that was late is told later
// times, and its row follows. Until it has left it does not time out (hearing.go).

// UntilLeft is an order that no batch has: what is done with it is told by a Left.
const UntilLeft = math.MaxUint64

// A tenth of the time that a worker has may pass before what it gets leaves. More is told,
// and costs a row.
const tardy = 10

// Leave is to be called as x leaves, before anything of it is written: where that is so late
// that it takes from the time of its worker, the times which x tells are put off by as much.
// The machine wants to hear of it when tell is true, from whoever steps it, before it is told
// that the batch was performed.
func (x *Outgoing) Leave(now time.Time) (left Left, tell bool) {
	left = x.NotSent()
	if late := now.Sub(x.Sent).Truncate(time.Microsecond); x.Within > 0 && late > x.Within/tardy {
		x.StartBy, x.Deadline = later(x.StartBy, late), later(x.Deadline, late)
		tell = true
	}
	left.StartBy, left.Deadline = x.StartBy, x.Deadline
	return left, tell || x.Order == UntilLeft
}

// NotSent is what the machine is to hear of x when it does not leave.
func (x *Outgoing) NotSent() Left {
	return Left{Name: x.Name, Incarnation: x.Incarnation, N: x.N, Order: x.Order}
}

// later is a time that is put off; none stays none.
func later(t time.Time, by time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(by)
}

// A Nonce is 64 bits that nobody without the installation's key can guess: what
// lets a worker answer for one execution and no other. On the wire it is 16 hex
// digits.
type Nonce [8]byte

// AppendHex appends the 16 hex digits of n.
func (n Nonce) AppendHex(dst []byte) []byte {
	const digits = "0123456789abcdef"
	for _, c := range n {
		dst = append(dst, digits[c>>4], digits[c&15])
	}
	return dst
}
