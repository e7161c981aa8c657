package worker_test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// A result that was reached while the connection was down, and that the client
// did not buffer, is sent when it is up again.
func TestResultOutlivesTheConnection(t *testing.T) {
	first := brokertest.Server(t, brokertest.Listen)
	options := []nats.Option{nats.ReconnectBufSize(-1), nats.ReconnectWait(10 * time.Millisecond), nats.MaxReconnects(-1)}
	connect := func() (*nats.Conn, <-chan nats.Status) {
		nc, err := nats.Connect(first.ClientURL(), options...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		return nc, nc.StatusChanged(nats.RECONNECTING)
	}
	ours, _ := connect()
	theirs, down := connect()
	s := newScheduler(t, ours, "")
	finish := make(chan bool)
	began := make(chan bool, 1)
	w := newWorker(t, theirs, worker.Options{RunningAfter: time.Hour})
	w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) {
		began <- true
		<-finish
		return "late", nil
	})
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	s.send(s.execution("hello"))
	receive(t, began)

	port := first.Addr().(*net.TCPAddr).Port
	first.Shutdown()
	first.WaitForShutdown()
	receive(t, down)
	close(finish)
	brokertest.Server(t, brokertest.Listen, func(o *server.Options) { o.Port = port })
	if r := s.next(); r.State != schema.StateOK {
		t.Errorf("reply %s", r.msg.Data)
	}
	if err := w.Stop(); err != nil { // while there is a server
		t.Error(err)
	}
}
