package client_test

import (
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A trace goes with the requests of its context, and with no others, although they share a
// header.
func TestATraceGoesWithItsRequestsAlone(t *testing.T) {
	ns := brokertest.Server(t)
	answering := brokertest.Connect(t, ns)
	headers := make(chan nats.Header, 3)
	if _, err := answering.Subscribe("plans.get", func(m *nats.Msg) {
		headers <- m.Header
		if err := m.Respond([]byte(`{}`)); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if err := answering.Flush(); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, ns, client.Options{})
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	traced := client.WithTrace(t.Context(), trace)
	name := schema.PlanName{Station: "hello", PlanID: "a"}
	for i, want := range []string{"", trace, ""} {
		ctx := t.Context()
		if want != "" {
			ctx = traced
		}
		if _, err := c.PlanNamed(name).Get(ctx); err != nil {
			t.Fatal(err)
		}
		h := <-headers
		if got := h.Get(schema.HeaderTraceparent); got != want {
			t.Errorf("request %d: traceparent %q, want %q", i, got, want)
		}
		if got := h.Get(schema.HeaderContentType); got != "application/json" {
			t.Errorf("request %d: Content-Type %q", i, got)
		}
	}
}
