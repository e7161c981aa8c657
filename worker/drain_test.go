package worker_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

func TestDrainFinishesWhatWasTaken(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 2, Queue: 3, DrainTimeout: time.Minute})
		w.Handle("hello", "*", sleepFor(5*time.Second))
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.Run(ctx) }()
		synctest.Wait()

		// Two run, three are queued, three wait in the client's buffer.
		for range 8 {
			s.send(s.execution("hello"))
		}
		synctest.Wait()
		cancel()
		time.Sleep(time.Second)
		refused := s.execution("hello")
		s.send(refused) // there is no subscription any more

		began := time.Now()
		if err := receive(t, ended); err != nil {
			t.Errorf("run: %v", err)
		}
		if took := time.Since(began); took < 18*time.Second || took > 20*time.Second {
			t.Errorf("drained in %v", took)
		}
		states := map[schema.State]int{}
		for len(s.replies) > 0 {
			r := s.next()
			if r.name.Exec() == refused.exec.Exec {
				t.Error("an execution was taken during the drain")
			}
			states[r.State]++
		}
		if states[schema.StateOK] != 8 {
			t.Errorf("replies %v", states)
		}
	})
}

// Without a server Stop waits only for the executions that were taken.
func TestDrainWithoutAServer(t *testing.T) {
	for taken, lasts := range map[int]time.Duration{0: 0, 8: 20 * time.Second} {
		t.Run(fmt.Sprint(taken), func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				s := newScheduler(t, brokertest.Connect(t, ns), "")
				w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 2, Queue: 3, DrainTimeout: time.Minute})
				var done atomic.Int64
				w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) {
					time.Sleep(5 * time.Second)
					done.Add(1)
					return nil, nil
				})
				if err := w.Start(); err != nil {
					t.Fatal(err)
				}
				for range taken {
					s.send(s.execution("hello"))
				}
				synctest.Wait()
				ns.Shutdown()
				ns.WaitForShutdown()
				synctest.Wait()
				began := time.Now()
				err := w.Stop()
				if took := time.Since(began); took < lasts || taken == 0 && took > 0 || int(done.Load()) != taken {
					t.Errorf("%d of %d executions were done in %v", done.Load(), taken, took)
				}
				if taken == 0 && err != nil || taken > 0 && !strings.Contains(fmt.Sprint(err), "8 results were not acknowledged") {
					t.Errorf("stop: %v", err)
				}
			})
		})
	}
}

func TestDrainTimeout(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w1", Concurrency: 1, DrainTimeout: 10 * time.Second})
		w.Handle("hello", "*", sleepFor(time.Hour))
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		running, queued := s.send(s.execution("hello")), s.send(s.execution("hello"))
		synctest.Wait()

		began := time.Now()
		if err := w.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
		if took := time.Since(began); took < 10*time.Second || took > 11*time.Second {
			t.Errorf("stopped in %v", took)
		}
		got := map[int64]string{}
		for len(s.replies) > 0 {
			if r := s.next(); r.State == schema.StateError {
				got[r.name.N], _ = r.Error.Text()
			}
		}
		if got[running] != worker.ErrStopping.Error() || got[queued] != "worker w1 stopped before it began" {
			t.Errorf("replies %v", got)
		}
	})
}

func TestStopReportsHandlersThatStay(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{DrainTimeout: time.Second})
		release := make(chan struct{})
		w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) {
			<-release
			return nil, nil
		})
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		s.send(s.execution("hello"))
		synctest.Wait()
		if err := w.Stop(); err == nil || !strings.Contains(err.Error(), "1 executions did not end") {
			t.Errorf("stop: %v", err)
		}
		close(release) // it answers, though Stop has returned
		for r := s.next(); r.State != schema.StateOK; r = s.next() {
		}
	})
}

func TestStopReportsResultsThatWereNotAcknowledged(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		s.acknowledge(func(reply) *schema.Ack { return nil })
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Handle("hello", "*", sleepFor(0))
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			s.send(s.execution("hello"))
		}
		synctest.Wait()
		if err := w.Stop(); err == nil || !strings.Contains(err.Error(), "3 results were not acknowledged") {
			t.Errorf("stop: %v", err)
		}
	})
}

func TestStopFromManySides(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		for range 20 {
			w := newWorker(t, nc, worker.Options{Concurrency: 2})
			w.Handle("hello", "*", sleepFor(0))
			if err := w.Start(); err != nil {
				t.Fatal(err)
			}
			if err := w.Start(); err == nil {
				t.Error("started twice")
			}
			var all sync.WaitGroup
			for range 5 {
				all.Go(func() {
					if err := w.Stop(); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
		}
	})
}

func TestStartOnAClosedConnection(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	w := newWorker(t, nc, worker.Options{})
	w.Handle("hello", "*", sleepFor(0))
	nc.Close()
	if err := w.Start(); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("start: %v", err)
	}
	if err := w.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestRunEndsWithTheConnection(t *testing.T) {
	ns := brokertest.Server(t)
	nc := brokertest.Connect(t, ns)
	w := newWorker(t, nc, worker.Options{})
	w.Handle("hello", "*", sleepFor(0))
	ended := make(chan error)
	go func() { ended <- w.Run(t.Context()) }()
	nc.Close()
	if err := receive(t, ended); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("run: %v", err)
	}
}

