package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A claimed execution gets heartbeats at the scheduler's interval, also while it waits for a
// handler, and a new interval counts from the next one on.
func TestPingsOfClaimedExecutions(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		changes := time.Now().Add(5 * time.Second)
		c.acknowledge(func(r reply) *schema.Ack {
			every := int64(1000)
			if r.at.After(changes) {
				every = 2500
			}
			return &schema.Ack{Ack: true, Accepted: true, PingIntervalMS: every}
		})
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w1", Concurrency: 1, Prefetch: 1})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(10*time.Second))
		start(t, w)
		first, second := c.execution("jobs"), c.execution("jobs")
		began := time.Now()
		c.offer(first, second)
		replies := map[string][]timedState{}
		for range 20 {
			r := c.next()
			if r.WorkerID != "w1" {
				t.Errorf("a ping without a worker: %s", r.msg.Data)
			}
			replies[r.name.Exec()] = append(replies[r.name.Exec()], timedState{r.State, r.at.Sub(began).Round(time.Millisecond)})
		}
		ms := time.Millisecond
		want := []timedState{
			{"running", 30 * ms}, {"running", 1030 * ms}, {"running", 2030 * ms}, {"running", 3030 * ms}, {"running", 4030 * ms},
			{"running", 5030 * ms}, {"running", 7530 * ms}, {"ok", 10000 * ms},
		}
		if diff := cmp.Diff(want, replies[first.exec.Exec]); diff != "" {
			t.Errorf("of the one that ran (-want +got):\n%s", diff)
		}
		want = append(want[:7:7], []timedState{{"running", 10030 * ms}, {"running", 12530 * ms}, {"running", 15030 * ms}, {"running", 17530 * ms}, {"ok", 20000 * ms}}...)
		if diff := cmp.Diff(want, replies[second.exec.Exec]); diff != "" {
			t.Errorf("of the one that waited (-want +got):\n%s", diff)
		}
	})
}

// Pings do not move a deadline; `waiting` does, when half of the time has passed.
func TestPingsAndADeadline(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		c.acknowledge(func(reply) *schema.Ack { return &schema.Ack{Ack: true, Accepted: true, PingIntervalMS: 1000} })
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(9*time.Second))
		start(t, w)
		d := c.execution("jobs")
		began := time.Now()
		d.exec.Deadline = began.Add(6 * time.Second)
		c.offer(d)
		var waiting []time.Duration
		for _, replies := range c.states(began) {
			if replies.State == schema.StateWaiting {
				waiting = append(waiting, replies.After.Round(time.Second))
			}
		}
		if diff := cmp.Diff([]time.Duration{3 * time.Second, 6 * time.Second}, waiting[:2]); diff != "" {
			t.Errorf("waiting (-want +got):\n%s", diff)
		}
	})
}

// A worker that may not go on gets a cancellation in the answer to its next heartbeat, or by
// plan.cancel; an execution that waits for a handler does not begin then.
func TestCancelOfClaimedExecutions(t *testing.T) {
	ways := map[string]func(c *counter, n int64){
		"by the answer to a ping": func(c *counter, n int64) {
			c.acknowledge(func(r reply) *schema.Ack {
				return &schema.Ack{Ack: true, Cancel: r.name.N == n, PingIntervalMS: 1000}
			})
		},
		"by plan.cancel": func(c *counter, n int64) { c.cancel("jobs", n) },
	}
	for name, cancel := range ways {
		t.Run(name, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				c := newCounter(t, brokertest.Connect(t, ns))
				c.acknowledge(func(reply) *schema.Ack { return &schema.Ack{Ack: true, Accepted: true, PingIntervalMS: 1000} })
				w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 1, Prefetch: 1})
				ran, ended := make(chan int64, 10), make(chan error, 10)
				w.Station("jobs", worker.Pull(everything)).Handle("*", func(ctx context.Context, x *worker.Execution) (any, error) {
					ran <- x.N
					<-ctx.Done()
					ended <- context.Cause(ctx)
					return nil, ctx.Err()
				})
				start(t, w)
				first, second := c.execution("jobs"), c.execution("jobs")
				c.offer(first, second)
				n := receive(t, ran)
				time.Sleep(3 * time.Second)
				cancel(c, n+1)
				time.Sleep(3 * time.Second)
				cancel(c, n)
				if cause := receive(t, ended); !errors.Is(cause, worker.ErrCancelled) {
					t.Errorf("cause %v", cause)
				}
				time.Sleep(3 * time.Second)
				synctest.Wait()
				if len(ran) > 0 {
					t.Error("an execution was begun that had been cancelled")
				}
			})
		})
	}
}

// Stop ends the claims, gives back at once the executions that have not begun, and waits for
// the others.
func TestDrainGivesBackWhatHasNotBegun(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w1", Concurrency: 2, Prefetch: 3})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(5*time.Second))
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		c.offerMany("jobs", 8)
		time.Sleep(time.Second)
		c.set(func(c *counter) {
			if c.handed != 5 {
				t.Errorf("%d are held", c.handed)
			}
		})
		began := time.Now()
		before := len(c.claims())
		if err := w.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if took := time.Since(began).Round(together); took != 4*time.Second {
			t.Errorf("stopped in %v", took)
		}
		replies := map[schema.State][]time.Duration{}
		for len(c.replies) > 0 {
			r := c.next()
			replies[r.State] = append(replies[r.State], r.at.Sub(began).Round(together))
			if want := (schema.Reply{State: schema.StateNotWorker, WorkerID: "w1"}); r.State == want.State {
				if diff := cmp.Diff(want, r.Reply, cmp.Comparer(func(a, b wire.Value) bool { return a.String() == b.String() })); diff != "" {
					t.Errorf("given back with %s", diff)
				}
			}
		}
		delete(replies, schema.StateRunning)
		want := map[schema.State][]time.Duration{"not_worker": {0, 0, 0}, "ok": {4 * time.Second, 4 * time.Second}}
		if diff := cmp.Diff(want, replies); diff != "" {
			t.Errorf("replies (-want +got):\n%s", diff)
		}
		if after := len(c.claims()); after != before {
			t.Errorf("%d claims in the drain", after-before)
		}
	})
}

