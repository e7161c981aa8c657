package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/signal"
	"testing/fstest"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A worker of station hello, until it is interrupted.
func Example() {
	nc, stopAll := installation() // nats.Connect(url, nats.MaxReconnects(-1)), as a rule
	defer stopAll()

	w, err := worker.New(nc, worker.Options{ID: "greeter-1"})
	if err != nil {
		log.Panic(err)
	}
	w.Handle("hello", "greet", func(ctx context.Context, x *worker.Execution) (any, error) {
		var name string
		if err := x.Message(0, &name); err != nil {
			return nil, worker.NonRetryable(err) // no retry would help
		}
		return map[string]string{"greeting": "hello " + name}, nil
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	go func() { // a publisher, in another program as a rule
		result := run(nc, schema.Plan{Station: "hello", Command: "greet"}, "Ada")
		fmt.Println(result.State, result.Content, "of", result.WorkerID)
		stop()
	}()
	if err := w.Run(ctx); err != nil {
		log.Print(err)
	}
	// Output: ok {"greeting":"hello Ada"} of greeter-1
}

// ResizeArgs are the arguments of job Resize. Publishers and workers import both from one
// package.
type ResizeArgs struct {
	Picture string `json:"picture"`
	Width   int    `json:"width"`
}

// Resize makes a picture smaller.
var Resize = schema.Job[ResizeArgs]{Station: "images", Command: "resize"}

// A worker of a job gets its arguments decoded, and returns a value of any type. Arguments
// that do not fit are answered for it, and no retry repeats them.
func ExampleHandleJob() {
	nc, stopAll := installation()
	defer stopAll()

	w, err := worker.New(nc, worker.Options{})
	if err != nil {
		log.Panic(err)
	}
	worker.HandleJob(w, Resize, func(ctx context.Context, args ResizeArgs) (string, error) {
		worker.ExecutionFrom(ctx).Progress(50)
		return fmt.Sprintf("%s, %d pixels wide", args.Picture, args.Width), nil
	})
	if err := w.Start(); err != nil {
		log.Panic(err)
	}
	defer w.Stop()

	plan := schema.Plan{Station: Resize.Station, Command: Resize.Command}
	for _, args := range []any{ResizeArgs{"cat.png", 320}, map[string]any{"picture": "dog.png", "width": "wide"}} {
		result := run(nc, plan, args)
		fmt.Println(result.State, result.Content, result.Error)
	}
	// Output:
	// ok "cat.png, 320 pixels wide" null
	// failure null "arguments of images/resize: invalid_plan: messages.width: takes a whole number, not a text"
}

// A handler that works for long looks at its context, and reports its progress. Heartbeats are
// sent for it.
func ExampleExecution_Progress() {
	nc, stopAll := installation()
	defer stopAll()

	w, err := worker.New(nc, worker.Options{})
	if err != nil {
		log.Panic(err)
	}
	w.Handle("import", "*", func(ctx context.Context, x *worker.Execution) (any, error) {
		var rows int
		if err := x.Message(0, &rows); err != nil {
			return nil, worker.NonRetryable(err)
		}
		for row := range rows {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			x.Progress(float64(row) / float64(rows) * 100)
		}
		return rows, nil
	})
	if err := w.Start(); err != nil {
		log.Panic(err)
	}
	defer w.Stop()

	result := run(nc, schema.Plan{Station: "import", Command: "customers"}, 100_000)
	fmt.Println(result.State, result.Content)
	// Output: ok 100000
}

// Every worker of a vote station gets the execution, and the value of its handler is its vote.
func ExampleFanout() {
	nc, stopAll := installation(schema.Station{Station: "jury", Kind: schema.KindVote})
	defer stopAll()

	for _, least := range []int{16, 18, 21} { // each in a program of its own, as a rule
		w, err := worker.New(nc, worker.Options{ID: fmt.Sprint("juror-", least)})
		if err != nil {
			log.Panic(err)
		}
		w.Station("jury", worker.Fanout()).Handle("judge", func(ctx context.Context, x *worker.Execution) (any, error) {
			var age int
			if err := x.Message(0, &age); err != nil || age < least {
				return nil, errors.New("too young") // a vote against
			}
			return "of age", nil
		})
		if err := w.Start(); err != nil {
			log.Panic(err)
		}
		defer w.Stop()
	}

	voters := int64(3)
	plan := schema.Plan{Station: "jury", Command: "judge", Policy: schema.Policy{Voters: &voters}}
	for _, age := range []int{17, 30} {
		fmt.Println(age, run(nc, plan, age).State)
	}
	// Output:
	// 17 failure
	// 30 ok
}

// A worker of a pull station claims as many executions as it has room for; here two pictures at
// once, and one more that waits. A picture that cannot be read is tried three times more before
// the scheduler gets the error.
func ExamplePull() {
	nc, stopAll := installation(schema.Station{Station: "resize", Kind: schema.KindPull})
	defer stopAll()

	pictures := fstest.MapFS{"cat.png": {Data: make([]byte, 5000)}}
	w, err := worker.New(nc, worker.Options{Concurrency: 2, Prefetch: 1})
	if err != nil {
		log.Panic(err)
	}
	w.Station("resize", worker.Pull(worker.Filter{TenantID: "acme"})).Handle("*", func(ctx context.Context, x *worker.Execution) (any, error) {
		var name string
		if err := x.Message(0, &name); err != nil {
			return nil, worker.NonRetryable(err)
		}
		picture, err := fs.ReadFile(pictures, name)
		if err != nil {
			return nil, err
		}
		return fmt.Sprintf("%d bytes", len(picture)), nil
	}, worker.Retries(3, 10*time.Millisecond))
	if err := w.Start(); err != nil {
		log.Panic(err)
	}
	defer w.Stop()

	for _, name := range []string{"cat.png", "dog.png"} {
		result := run(nc, schema.Plan{Station: "resize", Command: "thumbnail", TenantID: "acme"}, name)
		if result.State == schema.StateOK {
			fmt.Println(name, "had", result.Content)
		} else {
			fmt.Println(name, result.State, result.Error)
		}
	}
	// Output:
	// cat.png had "5000 bytes"
	// dog.png failure "open dog.png: file does not exist"
}

var errBusy = errors.New("the bank is closed")

// The error has the time of the retry.
func ExampleRetryAfter() {
	err := worker.RetryAfter(10*time.Minute, errBusy)
	fmt.Println(err, errors.Is(err, errBusy))
	// Output: the bank is closed true
}
