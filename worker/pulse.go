package worker

import (
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// reportEvery is the least time between two words that a handler's progress
	// causes: each of them is written down by the scheduler.
	reportEvery = 200 * time.Millisecond
	// beatAtLeast keeps a tiny exec_timeout from becoming a flood.
	beatAtLeast = 20 * time.Millisecond
	// beatWhenLate is how often a handler speaks whose deadline has passed by our
	// clock: either the clocks differ, or the scheduler is about to say cancel.
	beatWhenLate = time.Second
)

// A pulse speaks for a handler while it works: `running` once it has taken more
// than a moment, then `waiting` before each deadline. It says nothing at all of
// a handler that is quick.
type pulse struct {
	// send is nil in an Execution that a test of a handler made: it says nothing.
	send func(schema.Reply)
	// overdue is called when the deadline passed and nobody extended it.
	overdue func()
	// automatic is the longest silence; negative: never extend by itself.
	automatic time.Duration

	mu        sync.Mutex
	timer     *time.Timer
	stopped   bool
	spoken    bool
	last      time.Time     // when the last word was sent
	deadline  time.Time     // as far as we know; zero: none
	allowance time.Duration // what a `waiting` that names no time is worth
	every     time.Duration // pings that the scheduler asked for; zero: none
	progress  *float64      // not sent yet
}

// start begins to count: first is when `running` is due. A deadline of zero
// means that there is none.
func (p *pulse) start(now time.Time, first time.Duration, deadline time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deadline = deadline
	if !deadline.IsZero() {
		p.allowance = max(deadline.Sub(now), 0)
		if p.allowance > 0 {
			first = min(first, p.allowance/2)
		}
	}
	p.timer = time.AfterFunc(first, p.beat)
}

// stop ends the pulse; no word is sent after it has returned.
func (p *pulse) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped = true
	if p.timer != nil {
		p.timer.Stop()
	}
}

// beat is called by the timer. It sends under the lock, so that stop can promise
// that nothing follows the result.
func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped {
		return
	}
	now := time.Now()
	if p.automatic < 0 && !p.deadline.IsZero() && !now.Before(p.deadline) {
		p.stopped = true
		p.overdue()
		return
	}
	reply := schema.Reply{State: schema.StateRunning}
	if p.spoken && p.automatic > 0 && !p.onlyPings(now) {
		reply.State = schema.StateWaiting
	}
	p.say(now, reply)
}

// onlyPings reports whether a word is a mere ping: the scheduler asked for those, and there
// is time before the deadline.
func (p *pulse) onlyPings(now time.Time) bool {
	return p.every > 0 && (p.deadline.IsZero() || p.deadline.Sub(now) > p.allowance/2)
}

func (p *pulse) extend(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || p.send == nil {
		return
	}
	now := time.Now()
	if until := now.Add(d); until.After(p.deadline) && !p.deadline.IsZero() {
		p.deadline = until
	}
	seconds := schema.Seconds(d.Seconds())
	p.say(now, schema.Reply{State: schema.StateWaiting, Extend: &seconds})
}

func (p *pulse) report(percent float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || p.send == nil || percent != percent {
		return
	}
	percent = min(max(percent, 0), 100)
	p.progress = &percent
	now := time.Now()
	if soonest := p.last.Add(reportEvery); now.Before(soonest) {
		wait := soonest.Sub(now)
		if silence := p.silence(now); silence > 0 {
			wait = min(wait, silence)
		}
		p.arm(wait)
		return
	}
	p.say(now, schema.Reply{State: schema.StateRunning})
}

// paced takes note of how often the scheduler wants to hear from this execution.
func (p *pulse) paced(every time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped || p.every == every {
		return
	}
	p.every = every
	now := time.Now()
	p.arm(p.silence(now))
}

func (p *pulse) say(now time.Time, reply schema.Reply) {
	reply.Progress, p.progress = p.progress, nil
	p.spoken, p.last = true, now
	if reply.State == schema.StateWaiting && reply.Extend == nil && !p.deadline.IsZero() {
		if until := now.Add(p.allowance); until.After(p.deadline) {
			p.deadline = until
		}
	}
	p.send(reply)
	p.arm(p.silence(now))
}

// silence is how long to wait before the next word; zero: for ever.
func (p *pulse) silence(now time.Time) time.Duration {
	left := p.deadline.Sub(now)
	next := max(p.automatic, 0)
	switch {
	case p.deadline.IsZero():
	case p.automatic < 0:
		next = max(left, beatAtLeast)
	case left <= 0:
		next = min(next, beatWhenLate)
	default:
		next = min(next, max(left/2, beatAtLeast))
	}
	if p.every > 0 && (next == 0 || p.every < next) {
		next = max(p.every, beatAtLeast)
	}
	return next
}

func (p *pulse) arm(after time.Duration) {
	if after > 0 {
		p.timer.Reset(after)
	}
}
