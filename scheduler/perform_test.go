package scheduler

import (
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/scheduler/listen"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An execution that is sent while the connection is down, and has no buffer, has reached no worker.
// The leader knows that, and leads on.
func TestUnsentExecutionHasNoResponders(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		disconnected, err := nats.Connect("", nats.InProcessServer(ns), nats.ReconnectBufSize(-1), nats.MaxReconnects(-1))
		if err != nil {
			t.Fatal(err)
		}
		defer disconnected.Close()
		lost := disconnected.StatusChanged(nats.RECONNECTING)
		ns.Shutdown()
		<-lost
		l := &leader{
			partition: &partition{config: Config{Dispatch: disconnected}, index: 0},
			listener:  listen.New(listen.Config{}), after: newFeedback(),
		}
		x := &event.Outgoing{Name: schema.PlanName{Station: "s", PlanID: "p"}, Enc: wire.JSON, N: 3, Occurrence: 2, Attempt: 1}
		if err := l.do(event.Dispatch{Execution: x}, 1); err != nil {
			t.Fatal(err)
		}
		events := l.after.take(nil)
		if len(events) != 2 || events[0] != x.NotSent() {
			t.Fatalf("received %v", events)
		}
		if missed, ok := events[1].(event.NoResponders); !ok || missed.About.PlanID != "p" || missed.About.N != 3 || missed.About.Nonce == "" {
			t.Errorf("received %#v", events[1])
		}
	})
}
