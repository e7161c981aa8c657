package broker_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

const length = broker.DefaultLease

// await takes the lease in the background.
func await(ctx context.Context, l *broker.Lease, gone func(context.Context) bool) <-chan *broker.Held {
	got := make(chan *broker.Held, 1)
	go func() {
		defer close(got)
		if h, err := l.Await(ctx, gone); err == nil {
			got <- h
		}
	}()
	return got
}

// leaders are two candidates on connections of their own; a holds the lease. Crash stops
// a's renewals without a release.
func leaders(t *testing.T, ns *server.Server) (a *broker.Held, crash func(), b *broker.Lease) {
	t.Helper()
	nc := brokertest.Connect(t, ns)
	ctx, cancel := context.WithCancel(t.Context())
	a, err := brokertest.Store(t, nc).Lease(0, "n1", "a", 0).Await(ctx, nil)
	if err != nil {
		t.Fatal(err)
	}
	crash = func() { cancel() }
	t.Cleanup(crash)
	return a, crash, brokertest.Store(t, brokertest.Connect(t, ns)).Lease(0, "n2", "b", 0)
}

func took(t *testing.T, since time.Time, least, most time.Duration) {
	t.Helper()
	if d := time.Since(since); d < least || d > most {
		t.Errorf("took %s, want %s to %s", d, least, most)
	}
}

func TestAVacantLeaseIsTakenAtOnceAndKept(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		start := time.Now()
		a, _, other := leaders(t, ns)
		took(t, start, 0, 10*time.Millisecond)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		_, err := other.Await(ctx, func(context.Context) bool { return false })
		wantIs(t, err, context.DeadlineExceeded)
		if !a.Trusted(time.Now()) {
			t.Error("the holder has lost its trust")
		}
	})
}

func TestASilentHolderIsReplacedAfterTheLease(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		a, crash, other := leaders(t, ns)
		got := await(t.Context(), other, nil)
		time.Sleep(10 * time.Second)
		crash()
		died := time.Now()
		time.Sleep(length * 6 / 10)
		if a.Trusted(time.Now()) {
			t.Error("the dead one still trusts itself")
		}
		h := <-got
		took(t, died, length-length/5, length+200*time.Millisecond)
		if !h.Trusted(time.Now()) {
			t.Error("the new holder does not trust itself")
		}
	})
}

func TestAKilledLeaderIsReplacedWhenItsSubjectFallsSilent(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		_, crash, other := leaders(t, ns)
		var dead atomic.Bool
		got := await(t.Context(), other, func(context.Context) bool { return dead.Load() })
		time.Sleep(10 * time.Second)
		crash()
		dead.Store(true)
		died := time.Now()
		<-got
		took(t, died, 300*time.Millisecond, 600*time.Millisecond)
	})
}

// A single miss is a reconnect, and an append is a sign of life.
func TestMissesThatAreNoDeath(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		_, crash, other := leaders(t, ns)
		ctx, cancel := context.WithTimeout(t.Context(), length*9/10)
		defer cancel()
		crash()
		misses := 0
		_, err := other.Await(ctx, func(context.Context) bool {
			misses++
			return misses%3 != 0
		})
		wantIs(t, err, context.DeadlineExceeded)

		ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = other.Await(ctx, func(context.Context) bool {
			other.Alive()
			return true
		})
		wantIs(t, err, context.DeadlineExceeded)
	})
}

func TestAReleasedLeaseIsTakenAtOnce(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		a, _, other := leaders(t, ns)
		got := await(t.Context(), other, nil)
		time.Sleep(10 * time.Second)
		released := time.Now()
		if err := a.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-got
		took(t, released, 0, 10*time.Millisecond)
	})
}

func TestALostLeaseIsReported(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		a, _, _ := leaders(t, ns)
		nc := brokertest.Connect(t, ns)
		publish(t, nc, "$KV.leaders.0", []byte(`{"node":"n9","holder":"z","epoch":1}`))
		<-a.Lost()
		if err := a.Release(t.Context()); err != nil {
			t.Error(err)
		}
		if got := leaseValue(t, nc)["node"]; got != "n9" {
			t.Errorf("the release overwrote it: %v", got)
		}
	})
}

// NATS takes no writes for seconds when a cluster loses a server. No holder is replaced then,
// because none can renew, but none acts either.
func TestAStoreThatTakesNoWritesChangesNoLeader(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		a, _, other := leaders(t, ns)
		js, err := jetstream.New(brokertest.Connect(t, ns), patient)
		if err != nil {
			t.Fatal(err)
		}
		got := await(t.Context(), other, nil)
		time.Sleep(10 * time.Second)
		stream, err := js.Stream(t.Context(), "KV_leaders")
		if err != nil {
			t.Fatal(err)
		}
		usual := stream.CachedInfo().Config
		full := usual
		full.MaxBytes = 1
		if _, err := js.UpdateStream(t.Context(), full); err != nil {
			t.Fatal(err)
		}
		time.Sleep(7 * time.Second)
		if a.Trusted(time.Now()) {
			t.Error("the holder trusts itself without a renewal")
		}
		if _, err := js.UpdateStream(t.Context(), usual); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if len(got) > 0 {
			t.Error("the leader changed")
		}
		if !a.Trusted(time.Now()) {
			t.Error("the trust did not come back")
		}
	})
}

func TestAnAppendCountsAsARenewal(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		a, crash, _ := leaders(t, ns)
		crash()
		time.Sleep(length)
		if a.Trusted(time.Now()) {
			t.Error("trusts itself")
		}
		a.Alive(time.Now().Add(-length / 2))
		if !a.Trusted(time.Now()) {
			t.Error("the append does not count")
		}
		a.Alive(time.Now().Add(-length)) // a late answer to an older append
		if !a.Trusted(time.Now()) {
			t.Error("an older append ended the trust")
		}
	})
}

func TestTheRecordNamesNodeAndEpoch(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		a, _, _ := leaders(t, ns)
		a.SetEpoch(7)
		time.Sleep(time.Second)
		got := leaseValue(t, brokertest.Connect(t, ns))
		delete(got, "renewed")
		want := map[string]any{"node": "n1", "epoch": 7.0, "holder": "a", "released": false}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func leaseValue(t *testing.T, nc *nats.Conn) map[string]any {
	t.Helper()
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	kv, err := js.KeyValue(t.Context(), "leaders")
	if err != nil {
		t.Fatal(err)
	}
	e, err := kv.Get(t.Context(), "0")
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(e.Value(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAwaitEndsWithItsCause(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		_, _, other := leaders(t, ns)
		stopped := errors.New("stopped")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, stopped)
		defer cancel()
		_, err := other.Await(ctx, nil)
		wantIs(t, err, stopped)
	})
}
