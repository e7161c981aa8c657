package scheduler_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/schema"
)

const allResults = "plan.result.>"

// tally counts the bodies of the messages received so far.
func tally(t testing.TB, results *nats.Subscription) map[string]int {
	t.Helper()
	bodies := map[string]int{}
	for n, _, _ := results.Pending(); n > 0; n, _, _ = results.Pending() {
		m, err := results.NextMsg(time.Second)
		if err != nil {
			t.Fatal(err)
		}
		bodies[string(m.Data)]++
	}
	return bodies
}

// storedResults counts the bodies in the stream of results.
func (b *testbed) storedResults() map[string]int {
	b.t.Helper()
	js, err := jetstream.New(b.user)
	if err != nil {
		b.t.Fatal(err)
	}
	stream, err := js.Stream(b.t.Context(), schema.Space{}.ResultsStream())
	if err != nil {
		b.t.Fatal(err)
	}
	state := stream.CachedInfo().State
	bodies := map[string]int{}
	for seq := state.FirstSeq; seq <= state.LastSeq; seq++ {
		m, err := stream.GetMsg(b.t.Context(), seq)
		if err != nil {
			continue // a fence that another has rolled up
		}
		if m.Subject != storage.Stored(schema.Space{}, 0) {
			bodies[string(m.Data)]++
		}
	}
	return bodies
}

// wantOneStored wants one result in the stream, and no further broadcast.
func (b *testbed) wantOneStored(results *nats.Subscription) {
	b.t.Helper()
	if n := b.kept("PLAN_RESULTS", allResults); n != 1 {
		b.t.Errorf("%d results are stored, want 1", n)
	}
	if again := tally(b.t, results); len(again) > 0 {
		b.t.Errorf("received once more: %v", again)
	}
}

// A result is broadcast when it is durable, also while its stream takes nothing, and only once when
// the stream goes on.
func TestResultIsBroadcastBeforeItIsStored(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		results := b.results()
		m := b.underWay()
		kept := silent(t, ns, storage.AllKept(schema.Space{}))
		b.answerOK(m)
		answered := time.Now()
		if r := next(t, results); r.State != schema.StateOK {
			t.Errorf("it ends %s (%s)", r.State, r.Reason)
		}
		if took := time.Since(answered); took > 5*time.Millisecond {
			t.Errorf("it is received %v after the answer", took)
		}
		time.Sleep(2 * time.Second)
		if n := b.kept("PLAN_RESULTS", allResults); n != 0 || kept.count() == 0 {
			t.Fatalf("%d results are stored, want 0, and %d are under way", n, kept.count())
		}
		kept.end()
		time.Sleep(10 * time.Second)
		b.wantOneStored(results)
	})
}

// Results written to a connection that is lost may have reached no subscriber. They are not stored
// before they are broadcast on the next one.
func TestResultThatTheConnectionLosesIsBroadcastAgainBeforeItIsStored(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, g := withGate(t, ns)
		results := b.results()
		m := b.underWay()
		g.leak()
		b.answerOK(m)
		time.Sleep(4 * time.Second)
		synctest.Wait()
		if n := b.kept("PLAN_RESULTS", allResults); n != 0 {
			t.Errorf("%d results are stored and were not received", n)
		}
		if early := tally(t, results); len(early) > 0 {
			t.Fatalf("received through a connection that leaks: %v", early)
		}
		g.sever()()
		if r := next(t, results); r.State != schema.StateOK {
			t.Errorf("it ends %s (%s)", r.State, r.Reason)
		}
		time.Sleep(5 * time.Second)
		b.wantOneStored(results)
	})
}

