package worker

import (
	"context"
	"time"
)

// A Handler does the work of one execution; [HandleJob] takes a function for arguments of one
// type in its place.
//
// The value that it returns becomes the content of the result, in the encoding of the plan:
// []byte is binary, json.RawMessage and wire.Value are passed on as they are, nil is no
// content, and all else is encoded as package schema/wire does. A value that has no encoding
// makes the result an `error`. So does a text that is not UTF-8, because it would arrive as
// another, and an error as the value, because `return err, nil` is a mistake.
//
// An error makes the result an `error`, which is retried under the plan's policy; [Retries],
// [RetryAfter], [NonRetryable], [StopPlan] and [OutcomeUnknown] change that. The value beside
// it is sent too. A panic is an `error`.
//
// The context ends when the execution should stop; [context.Cause] is then [ErrCancelled],
// [ErrStopping] or [ErrDeadline].
//
// The deadline of an execution is its `exec_timeout` after the dispatch
// ([schema.Execution.Deadline]). `running` does not move it; `waiting` does, to the time that
// it names, or to `exec_timeout` from then, and never back. A worker sends `waiting` by itself
// for as long as the handler works, so that the deadline bounds a worker that is lost, and not
// the work: the context then has no deadline, and ends with ErrCancelled when the scheduler
// ends the execution. With a negative [Options.WaitingEvery] only [Execution.Extend] and
// [Execution.Hold] move it: ctx.Deadline() is then that of the execution, or later as far as
// they have moved it, and at that time, by this machine's clock, the context ends with
// ErrDeadline. An execution without a deadline, as at a pull station with pings and no
// `exec_timeout`, has none here either.
type Handler func(ctx context.Context, x *Execution) (any, error)

// A HandleOption changes how one handler runs.
type HandleOption func(*action)

// Retries runs the handler again, in this worker, when it returns an error: up to n times,
// each after a pause. Zero n, or less, is none; zero pause, or less, is at once. The
// scheduler gets the reply of the last run alone, and heartbeats until then.
// [NonRetryable], [StopPlan], [RetryAfter], [CompleteLater], [ErrStopping], the end of the
// context and [Worker.Stop], also during a pause, are final at once. A panic is an error like
// others.
func Retries(n int, pause time.Duration) HandleOption {
	return func(a *action) { a.retries, a.pause = max(n, 0), max(pause, 0) }
}

// An action is the handler of one command, and how it runs.
type action struct {
	handler Handler
	retries int           // at most so many more runs after an error,
	pause   time.Duration // each after so long
}
