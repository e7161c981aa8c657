package broker_test

import (
	"bytes"
	"net"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
)

// A fence that a foreign write replaced ends nothing, because the fence before it counts.
func TestAFenceThatWasOverwrittenIsMended(t *testing.T) {
	_, nc, _ := newStore(t)
	s := brokertest.Store(t, nc, quiet(t))
	p := seize(t, s, "a")
	fence(t, s.TableChain(0), p, "a")
	if err := s.TableChain(0).Write(deadline(t), nil, protocol.Mark{Seq: 2}); err != nil {
		t.Fatal(err)
	}
	publish(t, nc, "$KV.plans.checkpoint", []byte(confirmation))
	wantIs(t, s.TableChain(0).Write(deadline(t), nil, protocol.Mark{Seq: 2}), broker.ErrFenced)
	b := seize(t, s, "b")
	if found := fence(t, s.TableChain(0), b, "b"); found.Holder != "a" || found.UpTo.Seq != 2 {
		t.Errorf("the fence that was found is %+v", found)
	}
	if err := s.TableChain(0).Write(deadline(t), nil, protocol.Mark{Seq: 3}); err != nil {
		t.Error(err)
	}
}

// Foreign writes are distinguished from the chain's own, before its next batch and behind
// it.
func TestStrangersAreDistinguishedFromTheChain(t *testing.T) {
	_, nc, s := newStore(t)
	p := seize(t, s, "a")
	c := s.TableChain(0)
	fence(t, c, p, "a")
	write := func(key string) {
		t.Helper()
		if err := c.Write(deadline(t), []*nats.Msg{s.Table(0).Set(key, []byte("v"))}, protocol.Mark{Seq: 2}); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	look := func(want ...string) {
		t.Helper()
		var err error
		if got, err = c.Strangers(deadline(t), 2); err != nil || !slices.Equal(got, want) {
			t.Errorf("strangers are %q, %v, want %q", got, err, want)
		}
	}
	write("mine")
	look()
	publish(t, nc, "$KV.plans.state.s.one", []byte(confirmation))
	write("mine")
	look("$KV.plans.state.s.one")
	for range 3 {
		publish(t, nc, "$KV.plans.state.s.two", []byte(confirmation))
	}
	look("$KV.plans.state.s.two", "$KV.plans.state.s.two") // a row has a history of two
	look()
	write("mine")
	look()
}

// The messages of a leader that has taken over are not foreign ones, though the one before does not
// know of it yet.
func TestASuccessorIsNoStranger(t *testing.T) {
	_, nc, s := newStore(t)
	before := s.TableChain(0)
	fence(t, before, seize(t, s, "a"), "a")
	other := brokertest.Store(t, nc)
	after := other.TableChain(0)
	fence(t, after, seize(t, other, "b"), "b")
	if err := after.Write(deadline(t), []*nats.Msg{other.Table(0).Set("state.s.one", []byte("v"))}, protocol.Mark{Seq: 2}); err != nil {
		t.Fatal(err)
	}
	if got, err := before.Strangers(deadline(t), 2); err != nil || len(got) > 0 {
		t.Errorf("strangers are %q, %v", got, err)
	}
}

// A foreign write that cannot be read now is reported the next time.
func TestUnreadableStrangersAreReportedLater(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		unread := new(atomic.Bool)
		s := brokertest.Store(t, brokertest.Connect(t, unreadProvider{ns, unread}, nats.MaxReconnects(-1)))
		c := s.TableChain(0)
		fence(t, c, seize(t, s, "a"), "a")
		publish(t, brokertest.Connect(t, ns), "$KV.plans.state.s.one", []byte(confirmation))
		unread.Store(true)
		if got, err := c.Strangers(deadline(t), 2); err == nil {
			t.Errorf("strangers are %q though none was read", got)
		}
		if got, err := c.Strangers(deadline(t), 2); err != nil || !slices.Equal(got, []string{"$KV.plans.state.s.one"}) {
			t.Errorf("strangers are %q, %v", got, err)
		}
	})
}

// An unreadProvider gives connections that lose the answer to the next read of a message
// once unread is set.
type unreadProvider struct {
	ns     *server.Server
	unread *atomic.Bool
}

func (p unreadProvider) InProcessConn() (net.Conn, error) {
	c, err := p.ns.InProcessConn()
	deaf := new(atomic.Bool)
	return &unreadConn{&deafConn{c, deaf}, p.unread, deaf}, err
}

type unreadConn struct {
	net.Conn
	unread, deaf *atomic.Bool
}

func (c *unreadConn) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(".MSG.GET.")) && c.unread.CompareAndSwap(true, false) {
		c.deaf.Store(true)
	}
	return c.Conn.Write(b)
}
