package worker_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/worker"
)

// A worker of station hello, until it is interrupted.
func Example() {
	nc, err := nats.Connect(nats.DefaultURL, nats.MaxReconnects(-1))
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	w, err := worker.New(nc, worker.Options{ID: "greeter-1"})
	if err != nil {
		log.Fatal(err)
	}
	w.Handle("hello", "greet", func(ctx context.Context, x *worker.Execution) (any, error) {
		var name string
		if err := x.Message(0, &name); err != nil {
			return nil, worker.Fail(err) // no retry would help
		}
		return map[string]string{"greeting": "hello " + name}, nil
	})
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := w.Run(ctx); err != nil {
		log.Print(err)
	}
}

// A handler that works for long looks at its context, and tells how far it is.
// That it still works is said by itself.
func ExampleExecution_Progress() {
	handler := func(ctx context.Context, x *worker.Execution) (any, error) {
		const rows = 1_000_000
		for row := range rows {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			x.Progress(float64(row) / rows * 100)
		}
		return rows, nil
	}
	_ = worker.Handler(handler)
}

// Every worker of a vote station is asked, and what a handler returns is its vote.
func ExampleFanout() {
	w, err := worker.New(nil, worker.Options{ID: "juror-1"})
	if err != nil {
		log.Fatal(err)
	}
	w.Handle("jury", "judge", func(ctx context.Context, x *worker.Execution) (any, error) {
		var age int
		if err := x.Message(0, &age); err != nil || age < 18 {
			return nil, errors.New("too young") // a vote against
		}
		return "of age", nil
	}, worker.Fanout())
}

// A worker of a pull station takes what it has room for; here two pictures at once, and
// one more that waits. A picture that cannot be read is tried three times more before the
// scheduler hears of it.
func ExamplePull() {
	nc, err := nats.Connect(nats.DefaultURL, nats.MaxReconnects(-1))
	if err != nil {
		log.Fatal(err)
	}
	defer nc.Close()
	w, err := worker.New(nc, worker.Options{Concurrency: 2, Prefetch: 1})
	if err != nil {
		log.Fatal(err)
	}
	w.Handle("resize", "*", func(ctx context.Context, x *worker.Execution) (any, error) {
		var picture string
		if err := x.Message(0, &picture); err != nil {
			return nil, worker.Fail(err)
		}
		return os.ReadFile(picture)
	}, worker.Pull(worker.Filter{TenantID: "acme"}), worker.Retries(3, time.Second))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := w.Run(ctx); err != nil {
		log.Print(err)
	}
}

var errBusy = errors.New("the bank is closed")

// The error says what should become of the occurrence.
func ExampleRetryAfter() {
	err := worker.RetryAfter(10*time.Minute, errBusy)
	fmt.Println(err, errors.Is(err, errBusy))
	// Output: the bank is closed true
}
