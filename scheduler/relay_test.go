package scheduler_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// pushed are the numbers that wait in the queue q.
func (b *testbed) pushed() (numbers []int64) {
	b.t.Helper()
	for from, more := int64(0), true; more; {
		body, err := b.ask(command.ListItems{PlanID: "q", Number: 1000, From: from})
		if err != nil {
			b.t.Fatal(err)
		}
		page := body.(command.Claimed)
		for _, item := range page.Items {
			number, _ := item.Int()
			numbers = append(numbers, number)
		}
		from, more = page.Next, page.Next != 0
	}
	return numbers
}

func push(t testing.TB, number int64) command.Command {
	t.Helper()
	item, err := wire.ValueOf(wire.JSON, number)
	if err != nil {
		t.Fatal(err)
	}
	return command.PushItem{
		Name:       schema.PlanName{PlanID: "q"},
		Definition: definition(t, `{"plan_id":"q","station":"queue.hold","command":"queue","plan_type":"time","plan_time":"2100-01-01T00:00:00Z"}`),
		Item:       item, Terms: command.InboxTerms{Key: "q", Manner: schema.MannerHold},
	}
}

// Commands that a node forwards take effect in the order in which it was asked, though none waits
// for the answer to the one before it.
func TestForwardedCommandsKeepTheirOrder(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		start(t, ns)
		relays := start(t, ns)
		var asked []<-chan answer
		for n := range int64(500) {
			asked = append(asked, relays.send(push(t, n)))
		}
		for _, a := range asked {
			if got := <-a; got.err != nil {
				t.Fatal(got.err)
			}
		}
		for at, n := range relays.pushed() {
			if n != int64(at) {
				t.Fatalf("item %d is the one that was pushed as number %d", at, n)
			}
		}
	})
}

// Commands keep their order while one leader follows another, whether it is the node itself that
// leads before or after, or none of them.
func TestCommandsKeepTheirOrderWhileTheLeaderChanges(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		first, second, asks := start(t, ns), start(t, ns), start(t, ns)
		var asked []<-chan answer
		pushFor := func(d time.Duration) {
			for until := time.Now().Add(d); time.Now().Before(until); time.Sleep(time.Millisecond) {
				asked = append(asked, asks.send(push(t, int64(len(asked)))))
			}
		}
		pushFor(100 * time.Millisecond)
		first.stop()
		pushFor(time.Second)
		second.stop()
		pushFor(time.Second)
		taken := map[int64]bool{}
		for n, a := range asked {
			if got := <-a; got.err == nil {
				taken[int64(n)] = true
			}
		}
		last, found := int64(-1), 0
		for _, n := range asks.pushed() {
			if n <= last {
				t.Errorf("number %d stands behind number %d", n, last)
			}
			if last = n; taken[n] {
				found++
			}
		}
		if found != len(taken) || found < len(asked)/2 {
			t.Errorf("of %d pushes, %d were taken, and %d are there", len(asked), len(taken), found)
		}
		first.end()
		second.end()
	})
}
