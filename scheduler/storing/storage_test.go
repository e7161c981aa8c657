package storing

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, goleak.IgnoreCurrent()) }

// configOn is the configuration of a storage on a server.
func configOn(t *testing.T, ns *server.Server) Config {
	conn, log := brokertest.Connect(t, ns), slog.New(slog.DiscardHandler)
	return Config{
		Store: brokertest.Store(t, conn), Dispatch: conn, Every: time.Second, Bound: 1 << 20,
		Report: func(...event.Event) {}, Relieve: func() {},
		Beside:    func(func(context.Context), func(string)) {},
		Incidents: incident.New(log, metrics.New("")), Log: log,
	}
}

// Items that are not in their stream are given up before a client is, which waits five seconds
// by default, and the loss is reported as damage.
func TestLostItemsAreReportedAsDamage(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		c := configOn(t, ns)
		appender, err := c.Store.Journal(0).Seize(t.Context(), "n", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		defer appender.Close()
		s, _, err := Open(t.Context(), c, appender.Epoch(), "n")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		began := time.Now()
		lost := Wanted{Name: schema.PlanName{Station: "s", PlanID: "q"}, Incarnation: 7, First: 1, Count: 2}
		for range 2 { // the second reports the same damage
			items, err := s.Read(t.Context(), lost)
			if err != nil || len(items) != 0 {
				t.Errorf("%v, %v", items, err)
			}
		}
		if took := time.Since(began); took >= 10*time.Second {
			t.Errorf("two reads took %v", took)
		}
		found, err := c.Store.Damage(t.Context())
		if err != nil || len(found) != 1 || found[0].Kind != schema.DamageEnd || found[0].Count != 1 || !strings.Contains(found[0].Text, "2 of the items of s/q") {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

// A leader that comes too late with an older epoch opens nothing, and keeps nothing.
func TestAnOlderEpochOpensNothing(t *testing.T) {
	c := configOn(t, brokertest.Server(t))
	appender, err := c.Store.Journal(0).Seize(t.Context(), "new", time.Now())
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
