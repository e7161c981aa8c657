package worker_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// When two processes have one id, one of them runs an execution for that id, and not both.
func TestAnExecutionForASharedIDRunsOnce(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		for range 2 {
			w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w"})
			w.Handle("jobs", "*", func(context.Context, *worker.Execution) (any, error) { return nil, nil })
			start(t, w)
		}
		const sent = 10
		seen := map[int64]int{}
		for range sent {
			d := s.execution("jobs")
			d.subject = s.space.Worker("w")
			s.send(d)
		}
		for range sent {
			r := s.next()
			if seen[r.name.N]++; r.State != schema.StateOK {
				t.Errorf("reply %s", r.msg.Data)
			}
		}
		time.Sleep(time.Minute)
		s.silent()
		if len(seen) != sent {
			t.Errorf("%d of %d executions were run", len(seen), sent)
		}
	})
}