func TestConcurrencyIsBounded(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 3})
		var mu sync.Mutex
		now, most := 0, 0
		w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return nil, nil
		})
		start(t, w)
		began := time.Now()
		for range 20 {
			s.send(s.execution("hello"))
		}
		for done := 0; done < 20; {
			if s.next().State == schema.StateOK {
				done++
			}
		}
		if took := time.Since(began).Round(together); most != 3 || took != 7*time.Second {
			t.Errorf("at most %d at once, %v", most, took)
		}
	})
}

func TestFanout(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		ran := make(chan string, 10)
		for i := range 3 {
			w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: fmt.Sprint("w", i)})
			w.Station("news", worker.Fanout()).Handle("*", func(_ context.Context, x *worker.Execution) (any, error) {
				ran <- w.ID()
				return nil, nil
			})
			w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) {
				ran <- "hello"
				return nil, nil
			})
			start(t, w)
		}
		s.send(s.execution("news"))
		voters := map[string]bool{}
		for range 3 {
			voters[receive(t, ran)] = true
			voters[s.next().WorkerID] = true
		}
		if len(voters) != 3 {
			t.Errorf("voters %v", voters)
		}

		// An execution for all workers wants no reply; on any other station one without a
		// reply subject is not run.
		d := s.execution("hello")
		d.reply = ""
		s.send(d)
		d = s.execution("news")
		d.reply = ""
		s.send(d)
		for range 3 {
			if who := receive(t, ran); who == "hello" {
				t.Error("an execution without a reply subject was run")
			}
		}
		s.silent()
	})
}

// A worker announces itself at each of its stations, in time before it counts as gone, and its
// leave. The messages have no reply subject, so that no sender can choose one.
func TestPresence(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		received := receivedBy(t, ns, "acme.worker.here.>")
		newScheduler(t, brokertest.Connect(t, ns), "acme")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w1", Prefix: "acme", Version: "v3"})
		w.Handle("hello", "a", sleepFor(0))
		w.Station("bill.eu", worker.Pull(everything)).Handle("b", sleepFor(0))
		w.Handle("bill.>", "c", sleepFor(0))
		began := time.Now()
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		publish := func(body string) {
			t.Helper()
			for _, station := range []string{"bill.*below", "bill.eu", "hello"} {
				m, err := received.NextMsg(time.Minute)
				if err != nil {
					t.Fatal(err)
				}
				if m.Subject != "acme.worker.here.w1."+station || withoutBuild(t, m.Data) != body || m.Reply != "" {
					t.Errorf("got %s on %s, to %q", m.Data, m.Subject, m.Reply)
				}
			}
		}
		for range 10 {
			publish(`{"version":"v3"}`)
		}
		if took := time.Since(began); took > 95*time.Second {
			t.Errorf("ten times in %v", took)
		}
		if err := w.Stop(); err != nil {
			t.Fatal(err)
		}
		publish(`{"gone":true}`)
	})
}

// withoutBuild checks that a presence message says where its worker runs and by which library, except of
// one that leaves, and returns it without that.
func withoutBuild(t *testing.T, message []byte) string {
	t.Helper()
	build := regexp.MustCompile(`,?"host":"[^"]+","library":"stationmaster-go[^"]*","since":"[^"]+Z"`)
	if !build.Match(message) && string(message) != `{"gone":true}` {
		t.Errorf("it does not say where it runs: %s", message)
	}
	return strings.Replace(build.ReplaceAllString(string(message), ""), "{,", "{", 1)
}

// The presence record has the number of executions.
func TestPresenceReportsTheLoad(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		received := receivedBy(t, ns, "worker.here.>")
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w1"})
		w.Handle("hello", "*", sleepFor(15*time.Second))
		start(t, w)
		publish := func(want string) {
			m, err := received.NextMsg(time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			if withoutBuild(t, m.Data) != want {
				t.Errorf("got %s, want %s", m.Data, want)
			}
		}
		publish(`{}`) // before there is anything
		for range 3 {
			s.send(s.execution("hello"))
		}
		publish(`{"load":3}`)
		publish(`{}`)
	})
}

// Presence is published again after a reconnect, because the scheduler has missed it.
func TestPresenceIsPublishedAgainWhenTheConnectionIsBack(t *testing.T) {
	ns := brokertest.Server(t, brokertest.Listen)
	received := receivedBy(t, ns, "worker.here.>")
	nc, err := nats.Connect(ns.ClientURL(), nats.ReconnectWait(10*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	w := newWorker(t, nc, worker.Options{ID: "w1"})
	w.Handle("hello", "*", sleepFor(0))
	start(t, w)
	for range 3 {
		if _, err := received.NextMsg(8 * time.Second); err != nil { // well before it is due by itself
			t.Fatal(err)
		}
		if err := nc.ForceReconnect(); err != nil {
			t.Fatal(err)
		}
	}
}

// receivedBy subscribes on a connection of its own, and returns when the server knows of it,
// because it misses messages that another connection publishes before that.
func receivedBy(t *testing.T, ns *server.Server, subject string) *nats.Subscription {
	t.Helper()
	nc := brokertest.Connect(t, ns)
	sub, err := nc.SubscribeSync(subject)
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return sub
}
