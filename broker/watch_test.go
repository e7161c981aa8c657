package broker_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

func TestWatchSeesWhatWatchersDoNot(t *testing.T) {
	tests := []struct {
		name, stream string
		harm         func(t *testing.T, nc *nats.Conn, js jetstream.JetStream)
	}{
		{"a bucket is deleted", "KV_plans", func(t *testing.T, _ *nats.Conn, js jetstream.JetStream) {
			if err := js.DeleteKeyValue(t.Context(), "plans"); err != nil {
				t.Fatal(err)
			}
		}},
		{"a bucket is made anew", "KV_stations", func(t *testing.T, nc *nats.Conn, js jetstream.JetStream) {
			if err := js.DeleteKeyValue(t.Context(), "stations"); err != nil {
				t.Fatal(err)
			}
			brokertest.Store(t, nc)
		}},
		{"a bucket is purged", "KV_plans", func(t *testing.T, nc *nats.Conn, _ jetstream.JetStream) {
			purgeStream(t, nc, "KV_plans")
		}},
		{"the journal is made anew", "PLAN_JOURNAL", func(t *testing.T, nc *nats.Conn, js jetstream.JetStream) {
			if err := js.DeleteStream(t.Context(), "PLAN_JOURNAL"); err != nil {
				t.Fatal(err)
			}
			brokertest.Store(t, nc)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				nc := brokertest.Connect(t, ns)
				s := brokertest.Store(t, nc)
				p := seize(t, s, "a")
				fence(t, s.TableChain(0), p, "a")
				done := watch(t.Context(), s)
				time.Sleep(time.Minute)
				if len(done) > 0 {
					t.Fatalf("saw harm where there is none: %v", <-done)
				}
				js, err := jetstream.New(nc, patient)
				if err != nil {
					t.Fatal(err)
				}
				harmed := time.Now()
				test.harm(t, nc, js)
				wantChanged(t, <-done, test.stream)
				took(t, harmed, 0, 5*time.Second)
			})
		})
	}
}

// A batch that did not fit on the disk is taken back, though the end of its stream was seen
// behind it. Only acknowledged messages may not disappear.
func TestWatchCountsWhatWasAcknowledged(t *testing.T) {
	for _, acknowledged := range []bool{false, true} {
		t.Run(fmt.Sprintf("acknowledged %t", acknowledged), func(t *testing.T) {
			dir := t.TempDir()
			stored := func(o *server.Options) { o.StoreDir = dir }
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				nc, at := connectToWhicheverRuns(t, ns)
				s := brokertest.Store(t, nc, quiet(t))
				chain := s.TableChain(0)
				fence(t, chain, seize(t, s, "a"), "a")
				var err error
				if acknowledged {
					err = chain.Write(deadline(t), rows(s, "plan.s.1"), upTo(1))
				} else {
					err = nc.PublishMsg(s.Table(0).Set("plan.s.1", []byte("1")))
				}
				if err != nil {
					t.Fatal(err)
				}
				ctx, stop := context.WithCancel(t.Context())
				done := watch(ctx, s)
				time.Sleep(time.Minute)
				ns.Shutdown()
				ns.WaitForShutdown()
				damageLastRow(t, filepath.Join(dir, "jetstream", "$G", "streams", "KV_plans", "msgs"))
				at.Runs(brokertest.Server(t, stored))
				time.Sleep(time.Minute)
				stop()
				if acknowledged {
					wantChanged(t, <-done, "KV_plans")
				} else {
					wantIs(t, <-done, context.Canceled)
				}
			}, stored)
		})
	}
}

// A server that cannot read a block of its store, as without a free file descriptor,
// answers that there is no such message. That does not prove a purge.
func TestAFailedReadIsNoPurge(t *testing.T) {
	dir := t.TempDir()
	stored := func(o *server.Options) { o.StoreDir = dir }
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc, at := connectToWhicheverRuns(t, ns)
		s := brokertest.Store(t, nc, quiet(t))
		chain := s.TableChain(0)
		fence(t, chain, seize(t, s, "a"), "a")
		if err := chain.Write(deadline(t), rows(s, "plan.s.1"), upTo(1)); err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		done := watch(ctx, s)
		time.Sleep(time.Minute)
		ns.Shutdown()
		ns.WaitForShutdown()
		block := filepath.Join(dir, "jetstream", "$G", "streams", "KV_plans", "msgs", "1.blk")
		next := brokertest.Server(t, stored)
		time.Sleep(time.Minute)                                                                        // while there is no request, the server drops its cache
		if err := errors.Join(os.Rename(block, block+".away"), os.Symlink(block, block)); err != nil { // a symlink loop
			t.Fatal(err)
		}
		at.Runs(next)
		time.Sleep(time.Minute)
		if _, _, err := s.Table(0).Get(t.Context(), "plan.s.1"); err == nil || errors.Is(err, broker.ErrNotFound) {
			t.Errorf("a row that is not read: %v", err)
		}
		if _, _, err := s.Table(0).Get(t.Context(), "plan.s.2"); !errors.Is(err, broker.ErrNotFound) {
			t.Errorf("a row that is not there: %v", err)
		}
		if err := os.Rename(block+".away", block); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if row, _, err := s.Table(0).Get(t.Context(), "plan.s.1"); err != nil {
			t.Errorf("the row is %q, %v", row, err)
		}
		stop()
		wantIs(t, <-done, context.Canceled)
	}, stored)
}

func watch(ctx context.Context, s *broker.Store) <-chan error {
	done := make(chan error, 1)
	go func() { done <- s.Watch(ctx) }()
	return done
}

func TestWatchMakesStreamsInMemoryAgain(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		s := brokertest.Store(t, nc)
		js, err := jetstream.New(nc, patient)
		if err != nil {
			t.Fatal(err)
		}
		before, err := s.Replies().State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if err := js.DeleteStream(t.Context(), "PLAN_REPLIES"); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := watch(ctx, s)
		time.Sleep(10 * time.Second)
		after, err := s.Replies().State(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if after.Created.Equal(before.Created) || !after.Since.Equal(after.Created) {
			t.Errorf("before %+v, after %+v", before, after)
		}
		cancel()
		wantIs(t, <-done, context.Canceled)
	})
}

func TestFromWhenOnTheCaptureIsComplete(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		cfg := brokertest.Config(t)
		cfg.RepliesBytes = 1 << 20
		s := brokertest.Store(t, nc, cfg)
		created := time.Now()
		check := func(want time.Time) {
			t.Helper()
			got, err := s.Replies().State(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if d := got.Since.Sub(want); d < -time.Second || d > time.Second {
				t.Errorf("complete since %s, want %s", got.Since, want)
			}
		}
		publish := func(size int) {
			if err := nc.Publish("plan.reply.0.s.*1.1-a", make([]byte, size)); err != nil {
				t.Fatal(err)
			}
			if err := nc.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		publish(10)
		time.Sleep(time.Minute)
		check(created)
		time.Sleep(2 * time.Minute)
		check(time.Now().Add(-2 * time.Minute)) // by age
		for range 20 {
			publish(100 << 10)
			time.Sleep(time.Second)
		}
		check(time.Now().Add(-10 * time.Second)) // by bytes
	})
}
