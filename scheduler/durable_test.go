package scheduler_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// lastAppend is the sequence of the newest append.
func lastAppend(t *testing.T, s *broker.Store) uint64 {
	t.Helper()
	state, err := s.Journal(0).State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return state.Last
}

// Messages wait for the disk. While an append is under way none of its effects is published, and
// no read returns its changes; when it is acknowledged, all are.
func TestMessagesWaitForTheDisk(t *testing.T) {
	name := schema.PlanName{Station: "s", PlanID: "p"}
	create := func(plan string) func(*testbed, string) <-chan answer {
		return func(b *testbed, _ string) <-chan answer {
			return b.send(command.CreatePlan{Definition: definition(b.t, plan)})
		}
	}
	ask := func(c command.Command) func(*testbed, string) <-chan answer {
		return func(b *testbed, _ string) <-chan answer { return b.send(c) }
	}
	reply := func(body string) func(*testbed, string) <-chan answer {
		return func(b *testbed, reply string) <-chan answer {
			if err := b.user.PublishRequest(reply, ackInbox, []byte(body)); err != nil {
				b.t.Fatal(err)
			}
			return nil
		}
	}
	for _, c := range []struct {
		what   string
		before func(*testbed) // sets up the state before the journal stalls
		// act does the change to be recorded. Reply is the reply subject of the execution that was
		// sent before. It returns nil if the change has no answer.
		act  func(b *testbed, reply string) <-chan answer
		want []string
	}{
		{
			what: "an answer",
			act:  create(`{"plan_id":"p","station":"s","command":"c","plan_type":"day","plan_value":1,"plan_repet":-1}`),
			want: []string{"plan.event.created.s.p"},
		},
		{
			what: "an execution",
			act:  create(once),
			want: []string{"plan.event.created.s.p", "plan.event.dispatched.s.p", "station.s"},
		},
		{
			what:   "an execution that nobody answers",
			before: func(b *testbed) { b.putStation(schema.Station{Station: "s", Kind: schema.KindPub}) },
			act:    create(once),
			want: []string{
				"plan.event.closed.s.p", "plan.event.created.s.p", "plan.event.dispatched.s.p",
				"plan.result.s.p", "station.s",
			},
		},
		{
			what: "an execution whose time has come",
			before: func(b *testbed) {
				due := time.Now().Add(1500 * time.Millisecond).UTC().Format(time.RFC3339Nano)
				b.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"time","plan_time":"` + due + `"}`)
			},
			act:  func(*testbed, string) <-chan answer { return nil },
			want: []string{"plan.event.dispatched.s.p", "station.s"},
		},
		{
			what: "an execution that is claimed",
			before: func(b *testbed) {
				b.putStation(schema.Station{Station: "s", Kind: schema.KindPull})
				b.create(once)
			},
			act:  ask(command.ClaimWork{ID: "c", WorkerID: "w", Stations: []string{"s"}, Limit: 1, Wait: time.Minute}),
			want: []string{"plan.event.running.s.p"},
		},
		{
			what:   "an acknowledgement and a result",
			before: func(b *testbed) { b.create(once) },
			act:    reply(`{"state":"ok"}`),
			want:   []string{ackInbox, "plan.event.closed.s.p", "plan.result.s.p"},
		},
		{
			what:   "an execution once more",
			before: func(b *testbed) { b.create(once) },
			act:    reply(`{"state":"error","delay":0}`),
			want: []string{
				ackInbox, "plan.event.dispatched.s.p", "plan.event.retrying.s.p", "plan.result.s.p", "station.s",
			},
		},
		{
			what:   "a cancellation",
			before: func(b *testbed) { b.create(once) },
			act:    ask(command.CancelRun{Name: name, N: 1}),
			want:   []string{"plan.cancel.s.p", "plan.event.closed.s.p", "plan.result.s.p"},
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				b := start(t, ns)
				store, e := brokertest.Store(t, b.user), b.listen()
				if c.before != nil {
					c.before(b)
				}
				time.Sleep(time.Second) // until all consequences have happened
				reply, from := e.executed(), lastAppend(t, store)

				journal := silent(t, ns, journalSubject)
				answered := c.act(b, reply)
				time.Sleep(600 * time.Millisecond)
				read := b.send(command.GetPlan{Name: name})
				time.Sleep(400 * time.Millisecond)
				synctest.Wait()
				if words := e.subjects(); len(words)+len(answered)+len(read) > 0 {
					t.Errorf("before it was on disk, %q was received, with %d answers and %d to reads", words, len(answered), len(read))
				}
				if got := lastAppend(t, store); got != from || journal.count() != 1 {
					t.Fatalf("append %d is on disk, want %d, and %d are under way, want 1", got, from, journal.count())
				}

				journal.end()
				time.Sleep(3 * time.Second)
				synctest.Wait()
				if diff := cmp.Diff(c.want, e.subjects(), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("received when it was on disk: %s", diff)
				}
				if answered != nil {
					if a := <-answered; a.err != nil {
						t.Error(a.err)
					}
				}
				<-read
			})
		})
	}
}

// While an append is under way the next one gathers. However many requests come meanwhile, no
// other append is sent before that one is acknowledged, and then one carries all of them.
func TestGatheredRequestsShareOneAppend(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		store := brokertest.Store(t, b.user)
		time.Sleep(time.Second)
		from := lastAppend(t, store)
		create := func(i int) <-chan answer {
			return b.send(command.CreatePlan{Definition: definition(t, fmt.Sprintf(
				`{"plan_id":"p%d","station":"s","command":"c","plan_type":"day","plan_value":1,"plan_repet":-1}`, i))})
		}

		journal := silent(t, ns, journalSubject)
		first := create(0)
		synctest.Wait()
		var others []<-chan answer
		for i := range 500 {
			others = append(others, create(1+i))
			if i%50 == 0 {
				synctest.Wait() // they come one after the other as well as together
			}
		}
		time.Sleep(time.Second)
		if n := journal.count(); n != 1 {
			t.Errorf("%d appends are under way", n)
		}
		journal.end()
		for _, answered := range append(others, first) {
			if a := <-answered; a.err != nil {
				t.Fatal(a.err)
			}
		}
		if got := lastAppend(t, store); got != from+2 {
			t.Errorf("%d appends for the first request and those that gathered, want 2", got-from)
		}
	})
}
