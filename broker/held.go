package broker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Held is a lease that this process holds, as far as it knows. It is safe for concurrent
// use.
type Held struct {
	lease  *Lease
	before Predecessor
	lost   chan struct{}
	nudge  chan struct{}
	cancel context.CancelFunc
	done   chan struct{} // closed when the renewing goroutine has ended

	mu        sync.Mutex
	rev       uint64
	epoch     int64
	silent    uint64
	confirmed time.Time     // when the last confirmed renewal or append was sent
	waiting   chan struct{} // closed by the next confirmation; nil: no waiter
}

// Trusted reports whether the holder may still act at now: less than some 60 % of the lease
// have passed since the last confirmed renewal or append was sent. Without trust nothing is
// published, but the lease may come back: a cluster that takes no writes for a while costs
// every holder the trust and none the lease.
func (h *Held) Trusted(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.trusted(now)
}

func (h *Held) trusted(now time.Time) bool {
	return now.Sub(h.confirmed) < h.Trust()
}

// Confirmed is when the last confirmed renewal or append was sent.
func (h *Held) Confirmed() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.confirmed
}

// Alive counts an acknowledged append, sent at that moment, as a renewal.
func (h *Held) Alive(sent time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if sent.After(h.confirmed) {
		h.confirmed = sent
	}
	if h.waiting != nil {
		close(h.waiting)
		h.waiting = nil
	}
}

// AwaitTrust returns true as soon as the holder may act. It returns false when ctx ends
// first, or another process has taken the lease.
func (h *Held) AwaitTrust(ctx context.Context) bool {
	for {
		confirmed := h.doubted(time.Now())
		if confirmed == nil {
			return true
		}
		select {
		case <-confirmed:
		case <-h.lost:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// doubted returns nil when the holder may act at now, else a channel that is closed when a
// renewal or an append is confirmed.
func (h *Held) doubted(now time.Time) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.trusted(now) {
		return nil
	}
	if h.waiting == nil {
		h.waiting = make(chan struct{})
	}
	return h.waiting
}

// SetEpoch puts the seized journal's epoch into the record, where people read it.
func (h *Held) SetEpoch(epoch int64) {
	h.mu.Lock()
	h.epoch = epoch
	h.mu.Unlock()
	select {
	case h.nudge <- struct{}{}:
	default: // one nudge is pending, and one is enough
	}
}

// SetSilent records the append from which on no effect was or will be published; Release
// passes it to the next holder.
func (h *Held) SetSilent(from uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.silent = from
}

// Before is the previous holder of the lease.
func (h *Held) Before() Predecessor { return h.before }

// Trust is for how long a holder trusts the lease, counted from when it sent a confirmed
// renewal or append.
func (h *Held) Trust() time.Duration { return time.Duration(trustShare * float64(h.lease.length)) }

// Lost is closed when another process has taken the lease.
func (h *Held) Lost() <-chan struct{} { return h.lost }

// Release gives the lease up, so that another process may take it at once. It is called
// once, also when the lease was lost or ctx of Await has ended.
func (h *Held) Release(ctx context.Context) error {
	h.cancel()
	<-h.done
	select {
	case <-h.lost:
		return nil
	default:
	}
	// The last revision may be a renewal that was cut off in flight.
	record, rev, err := h.lease.read(ctx)
	if err == nil && record.Holder == h.lease.holder {
		_, err = h.lease.write(ctx, rev, leaseRecord{Epoch: h.epoch, Released: true, Silent: h.silent})
	}
	if err != nil {
		return fmt.Errorf("release lease: %w", err)
	}
	return nil
}

// renew keeps the record fresh until ctx ends or another process holds it. It renews at
// once when the connection is back, because callers may wait for trust.
func (h *Held) renew(ctx context.Context) {
	defer close(h.done)
	back := h.lease.store.nc.StatusChanged(nats.CONNECTED)
	defer h.lease.store.nc.RemoveStatusListener(back)
	ticks := time.NewTicker(h.lease.length / renewals)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-back:
		case <-h.nudge:
		case <-ctx.Done():
			return
		}
		if !h.renewOnce(ctx) {
			close(h.lost)
			return
		}
	}
}

// renewOnce writes the record again. It returns false when the lease is another's.
func (h *Held) renewOnce(ctx context.Context) bool {
	h.mu.Lock()
	rev, epoch := h.rev, h.epoch
	h.mu.Unlock()
	// Trust counts from when the renewal was sent, because a slow answer must not lengthen
	// it.
	sent := time.Now()
	// A renewal whose answer would give no trust any more is better sent anew.
	writing, cancel := context.WithTimeout(ctx, h.Trust())
	rev, err := h.lease.write(writing, rev, leaseRecord{Epoch: epoch})
	cancel()
	if err == nil {
		h.Alive(sent)
		h.mu.Lock()
		h.rev = rev
		h.mu.Unlock()
		return true
	}
	// After a refusal, or without an answer, the record names the holder. While it cannot be
	// read no other process can have taken it.
	record, rev, err := h.lease.read(ctx)
	if err != nil {
		return true
	}
	h.mu.Lock()
	h.rev = rev
	h.mu.Unlock()
	return record.Holder == "" || record.Holder == h.lease.holder && !record.Released
}
