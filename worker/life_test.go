package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A timedState is a reply's state, and its time after the dispatch.
type timedState struct {
	State schema.State
	After time.Duration
}

// states collects the replies up to and with the final one.
func (s *scheduler) states(since time.Time) (replies []timedState) {
	s.t.Helper()
	for {
		r := s.next()
		replies = append(replies, timedState{r.State, r.at.Sub(since)})
		if r.State != schema.StateRunning && r.State != schema.StateWaiting {
			return replies
		}
	}
}

func TestHeartbeats(t *testing.T) {
	const (
		ms  = time.Millisecond
		sec = time.Second
	)
	tests := []struct {
		name     string
		opts     worker.Options
		work     time.Duration
		deadline time.Duration // after the dispatch; 0: none
		want     []timedState
	}{
		{"quick handlers say one word", worker.Options{}, 29 * ms, 60 * sec, []timedState{{"ok", 29 * ms}}},
		{"slow ones say running", worker.Options{}, 20 * sec, 60 * sec, []timedState{{"running", 30 * ms}, {"ok", 20 * sec}}},
		{"waiting comes at half the time left", worker.Options{}, 12 * sec, 10 * sec,
			// 5 s are left of 10 at 5.015; a waiting adds 10 s from its time.
			[]timedState{{"running", 30 * ms}, {"waiting", 5015 * ms}, {"waiting", 10015 * ms}, {"ok", 12 * sec}}},
		{"waiting comes at least so often", worker.Options{WaitingEvery: 2 * sec}, 5 * sec, time.Hour,
			[]timedState{{"running", 30 * ms}, {"waiting", 2030 * ms}, {"waiting", 4030 * ms}, {"ok", 5 * sec}}},
		{"without a deadline, too", worker.Options{RunningAfter: sec}, 62 * sec, 0,
			[]timedState{{"running", sec}, {"waiting", 31 * sec}, {"waiting", 61 * sec}, {"ok", 62 * sec}}},
		{"a short deadline is met", worker.Options{}, 35 * ms, 40 * ms,
			[]timedState{{"running", 20 * ms}, {"ok", 35 * ms}}},
		{"no waiting when it is turned off", worker.Options{WaitingEvery: -1}, 9 * sec, 10 * sec,
			[]timedState{{"running", 30 * ms}, {"ok", 9 * sec}}},
		{"then the deadline ends the context", worker.Options{WaitingEvery: -1}, 20 * sec, 10 * sec,
			[]timedState{{"running", 30 * ms}, {"error", 10 * sec}}},
		{"a deadline that has passed by our clock", worker.Options{}, 2500 * ms, -time.Minute,
			[]timedState{{"running", 30 * ms}, {"waiting", 1030 * ms}, {"waiting", 2030 * ms}, {"ok", 2500 * ms}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				s := newScheduler(t, brokertest.Connect(t, ns), "")
				w := newWorker(t, brokertest.Connect(t, ns), tt.opts)
				w.Handle("hello", "*", sleepFor(tt.work))
				start(t, w)

				d := s.execution("hello")
				if tt.deadline != 0 {
					d.exec.Deadline = time.Now().Add(tt.deadline)
				}
				began := time.Now()
				s.send(d)
				if diff := cmp.Diff(tt.want, s.states(began)); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				time.Sleep(time.Minute)
				s.silent()
			})
		})
	}
}

