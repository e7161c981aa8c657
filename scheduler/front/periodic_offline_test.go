package front_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// After offline was answered no trigger begins, neither one that waited for a worker, nor one
// that was sent just before and finds none, also not when the task is online again.
func TestAPeriodicTaskOfflineBeginsNothing(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := newRealLeader()
		d := openOn(t, ns, l)
		begun := 0
		sent := func() int { // executions since the last call
			for wake := l.m.Wake(); !wake.IsZero() && !wake.After(l.now); wake = l.m.Wake() {
				l.step(event.Tick{})
			}
			before := begun
			begun = len(l.sent)
			return begun - before
		}
		appears := func() int {
			l.step(event.StationPresence{Worker: schema.Worker{WorkerID: "w"}, Station: "s"})
			return sent()
		}
		noResponders := func() {
			x := l.sent[len(l.sent)-1]
			l.step(event.NoResponders{About: schema.ReplyName{
				Station: "s", PlanID: "periodic_p", N: x.N, Nonce: string(x.Nonce.AppendHex(nil)),
			}})
		}
		d.mustAsk("periodic_tasks.put", `{"id":"p","type":"s","cron_expressions":"* * * * *","log":"trans_log"}`)
		for i, waits := range []bool{true, false} {
			d.mustAsk("periodic_tasks.online", `{"id":"p"}`)
			if n := appears(); n > 0 {
				t.Fatalf("%d are triggered when it is online again", n)
			}
			l.now = noon.Add(time.Duration(2*i+1) * time.Minute)
			if n := sent(); n != 1 {
				t.Fatalf("%d are triggered when it is due", n)
			}
			if waits {
				noResponders()
			}
			d.mustAsk("periodic_tasks.offline", `{"id":"p"}`)
			if !waits {
				noResponders()
			}
			if n := appears(); n > 0 {
				t.Errorf("%d are triggered after offline was answered", n)
			}
			l.now = l.now.Add(time.Minute + time.Second)
			if n := sent(); n > 0 {
				t.Errorf("%d are triggered while it is offline", n)
			}
		}
		d.mustAsk("periodic_tasks.online", `{"id":"p"}`)
		if n := appears(); n > 0 {
			t.Errorf("%d are triggered when it is online again", n)
		}
	})
}
