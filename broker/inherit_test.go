package broker_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// resultsOf are results of plan s/1, with one body each.
func resultsOf(bodies ...string) []*nats.Msg {
	var msgs []*nats.Msg
	for _, b := range bodies {
		msgs = append(msgs, &nats.Msg{Subject: "plan.result.s.1", Data: []byte(b)})
	}
	return msgs
}

func wantResults(t *testing.T, s *broker.Store, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, results(t, s, "s", "1")); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
}

func store(t *testing.T, c *broker.Chain, to protocol.Mark, bodies ...string) {
	t.Helper()
	if err := c.Write(deadline(t), resultsOf(bodies...), to); err != nil {
		t.Fatal(err)
	}
}

// storedOneByOne leaves the state of a release that stored few results one by one: behind
// the result "1" a fence with their number, and some results that no fence covers.
func storedOneByOne(t *testing.T, nc *nats.Conn, s *broker.Store, bodies ...string) {
	t.Helper()
	chain := s.ResultsChain(0)
	fence(t, chain, seize(t, s, "a"), "a")
	store(t, chain, upTo(2), "1")
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(deadline(t), "PLAN_RESULTS")
	if err != nil {
		t.Fatal(err)
	}
	last, err := stream.GetLastMsgForSubject(deadline(t), "scheduler.stored.0")
	if err != nil {
		t.Fatal(err)
	}
	var f map[string]any
	d := json.NewDecoder(bytes.NewReader(last.Data))
	d.UseNumber()
	if err := d.Decode(&f); err != nil {
		t.Fatal(err)
	}
	f["each"], f["number"], f["behind"] = 64, 9, 0
	data, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append([]*nats.Msg{{Subject: "scheduler.stored.0", Data: data}}, resultsOf(bodies...)...) {
		if m.Subject != "scheduler.stored.0" {
			m.Subject = "scheduler.result.s.1"
		}
		if _, err := js.PublishMsg(deadline(t), m); err != nil {
			t.Fatal(err)
		}
	}
}

// A leader that takes over from a release that stored results one by one finds the stored
// ones, even if the leaders in between ended before they could.
func TestResultsStoredOneByOneAreNotStoredTwice(t *testing.T) {
	for _, tt := range []struct {
		name    string
		stored  []string // behind the fence
		leaders int      // that end before they write
		want    []string
	}{
		{"nothing was stored", nil, 0, []string{"2", "3", "4"}},
		{"the first one was", []string{"2"}, 0, []string{"2", "3", "4"}},
		{"all were", []string{"2", "3", "4"}, 0, []string{"2", "3", "4"}},
		{"the server dropped one of them", []string{"2", "4"}, 0, []string{"2", "4", "3"}},
		{"the next leader ends, too", []string{"2"}, 1, []string{"2", "3", "4"}},
		{"and the one after it", []string{"2", "3"}, 2, []string{"2", "3", "4"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, nc, s := newStore(t)
			storedOneByOne(t, nc, s, tt.stored...)
			for i := range tt.leaders + 1 {
				next := brokertest.Store(t, nc)
				chain, holder := next.ResultsChain(0), fmt.Sprint("b", i)
				if found := fence(t, chain, seize(t, next, holder), holder); found.UpTo != upTo(2) {
					t.Errorf("found %+v", found)
				}
				if i < tt.leaders {
					continue
				}
				chain.Inherited(3)
				store(t, chain, upTo(5), "2", "3", "4")
				store(t, chain, upTo(6), "5")
				f, _, err := chain.Peek(deadline(t))
				if err != nil || f.UpTo != upTo(6) || f.Each != 0 || f.Since != 0 {
					t.Errorf("the fence is %+v: %v", f, err)
				}
			}
			wantResults(t, s, append(append([]string{"1"}, tt.want...), "5")...)
		})
	}
}

// The remaining messages may come in several batches, and the leader may end between them.
func TestADoubtOutlivesABatch(t *testing.T) {
	_, nc, s := newStore(t)
	storedOneByOne(t, nc, s, "2", "3", "4")

	second := brokertest.Store(t, nc)
	fence(t, second.ResultsChain(0), seize(t, second, "b"), "b")
	store(t, second.ResultsChain(0), upTo(4), "2", "3")
	third := brokertest.Store(t, nc)
	if found := fence(t, third.ResultsChain(0), seize(t, third, "c"), "c"); found.UpTo != upTo(4) {
		t.Errorf("found %+v", found)
	}
	third.ResultsChain(0).Inherited(2)
	store(t, third.ResultsChain(0), upTo(6), "4", "5")
	wantResults(t, s, "1", "2", "3", "4", "5")
}

// A batch of an older leader never lands behind the fence of a newer one.
func TestLateResultsOfAnOlderLeaderAreRefused(t *testing.T) {
	_, nc, s := newStore(t)
	old := s.ResultsChain(0)
	fence(t, old, seize(t, s, "a"), "a")
	store(t, old, upTo(2), "1")
	other := brokertest.Store(t, nc)
	fence(t, other.ResultsChain(0), seize(t, other, "b"), "b")
	wantIs(t, old.Write(deadline(t), resultsOf("2", "3"), upTo(4)), broker.ErrFenced)
	wantResults(t, s, "1")
}
