package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
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
	w.Handle("shop", "sell", func(context.Context, *worker.Execution) (any, error) {
		return map[string]any{"sold": 3}, nil
	})
	w.Handle("hello", schema.PeriodicCommand, func(context.Context, *worker.Execution) (any, error) {
		return "swept", nil
	})
	return w, nil
}

// An undo removes a part of the demo.
type undo func(ctx context.Context) error

// demoPlans creates the stations, plans and periodic tasks, and describes each.
func demoPlans(ctx context.Context, c *client.Client, address string, out io.Writer) (made []undo, err error) {
	for _, record := range demoStations {
		station, err := c.Stations().Put(ctx, record)
		if err != nil {
			return made, err
		}
		if station.Created {
			made = append(made, func(ctx context.Context) error {
				_, err := c.Stations().Delete(ctx, record.Station)
				return err
			})
		}
	}
	for _, p := range castOf(time.Now(), address) {
		p.OnConflict = schema.ConflictKeep
		created, err := c.Plans().Create(ctx, p)
		if err != nil {
			return made, err
		}
		name := schema.PlanName{Station: p.Station, PlanID: p.PlanID}
		if created.Created {
			made = append(made, removal(c, name), removal(c, schema.CallbackPlanOf(name)))
		}
		if _, err := fmt.Fprintf(out, "plan %-24s %s\n", shownName(&p), p.Description); err != nil {
			return made, err
		}
	}
	more, err := putPeriodic(ctx, c)
	return append(made, more...), err
}

// removal removes a plan, which may have closed by itself.
func removal(c *client.Client, name schema.PlanName) undo {
	return func(ctx context.Context) error {
		_, err := c.PlanNamed(name).Remove(ctx)
		if errors.Is(err, client.ErrNotFound) {
			return nil
		}
		return err
	}
}

// demoPeriodic are the periodic tasks of the demo; the first is online.
var demoPeriodic = []schema.PeriodicPut{
	{ID: "sweep", Type: "hello", CronExpressions: "*/20 * * * * *", Log: schema.PeriodicLogTrans},
	{ID: "month-end", Type: "hello", CronExpressions: "0 18 L * *", Timezone: "Europe/Berlin"},
}

func putPeriodic(ctx context.Context, c *client.Client) (made []undo, err error) {
	for i, t := range demoPeriodic {
		if _, err := c.Periodic().Put(ctx, t); err != nil {
			return made, err
		}
		made = append(made, func(ctx context.Context) error {
			_, err := c.Periodic().Delete(ctx, t.ID)
			if errors.Is(err, client.ErrNotFound) {
				return nil
			}
			return err
		})
		if i > 0 {
			continue
		}
		if _, err := c.Periodic().Online(ctx, t.ID); err != nil {
			return made, err
		}
	}
	return made, nil
}

// castOf is one plan of each kind that is worth watching. Its HTTP jobs call an address.
func castOf(now time.Time, address string) []schema.Plan {
	return append([]schema.Plan{
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
		{
			PlanID: "order", Station: "shop", Command: "sell", Schedule: schema.Once(),
			Description: "its callback is not taken, so it is tried again",
		},
	}, demoJobs(address)...)
}

// demoJobs are the HTTP jobs: one that goes well, and one whose target is not there.
func demoJobs(address string) []schema.Plan {
	job := func(name, path, about string) schema.Plan {
		call, _ := wire.ValueOf(wire.JSON, schema.HTTPCall{Name: name, TargetURL: "http://" + address + path}) // texts have an encoding
		return schema.Plan{
			PlanID: cronjob.ID(name), Station: schema.HTTPStation, Command: schema.HTTPCommand, Messages: []wire.Value{call},
			Schedule: schema.Cron("*/15 * * * * *", ""), Policy: schema.Policy{Retry: &schema.Retry{Strategy: schema.RetryNone}},
			Description: about,
		}
	}
	return []schema.Plan{
		job("health", "/healthz", "HTTP job: asks this node for its health"),
		job("missing-page", "/nothing/here", "HTTP job: its target answers 404"),
	}
}

// shownName is a plan's name; a job's is the one that people gave it, because its id is a hash.
func shownName(p *schema.Plan) string {
	if p.Station == schema.HTTPStation {
		name, _ := p.Messages[0].Field("name").Text()
		return p.Station + "/" + name
	}
	return p.Station + "/" + p.PlanID
}
