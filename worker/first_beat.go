package worker

import (
	"slices"
	"sync"
	"time"
)

// A firstBeatTimer gives many heartbeats their first beat with one timer, because nearly all
// handlers have returned by then, and a timer for each would cost more than the rest of a
// quick execution. It never waits for a heartbeat that is sending, because that may wait for
// the connection, and those that begin meanwhile would wait with it.
type firstBeatTimer struct {
	mu      sync.Mutex
	timer   *time.Timer
	beats   []firstBeat // in the order of their times
	stopped bool
}

type firstBeat struct {
	at time.Time
	of *heartbeat
}

// add has h beat at a moment. It reports false when a beat that was added before is later,
// which only short deadlines cause; h then needs a timer of its own.
func (t *firstBeatTimer) add(h *heartbeat, at time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.beats); n > 0 && at.Before(t.beats[n-1].at) {
		return false
	}
	if len(t.beats) == cap(t.beats) {
		t.beats = slices.DeleteFunc(t.beats, func(b firstBeat) bool { return b.of.stopped.Load() })
		t.beats = slices.Grow(t.beats, len(t.beats)+1) // as many again before the next look
	}
	t.beats = append(t.beats, firstBeat{at, h})
	if len(t.beats) == 1 {
		t.arm()
	}
	return true
}

// beat is the timer's callback.
func (t *firstBeatTimer) beat() {
	t.mu.Lock()
	now := time.Now()
	var due []*heartbeat
	done := 0
	for _, b := range t.beats {
		if !b.of.stopped.Load() {
			if b.at.After(now) {
				break
			}
			due = append(due, b.of)
		}
		done++
	}
	clear(t.beats[:done]) // lets go of the executions
	if t.beats = t.beats[done:]; len(t.beats) > 0 {
		t.arm()
	}
	t.mu.Unlock()
	for _, h := range due {
		h.first()
	}
}

// arm sets the timer to the first of the beats.
func (t *firstBeatTimer) arm() {
	wait := time.Until(t.beats[0].at)
	switch {
	case t.stopped:
	case t.timer == nil:
		t.timer = time.AfterFunc(wait, t.beat)
	default:
		t.timer.Reset(wait)
	}
}

// stop ends the timer, so that no heartbeat begins any more.
func (t *firstBeatTimer) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	if t.timer != nil {
		t.timer.Stop()
	}
}