// While the connection is away no result can be broadcast, and none is stored.
func TestNoResultIsStoredWhileNoneCanBeBroadcast(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, g := withGate(t, ns)
		results := b.results()
		b.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none","start_timeout":2,"retry":{"strategy":"none"}}`)
		time.Sleep(time.Second)
		mend := g.sever()
		if _, err := b.ask(command.CancelRun{Name: schema.PlanName{Station: "s", PlanID: "p"}, N: 1}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if n := b.kept("PLAN_RESULTS", allResults); n != 0 {
			t.Errorf("%d results are stored and were not received", n)
		}
		mend()
		if r := next(t, results); r.State != schema.StateCancelled {
			t.Errorf("it ends %s (%s)", r.State, r.Reason)
		}
		time.Sleep(5 * time.Second)
		if n := b.kept("PLAN_RESULTS", allResults); n != 1 {
			t.Errorf("%d results are stored, want 1", n)
		}
	})
}

// When a leader dies after its append is durable and has broadcast nothing, its successor
// broadcasts and stores the results.
func TestSuccessorBroadcastsResultsOfItsPredecessor(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, g := withGate(t, ns)
		results := b.results()
		m := b.underWay()
		g.leak()
		b.answerOK(m)
		time.Sleep(time.Second)
		b.stop() // it cannot broadcast its decision, and leaves it
		successor := start(t, ns, func(c *scheduler.Config) { c.Node = "n2" })
		if r := next(t, results); r.State != schema.StateOK || r.N != 1 {
			t.Errorf("run %d ends %s (%s)", r.N, r.State, r.Reason)
		}
		time.Sleep(5 * time.Second)
		successor.wantOneStored(results)
	})
}

// The stream of results gets another form while results come, again and again, and the leader
// finds out by itself. All results are broadcast, and stored once.
func TestAFormThatChangesLosesNothingAndStoresNothingTwice(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		const plans, times = 20, 40
		b := start(t, ns)
		results := b.results()
		if err := results.SetPendingLimits(-1, -1); err != nil {
			t.Fatal(err)
		}
		b.worker("s", func(*nats.Msg) string { return `{"state":"ok"}` })
		began := time.Now()
		for i := range plans {
			first := began.Add(time.Second + time.Duration(i)*time.Second/plans).UTC().Format(time.RFC3339Nano)
			b.create(fmt.Sprintf(`{"plan_id":"p%d","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":%d,"plan_time":%q}`, i, times, first))
		}
		other := brokertest.Store(t, b.user)
		for i := range times {
			time.Sleep(1037 * time.Millisecond)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			if err := other.ConvertResults(ctx, []broker.ResultsForm{broker.ResultsPublic, broker.ResultsOwn}[i%2]); err != nil {
				t.Fatal(err)
			}
			cancel()
		}
		time.Sleep(20 * time.Second)
		received, stored := tally(t, results), b.storedResults()
		if len(stored) != plans*times {
			t.Errorf("%d different results are stored, want %d", len(stored), plans*times)
		}
		for body, n := range stored {
			if n > 1 || received[body] == 0 {
				t.Fatalf("stored %d times, received %d times: %s", n, received[body], body)
			}
		}
		for body := range received {
			if stored[body] == 0 {
				t.Fatalf("received, and not stored: %s", body)
			}
		}
	})
}

// A result is broadcast once in either form of the stream, and a result that its plan does not want
// kept is not stored.
func TestResultIsPublishedOnceInEitherForm(t *testing.T) {
	for _, form := range []broker.ResultsForm{broker.ResultsOwn, broker.ResultsPublic} {
		t.Run(form.String(), func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				cfg := brokertest.Config(t)
				cfg.ResultsForm = form
				brokertest.Store(t, brokertest.Connect(t, ns), cfg)
				b := start(t, ns)
				results := b.results()
				b.worker("s", func(*nats.Msg) string { return `{"state":"ok"}` })
				b.create(once)
				b.create(`{"plan_id":"q","station":"s","command":"c","plan_type":"none","log":"none"}`)
				time.Sleep(5 * time.Second)
				received, stored := tally(t, results), b.storedResults()
				if len(received) != 2 || len(stored) != 1 {
					t.Errorf("received %v, stored %v", received, stored)
				}
				for body, n := range received {
					if n != 1 {
						t.Errorf("received %d times: %s", n, body)
					}
				}
			})
		})
	}
}
