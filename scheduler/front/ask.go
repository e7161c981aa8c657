package front

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	leader "github.com/stationmaster-io/stationmaster/scheduler/verb"
	"github.com/stationmaster-io/stationmaster/schema"
)

// This file asks the leaders. Every command carries the request's deadline, so that a
// leader does not work for a client that has given up.

func (f *Front) partitions() int { return max(f.config.Space.Partitions, 1) }

// partition is that of all plans with this id.
func (f *Front) partition(planID string) int { return storage.Partition(f.config.Space, planID) }

func (f *Front) placeOf(d *schema.Definition) int { return f.partition(d.Plan.PlanID) }

// dated attaches to a command the deadline of its client, its requester as far as that is known,
// and the mark of a dry run. A definition may name its own creator.
func dated(c command.Command, by time.Time, asked schema.Attribution, dry bool) command.Command {
	if create, is := c.(command.CreatePlan); is {
		own := &create.Definition.Plan.Attribution
		asked = schema.Attribution{By: cmp.Or(own.By, asked.By), Note: cmp.Or(own.Note, asked.Note)}
	}
	dry = dry && !leader.Is(c, leader.Reads)
	if by.IsZero() && asked.IsZero() && !dry {
		return c
	}
	return command.Dated{Command: c, By: by, Asked: asked, Dry: dry}
}

// pass has the leader of a partition carry out c for r, unless the deadline of r has passed by
// then. Commands sent under a context go through passBy.
func (r *request) pass(partition int, c command.Command, done func(answer any, err error)) {
	r.front.config.Leader.Ask(partition, dated(c, r.deadline, r.asked, r.dry), done)
}

// requestKey is the context key of the request that is carried out.
type requestKey struct{}

// context returns ctx with the deadline and the attribution of r.
func (r *request) context(ctx context.Context) context.Context {
	if r.deadline.IsZero() && r.asked.IsZero() && !r.dry {
		return ctx
	}
	return context.WithValue(ctx, requestKey{}, r)
}

// passBy is pass for a caller that has the request in ctx.
func (f *Front) passBy(ctx context.Context, partition int, c command.Command, done func(answer any, err error)) {
	if r, is := ctx.Value(requestKey{}).(*request); is {
		c = dated(c, r.deadline, r.asked, r.dry)
	} else {
		c = dated(c, time.Time{}, schema.Attribution{}, false)
	}
	f.config.Leader.Ask(partition, c, done)
}

// ask has the leader of a partition answer r.
func (r *request) ask(partition int, c command.Command) {
	r.pass(partition, c, func(answer any, err error) {
		defer r.rescue()
		if err != nil {
			r.fail(asOf(c, err))
			return
		}
		r.answer(answer)
	})
}

// asOf maps a leader's error to one that c may have, because a command that only reads has no
// unknown outcome.
func asOf(c command.Command, err error) error {
	if !leader.Is(c, leader.Reads) {
		return err
	}
	refused, is := errors.AsType[*schema.Error](err)
	if !is || refused.Code != schema.CodeUnavailable || !strings.Contains(refused.Message, command.DoneIsUnknown) {
		return err
	}
	again := *refused
	again.Message = "the scheduler stopped leading before it could answer; ask again in a few seconds"
	return &again
}

// ask asks the leader of a partition and waits for its answer, which is a T.
func ask[T any](ctx context.Context, f *Front, partition int, c command.Command) (T, error) {
	type reply struct {
		answer any
		err    error
	}
	answers := make(chan reply, 1)
	f.passBy(ctx, partition, c, func(answer any, err error) { answers <- reply{answer, err} })
	var none T
	select {
	case r := <-answers:
		if r.err != nil {
			return none, asOf(c, r.err)
		}
		answer, ok := r.answer.(T)
		if !ok {
			return none, fmt.Errorf("the leader answered %T with %T", c, r.answer)
		}
		return answer, nil
	case <-ctx.Done():
		return none, context.Cause(ctx)
	}
}

// askMany is ask for n commands, all of which are sent before the first answer is awaited, so
// that they share appends. The error is that of the first one refused.
func askMany[T any](ctx context.Context, f *Front, n int, commandOf func(i int) (partition int, c command.Command)) ([]T, error) {
	type reply struct {
		at     int
		answer any
		err    error
	}
	received := make(chan reply, n)
	for i := range n {
		partition, c := commandOf(i)
		f.passBy(ctx, partition, c, func(answer any, err error) { received <- reply{i, answer, err} })
	}
	replies := make([]reply, n)
	for range n {
		select {
		case r := <-received:
			replies[r.at] = r
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	answers := make([]T, n)
	for i, r := range replies {
		if r.err != nil {
			return nil, r.err
		}
		answer, ok := r.answer.(T)
		if !ok {
			return nil, fmt.Errorf("the leader answered a command with %T", r.answer)
		}
		answers[i] = answer
	}
	return answers, nil
}

// async answers r with the result of run, which has a goroutine of its own because it may wait.
// The number of async handlers of a kind that run at a time is limited.
func (r *request) async(run func(ctx context.Context) (any, error)) error {
	f, s := r.front, r.endpoint.side
	select {
	case s.waiting <- struct{}{}:
	default:
		return errBusy
	}
	f.handlers.Go(func() {
		defer func() { <-s.waiting }()
		defer r.rescue()
		ctx, cancel := context.WithTimeoutCause(r.context(f.running), asyncTimeout, errSlow)
		defer cancel()
		select {
		case s.running <- struct{}{}:
			defer func() { <-s.running }()
		case <-ctx.Done():
			r.fail(context.Cause(ctx))
			return
		}
		answer, err := run(ctx)
		if err != nil {
			r.fail(err)
			return
		}
		r.answer(answer)
	})
	return nil
}
