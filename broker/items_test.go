package broker_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func inbox(id string) schema.PlanName { return schema.PlanName{Station: "s.eu", PlanID: id} }

// item is a message for the items chain: number n of the inbox id.
func item(s *broker.Store, id string, n int64) *nats.Msg {
	name := broker.ItemName{Name: inbox(id), Incarnation: 7, N: n}
	return s.Items(0).Message(name, wire.MsgPack, fmt.Appendf(nil, "%s-%d", id, n))
}

// scanned lists the items that a scan finds, as "id n incarnation size @seq".
func scanned(t testing.TB, s *broker.Store, least uint64) []string {
	t.Helper()
	var got []string
	err := s.Items(0).Scan(deadline(t), least, func(i broker.StoredItem) error {
		got = append(got, fmt.Sprintf("%s %d %d %d @%d", i.Name.PlanID, i.N, i.Incarnation, i.Size, i.Seq))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestItemsAreStoredReadAndSwept(t *testing.T) {
	_, _, s := newStore(t)
	if got := scanned(t, s, 0); got != nil {
		t.Errorf("a new stream holds %v", got)
	}
	p := seize(t, s, "a")
	chain := s.ItemsChain(0)
	fence(t, chain, p, "a")
	if got := scanned(t, s, chain.Revision()); got != nil {
		t.Errorf("behind its fence it holds %v", got)
	}
	for _, b := range [][]*nats.Msg{{item(s, "a", 1), item(s, "b", 1)}, {item(s, "a", 2), item(s, "a", 3)}} {
		if err := chain.Write(deadline(t), b, upTo(2)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"a 1 7 3 @3", "b 1 7 3 @4", "a 2 7 3 @6", "a 3 7 3 @7"}
	if diff := cmp.Diff(want, scanned(t, s, chain.Revision())); diff != "" {
		t.Error(diff)
	}
	var values []string
	more, err := s.Items(0).Read(deadline(t), inbox("a"), 4, 10, 1<<20, func(i broker.StoredItem) {
		values = append(values, fmt.Sprintf("%s %d %v", i.Value, i.N, i.Enc == wire.MsgPack))
	})
	if err != nil || more {
		t.Errorf("more %v, error %v", more, err)
	}
	if diff := cmp.Diff([]string{"a-2 2 true", "a-3 3 true"}, values); diff != "" {
		t.Error(diff)
	}
	if more, err = s.Items(0).Read(deadline(t), inbox("a"), 1, 2, 1<<20, func(broker.StoredItem) {}); err != nil || !more {
		t.Errorf("of three, two: more %v, error %v", more, err)
	}
	if err := s.Items(0).Sweep(deadline(t), inbox("a"), 7); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"b 1 7 3 @4", "a 3 7 3 @7"}, scanned(t, s, 0)); diff != "" {
		t.Error(diff)
	}
	if err := s.Items(0).Sweep(deadline(t), schema.PlanName{}, 7); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"a 3 7 3 @7"}, scanned(t, s, 0)); diff != "" {
		t.Error(diff)
	}
	// The fence is still there, because it is no item, and the chain goes on.
	if err := chain.Write(deadline(t), []*nats.Msg{item(s, "b", 2)}, upTo(3)); err != nil {
		t.Error(err)
	}
}

func TestALateBatchOfItemsIsRefusedWhole(t *testing.T) {
	_, nc, s := newStore(t)
	a := seize(t, s, "a")
	old := s.ItemsChain(0)
	fence(t, old, a, "a")
	if err := old.Write(deadline(t), []*nats.Msg{item(s, "a", 1)}, upTo(2)); err != nil {
		t.Fatal(err)
	}
	other := brokertest.Store(t, nc)
	b := seize(t, other, "b")
	if found := fence(t, other.ItemsChain(0), b, "b"); found.UpTo != upTo(2) || found.Holder != "a" {
		t.Errorf("found the fence %+v", found)
	}
	wantIs(t, old.Write(deadline(t), []*nats.Msg{item(s, "a", 2), item(s, "a", 3)}, upTo(9)), broker.ErrFenced)
	if got := scanned(t, s, 0); len(got) != 1 {
		t.Errorf("stored are %v", got)
	}
}

func TestABatchOfItemsWhoseAnswerIsLostIsNotStoredTwice(t *testing.T) {
	ns, _, other := newStore(t)
	s, deaf := deafStore(t, ns)
	p := seize(t, s, "a")
	chain := s.ItemsChain(0)
	fence(t, chain, p, "a")
	for i := range int64(6) {
		deaf.Store(i%2 == 1)
		if err := chain.Write(deadline(t), []*nats.Msg{item(s, "a", i)}, upTo(2)); err != nil {
			t.Fatal(err)
		}
		// A reader of items relies on the sequence that an item was stored under.
		last := scanned(t, other, 0)
		if want := fmt.Sprintf("a %d 7 3 @%d", i, chain.Revision()+1); !slices.Contains(last, want) || len(last) != int(i)+1 {
			t.Errorf("after item %d, stored are %v, want %s", i, last, want)
		}
	}
}

// An installation of an earlier release has a purged journal, and no stream of items.
func TestTheFirstFenceOfItemsMayComeLate(t *testing.T) {
	_, _, s := newStore(t)
	p := seize(t, s, "a")
	fence(t, s.TableChain(0), p, "a")
	seq := write(t, p, "x")
	write(t, p, "y")
	if err := s.TableChain(0).Write(deadline(t), nil, upTo(seq+1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Journal(0).Purge(deadline(t), seq); err != nil {
		t.Fatal(err)
	}
	if found := fence(t, s.ItemsChain(0), p, "a"); found.Epoch != 0 {
		t.Errorf("found the fence %+v", found)
	}
}
