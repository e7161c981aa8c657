package gateway

import (
	"context"
	"errors"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A tap follows the results and events of one station, or of all, for readers of summaries. They
// share it, so that its cost is independent of their number. It reads broadcasts and not the
// stream of results, because it then costs the store nothing, and a summary needs no ids.
type tap struct {
	station string
	stop    context.CancelFunc
}

// feeds are the subscriptions of a tap.
type feeds struct {
	results *client.Feed[schema.Result]
	events  *client.Feed[schema.Notice]
	taken   bool // by a tap, which stops them
}

func (h *hub) feeds(station string) (*feeds, error) {
	results, err := h.client.Results().Follow(station)
	if err != nil {
		return nil, &schema.Error{Code: schema.CodeUnavailable, Message: "the results cannot be followed at the moment: " + err.Error()}
	}
	events, err := h.client.Events().Follow(station)
	if err != nil {
		results.Stop()
		return nil, &schema.Error{Code: schema.CodeUnavailable, Message: "the events cannot be followed at the moment: " + err.Error()}
	}
	return &feeds{results: results, events: events}, nil
}

// leave stops subscriptions, if there are some, that no tap has taken.
func (f *feeds) leave() {
	if f != nil && !f.taken {
		f.results.Stop()
		f.events.Stop()
	}
}

// joinSummaries adds a reader of summaries. It subscribes without the lock, as join does.
func (h *hub) joinSummaries(ctx context.Context, who caller, t *tally) (*subscriber, error) {
	var from *feeds
	defer func() { from.leave() }()
	for {
		s, err := h.admitToSummaries(ctx, who, t, from)
		if s != nil || err != nil {
			return s, err
		}
		if from, err = h.feeds(t.filter.station); err != nil {
			return nil, err
		}
	}
}

// admitToSummaries adds a reader. It returns none when there is no tap yet and from is nil.
func (h *hub) admitToSummaries(ctx context.Context, who caller, t *tally, from *feeds) (*subscriber, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errStopping
	}
	if h.taps[t.filter.station] == nil && from == nil {
		return nil, nil
	}
	if err := h.makeRoom(who); err != nil {
		return nil, err
	}
	of := h.taps[t.filter.station]
	if of == nil {
		if from == nil { // the reader that made room was its last
			return nil, nil
		}
		of = h.open(ctx, t.filter.station, from)
	}
	return h.enter(&subscriber{who: who, of: of, tally: t}), nil
}

// open begins to follow a station. The hub's mu is held.
func (h *hub) open(ctx context.Context, station string, from *feeds) *tap {
	from.taken = true
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	of := &tap{station: station, stop: stop}
	h.taps[station] = of
	h.following.Go(func() { drain(h, following, of, from.results, happenedResult) })
	h.following.Go(func() { drain(h, following, of, from.events, happenedEvent) })
	return of
}

// closeUnread ends a tap without readers. The hub's mu is held.
func (h *hub) closeUnread(of *tap) {
	if h.taps[of.station] == of && !h.hasReaders(of) {
		delete(h.taps, of.station)
		of.stop()
	}
}

// drain counts the messages of a feed, until the tap is closed.
func drain[T any](h *hub, following context.Context, of *tap, feed *client.Feed[T], happened func(*T) *happening) {
	defer feed.Stop()
	defer func() {
		if fault := recover(); fault != nil {
			h.endTap(of, "something went wrong here, incident "+h.incidents.Report(metrics.AtHTTP, fault))
		}
	}()
	for one, err := range feed.All(following) {
		switch {
		case err == nil:
			h.count(of, happened(one))
		case errors.Is(err, client.ErrMissed):
			h.missed(of)
		case following.Err() == nil:
			h.log.Warn("live summaries", "error", err)
		}
	}
	h.endTap(of, "the connection to NATS was closed")
}

// endTap drops the readers of a tap that has ended by itself.
func (h *hub) endTap(of *tap, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dropAll(of, why)
}

// count counts something for all readers of a tap.
func (h *hub) count(of *tap, it *happening) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subscribers {
		if s.of == of {
			s.tally.add(it)
		}
	}
}

// missed marks for all readers of a tap that items were missed.
func (h *hub) missed(of *tap) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subscribers {
		if s.of == of {
			s.tally.miss()
		}
	}
}
