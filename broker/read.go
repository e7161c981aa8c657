package broker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A message is one of a stream, as readers get it.
type message struct {
	jetstream.Msg
	seq     uint64
	at      time.Time
	pending uint64 // how many that match the filter are behind it
}

// errDone ends a reading well.
var errDone = errors.New("done")

// A reading is a run through a stream, in order, by a consumer that keeps nothing
// and is made anew, behind the last message, whenever it is lost. jetstream's own
// ordered consumer does the same, but retries for ever without heeding a context.
type reading struct {
	js     jetstream.JetStream
	stream string

	// Where it begins. With from and since zero, at the first message.
	from  uint64
	since time.Time
	// lastOnly begins with the last message of each subject instead, and does so
	// again after each interruption.
	lastOnly bool

	// each is called with every message; errDone ends the reading without an error.
	each func(message) error
	// empty, if set, is called when a consumer begins with nothing to deliver, and
	// each second in which nothing came; it may return errDone, or an error.
	empty func(context.Context) error
	// restart, if set, is called before a new consumer replaces a lost one.
	restart func()
}

const (
	// What a consumer may send ahead of its reader.
	readMessages = 10_000
	readBytes    = 16 << 20

	readHeartbeat  = 2 * time.Second
	readIdle       = time.Second
	readAbandoned  = 10 * time.Second // after which the server forgets a consumer
	createConsumer = 5 * time.Second
)

// errInterrupted says that a consumer was lost and the reading should go on with
// another one.
var errInterrupted = errors.New("consumer interrupted")

func (r *reading) run(ctx context.Context) error {
	var p pause
	for {
		before := r.from
		err := r.consume(ctx)
		switch {
		case errors.Is(err, errDone):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, jetstream.ErrStreamNotFound):
			return &ChangedError{Stream: r.stream, What: "it does not exist"}
		case !errors.Is(err, errInterrupted):
			return err
		}
		if r.from > before {
			p = pause{}
		}
		if r.restart != nil {
			r.restart()
		}
		if err := p.wait(ctx); err != nil {
			return err
		}
	}
}

// consume reads with one consumer until that is lost.
func (r *reading) consume(ctx context.Context) error {
	creating, cancel := context.WithTimeout(ctx, createConsumer)
	consumer, err := r.js.CreateConsumer(creating, r.stream, r.config())
	cancel()
	var api *jetstream.APIError
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return err
	case errors.As(err, &api) && api.Code == 400: // a request that will never do
		return fmt.Errorf("create consumer of %s: %w", r.stream, err)
	case err != nil:
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	if consumer.CachedInfo().NumPending == 0 && r.empty != nil {
		if err := r.empty(ctx); err != nil {
			return err
		}
	}
	messages, err := consumer.Messages(
		jetstream.PullMaxMessagesWithBytesLimit(readMessages, readBytes),
		jetstream.PullHeartbeat(readHeartbeat),
		jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return fmt.Errorf("%w: %w", errInterrupted, err)
	}
	defer messages.Stop()
	return r.deliver(ctx, messages)
}

func (r *reading) deliver(ctx context.Context, messages jetstream.MessagesContext) error {
	next := jetstream.NextContext(ctx)
	if r.empty != nil {
		next = jetstream.NextMaxWait(readIdle)
		defer context.AfterFunc(ctx, messages.Stop)()
	}
	for delivered := uint64(1); ; {
		m, err := messages.Next(next)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, nats.ErrTimeout):
			if err := r.empty(ctx); err != nil {
				return err
			}
			continue
		case err != nil:
			return fmt.Errorf("%w: %w", errInterrupted, err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return fmt.Errorf("read %s: %w", r.stream, err)
		}
		if meta.Sequence.Consumer != delivered {
			return errInterrupted // one was lost on its way
		}
		delivered++
		r.from = meta.Sequence.Stream + 1
		err = r.each(message{Msg: m, seq: meta.Sequence.Stream, at: meta.Timestamp, pending: meta.NumPending})
		if err != nil {
			return err
		}
	}
}

func (r *reading) config() jetstream.ConsumerConfig {
	c := jetstream.ConsumerConfig{
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: readAbandoned,
	}
	switch {
	case r.lastOnly:
		c.DeliverPolicy, c.FilterSubject = jetstream.DeliverLastPerSubjectPolicy, ">"
	case r.from > 0:
		c.DeliverPolicy, c.OptStartSeq = jetstream.DeliverByStartSequencePolicy, r.from
	case !r.since.IsZero():
		c.DeliverPolicy, c.OptStartTime = jetstream.DeliverByStartTimePolicy, &r.since
	}
	return c
}
