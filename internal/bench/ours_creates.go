package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// creates measures publishers that create plans one by one, each when the one
// before is durable.
type creates struct {
	Publishers int
	Conns      int // that the publishers share
	Duration   time.Duration
}

// createFigures are the figures that publishers observe.
type createFigures struct {
	Created      int64
	PerSecond    float64
	P50, P99     time.Duration // of an answer; at most 1/32 too high
	CPUPerCreate time.Duration // of the whole process: server, scheduler, publishers
}

// run measures once, on a site with its store in a new folder in dir. It fails unless
// all acknowledged plans are listed afterwards, and no others.
func (c creates) run(ctx context.Context, dir string, log *slog.Logger) (_ createFigures, err error) {
	s, err := startSite(ctx, dir, log)
	if err != nil {
		return createFigures{}, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	clients := make([]*client.Client, c.Conns)
	for i := range clients {
		if clients[i], _, err = s.client(ctx, fmt.Sprintf("publishers-%d", i)); err != nil {
			return createFigures{}, err
		}
	}
	began, beganCPU := time.Now(), processCPU()
	waits, err := c.publish(ctx, clients, began.Add(c.Duration))
	elapsed, cpu := time.Since(began), processCPU()-beganCPU
	if err != nil {
		return createFigures{}, err
	}
	if waits.total == 0 {
		return createFigures{}, fmt.Errorf("no plan was created within %v", c.Duration)
	}
	if err := holds(ctx, clients[0], waits.total); err != nil {
		return createFigures{}, err
	}
	return createFigures{
		Created:   waits.total,
		PerSecond: float64(waits.total) / elapsed.Seconds(),
		P50:       waits.quantile(0.50), P99: waits.quantile(0.99),
		CPUPerCreate: cpu / time.Duration(waits.total),
	}, nil
}

// publish makes every publisher create plans until end. It returns the times to the
// answers.
func (c creates) publish(ctx context.Context, clients []*client.Client, end time.Time) (*latencies, error) {
	plan := idle(end)
	plan.Station, plan.Command = oursStation, "run"
	return askUntil(ctx, end, c.Publishers, func(ctx context.Context, i int) error {
		created, err := clients[i%len(clients)].Plans().Create(ctx, plan) // the client makes the id
		if err == nil && !created.Created {
			err = fmt.Errorf("plan %s existed", created.PlanID)
		}
		if err != nil {
			return fmt.Errorf("create: %w", err)
		}
		return nil
	})
}

// idle is a plan that runs once a day, from a year after now on, with a payload of
// 200 bytes.
func idle(now time.Time) schema.Plan {
	every, forever := int64(1), int64(-1)
	return schema.Plan{
		Schedule: schema.Schedule{PlanType: schema.TypeDay, PlanValue: &every, PlanRepet: &forever,
			PlanTime: now.UTC().Truncate(time.Second).AddDate(1, 0, 0)},
		Messages: payload(200),
	}
}

// holds fails unless there are that many plans.
func holds(ctx context.Context, c *client.Client, want int64) error {
	got := int64(0)
	for _, err := range c.Plans().All(ctx, schema.ListPlans{Limit: 1000}) {
		if err != nil {
			return fmt.Errorf("list plans: %w", err)
		}
		got++
	}
	if got != want {
		return fmt.Errorf("%d plans are listed; %d were created", got, want)
	}
	return nil
}
