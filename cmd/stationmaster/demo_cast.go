package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// demoWorker serves one station that is quick, one that is slow and reports progress, and
// one that fails twice before it succeeds.
func demoWorker(nc *nats.Conn, opts worker.Options) (*worker.Worker, error) {
	opts.WaitingEvery = time.Second // so that it is visible
	w, err := worker.New(nc, opts)
	if err != nil {
		return nil, err
	}
	w.Handle("hello", "greet", func(_ context.Context, x *worker.Execution) (any, error) {
		name := "world"
		if len(x.Messages) > 0 {
			if err := x.Message(0, &name); err != nil {
				return nil, worker.NonRetryable(err)
			}
		}
		return "hello " + name, nil
	})
	w.Handle("slow", "report", func(ctx context.Context, _ *worker.Execution) (any, error) {
		select {
		case <-time.After(2800 * time.Millisecond):
			return map[string]any{"pages": 12}, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	})
	w.Handle("flaky", "call", func(_ context.Context, x *worker.Execution) (any, error) {
		if x.Attempt < 3 {
			return nil, fmt.Errorf("attempt %d went wrong", x.Attempt)
		}
		return "third time lucky", nil
	})
	return w, nil
}

// An undo removes a part of the demo.
type undo func(ctx context.Context) error

// demoPlans creates the plans and describes each.
func demoPlans(ctx context.Context, c *client.Client, out io.Writer) (made []undo, err error) {
	station, err := c.Stations().Put(ctx, demoStation)
	if err != nil {
		return nil, err
	}
	if station.Created {
		made = append(made, func(ctx context.Context) error {
			_, err := c.Stations().Delete(ctx, demoStation.Station)
			return err
		})
	}
	for _, p := range castOf(time.Now()) {
		p.OnConflict = schema.ConflictKeep
		created, err := c.Plans().Create(ctx, p)
		if err != nil {
			return made, err
		}
		name := schema.PlanName{Station: p.Station, PlanID: p.PlanID}
		if created.Created {
			made = append(made, func(ctx context.Context) error {
				_, err := c.PlanNamed(name).Remove(ctx)
				if errors.Is(err, client.ErrNotFound) {
					return nil // it has closed by itself
				}
				return err
			})
		}
		if _, err := fmt.Fprintf(out, "plan %-24s %s\n", name, p.Description); err != nil {
			return made, err
		}
	}
	return made, nil
}

// castOf is one plan of each kind that is worth watching.
func castOf(now time.Time) []schema.Plan {
	return []schema.Plan{
		{
			PlanID: "at-once", Station: "hello", Command: "greet", Schedule: schema.Once(),
			Messages:    schema.Messages("early bird"),
			Description: "type none: now, once",
		},
		{
			PlanID: "every-second", Station: "hello", Command: "greet",
			Schedule:    schema.Every(time.Second).Times(5),
			Description: "type second: five times, a second apart",
		},
		{
			PlanID: "in-seven-seconds", Station: "hello", Command: "greet",
			Schedule:    schema.At(now.Add(7 * time.Second).UTC()),
			Description: "type time: once, seven seconds from now",
		},
		{
			PlanID: "cron", Station: "hello", Command: "greet",
			Schedule:    schema.Cron("*/10 * * * * *", ""),
			Description: "type cron: */10 * * * * *, every ten seconds",
		},
		{
			PlanID: "report", Station: "slow", Command: "report",
			Schedule:    schema.Every(4 * time.Second),
			Description: "takes 2.8 s, sends running and waiting meanwhile",
		},
		{
			PlanID: "third-time-lucky", Station: "flaky", Command: "call", Schedule: schema.Once(),
			Policy:      schema.Policy{Retry: schema.RetryEvery(time.Second, -1)},
			Description: "fails twice, tried again after a second",
		},
		{
			PlanID: "headlines", Station: "news", Schedule: schema.Schedule{PlanType: schema.TypeMinute, PlanValue: new(int64(1)), PlanRepet: new(int64(-1))},
			Description: "each minute to a pub station: done once published",
		},
		{
			PlanID: "waiting-for-you", Station: "lonely", Command: "greet", Schedule: schema.Once(),
			Description: "no worker is there yet, so it waits",
		},
	}
}
