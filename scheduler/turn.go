package scheduler

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/running"
	"github.com/stationmaster-io/stationmaster/scheduler/follow"
	"github.com/stationmaster-io/stationmaster/scheduler/forward"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
)

// warmWithin is how long a node that has only just begun to load leaves a vacant lease to loaded
// nodes, because it could not lead sooner anyway.
const warmWithin = time.Second

// turn waits for the lease, leads, and releases it.
func (p *partition) turn(ctx context.Context) error {
	// The name that signs appends belongs to one turn and is never used again, because appends that
	// an earlier turn left in flight must not look like ours.
	holder := rand.Text()
	lease := p.config.Store.Lease(p.index, p.config.Node, holder, p.config.Lease)
	lease.Hesitate = p.hesitate
	p.lease.Store(lease)
	lease.Seen = func(node string, epoch int64) { p.seen.Store(&Leadership{p.index, node, epoch}) }
	waiting, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	f := p.follow(ctx, holder, lease.Alive, giveUp)
	defer func() { f.Close() }() // the last one of them
	f.Warm(waiting, warmWithin)
	held, err := lease.Await(waiting, func(ctx context.Context) bool {
		if !p.leaderGone(ctx) {
			return false
		}
		f.Look() // because its last appends, found later, would count as later signs of life
		return true
	})
	if err != nil {
		return fmt.Errorf("wait for the lease: %w", err)
	}
	defer func() {
		bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseWithin)
		defer cancel()
		if err := held.Release(bye); err != nil {
			p.log.Debug("lease not released", "error", err)
		}
	}()
	defer p.suspects.drop()
	p.differing = 0
	for {
		err := p.office(ctx, held, f)
		if !errors.Is(err, errContained) && !errors.Is(err, errDiffers) {
			return err
		}
		// The lease stays. The cause of a panic is kept from the next machine.
		f.Close()
		f = p.follow(ctx, holder, lease.Alive, giveUp)
	}
}

// follow starts a follower, which runs until ctx ends, or until it cannot go on; then it
// calls failed.
func (p *partition) follow(ctx context.Context, holder string, alive func(), failed context.CancelCauseFunc) *follow.Follower {
	return follow.Start(ctx, follow.Config{
		Store: p.config.Store,
		Machine: machine.Config{
			Partition:    p.index,
			Partitions:   p.config.Space.Partitions,
			Defaults:     p.config.Defaults,
			MisfireGrace: p.config.MisfireGrace,
			Checkpoint:   p.config.Checkpoint,
			TenantPlans:  p.config.TenantPlans,
			Probe:        p.config.Probe,
		},
		Holder: holder, Alive: alive, Whole: p.whole, Failed: failed,
		LeftOut: &p.leftOut, Incidents: p.incidents, Log: p.log,
	})
}

// office takes over with the follower's state, and leads.
func (p *partition) office(ctx context.Context, held *broker.Held, f *follow.Follower) error {
	l, err := p.takeOver(ctx, held, f)
	if err != nil {
		return fmt.Errorf("take over: %w", err)
	}
	p.set(l)
	p.meter.TookOver(time.Since(l.began))
	p.log.Info("leads", "epoch", l.appender.Epoch(), "plans", l.plans.Load(), "took", time.Since(l.began).Round(time.Millisecond))
	err = p.runLeader(ctx, l)
	p.set(nil)
	l.close()
	held.SetSilent(l.begun + 1)
	if errors.Is(err, errContained) {
		p.suspects.carry(l.leftover())
	}
	var changed *broker.ChangedError
	if errors.As(err, &changed) && !p.config.AcceptRollback {
		p.reportMissing(ctx)
	}
	return err
}

// reportMissing has the store record the appends that its journal lacks and this node has seen,
// because the node ends, and a node that starts on an older store cannot notice that it is older.
func (p *partition) reportMissing(ctx context.Context) {
	ctx, cancel := running.WithTimeout(ctx, writtenWithin, errTakesNone)
	defer cancel()
	if err := p.whole(ctx); err != nil {
		p.log.Error("the journal lacks appends that this node has seen", "error", err)
	}
}

// runLeader leads until ctx ends or the partition is to go to another node.
func (p *partition) runLeader(ctx context.Context, l *leader) error {
	ctx, give := context.WithCancelCause(ctx)
	p.yieldMu.Lock()
	p.give = give
	p.yieldMu.Unlock()
	defer func() {
		p.yieldMu.Lock()
		p.give = nil
		p.yieldMu.Unlock()
		give(nil)
	}()
	l.finished = false
	if err := l.lead(ctx, give); err != nil {
		return err
	}
	l.finished = true
	return context.Cause(ctx)
}

// close ends the leadership: it accepts no more events, and answers open calls.
func (l *leader) close() {
	close(l.gone)
	if l.post != nil { // set from its take-over on
		l.post.Close()
	}
	l.listener.Close()
	open := error(errUnknown)
	if err := l.config.Store.Room(); err != nil {
		open = stoppedLeading(" (" + err.Error() + ")")
	}
	if l.finished && l.held.Trusted(time.Now()) {
		open = forward.ErrElsewhere
		// Wait until the server confirms the end of the subscriptions, so that no reply comes to us
		// that the next leader gets, too.
		l.listener.ConfirmGone()
	}
	l.calls.abandon(open)
	l.unread()
	l.errands.Wait()
	l.appender.Close()
	if l.storage != nil {
		l.storage.Close()
	}
}
