package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Batch is what some Steps decided. Its rows are durable before its first
// effect is performed; effects are performed in order, and no effect is exempt:
// reads and acknowledgements too say only what is on disk.
//
// The rows of plans are written when the batch is sealed, once each however
// often they changed: the last one of a key is enough.
type Batch struct {
	Effects []Effect
	// Number counts batches from 1 within a leadership.
	Number uint64
	// Results is the number of result rows among the batch's rows.
	Results int
	// Items is the number of item rows among them.
	Items int

	capacity int
	reserved int // what the rows of plans may still take
	left     int // what is left to others, see Leave
	body     []byte
	dirty    []*state.Plan
	affirmed *state.Plan // see affirm
	sealing  *state.Plan // whose state is being written
	probe    func(at string, plan schema.PlanName)
	w        wire.Writer
}

// NewBatch returns an empty batch whose sealed body has at most capacity bytes.
func NewBatch(capacity int) *Batch { return &Batch{capacity: capacity} }

// Empty reports that nothing was decided.
func (b *Batch) Empty() bool { return len(b.Effects) == 0 && len(b.body) == 0 && len(b.dirty) == 0 }

// Room reports whether cost more bytes fit. The rows of one event are never
// split, so a loop asks before it steps.
func (b *Batch) Room(cost int) bool {
	size := b.Size()
	return size+cost <= b.capacity && (size == 0 || size+cost <= b.capacity-b.left)
}

// Size is how many bytes its rows take at most.
func (b *Batch) Size() int { return len(b.body) + b.reserved }

// Leave has what is stepped from now on leave so many bytes to what comes behind it. What
// comes first may take all there are, or it might never find room.
func (b *Batch) Leave(bytes int) { b.left = bytes }

// Seal writes the rows of plans and returns the body of the append; empty if
// nothing is to be made durable, and nobody is told that what is asked for is so already.
// The bytes are the batch's until Reset.
func (b *Batch) Seal() []byte {
	for _, p := range b.dirty {
		p.Batch, p.Booked = 0, 0
		if !p.Removed {
			b.sealing = p
			b.appendState(p)
			if b.probe != nil {
				b.probe("seal", p.Name)
			}
		}
	}
	if b.affirmed != nil && len(b.body) == 0 {
		b.appendState(b.affirmed)
	}
	b.dirty, b.affirmed, b.sealing = b.dirty[:0], nil, nil
	b.reserved = 0
	return b.body
}

// Cut takes back the effects behind the first n, of a step that only reads.
func (b *Batch) Cut(n int) {
	clear(b.Effects[n:])
	b.Effects = b.Effects[:n]
}

// Reset empties b for the batch of the given number.
func (b *Batch) Reset(number uint64) {
	clear(b.Effects)
	b.Effects = b.Effects[:0]
	b.body = b.body[:0]
	b.Results, b.Items, b.left = 0, 0, 0
	b.Number = number
}

// touch books the state of p as a row of b.
func (b *Batch) touch(p *state.Plan) {
	if p.Batch != b.Number {
		p.Batch, p.Booked = b.Number, 0
		b.dirty = append(b.dirty, p)
	}
	if size := int32(p.StateBound()); size > p.Booked {
		b.reserved += int(size - p.Booked)
		p.Booked = size
	}
}

// affirm notes that somebody is told that p is as they want it, though nothing of it has
// changed. That too is said behind an append, else a leader that was deposed and does not
// know it would say so of a plan that its successor has removed: a batch without any row
// repeats the state of p.
func (b *Batch) affirm(p *state.Plan) { b.affirmed = p }

func (b *Batch) effect(e Effect) { b.Effects = append(b.Effects, e) }

func (b *Batch) answer(to Asker, body any, err error) {
	if to != nil {
		b.effect(Answer{To: to, Body: body, Err: err})
	}
}

// taken is the acknowledgement of nearly every word, made once.
var taken any = schema.Ack{Ack: true, Accepted: true}

// acknowledge answers a word.
func (b *Batch) acknowledge(to Asker, ack schema.Ack) {
	if ack == taken {
		b.answer(to, taken, nil)
		return
	}
	b.answer(to, ack, nil)
}

// An Effect is something to do once the rows of its batch are durable.
type Effect interface{ effect() }

type (
	// Answer ends an Ask, or acknowledges a Heard (Body is then a schema.Ack).
	// Err is a *schema.Error.
	Answer struct {
		To   Asker
		Body any
		Err  error
	}

	// Dispatch hands an execution to the workers of its station.
	Dispatch struct{ Execution *Outgoing }

	// Handout ends a ClaimWork: these executions are its worker's, in the order in which
	// they are answered. Views are their plans, if those were asked for.
	Handout struct {
		To         Asker
		Executions []*Outgoing
		Views      []*schema.PlanView
	}

	// Cancel tells the workers of a station to stop an execution.
	Cancel struct {
		Cancel schema.Cancel
		Enc    wire.Encoding
	}

	// Publish broadcasts a result and has it stored. Body is complete, in Enc.
	// Row counts the result rows of the batch from 1; 0: it is not stored.
	Publish struct {
		Name schema.PlanName
		N    int64
		Body []byte
		Enc  wire.Encoding
		Row  uint32
		// State and Reason are the result's; Count of them are occurrences that were skipped,
		// and Took is how long its execution was under way, 0 if there was none. Failed: what
		// was skipped had failed, and counts as a failure, too.
		State  schema.State
		Reason schema.Reason
		Count  int64
		Took   time.Duration
		Failed bool
	}

	// Tell announces a live event, which nobody keeps.
	Tell struct {
		Notice schema.Notice
		Enc    wire.Encoding
	}

	// Present has the record of a worker put into the bucket of those who are there; one
	// without stations is gone.
	Present struct{ Worker schema.Worker }

	// Write hands rows to the bucket. When they are stored, all that batches
	// numbered below Before decided is stored.
	Write struct {
		Rows   []BucketRow
		Before uint64
		// More says that Max was too few for what is ready; Left counts the rows
		// that are not written yet, ready or not.
		More bool
		Left int
	}
)

func (Answer) effect()   {}
func (Dispatch) effect() {}
func (Handout) effect()  {}
func (Cancel) effect()   {}
func (Publish) effect()  {}
func (Tell) effect()     {}
func (Present) effect()  {}
func (Write) effect()    {}

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

// A BucketRow is one key of the bucket; an empty value deletes it.
type BucketRow struct {
	Key   string
	Value []byte
}
