package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// queues measures merge queues: pushers that fill them, one item after the other, each
// when the item before is durable; deliveries at their time; and one long queue that is
// drained.
type queues struct {
	Queues   int
	Pushers  int
	Duration time.Duration // of the pushes
	Due      int           // queues that fall due in the course of DueIn
	DueIn    time.Duration
	Drain    int // items of the long queue
}

type queueFigures struct {
	PushesPerSecond float64
	PushP50         time.Duration
	PushP99         time.Duration
	LateP50         time.Duration // of a delivery, behind its time
	LateP99         time.Duration
	DrainPerSecond  float64
	DrainCalls      int64
}

// run measures once, on a site with its store in a new folder in dir. It fails unless each
// pushed item is delivered.
func (q queues) run(ctx context.Context, dir string, log *slog.Logger) (_ queueFigures, err error) {
	s, err := startSite(ctx, dir, log)
	if err != nil {
		return queueFigures{}, err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	clients := make([]*client.Client, 8)
	for i := range clients {
		if clients[i], _, err = s.client(ctx, fmt.Sprintf("pushers-%d", i)); err != nil {
			return queueFigures{}, err
		}
	}
	h := &hauler{late: new(latencies), wake: make(chan struct{}, 1)}
	w, err := s.serve(ctx, log, h.handle)
	if err != nil {
		return queueFigures{}, err
	}
	defer func() { err = errors.Join(err, w.Stop()) }()
	var f queueFigures
	if err := q.push(ctx, clients, &f); err != nil {
		return f, err
	}
	if err := q.due(ctx, clients, h, &f); err != nil {
		return f, err
	}
	return f, q.drain(ctx, clients, h, &f)
}

// A hauler is the worker that gets the items.
type hauler struct {
	items, calls atomic.Int64
	wake         chan struct{}

	mu   sync.Mutex
	late *latencies
}

func (h *hauler) handle(_ context.Context, x *worker.Execution) (any, error) {
	h.mu.Lock()
	h.late.add(max(time.Since(x.PlanTime), 0))
	h.mu.Unlock()
	h.calls.Add(1)
	h.items.Add(int64(len(x.Items)))
	select {
	case h.wake <- struct{}{}:
	default:
	}
	return nil, nil
}

// await waits until so many items have come since the count was at from.
func (h *hauler) await(ctx context.Context, from, want int64) error {
	for h.items.Load()-from < want {
		select {
		case <-h.wake:
		case <-time.After(30 * time.Second):
			return fmt.Errorf("%d of %d items were delivered, and then none for 30 s", h.items.Load()-from, want)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

func item(id string, at time.Time) (schema.Push, error) {
	plan, err := wire.ValueOf(wire.JSON, struct {
		Command string `json:"command"`
	}{"run"})
	return schema.Push{
		Station: oursStation, PlanID: id, Item: payload(100)[0], PlanTime: at, Plan: plan,
	}, err
}

// push fills queues that are not due.
func (q queues) push(ctx context.Context, clients []*client.Client, f *queueFigures) error {
	began := time.Now()
	late := began.Add(time.Hour)
	var number atomic.Int64
	waits, err := askUntil(ctx, began.Add(q.Duration), q.Pushers, func(ctx context.Context, i int) error {
		request, err := item(fmt.Sprintf("fill-%d", number.Add(1)%int64(q.Queues)), late)
		if err != nil {
			return err
		}
		_, err = clients[i%len(clients)].Plan(request.Station, request.PlanID).Push(ctx, request)
		return err
	})
	if err != nil {
		return fmt.Errorf("push: %w", err)
	}
	f.PushesPerSecond = float64(waits.total) / time.Since(began).Seconds()
	f.PushP50, f.PushP99 = waits.quantile(0.50), waits.quantile(0.99)
	return nil
}

// due makes queues of one item that fall due one after the other.
func (q queues) due(ctx context.Context, clients []*client.Client, h *hauler, f *queueFigures) error {
	from := h.items.Load()
	begin := time.Now().Add(2 * time.Second)
	for i := range q.Due {
		request, err := item(fmt.Sprintf("due-%d", i), begin.Add(q.DueIn*time.Duration(i)/time.Duration(q.Due)))
		if err != nil {
			return err
		}
		if _, err := clients[i%len(clients)].Plan(request.Station, request.PlanID).Push(ctx, request); err != nil {
			return fmt.Errorf("push the due items: %w", err)
		}
	}
	h.mu.Lock()
	h.late = new(latencies)
	h.mu.Unlock()
	if err := h.await(ctx, from, int64(q.Due)); err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	f.LateP50, f.LateP99 = h.late.quantile(0.50), h.late.quantile(0.99)
	return nil
}

// drain fills one long queue and waits until it is delivered.
func (q queues) drain(ctx context.Context, clients []*client.Client, h *hauler, f *queueFigures) error {
	var wait sync.WaitGroup
	errs := make([]error, q.Pushers)
	for i := range q.Pushers {
		wait.Go(func() {
			for n := i; n < q.Drain && errs[i] == nil; n += q.Pushers {
				request, err := item("long", time.Now().Add(time.Hour))
				if err == nil {
					_, err = clients[i%len(clients)].Plan(request.Station, request.PlanID).Push(ctx, request)
				}
				errs[i] = err
			}
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("fill the long queue: %w", err)
	}
	from, calls, began := h.items.Load(), h.calls.Load(), time.Now()
	if _, err := clients[0].Plan(oursStation, "long").Trigger(ctx); err != nil {
		return err
	}
	if err := h.await(ctx, from, int64(q.Drain)); err != nil {
		return err
	}
	f.DrainPerSecond = float64(q.Drain) / time.Since(began).Seconds()
	f.DrainCalls = h.calls.Load() - calls
	return nil
}

// queue measures the rate at which merge queues are filled, the lateness of their
// deliveries, and the rate at which one is drained.
func (s *suite) queue(ctx context.Context) error {
	var pushes, half, slow, late, latest, drained samples
	for range s.Rounds {
		if err := s.settle(ctx); err != nil {
			return err
		}
		f, err := queues{
			Queues: 1000, Pushers: 1024, Duration: s.lasting(5 * time.Second),
			Due: 2000, DueIn: 10 * time.Second, Drain: 100_000,
		}.run(ctx, s.Dir, s.Log)
		if err != nil {
			return err
		}
		pushes.add(f.PushesPerSecond)
		half.add(millis(f.PushP50))
		slow.add(millis(f.PushP99))
		late.add(millis(f.LateP50))
		latest.add(millis(f.LateP99))
		drained.add(f.DrainPerSecond)
	}
	s.row("pushes/s into 1,000 queues, 1,024 pushers", pushes, nil, "at least 20,000")
	s.row("  answer, ms: p50", half, nil, "")
	s.row("  answer, ms: p99", slow, nil, "")
	s.row("lateness of 200 deliveries/s, ms: p50", late, nil, "")
	s.row("  p99", latest, nil, "at most 50")
	s.row("items/s out of a queue of 100,000", drained, nil, "")
	return nil
}
