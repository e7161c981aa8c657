package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A plan that ran and closed is not run again by its create with keep within two minutes, also
// under the next leader, which begins behind the append that removed the plan.
func TestClosedPlanIsKnownAfterARestart(t *testing.T) {
	const kept = `{"plan_id":"p","station":"s","command":"c","plan_type":"none","on_conflict":"keep"}`
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		store, results := brokertest.Store(t, b.user), b.results()
		b.worker("s", func(*nats.Msg) string { return `{"state":"ok"}` })
		b.create(kept)
		next(t, results)
		removed := lastAppend(t, store)
		for range 2 {
			time.Sleep(20 * time.Second) // the journal is purged meanwhile
			if got := checkpoint(t, store); got.Compare(protocol.Mark{Seq: removed + 1}) < 0 {
				t.Fatalf("the checkpoint is %v at a quiet time, and append %d has removed the plan", got, removed)
			}
			b.end()
			b = start(t, ns)
			if created := b.create(kept); created.Created || created.State != schema.StatusClosed {
				t.Fatalf("after a restart the create is answered %+v", created)
			}
		}
		time.Sleep(2 * time.Minute)
		if created := b.create(kept); !created.Created {
			t.Errorf("two minutes later the create is answered %+v", created)
		}
	})
}

// A create without keep makes a plan anew that closed a moment ago and had been created with keep,
// if its sender waits for an answer. Otherwise it may be older than that, and is refused.
func TestClosedPlanIsCreatedAgainForAWaitingSender(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		results := b.results()
		b.worker("s", func(*nats.Msg) string { return `{"state":"ok"}` })
		b.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none","on_conflict":"keep"}`)
		next(t, results)
		for _, conflict := range []string{"error", "update"} {
			again := command.CreatePlan{Definition: definition(t, `{"plan_id":"p","station":"s","command":"c","plan_type":"none","on_conflict":"`+conflict+`"}`)}
			if got, err := b.ask(again); !errors.Is(err, schema.CodeAlreadyExists) {
				t.Errorf("%s: a create that may be older is answered %+v, %v", conflict, got, err)
			}
			got, err := b.ask(command.Dated{Command: again, By: time.Now().Add(5 * time.Second)})
			if created, is := got.(schema.Created); err != nil || !is || !created.Created {
				t.Fatalf("%s: a create is answered %+v, %v", conflict, got, err)
			}
			next(t, results)
		}
	})
}
