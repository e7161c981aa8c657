package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

const (
	// batchSize is the number of tasks in one request, and submitters the number of
	// requests under way, each of which is answered when it is on disk.
	batchSize  = 1000
	submitters = 2
)

// tasks measures tasks that are due at once. They are submitted in batches, and one worker
// claims and executes them.
type tasks struct {
	Tasks       int
	Concurrency int // of the worker
	Prefetch    int
	// Before submits all of them before the worker starts; they are counted from then
	// on.
	Before bool
}

// taskFigures are counted until the last result was acknowledged, so that it is on disk.
type taskFigures struct {
	PerSecond  float64
	CPUPerTask time.Duration // of the whole process: server, scheduler, worker, and publisher unless Before
}

// run measures once, on a site with its store in a new folder in dir. It fails unless each
// task ran once and has one result.
func (t tasks) run(ctx context.Context, dir string, log *slog.Logger) (_ taskFigures, err error) {
	s, err := startSite(ctx, dir, log)
	if err != nil {
		return taskFigures{}, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	c, nc, err := s.taskClient(ctx)
	if err != nil {
		return taskFigures{}, err
	}
	l, err := openLedger(ctx, nc)
	if err != nil {
		return taskFigures{}, err
	}
	all := tasksOf(t.Tasks)
	if t.Before {
		if err := submitAll(ctx, c, all); err != nil {
			return taskFigures{}, err
		}
		all = nil
	}
	did := newTally(t.Tasks)
	figures, err := t.measure(ctx, s, c, all, did, log)
	if err != nil {
		return taskFigures{}, err
	}
	// Runs are answered once all results so far are stored.
	if _, err := c.Runs().List(ctx, schema.ListRuns{Station: oursStation, PlanID: planID(0)}); err != nil {
		return taskFigures{}, err
	}
	_, err = verify(ctx, l, did)
	return figures, err
}

// measure submits tasks while a worker executes them and earlier ones.
func (t tasks) measure(
	ctx context.Context, s *site, c *client.Client, more []schema.TaskSubmit, did *tally, log *slog.Logger,
) (taskFigures, error) {
	all := make(chan struct{})
	began, beganCPU := time.Now(), processCPU()
	w, err := s.work(ctx, worker.Options{Logger: log, Concurrency: t.Concurrency, Prefetch: t.Prefetch},
		func(_ context.Context, x *worker.Execution) (any, error) {
			if did.count(x) == int64(t.Tasks) {
				close(all)
			}
			return nil, nil
		}, worker.Pull(worker.Filter{}))
	if err != nil {
		return taskFigures{}, err
	}
	if err := submitAll(ctx, c, more); err != nil {
		return taskFigures{}, errors.Join(err, w.Stop())
	}
	select {
	case <-all:
	case <-ctx.Done():
		return taskFigures{}, errors.Join(context.Cause(ctx), w.Stop())
	}
	if err := w.Stop(); err != nil { // it waits for the last acknowledgement
		return taskFigures{}, err
	}
	elapsed, cpu := time.Since(began), processCPU()-beganCPU
	return taskFigures{PerSecond: float64(t.Tasks) / elapsed.Seconds(), CPUPerTask: cpu / time.Duration(t.Tasks)}, nil
}

// handOver measures the time from the submission of one task to the handler of an idle
// worker that claims one at a time.
type handOver struct{ Tasks int }

// run measures once, on a site with its store in a new folder in dir. Each task is submitted
// when the task before has reached the handler.
func (h handOver) run(ctx context.Context, dir string, log *slog.Logger) (took *latencies, err error) {
	s, err := startSite(ctx, dir, log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	c, _, err := s.taskClient(ctx)
	if err != nil {
		return nil, err
	}
	came := make(chan time.Time, 1)
	w, err := s.work(ctx, worker.Options{Logger: log, Concurrency: 1},
		func(context.Context, *worker.Execution) (any, error) {
			came <- time.Now()
			return nil, nil
		}, worker.Pull(worker.Filter{}))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, w.Stop()) }()
	took = &latencies{}
	for _, task := range tasksOf(h.Tasks) {
		began := time.Now()
		if _, err := c.Tasks().Submit(ctx, task); err != nil {
			return nil, fmt.Errorf("submit: %w", err)
		}
		select {
		case at := <-came:
			took.add(at.Sub(began))
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return took, nil
}

// tasksOf makes count tasks of type oursStation.
func tasksOf(count int) []schema.TaskSubmit {
	all, ext := make([]schema.TaskSubmit, count), payload(32)[0]
	for i := range all {
		all[i] = schema.TaskSubmit{ID: planID(i), Type: oursStation, Ext: ext}
	}
	return all
}

// submitAll submits tasks, submitters batches at once, and fails unless each is accepted.
func submitAll(ctx context.Context, c *client.Client, all []schema.TaskSubmit) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(submitters)
	for batch := range slices.Chunk(all, batchSize) {
		group.Go(func() error {
			taken, err := c.Tasks().SubmitMany(ctx, batch)
			if err != nil {
				return fmt.Errorf("submit: %w", err)
			}
			for i := range taken {
				if taken[i].Error != nil {
					return fmt.Errorf("submit task %s: %w", batch[i].ID, taken[i].Error)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// taskClient makes a client, and a task type for workers that claim.
func (s *site) taskClient(ctx context.Context) (*client.Client, *nats.Conn, error) {
	c, nc, err := s.client(ctx, "publisher")
	if err != nil {
		return nil, nil, err
	}
	if _, err := c.TaskTypes().Put(ctx, schema.TaskType{Code: oursStation}); err != nil {
		return nil, nil, fmt.Errorf("make a task type: %w", err)
	}
	return c, nc, nil
}
