package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A ledger reads the stream of results for an audit, without trust in the scheduler.
type ledger struct {
	stream jetstream.Stream
	space  schema.Space
	epoch  int64 // of the leader at the time of opening
}

func openLedger(ctx context.Context, nc *nats.Conn) (*ledger, error) {
	l := &ledger{space: schema.Space{Partitions: 1}}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, fmt.Errorf("open jetstream: %w", err)
	}
	if l.stream, err = js.Stream(ctx, l.space.ResultsStream()); err != nil {
		return nil, fmt.Errorf("look at the stream of results: %w", err)
	}
	f, err := l.fence(ctx)
	if err != nil {
		return nil, err
	}
	l.epoch = f.Epoch
	return l, nil
}

// resultFence is the record that each batch of results, and some results that are stored one
// by one, leave in place of the record before.
type resultFence struct {
	Epoch  int64 `json:"epoch"`  // of the leader that wrote it
	Number int64 `json:"number"` // of such records, from 0 in each epoch
}

func (l *ledger) fence(ctx context.Context) (f resultFence, err error) {
	msg, err := l.stream.GetLastMsgForSubject(ctx, storage.Stored(l.space, 0))
	if err == nil {
		err = json.Unmarshal(msg.Data, &f)
	}
	if err != nil {
		return f, fmt.Errorf("read the fence of results: %w", err)
	}
	return f, nil
}

// errStoodDown ends a measurement when the machine stalls for longer than a lease, because
// another leader would count its results anew.
var errStoodDown = errors.New("the leader stood down while it was measured, since the disk or the processors stood still: measure again")

// stored counts the results that were ever stored, including those that the stream's limits
// have removed since then. It is the stream's sequence less the number of fences, which is
// known for one leader only, and that has to be the first.
func (l *ledger) stored(ctx context.Context) (int64, error) {
	fence, err := l.fence(ctx)
	if err != nil {
		return 0, err
	}
	if fence.Epoch != l.epoch {
		return 0, errStoodDown
	}
	info, err := l.stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("look at the stream of results: %w", err)
	}
	return int64(info.State.LastSeq) - (fence.Number + 1), nil
}

// check reads every result in the stream. The results of a plan must be ok and numbered
// without a gap or a repetition, up to last[i] for plan i.
func (l *ledger) check(ctx context.Context, last []int64) error {
	info, err := l.stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("look at the stream of results: %w", err)
	}
	consumer, err := l.stream.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	messages, err := consumer.Messages()
	if err != nil {
		return fmt.Errorf("read results: %w", err)
	}
	defer messages.Stop()
	seen := make([]int64, len(last))
	for range info.State.Msgs {
		msg, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return fmt.Errorf("read results: %w", err)
		}
		if msg.Subject() == storage.Stored(l.space, 0) {
			continue // a fence
		}
		if err := follows(msg.Data(), seen); err != nil {
			return err
		}
	}
	for i := range last {
		if seen[i] != last[i] {
			return fmt.Errorf("plan %d: execution %d is the last one stored; the worker had %d", i, seen[i], last[i])
		}
	}
	return nil
}

// follows fails unless the result in body is the next one of its plan.
func follows(body []byte, seen []int64) error {
	v, err := wire.Scan(body, wire.Limits{})
	if err != nil {
		return fmt.Errorf("read a result: %w", err)
	}
	var r schema.Result
	if err := wire.DecodeLoose(v, &r); err != nil {
		return fmt.Errorf("read a result: %w", err)
	}
	i := planIndex(r.PlanID)
	switch {
	case i < 0 || i >= len(seen):
		return fmt.Errorf("a result of plan %q, which was not created", r.PlanID)
	case r.State != schema.StateOK:
		return fmt.Errorf("plan %d: execution %d came to %s (%s)", i, r.N, r.State, r.Reason)
	case seen[i] != 0 && r.N != seen[i]+1:
		return fmt.Errorf("plan %d: execution %d is stored behind %d", i, r.N, seen[i])
	}
	seen[i] = r.N
	return nil
}
