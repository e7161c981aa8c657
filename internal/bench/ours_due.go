package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// lateness counts the delays of executions from their plan_time until a handler.
// Quantiles are at most 1/32 too high; the longest and the shortest are exact.
type lateness struct {
	*tally
	from   time.Time // executions due before are not counted
	wanted int64
	// disturbed allows that an execution is sent again, because its answer was lost.
	disturbed bool
	enough    chan struct{} // closed when all counted executions have arrived

	mu                sync.Mutex
	all               latencies
	longest, shortest time.Duration
	ended             []time.Time // by plan: the end of its last counted execution, until its result arrives
	resultDelay       latencies   // from ended until the result arrived
}

func newLateness(plans int, wanted int64, from time.Time) *lateness {
	return &lateness{
		tally: newTally(plans), wanted: wanted, from: from, enough: make(chan struct{}),
		ended: make([]time.Time, plans),
	}
}

// handle is a worker.Handler that only notes the time of an execution's arrival.
func (l *lateness) handle(_ context.Context, x *worker.Execution) (any, error) {
	late := time.Since(x.PlanTime)
	if !l.disturbed {
		l.count(x)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if x.PlanTime.Before(l.from) || l.all.total == l.wanted {
		return nil, nil
	}
	if l.all.total == 0 || late < l.shortest {
		l.shortest = late
	}
	l.longest = max(l.longest, late)
	l.all.add(late)
	if i, ok := l.index(x.PlanID); ok {
		l.ended[i] = time.Now()
	}
	if l.all.total == l.wanted {
		close(l.enough)
	}
	return nil, nil
}

// listen subscribes to results on a connection of its own.
func (l *lateness) listen(ctx context.Context, s *site) error {
	nc, err := s.connect(ctx, "listener")
	if err != nil {
		return err
	}
	if _, err := nc.Subscribe(schema.Space{}.AllResults(), l.received); err != nil {
		return fmt.Errorf("listen to results: %w", err)
	}
	return nil
}

// received notes a result that was broadcast.
func (l *lateness) received(m *nats.Msg) {
	now := time.Now()
	i, ok := l.index(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:])
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if ended := l.ended[i]; !ended.IsZero() {
		l.resultDelay.add(now.Sub(ended))
		l.ended[i] = time.Time{}
	}
}

// await returns the figures when all counted executions have arrived.
func (l *lateness) await(ctx context.Context) (dueFigures, error) {
	select {
	case <-l.enough:
	case <-ctx.Done():
		return dueFigures{}, fmt.Errorf("wait for %d executions: %w", l.wanted, context.Cause(ctx))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.failed(); err != nil {
		return dueFigures{}, err
	}
	if l.shortest < 0 {
		return dueFigures{}, fmt.Errorf("an execution came %v before it was due", -l.shortest)
	}
	return dueFigures{
		Executions: l.all.total,
		P50:        l.all.quantile(0.50), P99: l.all.quantile(0.99), Last: l.longest,
		Result50: l.resultDelay.quantile(0.50), Result99: l.resultDelay.quantile(0.99),
	}, nil
}

// dueFigures are the delays of executions, from plan_time to the worker's handler.
// None arrived early, which is checked.
type dueFigures struct {
	Executions         int64
	P50, P99, Last     time.Duration
	Result50, Result99 time.Duration // from the handler's end to the broadcast result, with listens
	CPUPerExecution    time.Duration // of the whole process, since the plans were created
}

// due measures the delay until executions reach a handler.
type due struct {
	plans []schema.Plan
	from  time.Time // executions due before are not counted
	count int64     // counted executions
	until time.Time // when all should have arrived, and a margin
	// listens adds an observer of the results.
	listens bool
}

// accuracy makes a steady rate: plans that are each due once a second, spread over
// the second, for lasting.
func accuracy(perSecond int, lasting time.Duration, now time.Time) due {
	// A grid begins one step after its plan_time. Its first second is not counted,
	// because it is the warm-up.
	start := now.Truncate(time.Second).Add(2 * time.Second)
	from := start.Add(2 * time.Second)
	every, forever := int64(1), int64(-1)
	plan := schema.Plan{Schedule: schema.Schedule{PlanType: schema.TypeSecond, PlanValue: &every, PlanRepet: &forever}, Messages: payload(32)}
	seconds := max(1, int64(lasting/time.Second))
	return due{
		plans: plansOf(perSecond, plan, func(i int, p *schema.Plan) {
			p.PlanTime = start.Add(time.Duration(i) * time.Second / time.Duration(perSecond))
		}),
		from: from, count: seconds * int64(perSecond),
		until: from.Add(time.Duration(seconds)*time.Second + 30*time.Second), listens: true,
	}
}

// burst makes plans that are all due at the same moment.
func burst(plans int, now time.Time) due {
	// Creating them takes less than this; the wait afterwards costs nothing.
	at := now.Truncate(time.Second).Add(time.Duration(3+plans/5000) * time.Second)
	plan := schema.Plan{Schedule: schema.At(at), Messages: payload(32)}
	return due{plans: plansOf(plans, plan, nil), from: at, count: int64(plans), until: at.Add(30 * time.Second)}
}

// run measures once, on a site with its store in a new folder in dir. It fails when an
// execution comes early, twice or not at all.
func (d due) run(ctx context.Context, dir string, log *slog.Logger) (_ dueFigures, err error) {
	s, err := startSite(ctx, dir, log)
	if err != nil {
		return dueFigures{}, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	l := newLateness(len(d.plans), d.count, d.from)
	if d.listens {
		if err := l.listen(ctx, s); err != nil {
			return dueFigures{}, err
		}
	}
	w, err := s.serve(ctx, log, l.handle)
	if err != nil {
		return dueFigures{}, err
	}
	defer func() { err = errors.Join(err, w.Stop()) }()
	return d.await(ctx, s, l)
}

// await creates the plans and returns the figures of l once all executions have arrived.
func (d due) await(ctx context.Context, s *site, l *lateness) (dueFigures, error) {
	c, _, err := s.client(ctx, "publisher")
	if err != nil {
		return dueFigures{}, err
	}
	if err := importAll(ctx, c, d.plans); err != nil {
		return dueFigures{}, err
	}
	if now := time.Now(); now.After(d.from) {
		return dueFigures{}, fmt.Errorf("it took until %v after they were due to create %d plans", now.Sub(d.from), len(d.plans))
	}
	ctx, cancel := context.WithDeadlineCause(ctx, d.until, errors.New("not all of them came"))
	defer cancel()
	cpu := processCPU()
	f, err := l.await(ctx)
	if err == nil {
		f.CPUPerExecution = (processCPU() - cpu) / time.Duration(f.Executions)
	}
	return f, err
}
