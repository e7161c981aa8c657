package broker_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// A message that is no append must not stop the scheduler for good.
func TestForeignMessagesAreSteppedOver(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	publish(t, nc, "scheduler.journal.0", []byte("hello?"))
	publish(t, nc, "scheduler.journal.0", nil)
	if seq := write(t, p, "one"); seq != 4 {
		t.Errorf("append %d", seq)
	}
	if diff := cmp.Diff([]string{"a+", "a:one"}, replay(t, s, 0)); diff != "" {
		t.Error(diff)
	}
	if s.Journal(0).Foreign() == 0 {
		t.Error("they were not counted")
	}
	publish(t, nc, "scheduler.journal.0", []byte("hello again"))
	b := seize(t, s, "b")
	if b.Seq() != 6 || b.Epoch() != p.Epoch()+1 {
		t.Errorf("seized at %d with epoch %d", b.Seq(), b.Epoch())
	}
}

// A foreign publisher on the journal's subject makes appends slower, and stops none,
// because an append is tried again behind the foreign messages for as long as they come.
func TestAppendsGoOnUnderAFlood(t *testing.T) {
	ns, _, s := newStore(t)
	p := seize(t, s, "a")
	want := []string{"a+"}
	flooded(t, ns, s, func() {
		for i := range 50 {
			write(t, p, strconv.Itoa(i))
			want = append(want, "a:"+strconv.Itoa(i))
		}
	})
	if diff := cmp.Diff(want, replay(t, s, 0)); diff != "" {
		t.Error(diff)
	}
}

func TestAJournalIsSeizedUnderAFlood(t *testing.T) {
	ns, _, s := newStore(t)
	a := seize(t, s, "a")
	write(t, a, "one")
	flooded(t, ns, s, func() {
		b := seize(t, s, "b")
		if b.Epoch() != a.Epoch()+1 {
			t.Errorf("epoch %d behind %d: the messages behind the newest append hid it", b.Epoch(), a.Epoch())
		}
		_, err := a.Append(deadline(t), []byte("two"))
		wantIs(t, err, broker.ErrFenced)
		write(t, b, "three")
	})
	if diff := cmp.Diff([]string{"a+", "a:one", "b+", "b:three"}, replay(t, s, 0)); diff != "" {
		t.Error(diff)
	}
}

// flooded calls do while a stranger writes into the journal as fast as the server takes it,
// once some thousands of messages have arrived.
func flooded(t *testing.T, ns *server.Server, s *broker.Store, do func()) {
	t.Helper()
	nc := brokertest.Connect(t, ns)
	ctx, stop := context.WithCancel(deadline(t))
	defer stop()
	ended := make(chan error, 1)
	many := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			if n == 5000 {
				close(many)
			}
			err := nc.Publish("scheduler.journal.0", []byte(`{"worker_id":"hello-1"}`))
			if err == nil {
				err = nc.Flush()
			}
			if err != nil || ctx.Err() != nil {
				ended <- err
				return
			}
		}
	}()
	<-many
	before := last(t, s)
	do()
	if n := last(t, s) - before; n < 100 {
		t.Errorf("only %d messages came meanwhile: that is no flood", n)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func last(t *testing.T, s *broker.Store) uint64 {
	t.Helper()
	state, err := s.Journal(0).State(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	return state.Last
}

// A journal that delivers little, because a flood keeps its server busy, is not taken for one
// that lost its end. No loss is reported, and the newest leadership is found.
func TestASlowJournalIsNotTakenForAShortOne(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		silent := new(atomic.Bool)
		s := brokertest.Store(t, brokertest.Connect(t, silentProvider{ns, silent}, nats.MaxReconnects(-1)), quiet(t))
		a := seize(t, s, "a")
		fence(t, s.TableChain(0), a, "a")
		nc := brokertest.Connect(t, ns)
		for range 1000 {
			publish(t, nc, "scheduler.journal.0", []byte("junk"))
		}
		silent.Store(true)
		time.AfterFunc(20*time.Second, func() { silent.Store(false) })
		if b := seize(t, s, "b"); b.Epoch() != a.Epoch()+1 {
			t.Errorf("epoch %d behind %d", b.Epoch(), a.Epoch())
		}
		wantDamage(t, s)
	})
}

// A silentProvider gives connections whose consumers deliver nothing while silent is set.
type silentProvider struct {
	ns     *server.Server
	silent *atomic.Bool
}

func (p silentProvider) InProcessConn() (net.Conn, error) {
	c, err := p.ns.InProcessConn()
	return &silentConn{c, p.silent}, err
}

type silentConn struct {
	net.Conn
	silent *atomic.Bool
}

func (c *silentConn) Write(b []byte) (int, error) {
	if c.silent.Load() {
		b = bytes.ReplaceAll(b, []byte("CONSUMER.MSG.NEXT"), []byte("CONSUMER.MSG.NONE"))
	}
	return c.Conn.Write(b)
}

// Foreign messages around it hide neither a take-over nor an append that landed.
func TestAmongForeignMessagesATakeOverIsSeen(t *testing.T) {
	_, nc, s := newStore(t)
	for _, junk := range []int{1, 80} { // read one by one after a refusal, and by a consumer
		a := seize(t, s, "a")
		for range junk {
			publish(t, nc, "scheduler.journal.0", []byte("junk"))
		}
		seize(t, s, "b")
		for range junk {
			publish(t, nc, "scheduler.journal.0", []byte("junk"))
		}
		_, err := a.Append(deadline(t), []byte("one"))
		wantIs(t, err, broker.ErrFenced)
	}
	if diff := cmp.Diff([]string{"a+", "b+", "a+", "b+"}, replay(t, s, 0)); diff != "" {
		t.Error(diff)
	}
}

// No append is sent without permission, nor sent again behind foreign messages.
func TestEachAppendIsAskedForAmongForeignMessages(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	want := []string{"a+"}
	for _, junk := range []int{1, 80} { // read one by one after a refusal, and by a consumer
		asked, errNo := 0, errors.New("no trust")
		p.May = func(context.Context) error {
			if asked++; asked > 1 {
				return errNo
			}
			return nil
		}
		for range junk {
			publish(t, nc, "scheduler.journal.0", []byte("junk"))
		}
		_, err := p.Append(deadline(t), []byte("one"))
		wantIs(t, err, errNo)
		p = seize(t, s, "b")
		want = append(want, "b+")
	}
	if diff := cmp.Diff(want, replay(t, s, 0)); diff != "" {
		t.Error(diff)
	}
}
