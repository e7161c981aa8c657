package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// appenderPatience is how long a request waits for the appender. A node counts as ready for unreadyAfter
	// without a sign that anything is stored, or as long as a leader trusts its lease, if that is
	// longer.
	appenderPatience = 3 * time.Second
	unreadyAfter     = 2 * time.Second
	// appenderTick is the interval at which the appender is checked.
	appenderTick = 250 * time.Millisecond
)

// A stall measures an append that is being written. Only the time in which this process ran counts,
// in ticks that came, because after a standstill the confirmation is there already, and has not
// been read.
type stall struct {
	writing atomic.Uint64 // number of the append; 0: none
	ticks   atomic.Int64  // since it was first seen
	seen    signal        // at each tick at which it lasts for longer than appenderPatience
}

// begin records that another append is written, and end that it is done.
func (s *stall) begin(number uint64) { s.writing.Store(number) }
func (s *stall) end()                { s.writing.Store(0) }

// longer reports that the same append has been written for longer than d.
func (s *stall) longer(d time.Duration) bool {
	return s.writing.Load() != 0 && s.ticks.Load() > int64(d/appenderTick)
}

// watchAppender answers calls that have waited too long for the appender, until ctx ends.
func (l *leader) watchAppender(ctx context.Context) {
	ticks := time.NewTicker(appenderTick)
	defer ticks.Stop()
	var before uint64
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		now := l.stall.writing.Load()
		if now != before || now == 0 {
			before = now
			l.stall.ticks.Store(0)
			continue
		}
		l.stall.ticks.Add(1)
		if l.stall.longer(appenderPatience) {
			l.calls.expire(time.Now().Add(-appenderPatience), errSlowAppender)
			l.stall.seen.send()
		}
	}
}

// lacks returns the reason why a leader cannot act; nil: it can.
func (l *leader) lacks(now time.Time) error {
	if l.stall.longer(unreadyAfter) {
		return errors.New("the journal takes no append")
	}
	if silent := now.Sub(l.held.Confirmed()); silent > l.trusting() {
		return fmt.Errorf("nothing was stored for %v", silent.Round(100*time.Millisecond))
	}
	return nil
}

// lacks returns the reason why no node can act for the partition, as far as this node knows; nil:
// one can.
func (p *partition) lacks(now time.Time) error {
	var err error
	lease := p.lease.Load()
	switch l := p.leading.Load(); {
	case !p.config.Dispatch.IsConnected():
		err = errors.New("there is no connection to NATS")
	case l != nil:
		err = l.lacks(now)
	case p.standing() != ledElsewhere || lease == nil:
		err = errors.New("its plans are being loaded, or no leader is known")
	case p.stuck.Load():
		err = errors.New("its leader cannot write")
	default:
		if silent := now.Sub(lease.Life()); silent > p.trusting() {
			err = fmt.Errorf("its leader has stored nothing that was seen here for %v", silent.Round(100*time.Millisecond))
		}
	}
	if err != nil {
		return fmt.Errorf("partition %d: %w", p.index, err)
	}
	return nil
}

// trusting is how long a partition counts as working without a sign that anything is stored.
func (p *partition) trusting() time.Duration {
	lease := cmp.Or(p.config.Lease, broker.DefaultLease)
	return max(unreadyAfter, lease*3/5)
}

var (
	errSlowAppender = &schema.Error{
		Code: schema.CodeUnavailable, RetryAfterMS: appenderPatience.Milliseconds(),
		Message: "the journal took no append for 3 seconds; whether this was " + askAgainKept,
	}
	errStalled = &schema.Error{
		Code: schema.CodeUnavailable, RetryAfterMS: appenderPatience.Milliseconds(),
		Message: "the journal takes no append at the moment; nothing was done: try again in a few seconds",
	}
)
