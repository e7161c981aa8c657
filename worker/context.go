package worker

import (
	"context"
	"time"
)

// ExecutionFrom returns the execution that the context of a handler belongs to, also one
// derived from it. For any other context it returns an empty execution that sends no reports,
// so that a handler can be tested with [context.Background].
func ExecutionFrom(ctx context.Context) *Execution {
	if x, ok := ctx.Value(executionKey{}).(*Execution); ok {
		return x
	}
	return &Execution{}
}

type executionKey struct{}

// executionContext is the root of a handler's context: it knows the execution, and its
// deadline where the context ends at that. It is the execution itself under another name,
// so that it costs nothing.
//
// The standard library's contexts with a deadline do not fit, because theirs cannot move.
type executionContext Execution

// Deadline has none while the worker extends the deadline by itself, because a deadline that
// will move would have context.WithTimeout make no timer for a later one, and an RPC library
// send it to a server as final.
func (c *executionContext) Deadline() (time.Time, bool) { return c.heartbeat.limit() }

// Done is nil where the context has no deadline, and a child needs no watch then.
func (c *executionContext) Done() <-chan struct{} { return c.expired }

func (c *executionContext) Err() error {
	select {
	case <-c.expired:
		return ErrDeadline
	default:
		return nil
	}
}

func (c *executionContext) Value(key any) any {
	if key == (executionKey{}) {
		return (*Execution)(c)
	}
	return nil
}

// AfterFunc has package context call end when the deadline passes, and start no goroutine to
// wait for it. The only caller is attach, before there is a deadline to pass; a call of end
// after the execution has ended changes nothing, so that stopping it is not needed.
func (c *executionContext) AfterFunc(end func()) (stop func() bool) {
	c.expire = end
	return func() bool { return false }
}

// attach makes the context of an execution that w has taken.
func (w *Worker) attach(x *Execution) {
	x.worker = w
	if w.opts.WaitingEvery < 0 {
		x.expired = make(chan struct{})
	}
	x.ctx, x.cancel = context.WithCancelCause((*executionContext)(x))
}

// overdue ends the context of the handler, because its deadline has passed.
func (x *Execution) overdue() {
	close(x.expired)
	x.expire()
}
