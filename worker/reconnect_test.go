package worker_test

import (
	"context"
	"testing"
	"testing/synctest"
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
	brokertest.FakeTime(t, func(t *testing.T, first *server.Server) {
		at := new(brokertest.Place)
		at.Runs(first)
		connect := func() *nats.Conn {
			return brokertest.Connect(t, at, nats.ReconnectBufSize(-1), nats.ReconnectWait(10*time.Millisecond), nats.MaxReconnects(-1))
		}
		s := newScheduler(t, connect(), "")
		finish := make(chan bool)
		began := make(chan bool, 1)
		theirs := connect()
		down := theirs.StatusChanged(nats.RECONNECTING)
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

		first.Shutdown()
		first.WaitForShutdown()
		receive(t, down)
		close(finish)
		synctest.Wait() // it could not be sent
		at.Runs(brokertest.Server(t))
		if r := s.next(); r.State != schema.StateOK {
			t.Errorf("reply %s", r.msg.Data)
		}
		if err := w.Stop(); err != nil { // while there is a server
			t.Error(err)
		}
	})
}
