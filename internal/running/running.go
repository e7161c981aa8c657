// Package running measures the time in which this process ran. A watchdog on the wall clock
// takes a machine that was paused for a part that is stuck, although that part stood still as
// well and has had no time at all.
//
// A span ends after so much time in which timers fired when they should. The package knows
// nothing of the part that is watched.
package running

import (
	"context"
	"time"
)

// slices are the parts of a span. A stall counts as one of them at most.
const slices = 30

// A countdown calls over when all of its slices have passed.
type countdown struct {
	timer *time.Timer
	each  time.Duration
	left  int
	over  func()
	// counts reports whether the slice that has just passed is part of the span. Nil: each is.
	counts func() bool
}

// newCountdown begins one. The caller stops its timer.
func newCountdown(d time.Duration, over func(), counts func() bool) *countdown {
	c := &countdown{each: max(d/slices, 1), left: slices, over: over, counts: counts}
	c.timer = time.AfterFunc(time.Hour, c.pass)
	c.timer.Reset(c.each)
	return c
}

// pass notes that a slice has passed, however late its timer fired.
func (c *countdown) pass() {
	if c.counts == nil || c.counts() {
		c.left--
	}
	if c.left <= 0 {
		c.over()
		return
	}
	c.timer.Reset(c.each)
}

// WithTimeout is parent until this process has run for d; then it ends with that cause.
func WithTimeout(parent context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return WithTimeoutWhile(parent, d, cause, nil)
}

// WithTimeoutWhile is WithTimeout whose thirtieths count only if counts returns true at their
// ends. Nil: all do.
func WithTimeoutWhile(parent context.Context, d time.Duration, cause error, counts func() bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	c := newCountdown(d, func() { cancel(cause) }, counts)
	return ctx, func() {
		c.timer.Stop()
		cancel(nil)
	}
}
