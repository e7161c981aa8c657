package scheduler_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A stream of items that was removed has lost those that wait. The node that takes over reports
// them, and a read of them is answered at once.
func TestARemovedStreamOfItemsIsReported(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		push := func() {
			_, err := b.ask(command.PushItem{
				Name:       schema.PlanName{PlanID: "q"},
				Definition: definition(t, `{"plan_id":"q","station":"queue.hold","command":"queue","plan_type":"time","plan_time":"2100-01-01T00:00:00Z"}`),
				Item:       wire.Text(wire.JSON, "x"), Terms: command.InboxTerms{Key: "q", Manner: schema.MannerHold},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		push()
		push()
		time.Sleep(time.Minute) // until the checkpoint has passed them
		b.end()
		js, err := jetstream.New(brokertest.Connect(t, ns))
		if err != nil {
			t.Fatal(err)
		}
		if err := js.DeleteStream(t.Context(), "PLAN_QUEUES"); err != nil {
			t.Fatal(err)
		}

		b = start(t, ns)
		began := time.Now()
		body, err := b.ask(command.ListItems{PlanID: "q", Number: 5})
		if err != nil || len(body.(command.Claimed).Items) != 0 || time.Since(began) > time.Second {
			t.Errorf("after %v: %v, %v", time.Since(began), body, err)
		}
		lost, err := brokertest.Store(t, brokertest.Connect(t, ns)).Damage(t.Context())
		if err != nil || len(lost) != 1 || lost[0].Name() != "end.PLAN_QUEUES" || !strings.Contains(lost[0].Text, "2 items") {
			t.Errorf("damage %+v, %v", lost, err)
		}
		// Later pushes are kept.
		push()
		began = time.Now()
		body, err = b.ask(command.ListItems{PlanID: "q", Number: 5})
		if err != nil || len(body.(command.Claimed).Items) != 1 || time.Since(began) > time.Second {
			t.Errorf("after %v: %v, %v", time.Since(began), body, err)
		}
	}, brokertest.SyncAlways)
}
