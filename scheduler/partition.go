package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/follow"
	"github.com/stationmaster-io/stationmaster/scheduler/forward"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// askAgain is the pause before a missing leader is asked again.
	askAgain = 50 * time.Millisecond
	// patience is how long a request waits for a leader.
	patience = 3 * time.Second
	// waitersAtMost bounds the requests that do; the next are refused at once.
	waitersAtMost = 1000
	// After trouble a partition is tried again soon, and less and less often, so that a partition
	// which cannot be led costs nothing.
	shortestRest = 250 * time.Millisecond
	longestRest  = 5 * time.Second
	// releaseWithin bounds the release of the leases of a node that stops.
	releaseWithin = 2 * time.Second
)

// A partition is led here or stands by.
type partition struct {
	config Config
	index  int
	log    *slog.Logger
	meter  *metrics.Partition
	line   *forward.Line // to a leader elsewhere

	incidents *incident.Reporter
	suspects  *suspects
	leftOut   follow.LeftOut
	differing int // how often in a row the bucket was read and did not hold the plans that it should

	leading atomic.Pointer[leader]
	known   atomic.Int32 // a standing, as far as it is known
	seen    atomic.Pointer[Leadership]
	stuck   atomic.Bool // the leader elsewhere reports that it cannot write
	lease   atomic.Pointer[broker.Lease]
	asks    askQueue
	after   sync.WaitGroup // requests that wait for a leader, or for the answer of one elsewhere

	changed *signal     // leading has changed, here or in another partition
	full    func() bool // this node has its share of the partitions

	yieldMu sync.Mutex
	give    context.CancelCauseFunc // ends the present leadership in good order; nil: none
	gave    time.Time               // when a leadership was last given up for another node

	// running ends when requests no longer wait for a leader.
	running context.Context
	end     context.CancelFunc
	mu      sync.Mutex // guards the beginning of a wait against the end of all
}

func newPartition(c Config, index int, changed *signal, full func() bool) *partition {
	p := &partition{
		config: c, index: index, log: c.Log.With("partition", index), meter: c.Metrics.Partition(index),
		changed: changed, full: full,
		line:      forward.NewLine(c.Dispatch, c.Space, index, c.Log.With("partition", index)),
		incidents: incident.New(c.Log, c.Metrics, "partition", index), suspects: newSuspects(),
	}
	p.running, p.end = context.WithCancel(context.Background())
	return p
}

// run alternates between standby and leader until standing ends, and follows the leader's identity
// until ctx ends.
func (p *partition) run(ctx, standing context.Context) error {
	defer p.stop()
	rest := shortestRest
	for {
		began := time.Now()
		err := p.incidents.Guard(metrics.AtLead, func() error { return p.turn(standing) })()
		if time.Since(began) > longestRest {
			rest = shortestRest
		}
		var changed *broker.ChangedError
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.As(err, &changed) && !p.config.AcceptRollback:
			p.log.Error("a stream lacks messages that this node has seen, so the node ends: an older disk came back, or it was made anew; "+
				"restore a backup, or start again, and the stream counts as it is", "error", err)
			return err
		case standing.Err() != nil:
			if !errors.Is(err, context.Cause(standing)) {
				p.log.Warn("stood down while it was stopping", "error", err)
			}
			p.point(ctx)
			return nil
		case errors.Is(err, errYielded):
			p.log.Info("left to another node", "reason", err)
			continue
		}
		p.log.Warn("stood down", "error", err, "next_try", rest)
		_ = pause(standing, rest) // where standing has ended, the next turn does at once
		rest = min(2*rest, longestRest)
	}
}

// point keeps the leader's identity current for requests that come in here, until ctx ends.
func (p *partition) point(ctx context.Context) {
	ticks := time.NewTicker(askAgain)
	defer ticks.Stop()
	for {
		p.leaderGone(ctx)
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
	}
}

// errYielded ends a leadership in favour of another node.
var errYielded = errors.New("another node leads fewer partitions")

// yield gives the partition up, in good order, for a node that leads fewer.
func (p *partition) yield() {
	p.yieldMu.Lock()
	defer p.yieldMu.Unlock()
	if p.give != nil {
		p.gave = time.Now()
		p.give(errYielded)
	}
}

