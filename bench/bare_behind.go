package bench

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

// A behind writes a stream behind the journal: message by message, pipelined,
// each acknowledged, as JetStream's asynchronous publish does, and by nobody
// else. It is owned by one goroutine.
type behind struct {
	nc     *nats.Conn
	inbox  string // where the acknowledgements come to; its owner subscribes to it
	sent   uint64
	stored uint64
}

// publish sends one message.
func (b *behind) publish(subject string, body []byte) error {
	b.sent++
	if err := b.nc.PublishRequest(subject, b.inbox, body); err != nil {
		return fmt.Errorf("publish %s: %w", subject, err)
	}
	return nil
}

// acknowledged takes the stream's word on the next message.
func (b *behind) acknowledged(msg *nats.Msg) error {
	seq, err := storedAt(msg)
	if err != nil {
		return fmt.Errorf("store message %d behind the journal: %w", b.stored+1, err)
	}
	if seq != b.stored+1 {
		return fmt.Errorf("store message %d behind the journal: acknowledged as %d", b.stored+1, seq)
	}
	b.stored = seq
	return nil
}

// outstanding is how many messages are not stored yet.
func (b *behind) outstanding() int { return int(b.sent - b.stored) }