// sleepFor is a handler that works for d, or until its context ends.
func sleepFor(d time.Duration) worker.Handler {
	return func(ctx context.Context, _ *worker.Execution) (any, error) {
		select {
		case <-time.After(d):
			return nil, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Held work sends `waiting`, also when pings are due, and `running` when it has begun.
func TestHold(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		s.acknowledge(func(reply) *schema.Ack { return &schema.Ack{Ack: true, Accepted: true, PingIntervalMS: 4000} })
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Handle("hello", "*", func(_ context.Context, x *worker.Execution) (any, error) {
			begin := x.Hold(time.Minute) // the acknowledgement asks for pings
			time.Sleep(95 * time.Second)
			begin()
			return nil, nil
		})
		start(t, w)

		d := s.execution("hello")
		d.exec.Deadline = time.Now().Add(10 * time.Second)
		s.send(d)
		first := s.next()
		if first.State != schema.StateWaiting || first.Extend == nil || *first.Extend != 60 {
			t.Errorf("first: %s", first.msg.Data)
		}
		states := 0
		r := s.next()
		for ; r.State == schema.StateWaiting; r = s.next() {
			states++
		}
		if r.State != schema.StateRunning || states < 20 {
			t.Errorf("after %d words: %s", states, r.msg.Data)
		}
		if r = s.next(); r.State != schema.StateOK {
			t.Errorf("in the end: %s", r.msg.Data)
		}
	})
}

func TestExtendAndProgress(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{WaitingEvery: -1})
		w.Handle("hello", "*", func(ctx context.Context, x *worker.Execution) (any, error) {
			x.Extend(time.Minute)
			for percent := range 100 {
				x.Progress(float64(percent))
				time.Sleep(10 * time.Millisecond)
			}
			x.Progress(250)
			time.Sleep(30 * time.Second)
			return nil, ctx.Err()
		})
		start(t, w)

		d := s.execution("hello")
		d.exec.Deadline = time.Now().Add(10 * time.Second)
		s.send(d)
		first := s.next()
		if first.State != schema.StateWaiting || first.Extend == nil || *first.Extend != 60 {
			t.Errorf("extend: %s", first.msg.Data)
		}
		var seen []float64
		for r := s.next(); ; r = s.next() {
			if r.State != schema.StateRunning {
				if r.State != schema.StateOK {
					t.Errorf("the deadline of an extended execution was kept: %s", r.msg.Data)
				}
				break
			}
			if r.Progress != nil {
				seen = append(seen, *r.Progress)
			}
		}
		if len(seen) < 3 || len(seen) > 8 || seen[len(seen)-1] != 100 {
			t.Errorf("progress %v", seen)
		}
	})
}

// Handlers can be tested without a worker.
func TestAnExecutionThatATestMade(t *testing.T) {
	x := &worker.Execution{}
	x.Extend(time.Minute)
	x.Progress(50)
	if err := x.Message(0, new(string)); err == nil {
		t.Error("a message out of nothing")
	}
}

func TestResultIsRepeatedUntilItIsTaken(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Handle("hello", "*", sleepFor(0))
		start(t, w)

		// No answer, then a stream's acknowledgement, then a leader's.
		received := 0
		s.acknowledge(func(r reply) *schema.Ack {
			switch received++; received {
			case 1, 2:
				return nil
			case 3:
				return &schema.Ack{}
			}
			return &taken
		})
		began := time.Now()
		s.send(s.execution("hello"))
		var at []time.Duration
		for range 4 {
			at = append(at, s.next().at.Sub(began))
		}
		want := []time.Duration{0, 1 * time.Second, 3 * time.Second, 7 * time.Second}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("sent (-want +got):\n%s", diff)
		}
		time.Sleep(time.Hour)
		s.silent()
	})
}

func TestResultIsGivenUp(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{RepeatFor: 5 * time.Minute})
		w.Handle("hello", "*", sleepFor(0))
		start(t, w)
		s.acknowledge(func(reply) *schema.Ack { return nil })

		s.send(s.execution("hello"))
		time.Sleep(5*time.Minute + 31*time.Second)
		for range 14 { // 0, 1, 3, 7, 15, 31 s, then every 30 s up to 271
			s.next()
		}
		time.Sleep(time.Hour)
		s.silent()
	})
}

func TestCancel(t *testing.T) {
	ways := map[string]func(s *scheduler, n int64){
		"by the answer to a ping": func(s *scheduler, _ int64) {
			s.acknowledge(func(reply) *schema.Ack { return &schema.Ack{Ack: true, Accepted: true, Cancel: true} })
		},
		"by plan.cancel": func(s *scheduler, n int64) { s.cancel("hello", n) },
	}
	for name, cancel := range ways {
		t.Run(name, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				s := newScheduler(t, brokertest.Connect(t, ns), "")
				w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
				ended := make(chan error, 1)
				w.Handle("hello", "*", func(ctx context.Context, _ *worker.Execution) (any, error) {
					<-ctx.Done()
					ended <- context.Cause(ctx)
					return nil, ctx.Err()
				})
				start(t, w)

				n := s.send(s.execution("hello"))
				time.Sleep(time.Second) // it runs, and has sent `running`
				s.cancel("hello", n+1)
				s.cancel("other", n)
				synctest.Wait()
				if len(ended) > 0 {
					t.Fatal("the cancellation of another was taken")
				}
				cancel(s, n)
				if cause := receive(t, ended); cause != worker.ErrCancelled {
					t.Errorf("cause %v", cause)
				}
			})
		})
	}
}

