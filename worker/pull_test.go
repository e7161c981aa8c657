package worker_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

var everything worker.Filter

// A handler neither knows nor cares whether its execution was pushed or claimed.
func TestAClaimedExecutionIsLikeAPushedOne(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w" + enc.String(), Encoding: enc, RunningAfter: time.Hour})
			got := make(chan *worker.Execution, 2)
			handler := func(_ context.Context, x *worker.Execution) (any, error) {
				got <- x
				var name string
				return "hello " + name, x.Message(0, &name)
			}
			w.Handle("pushed", "greet", handler)
			w.Station("claimed", worker.Pull(everything)).Handle("greet", handler)
			if err := w.Start(); err != nil {
				t.Fatal(err)
			}
			make := func(station string) *dispatch {
				d := c.execution(station, "Ada")
				d.enc = enc
				d.exec.Caller, d.exec.Description, d.exec.Epoch = "me", "a greeting", 7
				d.exec.PlanTime = time.Date(2026, 11, 21, 12, 0, 0, 5e8, time.UTC)
				d.exec.Deadline = time.Now().Add(time.Hour)
				return d
			}
			c.send(make("pushed"))
			pushed := receive(t, got)
			c.next()
			c.offer(make("claimed"))
			claimed := receive(t, got)
			if r := c.next(); r.State != schema.StateOK || r.enc != enc || r.name.Station != "claimed" {
				t.Errorf("reply %s %s", r.msg.Subject, r.msg.Data)
			}
			if err := w.Stop(); err != nil {
				t.Error(err)
			}
			differ := cmpopts.IgnoreFields(schema.Execution{}, "Station", "Occurrence", "Exec", "Key", "Deadline")
			same := cmp.Comparer(func(a, b wire.Value) bool { return string(a.Raw()) == string(b.Raw()) })
			if diff := cmp.Diff(pushed.Execution, claimed.Execution, differ, same); diff != "" {
				t.Errorf("(-pushed +claimed):\n%s", diff)
			}
			if claimed.N != pushed.N+1 || claimed.Encoding() != enc || claimed.ReplySubject() == "" {
				t.Errorf("claimed %+v", claimed)
			}
			for name, want := range map[string]string{
				schema.HeaderCommand: "proxy", schema.HeaderID: "P1", schema.HeaderStation: "claimed",
				schema.HeaderExec: claimed.Exec, schema.HeaderKey: claimed.Key,
				schema.HeaderOccurrence: fmt.Sprint(claimed.Occurrence), schema.HeaderAttempt: "1",
				schema.HeaderTime: "2026-11-21T12:00:00.5Z", schema.HeaderEpoch: "7",
				schema.HeaderDeadline: claimed.Deadline.UTC().Format(time.RFC3339Nano),
				schema.HeaderCaller:   "me", schema.HeaderTitle: "a greeting",
			} {
				if claimed.Headers().Get(name) != want {
					t.Errorf("%s: %q, want %q", name, claimed.Headers().Get(name), want)
				}
			}
		}
	})
}

// The request is that of docs/pull.md, to the byte.
func TestAClaimInBytes(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		for want, only := range map[string]worker.Filter{
			`{"worker_id":"w1","limit":1,"wait_ms":5000}`: everything,
			`{"worker_id":"w1","limit":1,"wait_ms":5000,"tenant_id":"acme","category":"a","caller":"me","labels":{"region":"eu"}}`: {
				TenantID: "acme", Category: "a", Caller: "me", Labels: map[string]string{"region": "eu"},
			},
		} {
			w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w1"})
			station := "jobs-" + only.TenantID
			w.Station(station, worker.Pull(only)).Handle("*", sleepFor(0))
			if err := w.Start(); err != nil {
				t.Fatal(err)
			}
			c.offerMany(station, 1)
			c.ended(1)
			if err := w.Stop(); err != nil {
				t.Error(err)
			}
			seen := c.claims()
			first := slices.IndexFunc(seen, func(a asked) bool { return a.station == station })
			if got := string(seen[first].msg.Data); got != want {
				t.Errorf("claim %s\nwant  %s", got, want)
			}
		}
	})
}

