package worker_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// The presence of a worker has the epochs that it has seen, the newest and the one before, of as
// many partitions at once as a scheduler reads, and of each of them in its turn.
func TestAWorkerReportsTheEpochsThatItHasSeen(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		received := receivedBy(t, ns, "worker.here.w1.hello")
		s := newScheduler(t, brokertest.Connect(t, ns), "")
		const partitions = schema.MaxSeenEpochs + 4
		s.space.Partitions = partitions
		w := newWorker(t, brokertest.Connect(t, ns), worker.Options{ID: "w1", Version: "v3"})
		w.Handle("hello", "*", sleepFor(0))
		start(t, w)
		presence := func() string {
			t.Helper()
			m, err := received.NextMsg(time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			return withoutBuild(t, m.Data)
		}
		if first := presence(); first != `{"version":"v3"}` {
			t.Errorf("without a seen epoch, got %s", first)
		}
		executed := func(partition int, epoch int64) {
			t.Helper()
			d := s.execution("hello")
			d.header.Set(schema.HeaderEpoch, strconv.FormatInt(epoch, 10))
			d.reply = s.space.Reply(partition, "hello", "P1", d.exec.Exec)
			s.send(d)
			s.next()
		}
		executed(0, 7)
		executed(0, 9)
		executed(0, time.Now().Add(time.Hour).UnixMilli()) // of no leader
		if got, want := presence(), `{"version":"v3","epochs":[{"partition":0,"epoch":9,"before":7}]}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		for p := 1; p < partitions; p++ {
			executed(p, time.Now().UnixMilli())
		}
		reported := map[int]bool{}
		for len(reported) < partitions {
			body := presence()
			var here schema.Here
			if err := json.Unmarshal([]byte(body), &here); err != nil {
				t.Fatal(err)
			}
			if len(here.Epochs) != schema.MaxSeenEpochs || len(body) > 2<<10 {
				t.Fatalf("got %d at once, in %d bytes", len(here.Epochs), len(body))
			}
			for _, seen := range here.Epochs {
				reported[seen.Partition] = true
			}
		}
	})
}