// hesitate is how long this node leaves a vacant lease to others.
func (p *partition) hesitate() time.Duration {
	p.yieldMu.Lock()
	gave := p.gave
	p.yieldMu.Unlock()
	switch {
	case !gave.IsZero() && time.Since(gave) < yielded:
		return yielded
	case p.full():
		return stepBack
	default:
		return 0
	}
}

// handedOver records that another node leads the partition that was given up for it. When that node
// goes, this one is as good a candidate as any.
func (p *partition) handedOver() {
	p.yieldMu.Lock()
	defer p.yieldMu.Unlock()
	p.gave = time.Time{}
}

// leaderGone asks the leader's own subject for responders, because this detects a killed process at
// once.
func (p *partition) leaderGone(ctx context.Context) bool { return p.look(ctx) == forward.Vacant }

// look learns of the leader from its own subject. No answer leaves it unknown, and so does the
// answer of a node that only takes over.
func (p *partition) look(ctx context.Context) forward.Sign {
	sign := p.line.Probe(ctx)
	switch sign {
	case forward.NotLeading:
		p.learn(leaderless)
	case forward.Leads, forward.Stuck:
		p.stuck.Store(sign == forward.Stuck)
		p.learn(ledElsewhere)
		p.handedOver()
	case forward.Vacant:
		p.learn(leaderless)
	}
	return sign
}

func (p *partition) standing() standing { return standing(p.known.Load()) }

// learn records the standing of the leader.
func (p *partition) learn(s standing) {
	if p.known.Swap(int32(s)) != int32(s) {
		p.changed.send()
	}
}

// set makes l the leader that requests go to; nil: none.
func (p *partition) set(l *leader) {
	p.leading.Store(l)
	if l == nil {
		p.learn(leaderless)
	}
	p.changed.send()
}

// stop releases the requests that wait for a leader.
func (p *partition) stop() {
	p.mu.Lock()
	p.end()
	p.mu.Unlock()
	p.set(nil)
	p.after.Wait()
	p.line.Close()
}

// enter counts a waiter, unless the node is stopping.
func (p *partition) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running.Err() != nil {
		return false
	}
	p.after.Add(1)
	return true
}

// noLeader is the error for a user while the partition has no leader, with the reason as far as
// this node knows it.
func (p *partition) noLeader() error {
	if err := p.config.Store.Full(); err != nil {
		return &schema.Error{
			Code: schema.CodeUnavailable, RetryAfterMS: longestRest.Milliseconds(),
			Message: "no scheduler leads: " + err.Error(),
		}
	}
	return errNoLeader
}

// try gives k to the leader; false when there is none.
func (p *partition) try(c command.Command, k *call) bool {
	l := p.leading.Load()
	return l != nil && l.enter(c, k)
}

// enter accepts k; false when the leader is gone, or paused.
func (l *leader) enter(c command.Command, k *call) bool {
	if l.paused.Load() || !l.calls.add(k) {
		return false
	}
	if err := command.TooLate(k.by, time.Now()); err != nil {
		l.meter.TooLate()
		k.finish(nil, err)
		return true
	}
	if l.stall.longer(appenderPatience) && !k.patient {
		k.finish(nil, errStalled)
		return true
	}
	bare, by := command.Bare(c)
	l.bring(event.Ask{From: k, What: bare, By: by, Asked: command.Asked(c), Dry: command.IsDry(c)}, k)
	return true
}

// bring puts a request before decide. It waits while too many wait, but not for an appender that is
// stalled, because requests for other partitions may wait behind it.
func (l *leader) bring(ask event.Ask, k *call) {
	select {
	case l.asks <- ask:
		return
	default:
	}
	for {
		stalled := l.stall.seen.next()
		if l.stall.longer(appenderPatience) {
			k.finish(nil, errStalled)
			return
		}
		select {
		case l.asks <- ask:
			return
		case <-stalled:
		case <-l.gone:
			return // abandon has answered it, or will
		}
	}
}

// pause waits for d. If ctx ends first, it returns the cause.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
