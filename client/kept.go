package client

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Kept is a result as the stream of results keeps it.
type Kept struct {
	schema.Result
	// Seq is the result's sequence in the stream, from 1. It grows from one to the next, with
	// gaps, and stays the same for as long as the stream is there.
	Seq uint64
}

// KeptRange selects results of the stream: those with sequences above After, up to UpTo,
// which must exist or have existed; UpTo 0: without end, as they come.
type KeptRange struct {
	After uint64 // the sequence before the first; 0: the first that is stored
	UpTo  uint64 // the last sequence; 0: without end, as they come
}

// LastKept returns the sequence of the last result that is stored so far, or a later one.
func (r Results) LastKept(ctx context.Context) (uint64, error) {
	state, err := keptState(ctx, r.c)
	if err != nil {
		return 0, err
	}
	return state.LastSeq, nil
}

// Kept yields results as the stream of results keeps them, in order and without gaps:
// unlike [Results.Follow] it outlives a lost connection, and can go on behind the last
// result seen. ErrMissed, which comes first if at all, means that some behind After are
// not kept any more, or that After is of another stream. Plans with log `none` leave
// nothing there. [ErrUnreadable] ends nothing; an error of the store ends it.
func (r Results) Kept(ctx context.Context, in KeptRange) iter.Seq2[*Kept, error] {
	return func(yield func(*Kept, error) bool) {
		state, err := keptState(ctx, r.c)
		if err != nil {
			yield(nil, err)
			return
		}
		if in.After > state.LastSeq || in.After+1 < state.FirstSeq {
			if !yield(nil, ErrMissed) {
				return
			}
			in.After = min(in.After, state.LastSeq)
		}
		if err := readKept(ctx, r.c, in, yield); err != nil && ctx.Err() == nil {
			yield(nil, fmt.Errorf("follow %s: %w", r.c.space.ResultsStream(), err))
		}
	}
}

func keptState(ctx context.Context, c *Client) (*jetstream.StreamState, error) {
	js, err := jetstream.New(c.nc)
	if err != nil {
		return nil, fmt.Errorf("reach jetstream: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.opts.Timeout)
	defer cancel()
	stream, err := js.Stream(ctx, c.space.ResultsStream())
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", c.space.ResultsStream(), err)
	}
	return &stream.CachedInfo().State, nil
}

// readKept yields the messages of a consumer of its own.
func readKept(ctx context.Context, c *Client, r KeptRange, yield func(*Kept, error) bool) error {
	js, err := jetstream.New(c.nc)
	if err != nil {
		return err
	}
	consumer, err := js.OrderedConsumer(ctx, c.space.ResultsStream(), jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{c.space.AllResults()},
		DeliverPolicy:  jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:    r.After + 1,
		// The server forgets one whose reader is gone; by default after five minutes, in
		// which many readers that come and go would have it hold many.
		InactiveThreshold: keptAbandoned,
	})
	if err != nil {
		return err
	}
	defer forget(ctx, c, js, consumer)
	if r.UpTo != 0 && consumer.CachedInfo().NumPending == 0 {
		return nil
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	defer messages.Stop()
	for {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		at, err := msg.Metadata()
		if err != nil {
			return err
		}
		if r.UpTo != 0 && at.Sequence.Stream > r.UpTo {
			return nil
		}
		if !yieldKept(msg, at.Sequence.Stream, yield) {
			return nil
		}
		if r.UpTo != 0 && (at.Sequence.Stream == r.UpTo || at.NumPending == 0) {
			return nil
		}
	}
}

// keptAbandoned is how long the server keeps a consumer without a reader.
const keptAbandoned = 10 * time.Second

// forget has the server forget a consumer now. An ephemeral consumer that cannot be deleted
// expires.
func forget(ctx context.Context, c *Client, js jetstream.JetStream, consumer jetstream.Consumer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.opts.Timeout)
	defer cancel()
	_ = js.DeleteConsumer(ctx, c.space.ResultsStream(), consumer.CachedInfo().Name)
}

func yieldKept(msg jetstream.Msg, seq uint64, yield func(*Kept, error) bool) bool {
	result, err := decodeItem[schema.Result](msg.Subject(), msg.Data())
	if err != nil {
		return yield(nil, err)
	}
	return yield(&Kept{*result, seq}, nil)
}
