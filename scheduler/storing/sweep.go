package storing

import (
	"context"
	"math"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// sweepEvery is how often what has left its inbox is removed from the stream.
	sweepEvery = time.Second
	// sweptAtOnce bounds the queues that are swept one by one at a time.
	sweptAtOnce = 64
	// sweptLate is how many times sweepEvery a queue waits for that: mostly all of the
	// stream's beginning goes at once before.
	sweptLate = 10
)

// sweepings are the stored items that have left their inboxes. Items are mostly completed
// in about the order in which they came, so one purge removes all below the first that
// still waits. Queues that lie behind one that waits for long are swept one by one.
// Nothing depends on it but room: an item counts when its plan's record says that it
// waits.
type sweepings struct {
	count int                        // of items that may be swept
	left  map[schema.PlanName]uint64 // by queue, the highest sequence of one that has left
}

// waste notes an item that has left.
func (s *sweepings) waste(name schema.PlanName, seq uint64) {
	s.count++
	s.left[name] = max(s.left[name], seq)
}

// sweep removes what has left, until ctx ends or the leader has drained. A leader that
// has taken over looks first where everything is, and what an earlier one has left.
func (s *shelf) sweep(ctx context.Context, drained <-chan struct{}) error {
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
			s.log.Warn("what has left its queue is still stored", "error", err)
		}
		timer.Reset(max(sweepEvery, 3*time.Since(began)))
	}
}

// survey notes where an item is, or that it has left.
func (s *shelf) survey(i broker.StoredItem) error {
	s.found(i)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queues[i.Name].at(i.Incarnation, i.N) == nil {
		s.waste(i.Name, i.Seq)
	}
	return nil
}

// sweepOnce removes what lies below the first item that waits; with each also the rest,
// queue by queue.
func (s *shelf) sweepOnce(ctx context.Context, each bool) error {
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
	for name, upTo := range s.behind(below) {
		if err := s.items.Sweep(ctx, name, upTo+1); err != nil {
			return err
		}
		s.swept(name, upTo)
	}
	return nil
}

// begin returns below which sequence nothing waits, and forgets what lies there; false
// when there is nothing to sweep.
func (s *shelf) begin() (below uint64, ok bool) {
	below = s.chain.Revision() + 1 // what is not stored yet comes behind
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == 0 {
		return 0, false
	}
	for _, q := range s.queues {
		if len(q.list) > 0 && q.list[0].seq != 0 {
			below = min(below, q.list[0].seq)
		}
	}
	s.count = 0
	for name, upTo := range s.left {
		if upTo < below {
			delete(s.left, name)
		} else {
			s.count++
		}
	}
	return below, true
}

// behind returns some of the queues that have left something at or behind a sequence. Of
// one that has items again only what is below those goes.
func (s *shelf) behind(below uint64) map[schema.PlanName]uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[schema.PlanName]uint64{}
	for name, upTo := range s.left {
		if len(out) == sweptAtOnce {
			break
		}
		first := uint64(math.MaxUint64)
		if q := s.queues[name]; q != nil {
			for _, item := range q.list[:min(len(q.list), 1)] {
				if item.seq != 0 {
					first = item.seq
				}
			}
		}
		out[name] = min(upTo, first-1)
	}
	return out
}

// swept forgets a queue all of whose leavings are gone.
func (s *shelf) swept(name schema.PlanName, upTo uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.left[name] <= upTo {
		delete(s.left, name)
	}
}