// Claims ask for as many executions as there is room for, and not for more, because executions
// of busy handlers, and those that wait for one, are counted.
func TestNoMoreIsClaimedThanFits(t *testing.T) {
	for _, tt := range []struct{ concurrency, prefetch int }{{1, 0}, {3, 0}, {3, 2}, {10, 100}} {
		t.Run(fmt.Sprintf("%d+%d", tt.concurrency, tt.prefetch), func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				c := newCounter(t, brokertest.Connect(t, ns))
				w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: tt.concurrency, Prefetch: tt.prefetch})
				var running, most, held, mostHeld atomic.Int64
				w.Station("jobs", worker.Pull(everything)).Handle("*", func(context.Context, *worker.Execution) (any, error) {
					most.Store(max(most.Load(), running.Add(1)))
					c.set(func(c *counter) { mostHeld.Store(max(mostHeld.Load(), int64(c.handed)-held.Load())) })
					time.Sleep(time.Second)
					held.Add(1)
					running.Add(-1)
					return nil, nil
				})
				start(t, w)
				began := time.Now()
				count := 40 * tt.concurrency
				c.offerMany("jobs", count)
				if got := c.ended(count); got[schema.StateOK] != count {
					t.Errorf("ended %v", got)
				}
				if took := time.Since(began); took > 42*time.Second {
					t.Errorf("%d of a second each, %d at a time, took %v", count, tt.concurrency, took)
				}
				if most.Load() != int64(tt.concurrency) || mostHeld.Load() > int64(tt.concurrency+tt.prefetch) {
					t.Errorf("%d at once, %d held", most.Load(), mostHeld.Load())
				}
			})
		})
	}
}

// An idle worker takes one execution, then two, then four, so that a burst is shared out among
// idle workers.
func TestABurstIsSharedOut(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 1000})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(time.Second))
		start(t, w)
		synctest.Wait()
		c.offerMany("jobs", 300)
		c.ended(300)
		var limits []int
		for _, a := range c.claims() {
			limits = append(limits, a.Limit)
		}
		if diff := cmp.Diff([]int{1, 2, 4, 8, 16, 32, 64, 100, 100}, limits[:9]); diff != "" {
			t.Errorf("limits (-want +got):\n%s", diff)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		seen := c.claims()
		if last := seen[len(seen)-1]; last.Limit != 1 || time.Since(last.at) > 5*time.Second {
			t.Errorf("an idle worker's last claim: %s", last.msg.Data)
		}
	})
}

// While work is plenty, claims follow without waiting for the answer to the one before;
// those beside the first do not wait.
func TestSeveralClaimsWhileWorkIsPlenty(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		c.delay = time.Second
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 100, Prefetch: 400})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(0))
		start(t, w)
		began := time.Now()
		c.offerMany("jobs", 2000)
		c.ended(2000)
		// 127 in the first seven seconds, then up to 400 in each; one claim after the other
		// would take 26 seconds.
		if took := time.Since(began); took < 11*time.Second || took > 13*time.Second {
			t.Errorf("took %v", took)
		}
		waits := map[int64]int{}
		for _, a := range c.claims() {
			waits[a.WaitMS]++
		}
		if waits[0] < 10 || waits[5000] < 8 || len(waits) != 2 {
			t.Errorf("claims by their wait: %v", waits)
		}
		time.Sleep(10 * time.Second) // the last claims are answered
	})
}

