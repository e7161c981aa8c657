// Package wrongjob handles a job with functions of other types. It does not compile, and a
// test wants to see that.
package wrongjob

import (
	"context"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

type resizeArgs struct{ Width int }

type cropArgs struct{ Width int }

var resize = schema.Job[resizeArgs]{Station: "images", Command: "resize"}

func serve(w *worker.Worker) {
	worker.HandleJob(w, resize, func(context.Context, resizeArgs) (int, error) { return 0, nil })
	worker.HandleJob(w, resize, func(context.Context, cropArgs) (int, error) { return 0, nil })    // wrong
	worker.HandleJob(w, resize, func(context.Context, *resizeArgs) (int, error) { return 0, nil }) // wrong
	worker.HandleJob(w, resize, func(context.Context, any) (int, error) { return 0, nil })         // wrong
	worker.HandleJob(w, resize, func(context.Context, resizeArgs) int { return 0 })                // wrong
}
