package worker

import (
	"slices"
	"sync"
	"time"
)

// A metronome gives many pulses their first beat with one timer. Nearly all handlers have
// returned by then, and a timer for each would cost more than the rest of what is done for
// a quick one. It never waits for a pulse, which may wait for the connection while it
// speaks: those that begin meanwhile would have to wait, too.
type metronome struct {
	mu      sync.Mutex
	timer   *time.Timer
	beats   []firstBeat // in the order of their times
	stopped bool
}

type firstBeat struct {
	at time.Time
	of *pulse
}

// add has p beat at a moment. It reports false when others that were added before are
// later: then p has to see to it itself, which only short deadlines cause.
func (m *metronome) add(p *pulse, at time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if n := len(m.beats); n > 0 && at.Before(m.beats[n-1].at) {
		return false
	}
	if len(m.beats) == cap(m.beats) {
		m.beats = slices.DeleteFunc(m.beats, func(b firstBeat) bool { return b.of.stopped.Load() })
		m.beats = slices.Grow(m.beats, len(m.beats)+1) // as many again before the next look
	}
	m.beats = append(m.beats, firstBeat{at, p})
	if len(m.beats) == 1 {
		m.arm()
	}
	return true
}

// beat is called by the timer.
func (m *metronome) beat() {
	m.mu.Lock()
	now := time.Now()
	var due []*pulse
	done := 0
	for _, b := range m.beats {
		if !b.of.stopped.Load() {
			if b.at.After(now) {
				break
			}
			due = append(due, b.of)
		}
		done++
	}
	clear(m.beats[:done]) // lets go of the executions
	if m.beats = m.beats[done:]; len(m.beats) > 0 {
		m.arm()
	}
	m.mu.Unlock()
	for _, p := range due {
		p.first()
	}
}

// arm sets the timer to the first of those that wait.
func (m *metronome) arm() {
	wait := time.Until(m.beats[0].at)
	switch {
	case m.stopped:
	case m.timer == nil:
		m.timer = time.AfterFunc(wait, m.beat)
	default:
		m.timer.Reset(wait)
	}
}

// stop ends it: no pulse begins any more.
func (m *metronome) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stopped = true
	if m.timer != nil {
		m.timer.Stop()
	}
}
