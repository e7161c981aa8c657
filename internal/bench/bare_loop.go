package bench

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	// sampleEvery keeps the clock out of the loop, because reading it for each execution
	// would be part of the measured work.
	sampleEvery = 16
	// maxResultsBehind pauses dispatch, because the results not yet stored would grow
	// until the server refuses them.
	maxResultsBehind = 20_000
	// maxSilence is the number of seconds without a message after which the run fails. A
	// busy disk has been seen to take several for one sync.
	maxSilence = 30
)

// A loop is the scheduler of the bare pattern. One goroutine owns it.
type loop struct {
	Bare
	failed <-chan error

	nc    *nats.Conn     // executions go out here
	inbox chan *nats.Msg // replies and acknowledgements, in the order in which they came

	// The subscription of a message in the inbox is its kind.
	replies, appendAcks, resultAcks, bucketAcks *nats.Subscription

	journal journal[effect]
	results behind
	bucket  behind

	plans    []barePlan
	cursor   int   // the next plan to try for a dispatch
	changed  []int // plans that differ from the bucket
	underWay int
	draining bool
	settled  int64
	cycles   latencies

	began    time.Time
	observer *nats.Conn   // read by the measurement, with the next two
	answered atomic.Int64 // by the worker
	received atomic.Int64 // by the observer
	figures  Figures      // complete once draining
}

// An effect is the consequence of a row once it is durable.
type effect struct {
	plan    int
	settles bool          // the row is a result, else a dispatch
	began   time.Duration // with settles: the time of the dispatch's record; 0: not sampled
}

// run keeps executions under way until they have been measured, then finishes those begun.
func (l *loop) run(ctx context.Context) error {
	measured, stop := inBackground(ctx, l.outside(), l.WarmUp, l.Duration)
	defer stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()

	l.began = time.Now()
	if err := l.advance(); err != nil {
		return err
	}
	silent := 0
	for !l.finished() {
		select {
		case msg := <-l.inbox:
			silent = 0
			if err := l.take(msg); err != nil {
				return err
			}
		case seen := <-measured:
			if err := l.measure(seen); err != nil {
				return err
			}
		case <-second.C:
			if silent++; silent > maxSilence {
				return fmt.Errorf("nothing received for %d s with %d executions under way", silent, l.underWay)
			}
			if err := l.checkpoint(); err != nil {
				return err
			}
		case err := <-l.failed:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// take handles msg and the messages behind it in the inbox, without the cost of a
// select for each.
func (l *loop) take(msg *nats.Msg) error {
	for n := len(l.inbox); ; n-- {
		if err := l.handle(msg); err != nil {
			return err
		}
		if n == 0 {
			return l.advance()
		}
		msg = <-l.inbox
	}
}

func (l *loop) handle(msg *nats.Msg) error {
	switch msg.Sub {
	case l.replies:
		return l.replied(msg)
	case l.appendAcks:
		return l.committed(msg)
	case l.resultAcks:
		return l.results.acknowledged(msg)
	case l.bucketAcks:
		return l.bucket.acknowledged(msg)
	default:
		return fmt.Errorf("message on %s: no request for it", msg.Subject)
	}
}

// advance fills up the executions under way and sends the next append.
func (l *loop) advance() error {
	for !l.draining && l.underWay < l.Outstanding && l.results.outstanding() < maxResultsBehind {
		l.dispatch()
	}
	if err := l.journal.send(); err != nil {
		return err
	}
	if err := l.results.send(); err != nil {
		return err
	}
	if l.draining && l.underWay == 0 && l.journal.idle() {
		return l.checkpoint()
	}
	return nil
}

// dispatch records an execution of the next plan that has none under way.
func (l *loop) dispatch() {
	for l.plans[l.cursor].underWay {
		l.cursor = (l.cursor + 1) % len(l.plans)
	}
	i := l.cursor
	l.cursor = (l.cursor + 1) % len(l.plans)
	p := &l.plans[i]
	p.n++
	p.underWay = true
	p.began = 0
	if (p.n+uint64(i))%sampleEvery == 0 {
		p.began = time.Since(l.began)
	}
	l.underWay++
	l.journal.add(p.body, effect{plan: i})
}

// replied handles a worker's reply: "running" is only read, "ok" is a result.
func (l *loop) replied(msg *nats.Msg) error {
	if bytes.Equal(msg.Data, replyRunning) {
		return nil
	}
	i, n, err := parseReply(msg.Subject)
	if err != nil {
		return err
	}
	if i >= len(l.plans) || l.plans[i].n != n || !l.plans[i].underWay {
		return fmt.Errorf("reply on %s: no such execution is under way", msg.Subject)
	}
	p := &l.plans[i]
	p.underWay = false
	l.underWay--
	l.journal.add(p.body, effect{plan: i, settles: true, began: p.began})
	return nil
}

// committed performs the effects of the append that has become durable. It sends the
// next append first, so that the disk works meanwhile.
func (l *loop) committed(msg *nats.Msg) error {
	group, err := l.journal.acknowledged(msg)
	if err != nil {
		return err
	}
	if err := l.advance(); err != nil {
		return err
	}
	now := time.Since(l.began)
	for _, eff := range group.effects {
		p := &l.plans[eff.plan]
		if !eff.settles {
			err = l.nc.PublishRequest(stationSubject, p.reply(), p.body)
		} else {
			err = l.settle(p, eff, now)
		}
		if err != nil {
			return fmt.Errorf("perform effects of append %d: %w", l.journal.last, err)
		}
	}
	l.journal.release(group)
	return nil
}

func (l *loop) settle(p *barePlan, eff effect, now time.Duration) error {
	l.settled++
	if eff.began != 0 && !l.draining {
		l.cycles.add(now - eff.began)
	}
	if !p.changed {
		p.changed = true
		l.changed = append(l.changed, eff.plan)
	}
	return l.results.publish(p.resultSubject, p.body)
}

// checkpoint writes the plans that have changed to the bucket, unless the last
// checkpoint is still on its way there.
func (l *loop) checkpoint() error {
	if l.bucket.outstanding() > 0 {
		return nil
	}
	for _, i := range l.changed {
		p := &l.plans[i]
		p.changed = false
		if err := l.bucket.publish(p.bucketSubject, p.body); err != nil {
			return err
		}
	}
	l.changed = l.changed[:0]
	return nil
}

// finished reports whether all executions are settled and stored.
func (l *loop) finished() bool {
	return l.draining && l.underWay == 0 && l.journal.idle() &&
		l.results.outstanding() == 0 && len(l.changed) == 0 && l.bucket.outstanding() == 0
}

// measure ends the measured time. Executions under way are still to be finished.
func (l *loop) measure(seen sighting) error {
	if seen.err != nil {
		return seen.err
	}
	l.draining = true
	l.figures = Figures{
		Executions: seen.executions(), PerSecond: seen.perSecond(), CPUPerExecution: seen.cpuPerExecution(),
		P50:           l.cycles.quantile(0.50),
		P99:           l.cycles.quantile(0.99),
		Appends:       int64(l.journal.last),
		RowsPerAppend: l.journal.rowsPerAppend(),
	}
	return seen.steady(l.Outstanding)
}

// outside returns the counters of the loop's worker, observer and stream.
func (l *loop) outside() outside {
	return outside{
		ended: counted(&l.answered), received: counted(&l.received), cpu: ownCPU,
		stored: func(ctx context.Context) (int64, error) {
			state, err := streamState(ctx, l.observer, resultsStream)
			return int64(state.LastSeq), err
		},
	}
}
