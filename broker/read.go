package broker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A message is one message of a stream, as readers get it.
type message struct {
	jetstream.Msg
	seq uint64
	at  time.Time
}

// errDone ends a reading successfully.
var errDone = errors.New("done")

// errStale ends a consumer that delivers nothing although messages are pending; errRest one
// that claims to have delivered all, so that the next consumer confirms it.
var (
	errStale = errors.New("read from consumer: the stream holds more than it delivers")
	errRest  = errors.New("read from consumer: it has delivered all that it knows")
)

// A verdict is an error that ends a reading, unlike a temporary one.
type verdict struct{ error }

func (v verdict) Unwrap() error { return v.error }

// A reading reads a stream in order, by a consumer without state that is made anew, behind
// the last message, whenever it is lost. jetstream's own ordered consumer does the same,
// but retries for ever without heeding a context.
type reading struct {
	store  *Store
	stream string

	// The beginning. With from and since zero, the first message.
	from  uint64
	since time.Time
	// lastOnly begins with the last message of each subject instead, and does so again
	// after each interruption, also when the stream was made anew.
	lastOnly bool
	// filter is the subject that is read; empty: all. headersOnly leaves the bodies out.
	filter      string
	headersOnly bool

	// every, if set, is the interval at which it polls, instead of having new messages
	// pushed, because a wake-up for each message is most of a follower's cost. wake
	// triggers a poll now; caught is called when it has reached the end.
	every  time.Duration
	wake   <-chan struct{}
	caught func() error

	// until, if set, ends the reading once all up to this sequence has come and nothing is
	// pending. It uses only servers that have the stream up to until at the start, because
	// a replica that is behind silently delivers messages that were removed by then.
	until uint64
	low   since // the stream ends below until

	// each is called with every message; errDone ends the reading without an error.
	each func(message) error
	// begin, if set, is called before each consumer is made.
	begin func(context.Context) error
	// empty, if set, is called when a consumer begins with nothing to deliver, and after
	// each second without a message; it may return errDone.
	empty func(context.Context) error
}

const (
	// The bounds of messages that a consumer sends ahead of its reader.
	readMessages = 10_000
	readBytes    = 16 << 20

	readHeartbeat = 2 * time.Second
	readIdle      = time.Second
	// The most messages that one poll fetches, and how long jetstream waits for them.
	pollMost   = 256
	pollSilent = time.Second

	readSilent     = 2                // idle checks with messages pending, after which a consumer is replaced
	readAbandoned  = 10 * time.Second // after which the server forgets a consumer
	createConsumer = 5 * time.Second
)

func (r *reading) run(ctx context.Context) error {
	t := trouble{store: r.store, stream: r.stream}
	for {
		before := r.from
		err := r.consume(ctx)
		var end verdict
		switch {
		case errors.Is(err, errDone):
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.As(err, &end):
			return end.error
		case r.from > before:
			t.over() // it made progress
		}
		if t.ends(ctx, err) {
			return err
		}
		if err := t.wait(ctx, err); err != nil {
			return err
		}
	}
}

// consume reads with one consumer until that is lost.
func (r *reading) consume(ctx context.Context) error {
	if r.begin != nil {
		if err := r.begin(ctx); err != nil {
			return err
		}
	}
	consumer, err := r.open(ctx)
	if err != nil {
		return err
	}
	if consumer.CachedInfo().NumPending == 0 {
		if r.until > 0 {
			return errDone
		}
		if r.empty != nil {
			if err := r.empty(ctx); err != nil {
				return err
			}
		}
	}
	if r.every > 0 {
		return r.poll(ctx, consumer)
	}
	messages, err := consumer.Messages(
		jetstream.PullMaxMessagesWithBytesLimit(readMessages, readBytes),
		jetstream.PullHeartbeat(readHeartbeat),
		jetstream.WithMessagesErrOnMissingHeartbeat(true))
	if err != nil {
		return fmt.Errorf("read from consumer: %w", err)
	}
	defer messages.Stop()
	return r.deliver(ctx, messages)
}

// open makes the consumer to read from. It lives on one server, and NATS names that only
// afterwards.
func (r *reading) open(ctx context.Context) (jetstream.Consumer, error) {
	if r.until == 0 {
		return r.create(ctx, r.config())
	}
	whole := map[string]bool{}
	for {
		server, err := r.probe(ctx)
		if err != nil {
			return nil, err
		}
		whole[server] = true
		consumer, err := r.create(ctx, r.config())
		if err != nil || whole[serverOf(consumer)] {
			return consumer, err
		}
	}
}

