package scheduler_test

import (
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
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// checkpoint returns the checkpoint in the bucket, which is the part of the journal that the
// bucket and all streams behind it have.
func checkpoint(t *testing.T, s *broker.Store) protocol.Mark {
	t.Helper()
	return fenceOf(t, s.TableChain(0))
}

// fenceOf returns the position in the journal that the fence of a stream records.
func fenceOf(t *testing.T, c *broker.Chain) protocol.Mark {
	t.Helper()
	f, _, err := c.Peek(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f.UpTo
}

// inBucket counts the plans that have rows in the bucket.
func inBucket(t *testing.T, s *broker.Store) (plans int) {
	t.Helper()
	err := s.Table(0).Scan(t.Context(), 0, func(key string, _ []byte, _ uint64) error {
		if kind, _, _, ok := storage.ParseKey(key); ok && kind == storage.KeyPlan {
			plans++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

// kept counts the messages that a stream has on a subject.
func (b *testbed) kept(stream, subject string) (n uint64) {
	b.t.Helper()
	js, err := jetstream.New(b.user)
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := js.Stream(b.t.Context(), stream)
	if err != nil {
		b.t.Fatal(err)
	}
	info, err := s.Info(b.t.Context(), jetstream.WithSubjectFilter(subject))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, count := range info.State.Subjects {
		n += count
	}
	return n
}

// The checkpoint waits for the results and items of its batch. While one is not stored, rows are
// written, but neither the checkpoint nor the purge passes its append, so that the next leader
// finds it there and stores it, once.
func TestTheCheckpointWaitsForWhatIsNotStored(t *testing.T) {
	for _, c := range []struct {
		what     string
		before   func(*testbed)
		subjects []string
		act      func(b *testbed, reply string)
		stream   string
		subject  string
	}{
		{
			what:     "a result",
			before:   func(b *testbed) { b.create(once) },
			subjects: resultsSubjects,
			act: func(b *testbed, reply string) {
				if _, err := b.user.Request(reply, []byte(`{"state":"ok"}`), time.Minute); err != nil {
					b.t.Error(err)
				}
			},
			stream: schema.Space{}.ResultsStream(), subject: "plan.result.s.p",
		},
		{
			what: "an item",
			before: func(b *testbed) {
				b.create(`{"plan_id":"other","station":"s","command":"c","plan_type":"day","plan_value":1,"plan_repet":-1}`)
			},
			subjects: itemsSubjects,
			act: func(b *testbed, _ string) {
				if _, err := b.ask(command.PushItem{
					Name: schema.PlanName{Station: "s", PlanID: "p"}, Definition: definition(b.t, once),
					Item: wire.Text(wire.JSON, "x"), PlanTime: time.Now().Add(time.Hour),
				}); err != nil {
					b.t.Error(err)
				}
			},
			stream: storage.QueuesStream(schema.Space{}), subject: storage.AllInboxes(schema.Space{}, 0),
		},
	} {
		t.Run(c.what, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				b := start(t, ns)
				store, e := brokertest.Store(t, b.user), b.listen()
				c.before(b)
				time.Sleep(5 * time.Second) // until all consequences have happened
				reply, from := e.executed(), lastAppend(t, store)
				if got, want := checkpoint(t, store), (protocol.Mark{Seq: from + 1}); got != want {
					t.Fatalf("the checkpoint is %v at a quiet time, want %v", got, want)
				}

				stream := silent(t, ns, c.subjects...)
				c.act(b, reply)
				if got := lastAppend(t, store); got != from+1 {
					t.Fatalf("append %d has it, want %d", got, from+1)
				}
				for i := range 20 {
					b.create(fmt.Sprintf(`{"plan_id":"l%d","station":"s","command":"c","plan_type":"day","plan_value":1,"plan_repet":-1}`, i))
				}
				time.Sleep(time.Minute)
				if got := inBucket(t, store); got < 20 {
					t.Errorf("the bucket has %d plans, want 20", got)
				}
				if got, most := checkpoint(t, store), (protocol.Mark{Seq: from + 1}); got.Compare(most) > 0 {
					t.Errorf("the checkpoint is %v, and append %d is not done with", got, from+1)
				}
				b.end()
				stream.end()
				if got := b.kept(c.stream, c.subject); got != 0 {
					t.Fatalf("%d are stored", got)
				}

				start(t, ns)
				time.Sleep(5 * time.Second)
				if got := b.kept(c.stream, c.subject); got != 1 {
					t.Errorf("%d are stored after the restart, want 1", got)
				}
				if got, want := checkpoint(t, store), (protocol.Mark{Seq: lastAppend(t, store) + 1}); got != want {
					t.Errorf("the checkpoint is %v in the end, want %v", got, want)
				}
			})
		})
	}
}

// A result is broadcast as soon as it is durable, and stored later. A leader that takes over before
// it is stored broadcasts it once more, because it cannot know whether its predecessor did, and
// stores it once.
func TestResultsAreBroadcastAtOnceAndStoredOnce(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		store, results := brokertest.Store(t, b.user), b.results()
		stream, all := schema.Space{}.ResultsStream(), schema.Space{}.AllResults()
		b.worker("s", func(*nats.Msg) string { return `{"state":"ok"}` })
		const plans = 5
		for i := range plans {
			b.create(fmt.Sprintf(`{"plan_id":"p%d","station":"s","command":"c","plan_type":"none"}`, i))
			began := time.Now()
			next(t, results)
			if took := time.Since(began); took > 0 {
				t.Errorf("the result came after %v", took)
			}
		}
		synctest.Wait()
		if got := b.kept(stream, all); got != 0 {
			t.Fatalf("%d are stored already", got)
		}

		appender, err := store.Journal(0).Seize(t.Context(), "another", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		appender.Close()
		if _, err := b.ask(command.CreatePlan{Definition: definition(t, once)}); err == nil {
			t.Fatal("a leader that was deposed has created a plan")
		}
		b.leads()
		for i := range plans {
			if r := next(t, results); r.PlanID != fmt.Sprint("p", i) {
				t.Errorf("the result of %s is broadcast again, want that of p%d", r.PlanID, i)
			}
		}
		time.Sleep(time.Second)
		if got := b.kept(stream, all); got != plans {
			t.Errorf("%d are stored after the take-over, want %d", got, plans)
		}
	})
}

// The fence of results follows when none comes any more, and when the leader stops.
func TestTheFenceOfResultsFollows(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b := start(t, ns)
		store, results := brokertest.Store(t, b.user), b.results()
		b.worker("s", func(*nats.Msg) string { return `{"state":"ok"}` })
		run := func(id string) (before, after protocol.Mark) {
			before = fenceOf(t, store.ResultsChain(0))
			b.create(fmt.Sprintf(`{"plan_id":%q,"station":"s","command":"c","plan_type":"none"}`, id))
			next(t, results)
			synctest.Wait()
			return before, fenceOf(t, store.ResultsChain(0))
		}
		before, after := run("first")
		if after != before {
			t.Errorf("the fence is at %v already", after)
		}
		time.Sleep(2 * time.Second)
		idle := fenceOf(t, store.ResultsChain(0))
		if idle.Compare(after) <= 0 {
			t.Errorf("the fence is at %v still, when nothing happens", idle)
		}
		run("second")
		b.end()
		if stopped := fenceOf(t, store.ResultsChain(0)); stopped.Compare(idle) <= 0 {
			t.Errorf("the fence is at %v still, though the leader has stopped", stopped)
		}
	})
}
