package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// ErrMissed is yielded by a feed whose reader was too slow, because the NATS client then
// drops messages. The feed goes on behind the gap. Results can be read again by [Runs.All].
var ErrMissed = errors.New("messages were missed: the reader is too slow")

// ErrUnreadable is wrapped by the error that a feed yields in place of a message that cannot
// be read, such as one that another program published there. The feed goes on behind it.
var ErrUnreadable = errors.New("not a message of a scheduler")

// A Feed is a live subscription, from its creation until [Feed.Stop] or [Client.Close]. It
// shows broadcasts from then on; messages that are published while the connection is lost
// are missed.
type Feed[T any] struct {
	sub  *nats.Subscription
	want func(*T) bool
	open *feeds // of its client
}

// feeds are the subscriptions that a client owns.
type feeds struct {
	mu     sync.Mutex
	closed bool
	subs   map[*nats.Subscription]bool
}

// add takes a subscription over; false when the client is closed.
func (f *feeds) add(sub *nats.Subscription) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.subs[sub] = true
	}
	return !f.closed
}

func (f *feeds) remove(sub *nats.Subscription) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.subs, sub)
}

func (f *feeds) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// close ends all subscriptions, and refuses new ones.
func (f *feeds) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for sub := range f.subs {
		_ = sub.Unsubscribe() // fails only when the connection has ended it
	}
	clear(f.subs)
}

// Results is the handle of the results of all stations.
type Results struct{ c *Client }

// Results returns the handle of the results.
func (c *Client) Results() Results { return Results{c} }

// Follow subscribes to the results of a station, or of all stations below one when its name
// ends in ".>", or of all when station is empty. The feed shows every result that is
// published after Follow has returned.
func (r Results) Follow(station string) (*Feed[schema.Result], error) {
	subject := r.c.space.AllResults()
	if prefix, many := strings.CutSuffix(station, below); many {
		subject = r.c.space.Result(prefix, ">")
	} else if station != "" {
		subject = r.c.space.ResultsOf(station)
	}
	return follow(r.c, station, subject, func(one *schema.Result) bool { return schema.AtStation(one.Station, station) })
}

// Events is the handle of the events of all stations.
type Events struct{ c *Client }

// Events returns the handle of the events.
func (c *Client) Events() Events { return Events{c} }

// Follow subscribes to the events of stations, as [Results.Follow] does to results. Without
// kinds it follows events of all kinds.
func (e Events) Follow(station string, kinds ...schema.NoticeKind) (*Feed[schema.Notice], error) {
	kind := schema.NoticeKind("*")
	if len(kinds) == 1 {
		kind = kinds[0]
	}
	subject := e.c.space.Event(kind, "*", ">")
	if prefix, many := strings.CutSuffix(station, below); many {
		subject = e.c.space.Event(kind, prefix, ">")
	} else if station != "" {
		subject = e.c.space.Event(kind, station, "*")
	}
	return follow(e.c, station, subject, func(n *schema.Notice) bool {
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
	if !c.feeds.add(sub) {
		_ = sub.Unsubscribe()
		return nil, fmt.Errorf("follow %s: %w", subject, ErrClosed)
	}
	return &Feed[T]{sub: sub, want: want, open: c.feeds}, nil
}

// All yields messages until ctx ends, Stop is called or the client is closed. An error that
// is [ErrMissed] or [ErrUnreadable] does not end it; a closed connection does.
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
	f.open.remove(f.sub)
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
