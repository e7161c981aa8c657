package listener_test

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stationmaster-io/stationmaster/internal/listener"
)

// A gate is a listener whose connections come when a test makes them.
type gate struct {
	came   chan net.Conn
	closed chan struct{}
}

func (g *gate) Accept() (net.Conn, error) {
	select {
	case c := <-g.came:
		return c, nil
	case <-g.closed:
		return nil, net.ErrClosed
	}
}

func (g *gate) Close() error   { close(g.closed); return nil }
func (g *gate) Addr() net.Addr { return &net.TCPAddr{} }

// A visit is a connection from an address.
type visit struct {
	net.Conn
	from   string
	closed bool
}

func (v *visit) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(v.from), 1))
}
func (v *visit) Close() error { v.closed = true; return v.Conn.Close() }

// A harness has a listener under test.
type harness struct {
	*listener.Listener
	t    *testing.T
	gate *gate
}

func open(t *testing.T, most int, expected ...string) *harness {
	g := &gate{make(chan net.Conn, 1), make(chan struct{})}
	return &harness{listener.New(g, listener.Options{
		Name: "test", Most: most, Logger: slog.New(slog.DiscardHandler),
		Expected: func(a netip.Addr) bool { return slices.Contains(expected, a.String()) },
	}), t, g}
}

// comes has a connection come.
func (d *harness) comes(from string) (*visit, *listener.Conn) {
	d.t.Helper()
	ours, theirs := net.Pipe()
	d.t.Cleanup(func() { _ = ours.Close() })
	v := &visit{Conn: theirs, from: from}
	d.gate.came <- v
	c, err := d.AcceptConn()
	if err != nil {
		d.t.Fatal(err)
	}
	return v, c
}

// waits has a connection come for which there is no place, and returns the outcome of its
// Accept. It is for a bubble of synctest.
func (d *harness) waits(from string) (accepted <-chan error) {
	d.t.Helper()
	ours, theirs := net.Pipe()
	d.t.Cleanup(func() { _ = ours.Close() })
	d.gate.came <- &visit{Conn: theirs, from: from}
	errs := make(chan error, 1)
	go func() {
		_, err := d.Accept()
		errs <- err
	}()
	synctest.Wait()
	return errs
}

func TestAHostThatOpensManyConnectionsLosesItsOwn(t *testing.T) {
	const least = "10.0.0.1"
	for what, many := range map[string][]string{
		"of IPv4":        {"10.0.0.2", "10.0.0.2", "::ffff:10.0.0.2"},
		"of one network": {"2001:db8::1", "2001:db8::2", "2001:db8::3"},
	} {
		t.Run(what, func(t *testing.T) {
			d := open(t, 4)
			first, _ := d.comes(least)
			second, _ := d.comes(least)
			var opened []*visit
			for i := range 30 {
				v, _ := d.comes(many[i%len(many)])
				opened = append(opened, v)
			}
			for i, v := range opened {
				if v.closed != (i < 28) {
					t.Errorf("of 30 connections of one, the one of number %d is closed: %v", i, v.closed)
				}
			}
			if first.closed || second.closed {
				t.Error("one of another address was closed for them")
			}
		})
	}
}

func TestExpectedCallersHavePlacesOfTheirOwn(t *testing.T) {
	d := open(t, 2, "10.0.0.1")
	expected, _ := d.comes("10.0.0.1")
	for i := range 100 { // each from another address
		d.comes(fmt.Sprintf("10.1.0.%d", i))
	}
	if expected.closed {
		t.Error("a connection that was expected was closed for strangers")
	}
}

func TestKnownCallerStaysAndTakesNoPlace(t *testing.T) {
	d := open(t, 1)
	var known []*visit
	for range 10 {
		v, c := d.comes("10.0.0.1")
		c.Is(listener.Begun)
		c.Is(listener.Known)
		known = append(known, v)
	}
	begun, c := d.comes("10.0.0.1")
	c.Is(listener.Begun)
	d.comes("10.0.0.1")
	if slices.ContainsFunc(known, func(v *visit) bool { return v.closed }) || !begun.closed {
		t.Error("one that is known was closed, or one that is not has no end")
	}
}

// While each is busy the next one waits.
func TestABusyConnectionIsWaitedFor(t *testing.T) {
	for what, ends := range map[string]func(*listener.Conn){
		"until it is idle":   func(c *listener.Conn) { c.Is(listener.Idle) },
		"until it is closed": func(c *listener.Conn) { _ = c.Close() },
		// Closed and then set to idle, so that a second close would show.
		"until it is both": func(c *listener.Conn) { _ = c.Close(); c.Is(listener.Idle) },
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := open(t, 1)
				busy, c := d.comes("10.0.0.1")
				c.Is(listener.Busy)
				accepted := d.waits("10.0.0.2")
				if len(accepted) > 0 || busy.closed {
					t.Fatal("no connection waits")
				}
				ends(c)
				if err := <-accepted; err != nil || !busy.closed {
					t.Errorf("closed: %v; the next one: %v", busy.closed, err)
				}
			})
		})
	}
}

func TestCloseEndsConnectionsThatWaitForAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := open(t, 1)
		_, c := d.comes("10.0.0.1")
		c.Is(listener.Busy)
		accepted := d.waits("10.0.0.2")
		_ = d.Close()
		if err := <-accepted; !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
}

// In any states, the connection that is closed is the one that a search of all finds.
func TestTheRightOneIsClosed(t *testing.T) {
	type held struct {
		*visit
		conn  *listener.Conn
		state listener.State
		since int // when it got there
	}
	const most = 20
	r := rand.New(rand.NewPCG(1, 2))
	d := open(t, most)
	var all []*held // that are open and not known
	next := func(came string) *held {
		for _, s := range []listener.State{listener.Idle, listener.Begun} {
			count := map[string]int{}
			if s == listener.Idle {
				count[came]++
			}
			for _, h := range all {
				if h.state == s {
					count[h.from]++
				}
			}
			var best *held
			for _, h := range all {
				if h.state != s {
					continue
				}
				if best == nil || count[h.from] > count[best.from] || count[h.from] == count[best.from] && h.since < best.since {
					best = h
				}
			}
			if best != nil {
				return best
			}
		}
		return nil
	}
	for now := range 20_000 {
		if r.IntN(2) == 0 {
			from := fmt.Sprintf("10.0.0.%d", min(r.IntN(8), r.IntN(8)))
			var goes *held
			if len(all) == most {
				if goes = next(from); goes == nil {
					_ = all[0].conn.Close() // all are busy
					all = all[1:]
				}
			}
			v, c := d.comes(from)
			if goes != nil {
				all = slices.DeleteFunc(all, func(h *held) bool { return h == goes })
			}
			for _, h := range all {
				if h.closed {
					t.Fatalf("after %d steps another one is closed than should be", now)
				}
			}
			if goes != nil && !goes.closed {
				t.Fatalf("after %d steps the one that should be closed is open", now)
			}
			all = append(all, &held{v, c, listener.Idle, now})
			continue
		}
		if len(all) == 0 {
			continue
		}
		i := r.IntN(len(all))
		h := all[i]
		s := listener.State(r.IntN(int(listener.Known) + 2))
		switch {
		case s > listener.Known:
			_ = h.conn.Close()
			all = slices.Delete(all, i, i+1)
		case s == listener.Known:
			h.conn.Is(s)
			all = slices.Delete(all, i, i+1)
		case s != h.state:
			h.conn.Is(s)
			h.state, h.since = s, now
		}
	}
}
