package storing

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// A leader that comes too late with an older epoch opens nothing, and keeps nothing.
func TestAnOlderEpochOpensNothing(t *testing.T) {
	conn, log := brokertest.Connect(t, brokertest.Server(t)), slog.New(slog.DiscardHandler)
	store := brokertest.Store(t, conn)
	c := Config{
		Store: store, Dispatch: conn, Every: time.Second, Bound: 1 << 20,
		Report: func(...event.Event) {}, Relieve: func() {},
		Beside:    func(func(context.Context), func(string)) {},
		Incidents: incident.New(log, metrics.New("")), Log: log,
	}
	appender, err := store.Journal(0).Seize(t.Context(), "new", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer appender.Close()
	s, _, err := Open(t.Context(), c, appender.Epoch(), "new")
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if s, _, err := Open(t.Context(), c, appender.Epoch()-1, "old"); s != nil || !errors.Is(err, broker.ErrFenced) {
		t.Errorf("it opens %v, %v", s, err)
	}
}
