package broker_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/broker/embed"
)

func TestFollowGivesWhatIsThereAndThenWhatLands(t *testing.T) {
	_, _, s := newStore(t)
	p := seize(t, s, "a")
	write(t, p, "one")
	ctx, cancel := context.WithCancel(deadline(t))
	defer cancel()
	got := make(chan string)
	done := make(chan error, 1)
	go func() {
		done <- s.Journal(0).Follow(ctx, 1, at, func(a broker.Append) error {
			got <- brief(a)
			return nil
		})
	}()
	if a := <-got; a != "a:one" {
		t.Errorf("first %s", a)
	}
	write(t, p, "two")
	if a := <-got; a != "a:two" {
		t.Errorf("then %s", a)
	}
	cancel()
	wantIs(t, <-done, context.Canceled)
}

func TestReadingEndsWithTheErrorOfItsReader(t *testing.T) {
	_, _, s := newStore(t)
	seize(t, s, "a")
	enough := errors.New("enough")
	refuse := func(broker.Append) error { return enough }
	wantIs(t, s.Journal(0).Follow(deadline(t), 0, at, refuse), enough)
	wantIs(t, s.Journal(0).Replay(deadline(t), 0, 1, refuse), enough)
}

// An ordered consumer jumped from 3 to 90 without an error.
func TestAPurgeThatPassesAFollowerIsAGap(t *testing.T) {
	_, _, s := newStore(t)
	p := seize(t, s, "a")
	for range 5 {
		write(t, p, "x")
	}
	if err := s.Journal(0).Purge(deadline(t), 3); err != nil {
		t.Fatal(err)
	}
	ignore := func(broker.Append) error { return nil }
	wantIs(t, s.Journal(0).Follow(deadline(t), 2, at, ignore), broker.ErrGap)
	wantIs(t, s.Journal(0).Replay(deadline(t), 2, 6, ignore), broker.ErrGap)
	wantIs(t, s.Journal(0).Replay(deadline(t), 2, 3, ignore), broker.ErrGap)
	if diff := cmp.Diff([]string{"a:x", "a:x", "a:x"}, replay(t, s, 3)); diff != "" {
		t.Error(diff)
	}
}

// The consumer is far ahead of its reader when the purge comes, and is then lost: the
// consumer that replaces it begins behind the gap.
func TestAPurgeWhileFollowingIsAGapOrIsNotSeen(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		s := brokertest.Store(t, nc)
		p := seize(t, s, "a")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		// Behind the reader's back the consumer is deleted, and the messages that it has
		// not read yet are purged.
		first := true
		err := s.Journal(0).Follow(ctx, 0, at, func(a broker.Append) error {
			if first {
				first = false
				deleteConsumers(t, nc, "PLAN_JOURNAL")
				for range 3 {
					write(t, p, "x")
				}
				return s.Journal(0).Purge(ctx, 3)
			}
			return nil
		})
		wantIs(t, err, broker.ErrGap)
	})
}

func TestAJournalThatEndsBelowItsReaderHasChanged(t *testing.T) {
	_, _, s := newStore(t)
	seize(t, s, "a")
	ignore := func(broker.Append) error { return nil }
	wantChanged(t, s.Journal(0).Follow(deadline(t), 7, at, ignore), "PLAN_JOURNAL")
	wantChanged(t, s.Journal(0).Replay(deadline(t), 0, 7, ignore), "PLAN_JOURNAL")
}

func TestPurgeNeverTakesTheNewest(t *testing.T) {
	_, _, s := newStore(t)
	p := seize(t, s, "a")
	for range 4 {
		write(t, p, "x")
	}
	for _, upTo := range []uint64{0, 2, 5, 100} {
		if err := s.Journal(0).Purge(deadline(t), upTo); err != nil {
			t.Fatal(err)
		}
		state, err := s.Journal(0).State(deadline(t))
		if err != nil {
			t.Fatal(err)
		}
		if first := min(upTo+1, 5); state.First != first || state.Last != 5 {
			t.Errorf("after a purge up to %d: %d to %d", upTo, state.First, state.Last)
		}
	}
	if seq := write(t, p, "y"); seq != 6 {
		t.Errorf("append %d", seq)
	}
}

func TestARestartedServerKeepsItAll(t *testing.T) {
	dir := t.TempDir()
	var before broker.Installation
	for round := range 2 {
		ns, err := embed.Start(t.Context(), embed.Options{StoreDir: dir, SyncAlways: true})
		if err != nil {
			t.Fatal(err)
		}
		nc, err := ns.Connect()
		if err != nil {
			t.Fatal(err)
		}
		s := brokertest.Store(t, nc)
		p := seize(t, s, "a")
		found := fence(t, s.TableChain(0), p, "a")
		switch round {
		case 0:
			before = s.Installation()
			write(t, p, "one")
			if err := s.TableChain(0).Write(deadline(t), rows(s, "plan.s.1"), upTo(3)); err != nil {
				t.Fatal(err)
			}
		case 1:
			if diff := cmp.Diff(before, s.Installation()); diff != "" {
				t.Error(diff)
			}
			if found.UpTo != upTo(3) {
				t.Errorf("found %+v", found)
			}
			if diff := cmp.Diff([]string{"a+", "a:one", "a+"}, replay(t, s, 0)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{"plan.s.1=v"}, scan(t, s)); diff != "" {
				t.Error(diff)
			}
		}
		p.Close()
		s.TableChain(0).Close()
		nc.Close()
		if err := ns.Shutdown(); err != nil {
			t.Fatal(err)
		}
	}
}
