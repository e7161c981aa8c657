// Package worker makes a Go program a worker of Stationmaster: it takes the
// executions of the stations that it serves, runs a handler for each, and
// repeats the result until the scheduler has acknowledged it.
//
//	type Greeting struct {
//		Name string `json:"name"`
//	}
//
//	var Greet = schema.Job[Greeting]{Station: "hello", Command: "greet"}
//
//	nc, err := nats.Connect("nats://127.0.0.1:4222")
//	…
//	w, err := worker.New(nc, worker.Options{})
//	…
//	worker.HandleJob(w, Greet, func(ctx context.Context, args Greeting) (string, error) {
//		return "hello " + args.Name, nil
//	})
//	err = w.Run(ctx) // until ctx ends; then it drains
//
// [Worker.Handle] takes a [Handler] that decodes the messages itself, and is the general
// form.
//
// In come executions, on station.<station> (queue group <station>, or none with
// [Fanout]) and on worker.<worker_id> (queue group <worker_id>), or in answers to the claims on
// plans.claim.<station> of stations that are served with [Pull]; and cancellations on
// plan.cancel. Out go replies on the reply subject of each execution, and presence on
// worker.here: the worker's stations, its version, and the number of its executions. The
// package shares only package schema with the scheduler.
//
// At a station of kind `vote` every worker gets the execution, and the value of the handler
// is this worker's vote: an error is one against. An execution for the worker_ids of its
// plan comes to this worker alone, and to the same handlers.
//
// At a station of kind `pull` executions wait until a worker has room for them: it claims
// as many as handlers are free, and [Options.Prefetch] more. It sends heartbeats for all that
// it has claimed, at the scheduler's interval, also while they wait for a handler. When it is
// stopped it gives back those that have not begun. The plan decides which workers may have an
// execution, and how many at once (worker_ids, worker_count).
//
// # Promises
//
// A handler must be safe to repeat, because an execution may reach it more than once, and
// two attempts may overlap after a timeout. Execution.Key is the same for every attempt of
// one occurrence, and different for any other occurrence.
//
// A handler that takes longer than [Options.RunningAfter] is reported as
// `running` by itself, and from then on as `waiting` well before its deadline,
// so that a long handler needs no code for it. A result is sent again until it
// is acknowledged. Both acknowledgements carry a cancellation of the execution, if there is
// one; the handler's context then ends with [ErrCancelled]. [Handler] has the rules of its
// deadline.
//
// A handler returns [CompleteLater] when another program, which knows the reply subject,
// finishes its work, so that the wait costs this worker nothing.
//
// An execution does not start when its time to start has passed by this machine's clock, nor
// when the worker has seen a newer leader of its partition.
package worker