// probe finds a server that has the stream up to until: one where a consumer of new
// messages begins behind that.
func (r *reading) probe(ctx context.Context) (server string, err error) {
	config := plainConsumer()
	config.DeliverPolicy = jetstream.DeliverNewPolicy
	consumer, err := r.create(ctx, config)
	if err != nil {
		return "", err
	}
	is := consumer.CachedInfo()
	if is.Delivered.Stream >= r.until {
		return serverOf(consumer), nil
	}
	info, err := r.store.info(ctx, r.stream)
	if err != nil {
		return "", err
	}
	if r.low.forLong(info.State.LastSeq < r.until, r.store.doubtful()) {
		r.until = info.State.LastSeq // a disk has lost the rest
	}
	if r.until == 0 {
		return "", errDone
	}
	return "", fmt.Errorf("read from consumer: %s has the stream up to %d, below %d", serverOf(consumer), is.Delivered.Stream, r.until)
}

func (r *reading) create(ctx context.Context, config jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	ctx, cancel := context.WithTimeout(ctx, createConsumer)
	defer cancel()
	consumer, err := r.store.js.CreateConsumer(ctx, r.stream, config)
	var api *jetstream.APIError
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound) && !r.lastOnly:
		return nil, &ChangedError{r.stream, "it does not exist"}
	case errors.As(err, &api) && api.Code == 400:
		return nil, verdict{fmt.Errorf("create consumer: %w", err)} // a permanent error
	case err != nil:
		return nil, fmt.Errorf("create consumer: %w", err)
	}
	return consumer, nil
}

func (r *reading) deliver(ctx context.Context, messages jetstream.MessagesContext) error {
	next := jetstream.NextContext(ctx)
	if r.empty != nil || r.until > 0 {
		next = jetstream.NextMaxWait(readIdle)
		defer context.AfterFunc(ctx, messages.Stop)()
	}
	silent := 0
	for delivered := uint64(1); ; {
		m, err := messages.Next(next)
		switch {
		case errors.Is(err, nats.ErrTimeout) && r.until > 0:
			return errStale
		case errors.Is(err, nats.ErrTimeout) && r.empty != nil:
			if err := r.empty(ctx); err != nil {
				return err
			}
			// A consumer lives on one server, whose copy of the stream may be behind for
			// good after a restart; another consumer may get another server.
			if silent++; silent >= readSilent {
				return errStale
			}
			continue
		case err != nil:
			return fmt.Errorf("read from consumer: %w", err)
		}
		silent = 0
		if err := r.take(m, delivered); err != nil {
			return err
		}
		delivered++
	}
}

// take passes one message on, which must be the consumer's delivered'th.
func (r *reading) take(m jetstream.Msg, delivered uint64) error {
	meta, err := m.Metadata()
	if err != nil {
		return fmt.Errorf("read from consumer: %w", err)
	}
	if meta.Sequence.Consumer != delivered {
		return errors.New("read from consumer: a message was lost on its way")
	}
	r.from = meta.Sequence.Stream + 1
	if err := r.each(message{m, meta.Sequence.Stream, meta.Timestamp}); err != nil {
		return verdict{err}
	}
	switch {
	case r.until == 0 || meta.NumPending > 0:
		return nil
	case meta.Sequence.Stream < r.until:
		return errRest // as when the rest has expired
	}
	return errDone
}

// poll fetches new messages, again and again.
func (r *reading) poll(ctx context.Context, consumer jetstream.Consumer) error {
	ticks := time.NewTicker(r.every)
	defer ticks.Stop()
	for delivered := uint64(1); ; {
		asked := time.Now()
		batch, err := consumer.FetchNoWait(pollMost)
		if err != nil {
			return fmt.Errorf("ask consumer: %w", err)
		}
		got := 0
		for m := range batch.Messages() {
			if err == nil {
				err = r.take(m, delivered)
			}
			delivered++
			got++
		}
		switch {
		case err != nil:
			return err
		case batch.Error() != nil:
			return fmt.Errorf("ask consumer: %w", batch.Error())
		case got == 0 && time.Since(asked) >= pollSilent:
			return errStale // it returned neither messages nor an end
		case got == pollMost:
			continue
		}
		if err := r.caught(); err != nil {
			return verdict{err}
		}
		select {
		case <-ticks.C:
		case <-r.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (r *reading) config() jetstream.ConsumerConfig {
	c := plainConsumer()
	c.FilterSubject, c.HeadersOnly = r.filter, r.headersOnly
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

// serverOf names the server on which a consumer lives.
func serverOf(c jetstream.Consumer) string {
	if is := c.CachedInfo(); is.Cluster != nil {
		return is.Cluster.Leader
	}
	return "" // the only one
}

// plainConsumer keeps no state, on one server.
func plainConsumer() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		AckPolicy:         jetstream.AckNonePolicy,
		MemoryStorage:     true,
		Replicas:          1,
		InactiveThreshold: readAbandoned,
	}
}
