package bench

import (
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
)

// A behind is the only writer of a stream that follows the journal. It is owned by one
// goroutine. Usually it writes message by message, pipelined, each acknowledged, as
// JetStream's asynchronous publish does; grouped, in atomic batches, one in flight
// while the next one gathers.
type behind struct {
	nc      *nats.Conn
	inbox   string // the subject of the acknowledgements; its owner subscribes to it
	grouped bool
	sent    uint64
	stored  uint64

	// Only of a grouped one.
	waiting  []publication
	inFlight int // messages in the batch in flight; 0: none is
	batches  int
}

// A publication is a message that waits for its batch.
type publication struct {
	subject string
	body    []byte
}

// publish sends one message, or adds it to the next batch.
func (b *behind) publish(subject string, body []byte) error {
	b.sent++
	if b.grouped {
		b.waiting = append(b.waiting, publication{subject, body})
		return nil
	}
	if err := b.nc.PublishRequest(subject, b.inbox, body); err != nil {
		return fmt.Errorf("publish %s: %w", subject, err)
	}
	return nil
}

// send publishes the next batch, unless there is none or one is in flight.
func (b *behind) send() error {
	if b.inFlight > 0 || len(b.waiting) == 0 {
		return nil
	}
	b.batches++
	b.inFlight = min(len(b.waiting), maxBatch)
	id, number := []string{strconv.Itoa(b.batches)}, []string{""}
	msg := nats.Msg{Header: nats.Header{"Nats-Batch-Id": id, "Nats-Batch-Sequence": number}}
	for i, p := range b.waiting[:b.inFlight] {
		number[0] = strconv.Itoa(i + 1)
		if i == b.inFlight-1 {
			msg.Header["Nats-Batch-Commit"] = []string{"1"}
			msg.Reply = b.inbox
		}
		msg.Subject, msg.Data = p.subject, p.body
		if err := b.nc.PublishMsg(&msg); err != nil { // which copies the message
			return fmt.Errorf("publish %s: %w", p.subject, err)
		}
	}
	b.waiting = append(b.waiting[:0], b.waiting[b.inFlight:]...)
	return nil
}

// acknowledged handles the acknowledgement of the next message, or of the batch in flight.
func (b *behind) acknowledged(msg *nats.Msg) error {
	next := b.stored + uint64(max(b.inFlight, 1))
	seq, err := storedAt(msg)
	if err != nil {
		return fmt.Errorf("store message %d behind the journal: %w", next, err)
	}
	if seq != next {
		return fmt.Errorf("store message %d behind the journal: acknowledged as %d", next, seq)
	}
	b.stored, b.inFlight = seq, 0
	return b.send()
}

// outstanding returns the number of messages that are not stored yet.
func (b *behind) outstanding() int { return int(b.sent - b.stored) }
