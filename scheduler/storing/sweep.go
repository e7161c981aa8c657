package storing

import (
	"context"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// sweepEvery is how often items that have left their inbox are removed from the stream.
	sweepEvery = time.Second
	// sweptAtOnce bounds the queues that are swept one by one at a time.
	sweptAtOnce = 64
	// sweptLate is how many times sweepEvery a queue waits for that, because mostly all of the
	// stream's beginning goes at once before.
	sweptLate = 10
)

// sweep removes items that have left, until ctx ends or the leader has drained. A leader that has
// taken over looks first for the sequences of all items, and for those that an earlier leader has
// left.
func (s *itemCache) sweep(ctx context.Context, drained <-chan struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.NewTimer(0)
	defer timer.Stop()
	surveyed := false
	for round := 0; ; round++ {
		select {
		case <-timer.C:
		case <-drained:
			return nil
		case <-ctx.Done():
			return nil
		}
		began := time.Now()
		var err error
		if surveyed {
			err = s.sweepOnce(ctx, round%sweptLate == 0)
		} else if err = s.items.Scan(ctx, s.chain.Revision(), s.survey); err == nil {
			surveyed = true
		}
		if err != nil && ctx.Err() == nil {
			s.log.Warn("items that have left their queue are still stored", "error", err)
		}
		timer.Reset(max(sweepEvery, 3*time.Since(began)))
	}
}

// survey records where an item is, or that it has left.
func (s *itemCache) survey(i broker.StoredItem) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.Survey(idOf(i.ItemName), i.Seq)
	return nil
}

// sweepOnce removes all messages below the first item that waits; with each also the rest, queue by
// queue.
func (s *itemCache) sweepOnce(ctx context.Context, each bool) error {
	below, ok := s.begin()
	if !ok {
		return nil
	}
	if err := s.items.Sweep(ctx, schema.PlanName{}, below); err != nil {
		return err
	}
	if !each {
		return nil
	}
	for name, upTo := range s.late() {
		if err := s.items.Sweep(ctx, name, upTo+1); err != nil {
			return err
		}
		s.swept(name, upTo)
	}
	return nil
}

// begin returns the sequence below which no item waits; false when there is nothing to sweep.
func (s *itemCache) begin() (below uint64, ok bool) {
	next := s.chain.Revision() + 1 // unstored items come behind
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.books.Sweep(next)
}

// late are some of the queues with garbage behind an item that waits, and up to where each may be
// swept.
func (s *itemCache) late() map[schema.PlanName]uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[schema.PlanName]uint64{}
	for name, upTo := range s.books.Late() {
		if len(out) == sweptAtOnce {
			break
		}
		out[name] = upTo
	}
	return out
}

// swept forgets a queue all of whose garbage is removed.
func (s *itemCache) swept(name schema.PlanName, upTo uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.books.Swept(name, upTo)
}