// An execution comes back when the worker that claimed it has stopped, because the answer finds
// no subscriber.
func TestAClaimThatAStoppedWorkerLeftBehind(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		run := func() *worker.Worker {
			w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
			w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(0))
			if err := w.Start(); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return w
		}
		if err := run().Stop(); err != nil {
			t.Fatal(err)
		}
		next := run()
		c.offerMany("jobs", 1)
		if got := c.ended(1); got[schema.StateOK] != 1 {
			t.Errorf("ended %v", got)
		}
		if err := next.Stop(); err != nil {
			t.Error(err)
		}
		c.set(func(c *counter) {
			if c.back != 1 {
				t.Errorf("%d came back", c.back)
			}
		})
	})
}

// Handlers that do not end in time have their contexts ended, as those of pushed executions.
func TestDrainTimeoutOfClaimedExecutions(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 1, Prefetch: 1, DrainTimeout: 10 * time.Second})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(time.Hour), worker.Retries(5, time.Second))
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		c.offerMany("jobs", 2)
		time.Sleep(time.Second)
		began := time.Now()
		if err := w.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("stopped in %v", took)
		}
		if got := c.ended(2); got[schema.StateNotWorker] != 1 || got[schema.StateError] != 1 {
			t.Errorf("ended %v", got)
		}
	})
}

// An answer may come from any client that has the inbox, with any body.
func TestHostileAnswersToClaims(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{RunningAfter: time.Hour})
		ran, over := make(chan string, 100), make(chan struct{})
		handler := func(_ context.Context, x *worker.Execution) (any, error) {
			ran <- x.Key
			<-over
			return nil, nil
		}
		w.Station("jobs", worker.Pull(everything)).Handle("*", handler)
		w.Handle("pushed", "*", handler)
		start(t, w)
		inbox := receive(t, c.came).msg.Reply
		for _, reply := range []string{
			"", "evil.subject", "plan.reply.0.jobs.P1.1-0123456789abcdef", "plan.reply.0.other.*P1.1-0123456789abcdef",
			"plan.reply.0.pushed.*P1.1-0123456789abcdef", "plan.reply.0.jobs.*P2.1-0123456789abcdef", "acme.plan.reply.0.jobs.*P1.1-0123456789abcdef",
		} {
			d := c.execution("jobs")
			d.reply = reply
			c.answer(inbox, map[string]any{"executions": []any{d.claimed(t), nil, 1, map[string]any{"reply": reply}}})
		}
		for _, body := range []string{"", "{", "1", "[]", "{}", `{"executions":1}`, `{"executions":{}}`, `{"error":1}`, `{"error":{"message":2}}`,
			`{"executions":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}"} {
			if err := c.nc.Publish(inbox, []byte(body)); err != nil {
				t.Fatal(err)
			}
		}
		// An execution that comes twice while it is under way runs once.
		good, last := c.execution("jobs"), c.execution("jobs")
		c.answer(inbox, map[string]any{"executions": []any{good.claimed(t), good.claimed(t), last.claimed(t)}})
		keys := []string{receive(t, ran), receive(t, ran)}
		if !slices.Contains(keys, good.exec.Key) || !slices.Contains(keys, last.exec.Key) {
			t.Errorf("ran %s", keys)
		}
		close(over)
		if ended := c.ended(2); ended[schema.StateOK] != 2 {
			t.Errorf("ended %v", ended)
		}
		if len(ran) > 0 {
			t.Errorf("also ran %s", <-ran)
		}
		c.offerMany("jobs", 1) // it goes on claiming
		c.ended(1)
	})
}

// A leader that was deposed may still answer a claim; its successor has put these executions
// back, or gets their `not_worker`.
func TestClaimsOfAnOlderEpochAreGivenBack(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{RunningAfter: time.Hour})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(0))
		start(t, w)
		for _, of := range []struct {
			epoch int64
			want  schema.State
		}{{7, "ok"}, {9, "ok"}, {8, "not_worker"}, {9, "ok"}} {
			d := c.execution("jobs")
			d.exec.Epoch = of.epoch
			c.offer(d)
			if r := c.next(); r.State != of.want {
				t.Errorf("epoch %d: %s", of.epoch, r.msg.Data)
			}
		}
	})
}

func TestPullStationsThatAProgramGetsWrong(t *testing.T) {
	handler := sleepFor(0)
	for name, wrong := range map[string]func(w *worker.Worker){
		"a claim for many stations": func(w *worker.Worker) { w.Station("jobs.>", worker.Pull(everything)) },
		"fanout of what is claimed": func(w *worker.Worker) { w.Station("work", worker.Pull(everything), worker.Fanout()) },
		"a filter that comes later": func(w *worker.Worker) { w.Station("jobs", worker.Pull(everything)) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorker(t, nil, worker.Options{})
			w.Handle("jobs", "a", handler)
			defer func() {
				if text, ok := recover().(string); !ok || !strings.HasPrefix(text, `worker: `) {
					t.Errorf("panic %q", text)
				}
			}()
			wrong(w)
		})
	}
}
