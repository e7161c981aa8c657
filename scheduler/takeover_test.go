package scheduler

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/forward"
)

// A node that is stopped in the middle of a take-over has decided nothing, so that requests
// that it got meanwhile may go to another, and no caller is left in doubt.
func TestStoppedTakeOverLeavesItsRequestsToOthers(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		store := brokertest.Store(t, nc)
		p := newPartition(Config{
			Node: "n1", Store: store, Dispatch: nc, Log: slog.New(slog.DiscardHandler), Metrics: metrics.New(""),
		}, 0, new(signal), func() bool { return false })
		defer p.stop()
		held, err := store.Lease(0, "n1", "holder", time.Hour).Await(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		appender, err := store.Journal(0).Seize(t.Context(), "holder", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		l := p.newLeader(held, appender, time.Now())
		answered := make(chan error, 1)
		if !l.enter(command.GetPlan{}, &call{done: func(_ any, err error) { answered <- err }}) {
			t.Fatal("it takes no request")
		}
		l.close()
		if err := <-answered; !errors.Is(err, forward.ErrElsewhere) {
			t.Errorf("answered with %v", err)
		}
		_ = held.Release(t.Context()) // a renewal under way makes the release void
	})
}
