package worker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A limit is the deadline in the context of a handler, as a time after the dispatch, at first
// and after an extension by 25 s, and the end of that context.
type limit struct {
	First, Extended, Ended time.Duration // zero: none
	Cause                  error
	Exceeded               bool // Err is context.DeadlineExceeded, in derived contexts too
}

func TestTheDeadlineOfAContext(t *testing.T) {
	const sec = time.Second
	tests := []struct {
		name     string
		opts     worker.Options
		deadline time.Duration // after the dispatch; 0: none
		extends  bool
		want     limit
	}{
		{"it ends the context", worker.Options{WaitingEvery: -1}, 10 * sec, false,
			limit{10 * sec, 10 * sec, 10 * sec, worker.ErrDeadline, true}},
		{"an extension moves it", worker.Options{WaitingEvery: -1}, 10 * sec, true,
			limit{10 * sec, 25 * sec, 25 * sec, worker.ErrDeadline, true}},
		{"no extension makes it sooner", worker.Options{WaitingEvery: -1}, 60 * sec, true,
			limit{60 * sec, 60 * sec, 60 * sec, worker.ErrDeadline, true}},
		{"a short one is met", worker.Options{WaitingEvery: -1}, sec / 100, false,
			limit{sec / 100, sec / 100, sec / 100, worker.ErrDeadline, true}},
		{"an execution without one", worker.Options{WaitingEvery: -1}, 0, true,
			limit{0, 0, 90 * sec, worker.ErrCancelled, false}},
		{"a worker that extends it has none", worker.Options{}, 10 * sec, true,
			limit{0, 0, 90 * sec, worker.ErrCancelled, false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				s := newScheduler(t, brokertest.Connect(t, ns), "")
				w := newWorker(t, brokertest.Connect(t, ns), tt.opts)
				seen := make(chan limit, 1)
				var began time.Time
				w.Handle("hello", "*", func(ctx context.Context, x *worker.Execution) (any, error) {
					seen <- limitOf(ctx, began, func() {
						if tt.extends {
							x.Extend(25 * sec)
						}
					})
					return nil, nil
				})
				start(t, w)
				began = time.Now()
				d := s.execution("hello")
				if tt.deadline > 0 {
					d.exec.Deadline = began.Add(tt.deadline)
				}
				n := s.send(d)
				time.Sleep(90 * sec)
				s.cancel("hello", n)
				if diff := cmp.Diff(tt.want, receive(t, seen), cmp.Comparer(func(a, b error) bool { return a == b })); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

func limitOf(ctx context.Context, began time.Time, extend func()) (l limit) {
	after := func() time.Duration {
		if deadline, ok := ctx.Deadline(); ok {
			return deadline.Sub(began)
		}
		return 0
	}
	l.First = after()
	extend()
	l.Extended = after()
	derived, cancel := context.WithCancel(ctx)
	defer cancel()
	<-derived.Done()
	l.Ended, l.Cause = time.Since(began), context.Cause(derived)
	l.Exceeded = errors.Is(ctx.Err(), context.DeadlineExceeded) && errors.Is(derived.Err(), context.DeadlineExceeded)
	return l
}

// The context of a handler has ended when its execution comes after the deadline, by this
// machine's clock.
func TestADeadlineThatHasPassed(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{WaitingEvery: -1})
		w.Handle("hello", "*", sleepFor(time.Hour))
		start(t, w)
		d := s.execution("hello")
		d.exec.Deadline = time.Now().Add(-time.Second)
		began := time.Now()
		s.send(d)
		if r := s.next(); r.State != schema.StateError || r.at.After(began.Add(time.Millisecond)) {
			t.Errorf("%s after %v", r.msg.Data, r.at.Sub(began))
		}
	})
}

// Code deep in a handler, which has only its context, finds the execution; in a test without
// a worker it finds an empty one.
func TestExecutionFrom(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Handle("hello", "*", func(ctx context.Context, x *worker.Execution) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			return worker.ExecutionFrom(ctx) == x, nil
		})
		start(t, w)
		s.send(s.execution("hello"))
		if same, _ := s.next().Content.Bool(); !same {
			t.Error("it found another execution")
		}
	})
	x := worker.ExecutionFrom(t.Context())
	x.Progress(50)
	if x.Key != "" {
		t.Errorf("%+v", x)
	}
}
