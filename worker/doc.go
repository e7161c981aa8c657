// Package worker makes a Go program a worker of Stationmaster: it takes the
// executions of the stations that it serves, runs a handler for each, and
// answers until the scheduler has taken the answer.
//
//	nc, err := nats.Connect("nats://127.0.0.1:4222")
//	…
//	w, err := worker.New(nc, worker.Options{})
//	…
//	w.Handle("hello", "greet", func(ctx context.Context, x *worker.Execution) (any, error) {
//		var name string
//		if err := x.Message(0, &name); err != nil {
//			return nil, worker.Fail(err) // no retry would help
//		}
//		return "hello " + name, nil
//	})
//	err = w.Run(ctx) // until ctx ends; then it drains
//
// In come executions, on station.<station> (queue group <station>, or none with
// [Fanout]) and on worker.<worker_id> (queue group <worker_id>), or in answers to the claims on
// plans.claim.<station> of those that are served with [Pull]; and cancellations on
// plan.cancel. Out go replies on the reply subject of each execution, and the worker's own
// row in bucket workers: its stations, its version, and how many executions it has under
// way. Of the scheduler the package knows nothing but the words in package schema.
//
// At a station of kind `vote` every worker gets the execution, and what a handler
// returns is this worker's vote: an error is one against. What a plan names in
// worker_ids reaches that worker alone, and the same handlers.
//
// At a station of kind `pull` executions wait until a worker has room for them: it claims
// as many as handlers are free, and [Options.Prefetch] more. What it has claimed it pings
// for, as often as the scheduler says, also while it waits for a handler; what it has not
// begun when it is stopped it gives back. Who may have an execution, and how many at once,
// is the plan's business (worker_ids, worker_count).
//
// # What is promised
//
// An execution may reach a handler more than once, and two attempts may overlap
// after a timeout: a handler must be safe to repeat. Execution.Key is the same
// for every attempt of one occurrence and never the same for anything else.
//
// A handler that takes longer than [Options.RunningAfter] is reported as
// `running` by itself, and from then on as `waiting` well before its deadline,
// so that a long handler needs no code for it. A result is sent again until it
// is acknowledged. Both learn from the acknowledgement whether the execution
// has been cancelled; the handler's context then ends with [ErrCancelled].
//
// A handler whose work is finished elsewhere, by whoever answers a callback, returns
// [HandOver]: then nothing of the wait is held here.
//
// An execution is not started when its time to start has passed by this
// machine's clock, nor when a newer leader of its partition has been heard.
package worker
