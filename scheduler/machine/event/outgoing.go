package event

import (
	"math"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Outgoing is an execution to be published. Shared is the part of the definition that it
// repeats.
type Outgoing struct {
	Name        schema.PlanName
	Shared      []byte
	SharedCount int
	Enc         wire.Encoding
	HasHeaders  bool // Shared has a caller or a description
	Named       bool // worker_ids reserve it for the worker that claimed it
	Pub         bool // it asks for a Dispatched event once it is published, because a pub station gets no reply
	Vote        bool // all workers receive it, and their votes are counted

	N, Occurrence, Attempt int64
	Trigger                int64  // of a triggered run: the number of its first execution
	MadeBy                 string // the value of Plan-Trigger; empty: the schedule, in time
	Incarnation            uint64
	Nonce                  Nonce
	Epoch                  int64
	PlanTime               time.Time
	MovedFrom              time.Time // zero: no calendar moved it
	// Expected is when it was to be dispatched; zero if it waited for more than its time.
	Expected          time.Time
	Deadline, StartBy time.Time
	// Sent is when it was ordered, with the batch of number Order; with Within its worker has
	// that long until its first reply, 0 for no limit.
	Sent     time.Time
	Within   time.Duration
	Order    uint64
	Priority int64
	// Force names the encoding that the station requires, overriding the plan's.
	Force string
	Trace string
	// To names the one worker that receives it; empty: the workers of the station.
	To string
	// For a plan with an inbox: the numbers of the items handed over, Items of them from
	// FirstItem on; or, as messages, the notification about the items that workers may claim.
	FirstItem, Items int64
	ItemsNotice      wire.Value
}

// An execution is sent when it is durable, and an append may take seconds. The worker's time
// counts from the moment of sending, so that a late execution carries later times, and its row
// follows. It does not time out before it was sent (replies_read.go).

// UntilLeft is an order number that no batch has, because a Left reports the sending.
const UntilLeft = math.MaxUint64

// A tenth of a worker's time may pass before an execution is sent. A longer delay is added to
// its times, and costs a row.
const tardy = 10

// Leave is to be called when x is sent, before any byte of it is written. If the delay takes too
// much of its worker's time, the times in x move by as much. If tell is true, the caller must
// step left before it reports the batch as performed.
func (x *Outgoing) Leave(now time.Time) (left Left, report bool) {
	left = x.NotSent()
	if late := now.Sub(x.Sent).Truncate(time.Microsecond); x.Within > 0 && late > x.Within/tardy {
		x.StartBy, x.Deadline = later(x.StartBy, late), later(x.Deadline, late)
		report = true
	}
	left.StartBy, left.Deadline = x.StartBy, x.Deadline
	return left, report || x.Order == UntilLeft
}

// NotSent is the event for an x that could not be sent.
func (x *Outgoing) NotSent() Left {
	return Left{Name: x.Name, Incarnation: x.Incarnation, N: x.N, Order: x.Order}
}

// later adds to a time; a zero time stays zero.
func later(t time.Time, by time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(by)
}

// A Nonce is 64 bits that cannot be guessed without the installation's key, so that a worker
// can reply for one execution and no other. On the wire it is 16 hex digits.
type Nonce [8]byte

// AppendHex appends the 16 hex digits of n.
func (n Nonce) AppendHex(dst []byte) []byte {
	const digits = "0123456789abcdef"
	for _, c := range n {
		dst = append(dst, digits[c>>4], digits[c&15])
	}
	return dst
}
