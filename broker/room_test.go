package broker_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
)

var errFull = errors.New("the disk is full")

// Without room nothing reaches the server, and nothing is given up, because waiting
// messages are written when there is room again.
func TestNothingIsWrittenWithoutRoom(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		cfg := quiet(t)
		full := brokertest.Disk(&cfg, errFull)
		nc := brokertest.Connect(t, ns)
		s := brokertest.Store(t, nc, cfg)
		appender := seize(t, s, "a")
		chain := s.TableChain(0)
		fence(t, chain, appender, "a")
		held, err := s.Lease(0, "n", "a", 0).Await(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		ends := func() (last []uint64) {
			t.Helper()
			js, err := jetstream.New(nc, patient)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range []string{"PLAN_JOURNAL", "KV_plans", "KV_leaders", "KV_stations"} {
				stream, err := js.Stream(t.Context(), name)
				if err != nil {
					t.Fatal(err)
				}
				last = append(last, stream.CachedInfo().State.LastSeq)
			}
			return last
		}
		synctest.Wait()
		full.Store(true)
		wantIs(t, s.Full(), errFull)
		before := ends()
		appended, written := make(chan error, 1), make(chan error, 1)
		go func() { _, err := appender.Append(t.Context(), []byte("x")); appended <- err }()
		go func() { written <- chain.Write(t.Context(), rows(s, "plan.s.1"), upTo(1)) }()
		_, err = s.Stations().Put(t.Context(), "s", []byte("{}"))
		wantIs(t, err, errFull)
		wantIs(t, s.Announce(t.Context(), schema.Node{Node: "n"}), errFull)
		time.Sleep(time.Minute)
		if held.Trusted(time.Now()) {
			t.Error("the lease is renewed")
		}
		if after := ends(); !slices.Equal(before, after) || len(appended)+len(written) > 0 {
			t.Fatalf("streams ended at %d, and end at %d on a full disk", before, after)
		}
		full.Store(false)
		if err := errors.Join(<-appended, <-written); err != nil {
			t.Error(err)
		}
		time.Sleep(broker.DefaultLease)
		if !held.Trusted(time.Now()) {
			t.Error("the lease is not renewed again")
		}
		if got := scan(t, s); len(got) != 1 {
			t.Errorf("the bucket has %q", got)
		}
		if got := replay(t, s, 0); len(got) != 2 {
			t.Errorf("the journal has %q", got)
		}
	})
}
