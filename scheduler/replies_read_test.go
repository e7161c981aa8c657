package scheduler_test

import (
	"errors"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A gate is the connection of a leader's replies. While it is shut, messages of the server lie in
// it unread; while it is cut, there is no connection. A leaking gate loses its outgoing bytes,
// until there is another.
type gate struct {
	ns   *server.Server
	mu   sync.Mutex
	open chan struct{} // closed while incoming bytes are read
	cut  bool
	conn *gated
}

func (g *gate) InProcessConn() (net.Conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cut {
		return nil, errors.New("cut")
	}
	c, err := g.ns.InProcessConn()
	g.conn = &gated{Conn: c, gate: g}
	return g.conn, err
}

type gated struct {
	net.Conn
	gate  *gate
	leaks atomic.Bool
}

func (c *gated) Write(b []byte) (int, error) {
	if c.leaks.Load() {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *gated) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.gate.mu.Lock()
	open := c.gate.open
	c.gate.mu.Unlock()
	<-open
	return n, err
}

// shut leaves incoming messages unread from now on, until the gate is opened.
func (g *gate) shut() (opened func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	open := make(chan struct{})
	g.open = open
	return sync.OnceFunc(func() { close(open) })
}

// leak has the connection lose its outgoing bytes from now on.
func (g *gate) leak() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.conn.leaks.Store(true)
}

// sever takes the connection away, until it is mended.
func (g *gate) sever() (mend func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cut = true
	_ = g.conn.Close() // it is to be gone
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.cut = false
	}
}

// withGate starts a scheduler whose replies come through a gate.
func withGate(t *testing.T, ns *server.Server, change ...func(*scheduler.Config)) (*testbed, *gate) {
	t.Helper()
	g := &gate{ns: ns, open: make(chan struct{})}
	close(g.open)
	nc, err := nats.Connect("", nats.InProcessServer(g), nats.ReconnectBufSize(-1), nats.MaxReconnects(-1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return start(t, ns, append(change, func(c *scheduler.Config) { c.Dispatch = nc })...), g
}

// underWay makes a plan that has five seconds and no second attempt, and returns its execution.
func (b *testbed) underWay() *nats.Msg {
	b.t.Helper()
	work := b.subscribe("station.s")
	b.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none","exec_timeout":5,"retry":{"strategy":"none"}}`)
	m, err := work.NextMsg(time.Second)
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

// answerOK replies to the server that an execution is done.
func (b *testbed) answerOK(m *nats.Msg) {
	b.t.Helper()
	if err := m.Respond([]byte(`{"state":"ok"}`)); err != nil {
		b.t.Fatal(err)
	}
	if err := b.user.Flush(); err != nil {
		b.t.Fatal(err)
	}
}

// An answer that the connection holds when its execution's time is up is read before a timeout is
// decided, however punctual the leader is. Other due work does not wait for it.
func TestRepliesInTheConnectionAreReadBeforeATimeout(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, g := withGate(t, ns)
		results, others := b.results(), b.subscribe("station.other")
		m := b.underWay()
		b.create(`{"plan_id":"q","station":"other","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1,"overlap":"parallel"}`)
		time.Sleep(4900 * time.Millisecond)
		open := g.shut()
		defer open()
		b.answerOK(m)
		before, _, _ := others.Pending()
		time.Sleep(2 * time.Second)
		if after, _, _ := others.Pending(); after != before+2 {
			t.Errorf("%d executions of another plan in two seconds, want 2", after-before)
		}
		open()
		if r := next(t, results); r.State != schema.StateOK || r.Attempt != 1 {
			t.Errorf("it ends %s (%s)", r.State, r.Reason)
		}
	})
}

// An answer that was captured while the leader's connection was away counts, though its time was up
// when the connection came back.
func TestCapturedRepliesAreReadBeforeATimeout(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, g := withGate(t, ns)
		results := b.results()
		m := b.underWay()
		time.Sleep(4500 * time.Millisecond)
		mend := g.sever()
		b.answerOK(m)
		time.Sleep(3 * time.Second)
		mend()
		if r := next(t, results); r.State != schema.StateOK || r.Attempt != 1 {
			t.Errorf("it ends %s (%s)", r.State, r.Reason)
		}
	})
}

// An answer that was captured long before the connection came back is read first, too, if no other
// node has replaced the leader meanwhile.
func TestRepliesCapturedLongAgoAreRead(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		b, g := withGate(t, ns)
		results, work := b.results(), b.subscribe("station.s")
		b.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none","retry":{"strategy":"none"}}`)
		m, err := work.NextMsg(time.Second)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		mend := g.sever()
		b.answerOK(m)
		for range 20 { // other replies come, too
			time.Sleep(time.Second)
			b.answerOK(&nats.Msg{Reply: m.Reply + "0", Sub: m.Sub})
		}
		mend()
		time.Sleep(3 * time.Second)
		if n, _, _ := results.Pending(); n == 0 {
			t.Fatal("it was not received")
		}
		if r := next(t, results); r.State != schema.StateOK || r.Attempt != 1 {
			t.Errorf("it ends %s (%s)", r.State, r.Reason)
		}
	})
}

// A leader that receives no replies leads no longer than a take-over may last; the next leader
// reads the captured replies, and an execution without any ends.
func TestLeaderThatCannotReadRepliesLeavesTheLease(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		book := new(logReader)
		b, g := withGate(t, ns, book.of(t))
		results, work := b.results(), b.subscribe("station.silent")
		m := b.underWay()
		b.create(`{"plan_id":"q","station":"silent","command":"c","plan_type":"none","exec_timeout":5,"retry":{"strategy":"none"}}`)
		if _, err := work.NextMsg(time.Second); err != nil {
			t.Fatal(err)
		}
		time.Sleep(4 * time.Second)
		open := g.shut()
		defer open()
		b.answerOK(m)
		time.Sleep(14 * time.Second)
		if line := book.standDown(); line != "" {
			t.Errorf("too early: %s", line)
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if line := book.standDown(); !strings.Contains(line, "the replies of workers could not be read in time") {
			t.Errorf("stood down: %q", line)
		}
		if n, _, _ := results.Pending(); n > 0 {
			t.Errorf("%d results are broadcast by a leader that reads no replies", n)
		}
		open()
		var ends []string
		for range 2 {
			r := next(t, results)
			ends = append(ends, r.PlanID+" "+string(r.State))
		}
		slices.Sort(ends)
		if want := []string{"p ok", "q failure"}; !slices.Equal(ends, want) {
			t.Errorf("they end %q, want %q", ends, want)
		}
	})
}
