package scheduler_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Items are refused before their stream is full, also where names and headers take more than they
// do, and the queue can be emptied and filled again.
func TestAQueueThatFillsItsStreamCanBeEmptied(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns, func(c *scheduler.Config) {
			cfg := brokertest.Config(t)
			cfg.QueuesBytes = 1 << 20
			c.Space.Prefix = "small"
			cfg.Space = c.Space
			c.Store = brokertest.Store(t, brokertest.Connect(t, ns), cfg)
		})
		name := schema.PlanName{PlanID: strings.Repeat("q", 128)}
		made := definition(t, `{"plan_id":"`+name.PlanID+`","station":"`+strings.Repeat("s", 128)+`","command":"queue","plan_type":"time","plan_time":"2100-01-01T00:00:00Z"}`)
		for round := range 2 {
			taken := 0
			for ; taken < 20000; taken++ {
				_, err := b.ask(command.PushItem{Name: name, Definition: made, Item: wire.Text(wire.JSON, "x"), Terms: command.InboxTerms{Key: "q", Manner: schema.MannerHold}})
				if refused, is := errors.AsType[*schema.Error](err); is && strings.Contains(refused.Message, "is full") {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if stored := stored(t, b); stored < taken {
				t.Errorf("round %d: of %d items, %d are stored", round, taken, stored)
			}
			for range 30 {
				got, err := b.ask(command.ClaimItems{PlanID: name.PlanID, Number: 1000, Timeout: time.Minute, Random: "r"})
				if err != nil {
					t.Fatal(err)
				}
				if len(got.(command.Claimed).Items) == 0 {
					break
				}
				if _, err := b.ask(command.CompleteItems{PlanID: name.PlanID, Number: -1, Random: "r"}); err != nil {
					t.Fatal(err)
				}
			}
			if left := stored(t, b); taken < 1000 || left > 2 {
				t.Errorf("round %d: %d items were taken, and %d messages are left", round, taken, left)
			}
		}
	})
}

// stored is how many messages the stream of items has in a minute.
func stored(t *testing.T, b *testbed) int {
	t.Helper()
	time.Sleep(time.Minute)
	js, err := jetstream.New(b.user)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), "small_PLAN_QUEUES")
	if err != nil {
		t.Fatal(err)
	}
	return int(s.CachedInfo().State.Msgs)
}

// On a disk that is nearly full nothing is added, and all that waits can be removed.
func TestADiskThatIsNearlyFullTakesRemovals(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var full atomic.Bool
		b := start(t, ns, func(c *scheduler.Config) {
			cfg := brokertest.Config(t)
			cfg.Spare = func(int64) error {
				if full.Load() {
					return errors.New("the disk is nearly full")
				}
				return nil
			}
			c.Store = brokertest.Store(t, brokertest.Connect(t, ns), cfg)
		})
		plan := command.CreatePlan{Definition: definition(t, `{"station":"s","plan_id":"p","command":"c","plan_type":"day","plan_value":1,"plan_repet":-1}`)}
		taken := func(c command.Command) {
			t.Helper()
			if _, err := b.ask(c); err != nil {
				t.Errorf("%T: %v", c, err)
			}
		}
		taken(plan)
		for n := range int64(3) {
			taken(push(t, n))
		}
		full.Store(true)
		for _, c := range []command.Command{plan, push(t, 3)} {
			_, err := b.ask(c)
			if refused, is := errors.AsType[*schema.Error](err); !is || refused.Code != schema.CodeUnavailable || !strings.Contains(refused.Message, "nearly full; nothing was done") {
				t.Errorf("%T: %v", c, err)
			}
		}
		taken(command.ClaimItems{PlanID: "q", Number: 2, Timeout: time.Minute, Random: "r"})
		taken(command.CompleteItems{PlanID: "q", Number: -1, Random: "r"})
		taken(command.DropItems{PlanID: "q"})
		taken(command.RemovePlan{Name: schema.PlanName{Station: "s", PlanID: "p"}})
		full.Store(false)
		taken(plan)
	})
}
