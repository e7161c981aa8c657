package worker

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// progressEvery is the least time between two replies that a handler's progress causes,
	// because the scheduler writes each of them to its journal.
	progressEvery = 200 * time.Millisecond
	// beatAtLeast keeps a tiny exec_timeout from becoming a flood.
	beatAtLeast = 20 * time.Millisecond
	// beatWhenLate is the interval once the deadline has passed by this machine's clock,
	// because either the clocks differ, or the scheduler is about to cancel.
	beatWhenLate = time.Second
)

// A heartbeat sends replies for a handler while it works: `running` after a moment, then
// `waiting` well before each deadline. A quick handler has returned before the first.
type heartbeat struct {
	// sender is nil in an Execution that a test of a handler made: nothing is sent.
	sender sender
	// automatic is the longest time without a reply; negative: the deadline is never
	// extended by itself.
	automatic time.Duration

	stopped atomic.Bool // nothing more is sent; set under mu

	mu        sync.Mutex
	timer     *time.Timer // nil as long as the first-beat timer has the first beat
	sent      bool
	held      bool          // the work has not begun, because it waits for its turn
	last      time.Time     // of the last reply
	deadline  time.Time     // as this worker knows it; zero: none
	allowance time.Duration // that a `waiting` without `extend` adds
	every     time.Duration // the ping interval of the scheduler; zero: none
	progress  *float64      // not sent yet
}

// A sender is the execution, as its heartbeat uses it.
type sender interface {
	send(schema.Reply)
	// overdue is called once the deadline has passed without an extension.
	overdue()
}

// start begins to count: `running` is due after first, which t sees to. A zero deadline is
// none.
func (h *heartbeat) start(t *firstBeatTimer, now time.Time, first time.Duration, deadline time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.deadline = deadline
	if !deadline.IsZero() {
		h.allowance = max(deadline.Sub(now), 0)
		if h.allowance > 0 || h.automatic < 0 {
			first = min(first, h.allowance/2)
		}
	}
	if !t.add(h, now.Add(first)) {
		h.arm(max(first, 1))
	}
}

// limit is the deadline at which the handler's context ends, if there is one.
func (h *heartbeat) limit() (deadline time.Time, ok bool) {
	if h.automatic >= 0 {
		return time.Time{}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.deadline, !h.deadline.IsZero()
}

// stop ends the heartbeat; nothing is sent after it has returned.
func (h *heartbeat) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped.Store(true)
	if h.timer != nil {
		h.timer.Stop()
	}
}

// first is the beat of the first-beat timer. A reply before it has set a timer already.
func (h *heartbeat) first() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timer == nil {
		h.due()
	}
}

// beat is the timer's callback.
func (h *heartbeat) beat() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.due()
}

// due sends the next reply, or ends the handler's context. It does so under the lock, so that
// nothing follows the result once stop has returned.
func (h *heartbeat) due() {
	if h.stopped.Load() {
		return
	}
	now := time.Now()
	if h.automatic < 0 && !h.deadline.IsZero() && !now.Before(h.deadline) {
		h.stopped.Store(true)
		h.sender.overdue()
		return
	}
	reply := schema.Reply{State: schema.StateRunning}
	if h.held || h.sent && h.automatic > 0 && !h.onlyPings(now) {
		reply.State = schema.StateWaiting
	}
	h.send(now, reply)
}

// onlyPings reports that a `running` is enough, because the scheduler asked for pings and the
// deadline is not near.
func (h *heartbeat) onlyPings(now time.Time) bool {
	return h.every > 0 && (h.deadline.IsZero() || h.deadline.Sub(now) > h.allowance/2)
}

func (h *heartbeat) extend(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wait(d)
}

// hold extends the deadline, and makes every later reply `waiting`, until begin.
func (h *heartbeat) hold(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = true
	h.wait(d)
}

// begin sends `running`, because the turn of held work has come.
func (h *heartbeat) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = false
	if !h.stopped.Load() && h.sender != nil {
		h.send(time.Now(), schema.Reply{State: schema.StateRunning})
	}
}

// wait sends `waiting` for d.
func (h *heartbeat) wait(d time.Duration) {
	if h.stopped.Load() || h.sender == nil {
		return
	}
	now := time.Now()
	if until := now.Add(d); until.After(h.deadline) && !h.deadline.IsZero() {
		h.deadline = until
	}
	h.send(now, schema.Reply{State: schema.StateWaiting, Extend: schema.Within(d)})
}

// report sends a progress, at once or as soon as progressEvery allows.
func (h *heartbeat) report(percent float64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped.Load() || h.sender == nil || percent != percent {
		return
	}
	percent = min(max(percent, 0), 100)
	h.progress = &percent
	now := time.Now()
	if soonest := h.last.Add(progressEvery); now.Before(soonest) {
		wait := soonest.Sub(now)
		if next := h.interval(now); next > 0 {
			wait = min(wait, next)
		}
		h.arm(wait)
		return
	}
	h.send(now, schema.Reply{State: schema.StateRunning})
}

// paced sets the ping interval that the scheduler asks for.
func (h *heartbeat) paced(every time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped.Load() || h.every == every {
		return
	}
	h.every = every
	now := time.Now()
	h.arm(h.interval(now))
}

func (h *heartbeat) send(now time.Time, reply schema.Reply) {
	reply.Progress, h.progress = h.progress, nil
	h.sent, h.last = true, now
	if reply.State == schema.StateWaiting && reply.Extend == nil && !h.deadline.IsZero() {
		if until := now.Add(h.allowance); until.After(h.deadline) {
			h.deadline = until
		}
	}
	h.sender.send(reply)
	h.arm(h.interval(now))
}

// interval is the time until the next beat; zero: there is none.
func (h *heartbeat) interval(now time.Time) time.Duration {
	left := h.deadline.Sub(now)
	next := max(h.automatic, 0)
	switch {
	case h.deadline.IsZero():
	case h.automatic < 0:
		next = max(left, 1) // the context ends then
	case left <= 0:
		next = min(next, beatWhenLate)
	default:
		next = min(next, max(left/2, beatAtLeast))
	}
	if h.every > 0 && (next == 0 || h.every < next) {
		next = max(h.every, beatAtLeast)
	}
	return next
}

func (h *heartbeat) arm(after time.Duration) {
	switch {
	case after <= 0:
	case h.timer == nil:
		h.timer = time.AfterFunc(after, h.beat)
	default:
		h.timer.Reset(after)
	}
}
