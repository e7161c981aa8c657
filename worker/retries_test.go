package worker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// The handler runs again in the same worker, with the number and the pause of the option, and
// can read the count; the scheduler gets the last error only.
func TestRetriesHappenHere(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name   string
		errs   []error // of one run after the other
		panics bool
		want   schema.State
		runs   []time.Duration
	}{
		{"no error", []error{nil}, false, "ok", []time.Duration{0}},
		{"the second run is well", []error{boom, nil}, false, "ok", []time.Duration{0, 2 * time.Second}},
		{"the last run is well", []error{boom, boom, boom, nil}, false, "ok", []time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second}},
		{"all fail", []error{boom, boom, boom, boom}, false, "error", []time.Duration{0, 2 * time.Second, 4 * time.Second, 6 * time.Second}},
		{"a panic is an error", []error{boom, nil}, true, "ok", []time.Duration{0, 2 * time.Second}},
		{"a stopped plan is final", []error{boom, worker.StopPlan(boom)}, false, "failure", []time.Duration{0, 2 * time.Second}},
		{"so is an error without retry", []error{boom, worker.NonRetryable(boom)}, false, "error", []time.Duration{0, 2 * time.Second}},
		{"a retry elsewhere is final", []error{worker.RetryAfter(time.Hour, boom)}, false, "error", []time.Duration{0}},
		{"so is the end of the worker", []error{fmt.Errorf("killed: %w", worker.ErrStopping)}, false, "error", []time.Duration{0}},
		{"so is a later completion", []error{worker.CompleteLater(time.Hour)}, false, "waiting", []time.Duration{0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				c := newCounter(t, brokertest.Connect(t, ns))
				w := newWorker(t, brokertest.Connect(t, ns), worker.Options{RunningAfter: time.Hour})
				var runs []time.Duration
				var began time.Time
				w.Station("jobs", worker.Pull(everything)).Handle("*", func(_ context.Context, x *worker.Execution) (any, error) {
					if x.Retry == 0 {
						began = time.Now()
					}
					if x.Retry != len(runs) {
						t.Errorf("run %d is retry %d", len(runs), x.Retry)
					}
					runs = append(runs, time.Since(began))
					err := tt.errs[x.Retry]
					if tt.panics && err != nil {
						panic(err)
					}
					return nil, err
				}, worker.Retries(3, 2*time.Second))
				start(t, w)
				c.offerMany("jobs", 1)
				if r := c.next(); r.State != tt.want {
					t.Errorf("reply %s", r.msg.Data)
				}
				if diff := cmp.Diff(tt.runs, runs); diff != "" {
					t.Errorf("runs (-want +got):\n%s", diff)
				}
				time.Sleep(time.Minute)
				c.silent()
			})
		})
	}
}

// While a handler rests before it runs again the worker goes on pinging, and a
// cancellation ends it. The next execution is run anew.
func TestARestBeforeARetry(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		s.acknowledge(func(reply) *schema.Ack { return &schema.Ack{Ack: true, Accepted: true, PingIntervalMS: 1000} })
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		ran := make(chan int, 10)
		w.Handle("hello", "*", func(_ context.Context, x *worker.Execution) (any, error) {
			ran <- x.Retry
			return nil, errors.New("boom")
		}, worker.Retries(1, time.Minute))
		start(t, w)
		for range 2 {
			began := time.Now()
			n := s.send(s.execution("hello"))
			for range 5 {
				if r := s.next(); r.State != schema.StateRunning {
					t.Errorf("got %s", r.msg.Data)
				}
			}
			s.cancel("hello", n)
			if r := s.next(); r.State != schema.StateError || time.Since(began) > 5*time.Second {
				t.Errorf("got %s after %v", r.msg.Data, time.Since(began))
			}
			if retry := receive(t, ran); retry != 0 || len(ran) > 0 {
				t.Errorf("ran as retry %d, and %d times more", retry, len(ran))
			}
		}
	})
}

// A worker that stops waits for no pause, however long. The error is final, and its text names
// the reason.
func TestAStopEndsTheRestBeforeARetry(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w1", DrainTimeout: time.Minute})
		ran := make(chan int, 10)
		w.Handle("hello", "*", func(_ context.Context, x *worker.Execution) (any, error) {
			ran <- x.Retry
			return nil, errors.New("boom")
		}, worker.Retries(1, time.Hour))
		start(t, w)
		s.send(s.execution("hello"))
		receive(t, ran)
		synctest.Wait()
		began := time.Now()
		if err := w.Stop(); err != nil || time.Since(began) > time.Second {
			t.Errorf("stopped after %v: %v", time.Since(began), err)
		}
		for r := s.next(); ; r = s.next() {
			if r.State == schema.StateRunning || r.State == schema.StateWaiting {
				continue
			}
			if got, _ := r.Error.Text(); r.State != schema.StateError || got != "boom (not run again here, because worker w1 stopped)" {
				t.Errorf("got %s", r.msg.Data)
			}
			break
		}
		if len(ran) > 0 {
			t.Errorf("it ran %d times more", len(ran))
		}
	})
}
