package brokertest_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// The helper depends on a private variable of nats-server. When a new release moves it, a
// message expires by the real clock, or this test hangs.
func TestTheServerObeysFakeTime(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		js, err := jetstream.New(brokertest.Connect(t, ns))
		if err != nil {
			t.Fatal(err)
		}
		stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
			Name: "S", Subjects: []string{"s"}, MaxAge: time.Hour,
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := js.Publish(t.Context(), "s", nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(59 * time.Minute)
		if _, err := stream.GetMsg(t.Context(), 1); err != nil {
			t.Errorf("gone before its time: %v", err)
		}
		time.Sleep(2 * time.Minute)
		if _, err := stream.GetMsg(t.Context(), 1); !errors.Is(err, jetstream.ErrMsgNotFound) {
			t.Errorf("still there after its time: %v", err)
		}
	})
}

// The client sleeps between two looks at a subscription that it drains. A test that ends
// meanwhile would make it sleep for ever.
func TestFakeTimeEndsWhileASubscriptionIsDrained(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		sub, err := nc.SubscribeSync("s")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(nc.Publish("s", nil), nc.Flush(), sub.Drain()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	})
}

func TestStoreIsProvisioned(t *testing.T) {
	s := brokertest.Store(t, brokertest.Connect(t, brokertest.Server(t, brokertest.SyncAlways)))
	if s.Installation().ID == "" {
		t.Error("no installation")
	}
}
