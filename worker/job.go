package worker

import (
	"context"
	"fmt"

	"github.com/stationmaster-io/stationmaster/schema"
)

// HandleJob makes f the handler of a job, at its station and for its command: f gets the
// arguments decoded, and returns the content of the result. A function for another type does
// not compile. The execution itself, for its key or to report progress, is
// [ExecutionFrom] of f's context. A station that needs options gets them from
// [Worker.Station] before.
//
// Arguments that do not fit T never reach f. The execution then ends as a `failure` without
// a retry, because it would fail again, and its error names each field at fault; the plan
// goes on. An error of f is that of any [Handler], but the R beside it is not sent, because
// it is a zero value by custom.
//
// HandleJob panics where [Worker.Handle] does, and when the job has no command.
func HandleJob[T, R any](w *Worker, job schema.Job[T], f func(ctx context.Context, args T) (R, error), opts ...HandleOption) {
	if err := job.Check(); err != nil {
		panic(fmt.Sprintf("worker: job %s: %v", job, err))
	}
	if f == nil {
		panic(fmt.Sprintf("worker: no handler for job %s", job))
	}
	w.Handle(job.Station, job.Command, func(ctx context.Context, x *Execution) (any, error) {
		args, err := job.Decode(x.Messages)
		if err != nil {
			return nil, NonRetryable(err)
		}
		content, err := f(ctx, args)
		if err != nil {
			return nil, err
		}
		return content, nil
	}, opts...)
}