func TestCancelledInTheQueueIsNotStarted(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 1})
		ran := make(chan int64, 10)
		w.Handle("hello", "*", func(_ context.Context, x *worker.Execution) (any, error) {
			ran <- x.N
			time.Sleep(time.Minute)
			return nil, nil
		})
		start(t, w)
		first, second, third := s.send(s.execution("hello")), s.send(s.execution("hello")), s.send(s.execution("hello"))
		synctest.Wait()
		s.cancel("hello", second)
		time.Sleep(5 * time.Minute)
		var got []int64
		for len(ran) > 0 {
			got = append(got, <-ran)
		}
		if diff := cmp.Diff([]int64{first, third}, got); diff != "" {
			t.Errorf("ran (-want +got):\n%s", diff)
		}
	})
}

func TestPingIntervalOfTheScheduler(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		s.acknowledge(func(reply) *schema.Ack {
			return &schema.Ack{Ack: true, Accepted: true, PingIntervalMS: 700}
		})
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Handle("hello", "*", sleepFor(3*time.Second))
		start(t, w)
		began := time.Now()
		s.send(s.execution("hello"))
		replies := s.states(began)
		if len(replies) != 6 || replies[4].After != 2830*time.Millisecond {
			t.Errorf("got %v", replies)
		}
	})
}

func TestLateExecutionsAreNotStarted(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		var log bytes.Buffer
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 1, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		w.Handle("hello", "*", sleepFor(10*time.Second))
		start(t, w)

		startBy := func(after time.Duration) *dispatch {
			d := s.execution("hello")
			d.header.Set(schema.HeaderStartBy, time.Now().Add(after).UTC().Format(time.RFC3339Nano))
			return d
		}
		late := s.send(startBy(-time.Millisecond))
		first := s.send(startBy(time.Second))
		inQueue := s.send(startBy(9 * time.Second)) // its turn comes after 10 s
		last := s.send(startBy(11 * time.Second))
		began := time.Now()
		replies := s.states(began)
		replies = append(replies, s.states(began)...)
		time.Sleep(time.Minute)
		s.silent()
		if n := len(replies); replies[n-1].After != 20*time.Second {
			t.Errorf("of %d %d %d %d: %v", late, first, inQueue, last, replies)
		}
		// A process that was stopped finds many, and logs that once a minute.
		if lines := strings.Count(log.String(), "it came too late"); lines != 1 {
			t.Errorf("%d lines report a late message:\n%s", lines, &log)
		}
	})
}

// A handler that is not quick has a first reply before start_by, also with a long RunningAfter.
func TestAFirstReplyIsSentBeforeStartBy(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{RunningAfter: time.Second})
		w.Handle("hello", "*", sleepFor(3*time.Second))
		start(t, w)
		d := s.execution("hello")
		began := time.Now()
		d.header.Set(schema.HeaderStartBy, began.Add(200*time.Millisecond).Format(time.RFC3339Nano))
		s.send(d)
		want := []timedState{{"running", 100 * time.Millisecond}, {"ok", 3 * time.Second}}
		if diff := cmp.Diff(want, s.states(began)); diff != "" {
			t.Errorf("words (-want +got):\n%s", diff)
		}
	})
}

func TestOlderEpochsAreDropped(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Handle("hello", "*", sleepFor(0))
		start(t, w)
		var took []string
		for _, of := range []struct {
			partition int
			epoch     string
		}{{0, "7"}, {0, "9"}, {0, "8"}, {1, "3"}, {0, "9"}, {1, "2"}, {0, "x"}, {0, ""}} {
			d := s.execution("hello")
			d.header.Set(schema.HeaderEpoch, of.epoch)
			d.reply = s.space.Reply(of.partition, "hello", "P1", d.exec.Exec)
			s.send(d)
			synctest.Wait()
			if len(s.replies) > 0 {
				took = append(took, fmt.Sprintf("%d/%s", s.next().name.Partition, of.epoch))
			}
		}
		if diff := cmp.Diff([]string{"0/7", "0/9", "1/3", "0/9", "0/"}, took); diff != "" {
			t.Errorf("took (-want +got):\n%s", diff)
		}
	})
}
