package gateway

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An item is one result or event, encoded once for all readers.
type item struct {
	seq     uint64 // of a result; 0: an event, which is not kept
	kind    string // kindResult, or the event's kind
	station string
	planID  string
	state   schema.State // of a result
	data    []byte       // JSON
}

// kindResult is the kind of results, beside those of events.
const kindResult = "result"

// behind is how many items a reader may be behind before it is dropped.
const behind = 1024

// A subscriber is one reader of the live stream.
type subscriber struct {
	who    caller
	number uint64 // counts all that joined; the lowest is the oldest
	items  chan *item
	// gone is closed when nothing more comes; why is the reason.
	gone chan struct{}
	why  string
	// from is the last result before the first one that the reader gets.
	from uint64
	// of is the source of the reader's summaries; nil: it gets each item.
	of    *tap
	tally *tally // of the summaries
}

// A hub distributes one subscription to all live streams of the gateway, so that readers
// cost the scheduler nothing and NATS next to nothing. It follows while there are readers.
type hub struct {
	client *client.Client
	most   int
	log    *slog.Logger

	incidents *incident.Reporter

	mu          sync.Mutex
	subscribers map[*subscriber]bool
	taps        map[string]*tap // by station
	joined      uint64
	last        uint64             // the last result that was passed on
	stop        context.CancelFunc // ends the following; nil: no readers
	closed      bool
	following   sync.WaitGroup
}

func newHub(c *client.Client, most int, incidents *incident.Reporter, log *slog.Logger) *hub {
	return &hub{client: c, most: most, incidents: incidents, log: log, subscribers: map[*subscriber]bool{}, taps: map[string]*tap{}}
}

var errStopping = &schema.Error{Code: schema.CodeUnavailable, Message: "this gateway is being stopped"}

// join adds a reader, and begins to follow when it is the first. It asks NATS without the
// lock, because otherwise an unanswered request would block all other readers, and the stop
// of the gateway.
func (h *hub) join(ctx context.Context, who caller) (*subscriber, error) {
	var from *source
	defer func() { from.leave() }()
	for {
		s, err := h.admit(ctx, who, from)
		if s != nil || err != nil {
			return s, err
		}
		if from, err = h.source(ctx); err != nil {
			return nil, err
		}
	}
}

// admit adds a reader. It returns none when the hub does not follow yet and from is nil.
func (h *hub) admit(ctx context.Context, who caller, from *source) (*subscriber, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errStopping
	}
	if h.stop == nil && from == nil {
		return nil, nil
	}
	if err := h.makeRoom(who); err != nil {
		return nil, err
	}
	if h.stop == nil {
		h.follow(ctx, from)
	}
	return h.enter(&subscriber{who: who, items: make(chan *item, behind), from: h.last}), nil
}

// makeRoom has a reader leave when there are as many as are served. The hub's mu is held.
func (h *hub) makeRoom(who caller) error {
	if len(h.subscribers) < h.most {
		return nil
	}
	oldest := h.yields(who)
	if oldest == nil {
		return refuse(http.StatusServiceUnavailable, schema.CodeUnavailable, "%d streams are open, which is as many as are served at a time", h.most)
	}
	h.drop(oldest, "more streams are asked for than are served at a time, and this token has the most")
	return nil
}

// enter adds a reader. The hub's mu is held.
func (h *hub) enter(s *subscriber) *subscriber {
	h.joined++
	s.number, s.gone = h.joined, make(chan struct{})
	h.subscribers[s] = true
	return s
}

// yields is the reader that makes room for another one of the given caller: the oldest of
// the caller with the most readers, the new one counted. Nil: every caller has one. The
// hub's mu is held.
func (h *hub) yields(who caller) *subscriber {
	has := map[caller]int{who: 1}
	for s := range h.subscribers {
		has[s.who]++
	}
	var found *subscriber
	for s := range h.subscribers {
		if found == nil || has[s.who] > has[found.who] || has[s.who] == has[found.who] && s.number < found.number {
			found = s
		}
	}
	if found == nil || has[found.who] == 1 {
		return nil
	}
	return found
}

// leave removes a reader; with the last one the following ends.
func (h *hub) leave(s *subscriber) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.drop(s, "")
}

// drop ends a reader's items. The hub's mu is held.
func (h *hub) drop(s *subscriber, why string) {
	if !h.subscribers[s] {
		return
	}
	delete(h.subscribers, s)
	s.why = why
	close(s.gone)
	switch {
	case s.of != nil:
		h.closeUnread(s.of)
	case h.stop != nil && !h.hasReaders(nil):
		h.stop()
		h.stop = nil
	}
}

