package worker

import (
	"context"
	"time"
)

// A Handler does the work of one execution. What it returns becomes the content
// of the result, in the encoding of the plan: any value that package schema/wire
// can encode ([]byte is binary, json.RawMessage and wire.Value are passed on as
// they are, nil is no content) but an error: `return err, nil` is taken for the mistake
// that it is, and makes the result an `error`, and so is a text that is not UTF-8, which would
// arrive as another. An error makes the result an `error`, to be
// retried under the plan's policy; see [Retries], [RetryAfter], [NonRetryable] and [StopPlan]. A content
// that comes with an error is sent too. A panic is an `error`.
//
// The context ends when the execution should stop, with a cause that says why:
// [ErrCancelled], [ErrStopping] or [ErrDeadline].
type Handler func(ctx context.Context, x *Execution) (any, error)

// A HandleOption changes how one handler runs.
type HandleOption func(*action)

// Retries runs the handler again, in this worker, when it returns an error: up to n times,
// each after a pause. Zero n, or less, is none; zero pause, or less, is at once. The
// scheduler gets the reply of the last run alone, and heartbeats until then.
// [NonRetryable], [StopPlan], [RetryAfter], [CompleteLater] and the end of the context are
// final at once. A panic is an error like others.
func Retries(n int, pause time.Duration) HandleOption {
	return func(a *action) { a.retries, a.pause = max(n, 0), max(pause, 0) }
}

// An action is the handler of one command, and how it runs.
type action struct {
	handler Handler
	retries int           // at most so many more runs after an error,
	pause   time.Duration // each after so long
}
