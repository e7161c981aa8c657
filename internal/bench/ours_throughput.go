package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// throughput measures recurring plans that are due again as soon as they are
// settled, through a worker of the SDK: as many plans as executions are under way.
type throughput struct {
	Outstanding int
	WarmUp      time.Duration
	Duration    time.Duration // counted, after the warm-up
}

// throughputFigures are counted from outside: an execution counts when an observer has
// received its result and the stream has stored it.
type throughputFigures struct {
	Executions      int64
	PerSecond       float64
	CPUPerExecution time.Duration // of the whole process: server, scheduler, worker, observer
	Stored          int64         // results in all, the warm-up's and the last ones' included
}

// run measures once, on a site with its store in a new folder in dir. Afterwards it
// closes the plans, waits for all results, and fails unless the stream of results
// holds exactly those of the worker's executions.
func (t throughput) run(ctx context.Context, dir string, log *slog.Logger) (_ throughputFigures, err error) {
	s, err := startSite(ctx, dir, log)
	if err != nil {
		return throughputFigures{}, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	return t.measure(ctx, s, log)
}

func (t throughput) measure(ctx context.Context, s *site, log *slog.Logger) (figures throughputFigures, err error) {
	c, nc, err := s.client(ctx, "publisher")
	if err != nil {
		return figures, err
	}
	l, err := openLedger(ctx, nc)
	if err != nil {
		return figures, err
	}
	did := newTally(t.Outstanding)
	h, err := observe(ctx, s, t.Outstanding)
	if err != nil {
		return figures, err
	}
	w, err := s.serve(ctx, log, did.handle)
	if err != nil {
		return figures, err
	}
	defer func() { err = errors.Join(err, w.Stop()) }()

	again, forever := int64(0), int64(-1)
	plan := schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: &again, PlanRepet: &forever}, Messages: payload(32)}
	if err := importAll(ctx, c, plansOf(t.Outstanding, plan, nil)); err != nil {
		return figures, err
	}
	from := outside{ended: counted(&did.done), received: counted(&h.done), stored: l.stored, cpu: ownCPU}
	seen, err := from.window(ctx, t.WarmUp, t.Duration)
	if err != nil {
		return figures, err
	}
	if err := seen.steady(t.Outstanding); err != nil {
		return figures, err
	}
	figures.Executions, figures.PerSecond = seen.executions(), seen.perSecond()
	figures.CPUPerExecution = seen.cpuPerExecution()

	if err := closeAll(ctx, c, t.Outstanding); err != nil {
		return figures, err
	}
	if err := h.finish(ctx, did); err != nil {
		return figures, err
	}
	figures.Stored, err = verify(ctx, l, did)
	return figures, err
}

// closeAll closes that many plans, and returns when the last execution of each is
// settled and its result stored.
func closeAll(ctx context.Context, c *client.Client, plans int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, stopWithin, errors.New("not all plans have closed"))
	defer cancel()
	closed, err := c.Events().Follow(oursStation, schema.NoticeClosed)
	if err != nil {
		return err
	}
	defer closed.Stop()
	closers, closing := errgroup.WithContext(ctx)
	closers.SetLimit(64)
	for i := range plans {
		closers.Go(func() error {
			_, err := c.Plan(oursStation, planID(i)).End(closing)
			return err
		})
	}
	if err := closers.Wait(); err != nil {
		return err
	}
	left := plans
	for _, err := range closed.All(ctx) {
		if err != nil {
			return err
		}
		if left--; left == 0 {
			break
		}
	}
	if left > 0 {
		return fmt.Errorf("%d plans: %w", left, context.Cause(ctx))
	}
	// Runs are answered once all results so far are stored.
	_, err = c.Runs().List(ctx, schema.ListRuns{Station: oursStation, PlanID: planID(0)})
	return err
}

// verify compares the stored results with the worker's executions, and returns the
// number of results.
func verify(ctx context.Context, l *ledger, t *tally) (int64, error) {
	if err := t.failed(); err != nil {
		return 0, err
	}
	stored, err := l.stored(ctx)
	if err != nil {
		return 0, err
	}
	last, sum := t.numbers()
	if done := t.done.Load(); stored != done || sum != done {
		return 0, fmt.Errorf("%d executions ended, numbered up to %d in all; %d results are stored", done, sum, stored)
	}
	return stored, l.check(ctx, last)
}
