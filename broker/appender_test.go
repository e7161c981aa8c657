package broker_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

func TestAppendsLandInOrder(t *testing.T) {
	_, _, s := newStore(t)
	p := seize(t, s, "a")
	if p.Seq() != 1 || p.Epoch() != epoch0.UnixMilli() {
		t.Errorf("seized at %d with epoch %d", p.Seq(), p.Epoch())
	}
	for i, body := range []string{"one", "two", "three"} {
		if seq := write(t, p, body); seq != uint64(i)+2 {
			t.Errorf("%s is append %d", body, seq)
		}
	}
	if diff := cmp.Diff([]string{"a+", "a:one", "a:two", "a:three"}, replay(t, s, 0)); diff != "" {
		t.Error(diff)
	}
}

func TestASecondHolderFencesTheFirst(t *testing.T) {
	_, nc, s := newStore(t)
	a := seize(t, s, "a")
	write(t, a, "one")
	b := seize(t, brokertest.Store(t, nc), "b")
	if b.Epoch() <= a.Epoch() {
		t.Errorf("epoch %d after %d", b.Epoch(), a.Epoch())
	}
	for range 2 { // for good
		_, err := a.Append(deadline(t), []byte("late"))
		wantIs(t, err, broker.ErrFenced)
	}
	write(t, b, "two")
	if diff := cmp.Diff([]string{"a+", "a:one", "b+", "b:two"}, replay(t, s, 0)); diff != "" {
		t.Error(diff)
	}
}

