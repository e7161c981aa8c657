package worker

import (
	"sync"
	"sync/atomic"
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
	// voice is nil in an Execution that a test of a handler made: it says nothing.
	voice voice
	// automatic is the longest silence; negative: never extend by itself.
	automatic time.Duration

	stopped atomic.Bool // nothing more is said; set under mu

	mu        sync.Mutex
	timer     *time.Timer // nil as long as a metronome has the first beat
	spoken    bool
	held      bool          // the work has not begun, and waits for its turn
	last      time.Time     // when the last word was sent
	deadline  time.Time     // as far as we know; zero: none
	allowance time.Duration // what a `waiting` that names no time is worth
	every     time.Duration // pings that the scheduler asked for; zero: none
	progress  *float64      // not sent yet
}

// A voice is what a pulse speaks with.
type voice interface {
	say(schema.Reply)
	// overdue is called when the deadline passed and nobody extended it.
	overdue()
}

// start begins to count: first is when `running` is due, which m sees to. A deadline of
// zero means that there is none.
func (p *pulse) start(m *metronome, now time.Time, first time.Duration, deadline time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.deadline = deadline
	if !deadline.IsZero() {
		p.allowance = max(deadline.Sub(now), 0)
		if p.allowance > 0 {
			first = min(first, p.allowance/2)
		}
	}
	if !m.add(p, now.Add(first)) {
		p.arm(max(first, 1))
	}
}

// stop ends the pulse; no word is sent after it has returned.
func (p *pulse) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stopped.Store(true)
	if p.timer != nil {
		p.timer.Stop()
	}
}

// first is the beat that a metronome gives, unless something was said before it.
func (p *pulse) first() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.timer == nil {
		p.speak()
	}
}

// beat is called by the timer.
func (p *pulse) beat() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.speak()
}

// speak says what is due. It does so under the lock, so that stop can promise that nothing
// follows the result.
func (p *pulse) speak() {
	if p.stopped.Load() {
		return
	}
	now := time.Now()
	if p.automatic < 0 && !p.deadline.IsZero() && !now.Before(p.deadline) {
		p.stopped.Store(true)
		p.voice.overdue()
		return
	}
	reply := schema.Reply{State: schema.StateRunning}
	if p.held || p.spoken && p.automatic > 0 && !p.onlyPings(now) {
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
	p.wait(d)
}

// hold is extend, and every word is `waiting` from then on, until begin.
func (p *pulse) hold(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = true
	p.wait(d)
}

// begin says `running`, because what was held has its turn.
func (p *pulse) begin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.held = false
	if !p.stopped.Load() && p.voice != nil {
		p.say(time.Now(), schema.Reply{State: schema.StateRunning})
	}
}

// wait says `waiting` for d.
func (p *pulse) wait(d time.Duration) {
	if p.stopped.Load() || p.voice == nil {
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
	if p.stopped.Load() || p.voice == nil || percent != percent {
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
	if p.stopped.Load() || p.every == every {
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
	p.voice.say(reply)
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
	switch {
	case after <= 0:
	case p.timer == nil:
		p.timer = time.AfterFunc(after, p.beat)
	default:
		p.timer.Reset(after)
	}
}
