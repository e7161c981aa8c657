package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// ErrMissed is yielded by a feed whose reader was too slow: the NATS client threw
// some messages away. The feed goes on behind the gap. Results can be read again
// from [Client.Runs].
var ErrMissed = errors.New("messages were missed: the reader is too slow")

// ErrUnreadable is within what is yielded in place of a message that cannot be read, such
// as one that somebody else published there. What comes behind it is read.
var ErrUnreadable = errors.New("no word of a scheduler")

// A Feed is a live subscription, open from when it was made until Stop. It shows
// nothing that was published before, or while the connection was down.
type Feed[T any] struct {
	sub  *nats.Subscription
	want func(*T) bool
}

// Results follows the results of a station, or of all stations whose name begins
// with what stands before a final ".>", or of all when station is empty. What is
// published after it has returned will be seen.
func (c *Client) Results(station string) (*Feed[schema.Result], error) {
	subject := c.space.AllResults()
	if prefix, many := strings.CutSuffix(station, below); many {
		subject = c.space.Result(prefix, ">")
	} else if station != "" {
		subject = c.space.ResultsOf(station)
	}
	return follow(c, station, subject, func(r *schema.Result) bool { return schema.AtStation(r.Station, station) })
}

// Events follows what happens, live: to the plans of a station, or of several,
// as in [Client.Results], and of the kinds given, or of all when there are none.
func (c *Client) Events(station string, kinds ...schema.NoticeKind) (*Feed[schema.Notice], error) {
	kind := schema.NoticeKind("*")
	if len(kinds) == 1 {
		kind = kinds[0]
	}
	subject := c.space.Event(kind, "*", ">")
	if prefix, many := strings.CutSuffix(station, below); many {
		subject = c.space.Event(kind, prefix, ">")
	} else if station != "" {
		subject = c.space.Event(kind, station, "*")
	}
	return follow(c, station, subject, func(n *schema.Notice) bool {
		return schema.AtStation(n.Station, station) && (len(kinds) == 0 || slices.Contains(kinds, n.Kind))
	})
}

// below ends a station's name that stands for all names below it.
const below = ".>"

func follow[T any](c *Client, station, subject string, want func(*T) bool) (*Feed[T], error) {
	if station != "" {
		if err := schema.CheckStation(strings.TrimSuffix(station, below)); err != nil {
			return nil, fmt.Errorf("follow station %q: %w", station, err)
		}
	}
	sub, err := c.nc.SubscribeSync(subject)
	if err != nil {
		return nil, fmt.Errorf("follow %s: %w", subject, err)
	}
	if err := c.nc.FlushTimeout(c.opts.Timeout); err != nil {
		_ = sub.Unsubscribe()
		return nil, fmt.Errorf("follow %s: %w", subject, err)
	}
	return &Feed[T]{sub: sub, want: want}, nil
}

// All yields what comes until ctx ends or Stop is called. An error that is
// [ErrMissed] or [ErrUnreadable] does not end it; a closed connection does.
func (f *Feed[T]) All(ctx context.Context) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		for {
			msg, err := f.sub.NextMsgWithContext(ctx)
			var item *T
			switch {
			case ctx.Err() != nil, errors.Is(err, nats.ErrBadSubscription):
				return
			case errors.Is(err, nats.ErrSlowConsumer):
				err = ErrMissed
			case err != nil:
				yield(nil, fmt.Errorf("follow %s: %w", f.sub.Subject, err))
				return
			default:
				item, err = decodeItem[T](msg.Subject, msg.Data)
			}
			if err == nil && !f.want(item) {
				continue
			}
			if !yield(item, err) {
				return
			}
		}
	}
}

// Stop ends the subscription. It may be called more than once, and while another
// goroutine is in All.
func (f *Feed[T]) Stop() {
	_ = f.sub.Unsubscribe() // fails only when it has ended already
}

func decodeItem[T any](subject string, data []byte) (*T, error) {
	item := new(T)
	body, err := wire.Scan(data, answerLimits)
	if err == nil {
		err = wire.DecodeLoose(body, item)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w: %w", subject, ErrUnreadable, err)
	}
	return item, nil
}