// If there are more stations than room, each has its turn.
func TestMoreStationsThanRoom(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{Concurrency: 1})
		for _, station := range []string{"a", "b", "c"} {
			w.Station(station, worker.Pull(everything)).Handle("*", sleepFor(0))
		}
		start(t, w)
		began := time.Now()
		for _, station := range []string{"c", "b", "a"} {
			c.offerMany(station, 10)
		}
		if got := c.ended(30); got[schema.StateOK] != 30 {
			t.Errorf("ended %v", got)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("took %v", took)
		}
		c.set(func(c *counter) {
			if len(c.waiting) > 1 {
				t.Errorf("%d claims wait, and there is room for one", len(c.waiting))
			}
		})
	})
}

// A scheduler that refuses claims, or is away, gets them at growing intervals with jitter, so
// that not all workers claim at one moment.
func TestClaimsThatFailAreRepeatedLater(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		c.refuse = 12
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(0))
		start(t, w)
		time.Sleep(2 * time.Minute)
		seen := c.claims()
		most := 100 * time.Millisecond
		for i := 1; i <= 12; i++ {
			if pause := seen[i].at.Sub(seen[i-1].at); pause < most/2 || pause > most+time.Millisecond {
				t.Errorf("pause %d is %v, want %v to %v", i, pause, most/2, most)
			}
			most = min(2*most, 5*time.Second)
		}
		c.offerMany("jobs", 1)
		c.ended(1)
	})
}

func TestWorkIsClaimedWhenASchedulerAppears(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(0))
		if err := w.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour) // the server answers at once that there is no subscriber
		c := newCounter(t, brokertest.Connect(t, ns))
		c.offerMany("jobs", 1)
		began := time.Now()
		if got := c.ended(1); got[schema.StateOK] != 1 || time.Since(began) > 5*time.Second {
			t.Errorf("ended %v after %v", got, time.Since(began))
		}
		if err := w.Stop(); err != nil {
			t.Error(err)
		}
	})
}

// A claim is given up and repeated when the node that kept it has died. A late answer to it is
// taken.
func TestAClaimThatIsNotAnswered(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		c.mute = true
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(0))
		start(t, w)
		time.Sleep(8 * time.Second)
		if n := len(c.claims()); n != 1 {
			t.Fatalf("%d claims while one may be kept", n)
		}
		time.Sleep(2 * time.Second)
		seen := c.claims()
		if len(seen) != 2 || seen[0].msg.Reply == seen[1].msg.Reply {
			t.Fatalf("%d claims, the first was given up", len(seen))
		}
		c.set(func(c *counter) {
			c.mute, c.ready = false, []*dispatch{c.execution("jobs")}
			c.serve(&seen[0])
		})
		c.ended(1)
		c.set(func(c *counter) {
			c.ready = []*dispatch{c.execution("jobs")}
			c.serve(&seen[1])
		})
		c.ended(1)
	})
}

// All claims are sent again after a reconnect, because an answer may have been lost.
func TestClaimsAreRenewedWithTheConnection(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := newCounter(t, brokertest.Connect(t, ns))
		nc := brokertest.Connect(t, ns, nats.ReconnectWait(time.Millisecond))
		w := newWorker(t, nc, worker.Options{})
		w.Station("jobs", worker.Pull(everything)).Handle("*", sleepFor(0))
		start(t, w)
		c.offerMany("jobs", 1)
		c.ended(1)
		if err := nc.ForceReconnect(); err != nil {
			t.Fatal(err)
		}
		inbox := func(a asked) string { return a.msg.Reply[:strings.LastIndexByte(a.msg.Reply, '.')] }
		before := receive(t, c.came)
		renewed := before
		for inbox(renewed) == inbox(before) {
			renewed = receive(t, c.came)
		}
		if since := renewed.at.Sub(before.at); since > 4*time.Second {
			t.Errorf("renewed after %v, when the claim had been given up", since)
		}
		// An answer to the former inbox is lost as long as the server has not noticed that the
		// connection is gone. Its executions come back after a timeout of the scheduler.
		c.set(func(c *counter) {
			c.waiting = slices.DeleteFunc(c.waiting, func(a *asked) bool { return inbox(*a) == inbox(before) })
		})
		c.offerMany("jobs", 1)
		c.ended(1)
	})
}
