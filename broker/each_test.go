package broker_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
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

func writeEach(t *testing.T, c *broker.Chain, to broker.Mark, bodies ...string) {
	t.Helper()
	if err := c.WriteEach(deadline(t), resultsOf(bodies...), to); err != nil {
		t.Fatal(err)
	}
}

// wantFence asks for what the fence says of the journal.
func wantFence(t *testing.T, c *broker.Chain, to broker.Mark) {
	t.Helper()
	if f, _, err := c.Peek(deadline(t)); err != nil || f.UpTo != to {
		t.Errorf("the fence is at %+v, want %+v: %v", f.UpTo, to, err)
	}
}

func TestOneByOne(t *testing.T) {
	_, _, s := newStore(t)
	p := seize(t, s, "a")
	chain := s.ResultsChain(0)
	fence(t, chain, p, "a")
	most := chain.MaxEach()
	var want []string
	write := func(n int) {
		t.Helper()
		var bodies []string
		for range n {
			bodies = append(bodies, fmt.Sprint(len(want)+len(bodies)))
		}
		want = append(want, bodies...)
		writeEach(t, chain, upTo(uint64(len(want))), bodies...)
	}
	write(1)
	write(most - 2)
	wantFence(t, chain, broker.Mark{})
	write(2) // one more than may be behind the fence
	wantFence(t, chain, upTo(uint64(most-1)))
	if err := chain.Settle(deadline(t)); err != nil {
		t.Fatal(err)
	}
	wantFence(t, chain, upTo(uint64(most+1)))
	write(most)
	write(most + 1) // a batch
	wantFence(t, chain, upTo(uint64(3*most+2)))
	wantResults(t, s, want[max(0, len(want)-100):]...)
}

// What a limit throws away cannot be looked for.
func TestNoMoreOneByOneThanAPlanKeeps(t *testing.T) {
	cfg := brokertest.Config(t)
	cfg.ResultsPerPlan = 3
	s := brokertest.Store(t, brokertest.Connect(t, brokertest.Server(t)), cfg)
	p := seize(t, s, "a")
	for _, tt := range []struct {
		chain *broker.Chain
		want  int
	}{{s.ResultsChain(0), 3}, {s.TableChain(0), 0}, {s.ItemsChain(0), 0}} {
		fence(t, tt.chain, p, "a")
		if got := tt.chain.MaxEach(); got != tt.want {
			t.Errorf("%d messages are written one by one, want %d", got, tt.want)
		}
	}
}

func TestOneByOneWhoseAnswersAreLostAreNotStoredTwice(t *testing.T) {
	ns, _, other := newStore(t)
	s, deaf := deafStore(t, ns)
	p := seize(t, s, "a")
	chain := s.ResultsChain(0)
	fence(t, chain, p, "a")
	var want []string
	for i := range uint64(6) {
		deaf.Store(i%2 == 1)
		bodies := []string{fmt.Sprint(i, "a"), fmt.Sprint(i, "b"), fmt.Sprint(i, "c")}
		writeEach(t, chain, upTo(i+2), bodies...)
		want = append(want, bodies...)
	}
	wantResults(t, other, want...)
}

func TestLateOnesOfAnOlderLeaderAreRefused(t *testing.T) {
	_, nc, s := newStore(t)
	old := s.ResultsChain(0)
	fence(t, old, seize(t, s, "a"), "a")
	writeEach(t, old, upTo(2), "1")
	other := brokertest.Store(t, nc)
	fence(t, other.ResultsChain(0), seize(t, other, "b"), "b")
	wantIs(t, old.WriteEach(deadline(t), resultsOf("2", "3"), upTo(4)), broker.ErrFenced)
	wantIs(t, old.WriteEach(deadline(t), resultsOf("2", "3"), upTo(4)), broker.ErrFenced)
	wantResults(t, s, "1")
}

// A leader ends at any moment, and so may the next ones before they have written what it
// left: whoever does finds what is there.
func TestWhoComesNextStoresWhatIsMissing(t *testing.T) {
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
			first := s.ResultsChain(0)
			fence(t, first, seize(t, s, "a"), "a")
			if err := first.Write(deadline(t), resultsOf("1"), upTo(2)); err != nil {
				t.Fatal(err)
			}
			if len(tt.stored) > 0 {
				writeEach(t, first, upTo(9), tt.stored...)
			}
			for i := range tt.leaders + 1 {
				next := brokertest.Store(t, nc)
				holder := fmt.Sprint("b", i)
				found := fence(t, next.ResultsChain(0), seize(t, next, holder), holder)
				if found.UpTo != upTo(2) {
					t.Errorf("found %+v", found)
				}
				if i < tt.leaders {
					continue
				}
				next.ResultsChain(0).Inherited(3)
				writeEach(t, next.ResultsChain(0), upTo(5), "2", "3", "4")
				writeEach(t, next.ResultsChain(0), upTo(6), "5")
			}
			wantResults(t, s, append(append([]string{"1"}, tt.want...), "5")...)
		})
	}
}

