package scheduler_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A standby has its leader's last decision, and takes requests meanwhile.
func TestAStandbyGoesOnWhereItsLeaderStopped(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		first, second := start(t, ns), start(t, ns)
		at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		for i := range 20 {
			// Through one and the other by turns, so that the node that does not lead relays.
			b := []*testbed{first, second}[i%2]
			b.create(fmt.Sprintf(`{"station":"s","plan_id":"p%02d","command":"c","plan_type":"time","plan_time":%q}`, i, at))
		}
		name := schema.PlanName{Station: "s", PlanID: "p00"}
		if _, err := second.ask(command.RemovePlan{Name: name}); err != nil {
			t.Fatal(err)
		}
		first.end()
		body, err := second.ask(command.ListPlans{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		slice := body.(command.PlanSlice)
		if len(slice.Plans) != 19 || slice.More {
			t.Errorf("%d plans after the take-over, more: %v", len(slice.Plans), slice.More)
		}
		if _, err := second.ask(command.GetPlan{Name: name}); err == nil {
			t.Error("a removed plan is back")
		}
		second.create(`{"station":"s","plan_id":"new","command":"c","plan_type":"none"}`)
	})
}

// stalled has one of two nodes take over from a third, which lasts because the stream of results
// takes no write, as when much is to be read on a slow disk. It returns the two, the holder of the
// lease, and the silence.
func stalled(t *testing.T, ns *server.Server) (both []*testbed, holder string, results *silence) {
	slow := func(c *scheduler.Config) { c.Lease = 15 * time.Second } // it is renewed each 3 s
	first := start(t, ns, slow)
	both = []*testbed{start(t, ns, slow), start(t, ns, slow)}
	results = silent(t, ns, resultsSubjects[0])
	first.end()
	time.Sleep(100 * time.Millisecond)
	return both, lease(t, both[0]), results
}

// A node that holds the lease, and does not lead yet, counts as alive, because a take-over may
// last. A third node that took its lease would only begin from the beginning.
func TestTakeOverThatLastsIsLeftToItsNode(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		both, holder, results := stalled(t, ns)
		asked := both[0].send(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "p"}})
		time.Sleep(25 * time.Second)
		if now := lease(t, both[0]); now != holder || results.count() == 0 {
			t.Errorf("the lease went from %s to %s while the results were fenced %d times", holder, now, results.count())
		}
		a := <-asked
		if refused, is := errors.AsType[*schema.Error](a.err); !is || !strings.Contains(refused.Message, "no scheduler leads at the moment") || refused.RetryAfterMS <= 0 {
			t.Errorf("who asked meanwhile got %+v", a.err)
		}
		results.end()
		both[1].create(once)
		if now := lease(t, both[0]); now != holder {
			t.Errorf("%s leads after all, not %s", now, holder)
		}
	})
}

// A node that cannot finish its take-over gives the lease up, because another may reach the
// streams.
func TestNodeThatCannotTakeOverLeavesItToAnother(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		both, holder, results := stalled(t, ns)
		time.Sleep(31 * time.Second)
		if now := lease(t, both[0]); now == holder {
			t.Error("it has kept the lease")
		}
		results.end()
		both[1].create(once)
	})
}

// lease returns the holder of the lease: the holder's name of this turn.
func lease(t *testing.T, b *testbed) string {
	t.Helper()
	js, err := jetstream.New(b.user)
	if err != nil {
		t.Fatal(err)
	}
	leaders, err := js.KeyValue(t.Context(), schema.Space{}.LeadersBucket())
	if err != nil {
		t.Fatal(err)
	}
	entry, err := leaders.Get(t.Context(), "0")
	if err != nil {
		t.Fatal(err)
	}
	var record struct{ Holder string }
	if err := json.Unmarshal(entry.Value(), &record); err != nil || record.Holder == "" {
		t.Fatalf("the lease is %q, %v", entry.Value(), err)
	}
	return record.Holder
}

// A follower that begins anew after a long time does so at once, however often it has before.
func TestAFollowerThatBeginsAnewNowAndThenDoesSoAtOnce(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var mu sync.Mutex
		var armed bool
		var panicked, again time.Time
		first := start(t, ns)
		at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		make := func(id string) {
			first.create(fmt.Sprintf(`{"station":"s","plan_id":%q,"command":"c","plan_type":"time","plan_time":%q}`, id, at))
		}
		make("good")
		start(t, ns, func(c *scheduler.Config) {
			c.Node = "n2"
			c.Probe = func(at string, plan schema.PlanName) {
				if at != "replay" {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				switch {
				case armed:
					armed, panicked = false, time.Now()
					panic("planted")
				case plan.PlanID == "good": // which the journal does not name again
					again = time.Now()
				}
			}
		})
		for i := range 5 {
			time.Sleep(time.Minute)
			mu.Lock()
			armed = true
			mu.Unlock()
			make(fmt.Sprint("bad", i))
			time.Sleep(20 * time.Second)
			mu.Lock()
			if rest := again.Sub(panicked); armed || rest < 0 || rest > time.Second {
				t.Errorf("time %d: it begins anew after %v", i+1, rest)
			}
			mu.Unlock()
		}
	})
}