// hasReaders reports whether a stream has summaries of a tap, or, with nil, each item. The hub's
// mu is held.
func (h *hub) hasReaders(of *tap) bool {
	for s := range h.subscribers {
		if s.of == of {
			return true
		}
	}
	return false
}

// keep drops the readers of the callers that are not accepted any more.
func (h *hub) keep(accepted func(caller) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subscribers {
		if !accepted(s.who) {
			h.drop(s, "this token is not accepted as before")
		}
	}
}

// dropAll ends the readers of a tap, or, with nil, those of each item. The hub's mu is held.
func (h *hub) dropAll(of *tap, why string) {
	for s := range h.subscribers {
		if s.of == of {
			h.drop(s, why)
		}
	}
}

// A source is the start of a following.
type source struct {
	last   uint64 // the newest kept result
	events *client.Feed[schema.Notice]
	taken  bool // by a following, which stops it
}

func (h *hub) source(ctx context.Context) (*source, error) {
	last, err := h.client.Results().LastKept(ctx)
	if err != nil {
		return nil, &schema.Error{Code: schema.CodeUnavailable, Message: "the results cannot be followed at the moment: " + err.Error()}
	}
	events, err := h.client.Events().Follow("")
	if err != nil {
		return nil, &schema.Error{Code: schema.CodeUnavailable, Message: "the events cannot be followed at the moment: " + err.Error()}
	}
	return &source{last: last, events: events}, nil
}

// leave stops a source, if there is one, that no following has taken.
func (s *source) leave() {
	if s != nil && !s.taken {
		s.events.Stop()
	}
}

// follow begins to pass on results and events. The hub's mu is held.
func (h *hub) follow(ctx context.Context, from *source) {
	from.taken = true
	last, events := from.last, from.events
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	h.last, h.stop = last, stop
	h.following.Go(func() {
		defer h.rescue(following)
		for kept, err := range h.client.Results().Kept(following, client.KeptRange{After: last}) {
			if err == nil {
				h.pass(following, resultItem(kept))
			} else if !h.goesOn(following, err) {
				return
			}
		}
		h.end(following, "the results cannot be followed any more")
	})
	h.following.Go(func() {
		defer events.Stop()
		defer h.rescue(following)
		for notice, err := range events.All(following) {
			if err == nil {
				h.pass(following, eventItem(notice))
			} else if !h.goesOn(following, err) {
				return
			}
		}
		h.end(following, "the connection to NATS was closed")
	})
}

// rescue ends a following that panics at an item. Readers come back, behind it.
func (h *hub) rescue(following context.Context) {
	if fault := recover(); fault != nil {
		number := h.incidents.Report(metrics.AtHTTP, fault)
		h.end(following, "something went wrong here, incident "+number)
	}
}

// goesOn reports whether more will come after an error. When items were missed, readers are
// dropped, because they come back with their last id.
func (h *hub) goesOn(following context.Context, err error) bool {
	if following.Err() != nil {
		return false
	}
	h.log.Warn("live stream", "error", err)
	if errors.Is(err, client.ErrMissed) {
		h.end(following, "something was missed")
		return false
	}
	return true
}

// end drops the readers of a following that has ended by itself.
func (h *hub) end(following context.Context, why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if following.Err() == nil {
		h.dropAll(nil, why)
	}
}

// pass gives an item to all readers; a reader that is a thousand items behind is dropped.
func (h *hub) pass(following context.Context, it *item) {
	if it == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if following.Err() != nil {
		return // others may be reading by now
	}
	if it.seq != 0 {
		h.last = it.seq
	}
	for s := range h.subscribers {
		if s.of != nil {
			continue
		}
		select {
		case s.items <- it:
		default:
			h.drop(s, "too slow: more than is kept for one reader has come meanwhile")
		}
	}
}

// close drops all readers and waits for the following to end.
func (h *hub) close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	for s := range h.subscribers {
		h.drop(s, "the gateway is being stopped")
	}
	h.mu.Unlock()
	ended := make(chan struct{})
	go func() { // ends with the following
		h.following.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func resultItem(k *client.Kept) *item {
	data, err := wire.Marshal(wire.JSON, k.Result)
	if err != nil {
		return nil // cannot happen, because it came as JSON or MessagePack
	}
	return &item{seq: k.Seq, kind: kindResult, station: k.Station, planID: k.PlanID, state: k.State, data: wire.OneLine(data)}
}

func eventItem(n *schema.Notice) *item {
	data, err := wire.Marshal(wire.JSON, n)
	if err != nil {
		return nil
	}
	return &item{kind: string(n.Kind), station: n.Station, planID: n.PlanID, data: wire.OneLine(data)}
}
