package scheduler_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// mostBehind is how many results may be behind before nothing more begins.
	mostBehind = 8000
	// atATime is how many events decide takes before it checks again whether more may begin.
	atATime = 200
)

// A crowd has a plan for every way in which an execution begins, which is behind an answer, in
// its time after missed occurrences, behind an earlier due occurrence, and by a claim.
type crowd struct {
	plans, results int
	claims         sync.WaitGroup
}

func (b *testbed) crowd() *crowd {
	b.t.Helper()
	c := &crowd{}
	b.putStation(schema.Station{Station: "pool", Kind: schema.KindPull})
	for _, kind := range []struct {
		id, station, fields string
		plans, repeats      int
	}{
		{"again", "s", `"plan_value":0`, 100, 60},
		{"keeps", "s", `"plan_value":0,"no_keep":true`, 50, 60},
		{"queues", "s", `"plan_value":1,"overlap":"queue"`, 50, 20},
		{"pulled", "pool", `"plan_value":0`, 50, 60},
	} {
		for i := range kind.plans {
			b.create(fmt.Sprintf(`{"plan_id":"%s%d","station":"%s","command":"c","plan_type":"second",%s,"plan_repet":%d}`,
				kind.id, i, kind.station, kind.fields, kind.repeats))
		}
		c.plans += kind.plans
		c.results += kind.plans * kind.repeats
	}
	return c
}

// work replies to every execution that is published, and claims the others, until stop is closed.
func (c *crowd) work(b *testbed, stop <-chan struct{}) {
	b.worker("s", func(*nats.Msg) string { return `{"state":"ok"}` })
	c.claims.Go(func() {
		for {
			claimed := b.send(command.ClaimWork{WorkerID: "w", Stations: []string{"pool"}, Limit: 20, Wait: time.Second})
			select {
			case <-stop:
				return
			case a := <-claimed:
				work, _ := a.body.(command.ClaimedWork)
				for _, x := range work.Executions {
					if err := b.user.Publish(x.Reply, []byte(`{"state":"ok"}`)); err != nil {
						b.t.Error(err)
					}
				}
			}
		}
	})
}

// refusal is the error of a create; nil: it is accepted.
func (b *testbed) refusal(id string) *schema.Error {
	b.t.Helper()
	_, err := b.ask(command.CreatePlan{Definition: definition(b.t, fmt.Sprintf(
		`{"plan_id":%q,"station":"s","command":"c","plan_type":"day","plan_value":1,"plan_repet":-1}`, id))})
	refused, _ := errors.AsType[*schema.Error](err)
	return refused
}

// While results are not stored no execution begins, for any cause, once too many are behind,
// and requests that start work are refused, while plans are managed. When they are stored again
// all goes on, and no result is lost or stored twice.
func TestNothingBeginsWhileResultsAreBehind(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		results := b.results()
		kept := silent(t, ns, storage.AllKept(schema.Space{}))
		c := b.crowd()
		stop := make(chan struct{})
		c.work(b, stop)
		time.Sleep(2 * time.Second)
		behind, _, _ := results.Pending()
		if most := mostBehind + c.plans + atATime; behind < mostBehind || behind > most {
			t.Errorf("%d results are behind, want %d to %d", behind, mostBehind, most)
		}
		if !b.sched.Standings()[0].Held {
			t.Error("it does not report the hold")
		}
		if refused := b.refusal("more"); refused == nil || refused.Code != schema.CodeUnavailable || refused.RetryAfterMS < 250 {
			t.Errorf("a create is answered %+v", refused)
		}
		if _, err := b.ask(command.TriggerPlan{Name: schema.PlanName{Station: "s", PlanID: "queues0"}}); err == nil {
			t.Error("an extra run is taken")
		}
		for _, manage := range []command.Command{
			command.PausePlan{Name: schema.PlanName{Station: "s", PlanID: "again0"}},
			command.ResumePlan{Name: schema.PlanName{Station: "s", PlanID: "again0"}},
			command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "keeps0"}},
		} {
			if _, err := b.ask(manage); err != nil {
				t.Errorf("%T: %v", manage, err)
			}
		}
		time.Sleep(time.Second)
		if now, _, _ := results.Pending(); now != behind {
			t.Errorf("%d results are broadcast in a second in which nothing may begin", now-behind)
		}

		kept.end()
		time.Sleep(time.Minute)
		close(stop)
		c.claims.Wait()
		received, stored := tally(t, results), b.storedResults()
		if len(received) != c.results || len(stored) != c.results {
			t.Errorf("%d results are broadcast and %d stored, want %d", len(received), len(stored), c.results)
		}
		for body, times := range stored {
			if times != 1 || received[body] == 0 {
				t.Fatalf("received %d times and stored %d times: %s", received[body], times, body)
			}
		}
		if refused := b.refusal("again"); refused != nil || b.sched.Standings()[0].Held {
			t.Errorf("a create is refused when all is stored: %v", refused)
		}
	})
}
