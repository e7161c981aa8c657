package gateway_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// A message that no scheduler has published is skipped, because a reader that comes back
// would otherwise meet it again each time.
func TestAMessageThatCannotBeReadIsPassedOver(t *testing.T) {
	s := newSite(t, nil)
	s.pub("hello")
	first := s.watch("?kind=result", "")
	s.run("hello", "a", 1)
	last := first.next().id
	first.stop()
	if _, err := s.nats.Request("scheduler.result.hello.x", []byte("what is this"), patience); err != nil {
		t.Fatal(err)
	}
	s.run("hello", "b", 1)
	if e := s.watch("?kind=result", last).next(); e.event != "result" || e.data["plan_id"] != "b" {
		t.Errorf("%+v", e)
	}
}

// A plan may be written over several lines; its items have one.
func TestATextOfSeveralLinesIsShownInOne(t *testing.T) {
	s := newSite(t, nil)
	s.pub("hello")
	w := s.watch("?kind=result", "")
	plan := "{\n\t\"station\": \"hello\",\r\n\t\"plan_id\": \"a\", \"messages\": [\n{\"k\":\n\"v\"}\n]}"
	if _, err := s.nats.Request("plans.create", []byte(plan), patience); err != nil {
		t.Fatal(err)
	}
	want := []any{map[string]any{"k": "v"}}
	if diff := cmp.Diff(want, w.next().data["messages"]); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// When the results cannot be followed, readers get an error, and do not wait for nothing.
func TestReadersGetAnErrorWhereResultsCannotBeFollowed(t *testing.T) {
	ns := brokertest.Server(t)
	nc := brokertest.Connect(t, ns)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "PLAN_RESULTS", Subjects: []string{"plan.result.>"}, MaxConsumers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.CreateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "another"}); err != nil {
		t.Fatal(err)
	}
	asking, err := client.New(nc, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, gateway: gateway.New(gateway.Config{Client: asking, Log: slog.New(slog.DiscardHandler)})}
	s.server = httptest.NewServer(s.gateway)
	t.Cleanup(s.server.Close)
	t.Cleanup(func() {
		if err := s.gateway.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	if e := s.watch("", "").next(); e.event != "bye" {
		t.Errorf("%+v", e)
	}
}