// Epochs exceed those of a folder that was wiped, and those of a clock that was ahead.
func TestEpochsOnlyGrow(t *testing.T) {
	_, _, s := newStore(t)
	p, err := s.Journal(0).Seize(deadline(t), "a", epoch0.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	p.Close()
	if b := seize(t, s, "b"); b.Epoch() != p.Epoch()+1 {
		t.Errorf("epoch %d after %d", b.Epoch(), p.Epoch())
	}
}

// Appends of the old leader that land meanwhile make a candidate read again, not stand
// down, because that would leave the journal without a leader.
func TestSeizingFromABusyWriter(t *testing.T) {
	ns, _, s := newStore(t)
	a, other := seize(t, s, "a"), brokertest.Store(t, brokertest.Connect(t, ns))
	done := make(chan error, 1)
	go func() {
		// At full speed the writer is first for ever, where both have one processor. A
		// pause that grows by a part of itself leaves room soon, on any machine.
		for pause := 10 * time.Microsecond; ; pause += pause / 20 {
			if _, err := a.Append(deadline(t), []byte("x")); err != nil {
				done <- err
				return
			}
			time.Sleep(pause)
		}
	}()
	waitForLast(t, s, 50)
	b := seize(t, other, "b")
	wantIs(t, <-done, broker.ErrFenced)
	if diff := cmp.Diff([]string{"b+"}, replay(t, s, b.Seq()-1)); diff != "" {
		t.Error(diff)
	}
}

func TestManyCandidatesOneWriter(t *testing.T) {
	ns, _, s := newStore(t)
	type outcome struct {
		appender *broker.Appender
		err      error
	}
	outcomes := make(chan outcome)
	const candidates = 8
	for i := range candidates {
		store := brokertest.Store(t, brokertest.Connect(t, ns))
		go func() {
			p, err := store.Journal(0).Seize(deadline(t), string(rune('a'+i)), epoch0)
			outcomes <- outcome{p, err}
		}()
	}
	epochs := map[int64]bool{}
	writers := 0
	for range candidates {
		o := <-outcomes
		switch {
		case o.err == nil:
			defer o.appender.Close()
			if epochs[o.appender.Epoch()] {
				t.Errorf("epoch %d twice", o.appender.Epoch())
			}
			epochs[o.appender.Epoch()] = true
			if _, err := o.appender.Append(deadline(t), nil); err == nil {
				writers++
			} else if !errors.Is(err, broker.ErrFenced) {
				t.Error(err)
			}
		case !errors.Is(o.err, broker.ErrFenced):
			t.Error(o.err)
		}
	}
	if len(epochs) == 0 || writers == 0 {
		t.Errorf("%d seized, %d could write", len(epochs), writers)
	}
	t.Logf("%d of %d seized, appends: %v", len(epochs), candidates, replay(t, s, 0))
}

// deafStore is a store whose connection loses the next answer once deaf is set.
func deafStore(t *testing.T, ns *server.Server) (*broker.Store, *atomic.Bool) {
	t.Helper()
	deaf := new(atomic.Bool)
	nc := brokertest.Connect(t, deafProvider{ns, deaf}, nats.MaxReconnects(-1),
		nats.ReconnectWait(10*time.Millisecond), nats.ReconnectBufSize(-1))
	return brokertest.Store(t, nc), deaf
}

func TestAnAppendWhoseAnswerIsLostIsFoundAgain(t *testing.T) {
	ns, _, _ := newStore(t)
	s, deaf := deafStore(t, ns)
	p := seize(t, s, "a")
	write(t, p, "one")
	deaf.Store(true)
	if seq := write(t, p, "two"); seq != 3 {
		t.Errorf("append %d", seq)
	}
	write(t, p, "three")
	if diff := cmp.Diff([]string{"a+", "a:one", "a:two", "a:three"}, replay(t, s, 0)); diff != "" {
		t.Error(diff)
	}
}

func TestALandedAppendCountsAlsoWhenItsAnswerWasLostToATakeOver(t *testing.T) {
	ns, _, other := newStore(t)
	s, deaf := deafStore(t, ns)
	a := seize(t, s, "a")
	deaf.Store(true)
	done := make(chan error, 1)
	go func() {
		_, err := a.Append(deadline(t), []byte("one"))
		done <- err
	}()
	// The append lands at once, though a waits for its answer.
	waitForLast(t, other, 2)
	seize(t, other, "b")
	if err := <-done; err != nil {
		t.Errorf("the append that landed: %v", err)
	}
	_, err := a.Append(deadline(t), []byte("two"))
	wantIs(t, err, broker.ErrFenced)
	if diff := cmp.Diff([]string{"a+", "a:one", "b+"}, replay(t, other, 0)); diff != "" {
		t.Error(diff)
	}
}

func waitForLast(t *testing.T, s *broker.Store, seq uint64) {
	t.Helper()
	ctx, cancel := context.WithCancel(deadline(t))
	defer cancel()
	err := s.Journal(0).Follow(ctx, 0, at, func(a broker.Append) error {
		if a.Seq >= seq {
			cancel()
		}
		return nil
	})
	wantIs(t, err, context.Canceled)
}

func TestAppendsOfANewerReleaseAreNotSkipped(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	publish(t, nc, "scheduler.journal.0", []byte("\x86\xa1v\x09\xa3new"))
	_, err := p.Append(deadline(t), []byte("one"))
	wantIs(t, err, broker.ErrNewer)
	err = s.Journal(0).Replay(deadline(t), 0, 2, func(broker.Append) error { return nil })
	wantIs(t, err, broker.ErrNewer)
}

func TestBodiesAreBounded(t *testing.T) {
	_, _, s := newStore(t)
	p := seize(t, s, "a")
	if most := p.MaxBody(); most < 1<<20-5<<10 || most > 1<<20-4<<10 {
		t.Errorf("at most %d bytes", most)
	}
	_, err := p.Append(deadline(t), make([]byte, p.MaxBody()+1))
	wantIs(t, err, broker.ErrTooLarge)
	if _, err := p.Append(deadline(t), noise(p.MaxBody())); err != nil {
		t.Errorf("the largest: %v", err)
	}
}

// noise is n incompressible bytes.
func noise(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

func TestAFullJournalWaitsForAPurge(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		cfg := brokertest.Config(t)
		cfg.JournalBytes = 1 << 20
		s := brokertest.Store(t, brokertest.Connect(t, ns), cfg)
		p := seize(t, s, "a")
		body := noise(300 << 10)
		for range 3 {
			if _, err := p.Append(deadline(t), body); err != nil {
				t.Fatal(err)
			}
		}
		done := make(chan error, 1)
		go func() {
			_, err := p.Append(deadline(t), body)
			done <- err
		}()
		time.Sleep(10 * time.Second)
		if len(done) > 0 {
			t.Fatalf("the fourth did not wait: %v", <-done)
		}
		if err := s.Journal(0).Purge(deadline(t), 3); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestAppendEndsWithItsContext(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		s := brokertest.Store(t, brokertest.Connect(t, ns))
		p := seize(t, s, "a")
		ns.Shutdown()
		stopped := errors.New("stopped")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, stopped)
		defer cancel()
		_, err := p.Append(ctx, []byte("one"))
		if !errors.Is(err, stopped) && !errors.Is(err, nats.ErrConnectionClosed) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAJournalThatWasMadeAnewStopsTheAppender(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	write(t, p, "one")
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), "PLAN_JOURNAL"); err != nil {
		t.Fatal(err)
	}
	brokertest.Store(t, nc)
	_, err = p.Append(deadline(t), []byte("two"))
	wantChanged(t, err, "PLAN_JOURNAL")
}

func TestAJournalThatIsGoneStopsTheAppender(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	if err := js.DeleteStream(t.Context(), "PLAN_JOURNAL"); err != nil {
		t.Fatal(err)
	}
	_, err = p.Append(deadline(t), []byte("two"))
	wantChanged(t, err, "PLAN_JOURNAL")
}