// A leader that has nothing to store of earlier ones moves the mark past what they have
// written one by one, before there is more of it: the bucket's checkpoint, which has passed
// it, may go back.
func TestTheFirstWriteOfALeaderMovesTheMark(t *testing.T) {
	_, nc, s := newStore(t)
	first := s.ResultsChain(0)
	fence(t, first, seize(t, s, "a"), "a")
	writeEach(t, first, upTo(3), "1", "2")
	next := brokertest.Store(t, nc)
	chain := next.ResultsChain(0)
	fence(t, chain, seize(t, next, "b"), "b")
	chain.Inherited(0)
	writeEach(t, chain, upTo(5), "3")
	f, _, err := chain.Peek(deadline(t))
	if err != nil || f.UpTo != upTo(5) || f.Since != 0 {
		t.Errorf("the fence is %+v: %v", f, err)
	}
	writeEach(t, chain, upTo(6), "4") // one by one again
	wantFence(t, chain, upTo(5))
	wantResults(t, s, "1", "2", "3", "4")
}

// What is left to be written may come in several batches, and the leader may end between
// them.
func TestADoubtOutlivesABatch(t *testing.T) {
	_, nc, s := newStore(t)
	first := s.ResultsChain(0)
	fence(t, first, seize(t, s, "a"), "a")
	writeEach(t, first, upTo(4), "1", "2", "3")

	second := brokertest.Store(t, nc)
	fence(t, second.ResultsChain(0), seize(t, second, "b"), "b")
	if err := second.ResultsChain(0).Write(deadline(t), resultsOf("1", "2"), upTo(3)); err != nil {
		t.Fatal(err)
	}
	third := brokertest.Store(t, nc)
	if found := fence(t, third.ResultsChain(0), seize(t, third, "c"), "c"); found.UpTo != upTo(3) {
		t.Errorf("found %+v", found)
	}
	third.ResultsChain(0).Inherited(2)
	writeEach(t, third.ResultsChain(0), upTo(5), "3", "4")
	wantResults(t, s, "1", "2", "3", "4")
}

// The fence of the stream of results may be thrown away, and with it what says whose the
// stream is.
func TestOneByOneWithoutAFence(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	chain := s.ResultsChain(0)
	fence(t, chain, p, "a")
	writeEach(t, chain, upTo(2), "1")
	purgeStream(t, nc, "PLAN_RESULTS")
	writeEach(t, chain, upTo(4), "2", "3")
	wantResults(t, s, "2", "3")
	purgeStream(t, nc, "PLAN_RESULTS")
	seize(t, s, "b")
	wantIs(t, chain.WriteEach(deadline(t), resultsOf("4"), upTo(5)), broker.ErrFenced)
	wantResults(t, s)
}

// A disk loses the end of the stream while its server is away for a moment.
func TestOneByOneOverAGap(t *testing.T) {
	dir := t.TempDir()
	stored := func(o *server.Options) { o.StoreDir = dir }
	ns := brokertest.Server(t, stored)
	nc, at := connectToWhicheverRuns(t, ns)
	s := brokertest.Store(t, nc, quiet(t))
	chain := s.ResultsChain(0)
	fence(t, chain, seize(t, s, "a"), "a")
	writeEach(t, chain, upTo(3), "1", "2")
	ns.Shutdown()
	ns.WaitForShutdown()
	damageLastRow(t, filepath.Join(dir, "jetstream", "$G", "streams", "PLAN_RESULTS", "msgs"))
	at.Runs(brokertest.Server(t, stored))
	wantChanged(t, chain.WriteEach(deadline(t), resultsOf("3"), upTo(4)), "PLAN_RESULTS")

	again := brokertest.Store(t, nc, quiet(t))
	fence(t, again.ResultsChain(0), seize(t, again, "b"), "b")
	again.ResultsChain(0).Inherited(3)
	writeEach(t, again.ResultsChain(0), upTo(4), "1", "2", "3")
	wantResults(t, s, "1", "3", "2")
}
