package gateway_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// While NATS does not answer where a live stream begins, it blocks neither other readers
// nor the stop of the gateway.
func TestAStreamThatCannotBeginHoldsUpNoOther(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		if _, err := nc.Subscribe("swallowed", func(*nats.Msg) {}); err != nil {
			t.Fatal(err)
		}
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := ns.GlobalAccount().AddMapping("$JS.API.STREAM.INFO.PLAN_RESULTS", "swallowed"); err != nil {
			t.Fatal(err)
		}
		const gaveUp = 5 * time.Second
		asking, err := client.New(nc, client.Options{Timeout: gaveUp})
		if err != nil {
			t.Fatal(err)
		}
		served := gateway.New(gateway.Config{Client: asking, Log: slog.New(slog.DiscardHandler)})
		began := time.Now()
		var readers [3]*httptest.ResponseRecorder
		var ended [3]<-chan struct{}
		for i := range readers {
			readers[i] = httptest.NewRecorder()
			ended[i] = askFor(t.Context(), served, readers[i], "/api/v1/events")
		}
		synctest.Wait()
		if err := served.Close(t.Context()); err != nil || time.Since(began) != 0 {
			t.Errorf("it stops after %v: %v", time.Since(began), err)
		}
		for i := range readers {
			if <-ended[i]; readers[i].Code != http.StatusServiceUnavailable || time.Since(began) > gaveUp {
				t.Errorf("reader %d after %v: %d %s", i, time.Since(began), readers[i].Code, readers[i].Body)
			}
		}
	})
}
