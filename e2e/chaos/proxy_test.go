//go:build linux

package chaos

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"
)

// A proxy is the connection of one node to NATS, which can be cut and slowed.
type proxy struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	state   weather
	changed chan struct{} // closed when the weather changes
	conns   map[net.Conn]bool
	closed  bool
	wg      sync.WaitGroup
}

// A weather is the condition of the connection.
type weather struct {
	refuse   bool          // connections end, and no new ones are accepted
	holdUp   bool          // bytes from the node do not arrive
	holdDown bool          // bytes from the server do not arrive
	delay    time.Duration // each piece is late by so much
	piece    int           // bytes that go at once
}

var fine = weather{piece: 32 << 10}

func newProxy(t *testing.T, target string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: target, state: fine, changed: make(chan struct{}), conns: map[net.Conn]bool{}}
	p.wg.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// newProxies returns proxies of several servers, and their addresses.
func newProxies(t *testing.T, targets []string) (links []*proxy, ways []string) {
	t.Helper()
	for _, target := range targets {
		link := newProxy(t, target)
		links, ways = append(links, link), append(ways, link.address())
	}
	return links, ways
}

// suffer sets the weather of some proxies for a while; false when ctx ended it.
func suffer(ctx context.Context, links []*proxy, w weather, lasts time.Duration) bool {
	for _, l := range links {
		l.set(w)
	}
	whole := rest(ctx, lasts)
	for _, l := range links {
		l.set(fine)
	}
	return whole
}

func (p *proxy) address() string { return p.listener.Addr().String() }

// set changes the weather. Bytes that the last one held back go on their way, because TCP
// loses nothing.
func (p *proxy) set(w weather) {
	if w.piece == 0 {
		w.piece = fine.piece
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = w
	close(p.changed)
	p.changed = make(chan struct{})
	if w.refuse {
		p.cut()
	}
}

// cut ends all connections. The caller holds mu.
func (p *proxy) cut() {
	for c := range p.conns {
		_ = c.Close()
	}
}

func (p *proxy) weather() (weather, <-chan struct{}, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state, p.changed, p.closed
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.mu.Lock()
	p.closed = true
	close(p.changed)
	p.changed = make(chan struct{})
	p.cut()
	p.mu.Unlock()
	p.wg.Wait()
}

func (p *proxy) accept() {
	for {
		node, err := p.listener.Accept()
		if err != nil {
			return
		}
		if w, _, _ := p.weather(); w.refuse {
			_ = node.Close()
			continue
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil {
			_ = node.Close()
			continue
		}
		if !p.enter(node, server) {
			return
		}
		p.wg.Go(func() { p.carry(server, node, func(w weather) bool { return w.holdUp }) })
		p.wg.Go(func() { p.carry(node, server, func(w weather) bool { return w.holdDown }) })
	}
}

func (p *proxy) enter(pair ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range pair {
		if p.closed || p.state.refuse {
			_ = c.Close()
			continue
		}
		p.conns[c] = true
	}
	return !p.closed
}

// carry copies one direction, as the weather allows.
func (p *proxy) carry(to, from net.Conn, held func(weather) bool) {
	defer func() {
		p.mu.Lock()
		delete(p.conns, from)
		p.mu.Unlock()
		_ = from.Close()
		_ = to.Close()
	}()
	buf := make([]byte, fine.piece)
	for {
		w, _, _ := p.weather()
		n, err := from.Read(buf[:w.piece])
		if n > 0 {
			w, changed, closed := p.weather()
			if closed {
				return
			}
			for held(w) {
				<-changed
				if w, changed, closed = p.weather(); closed {
					return
				}
			}
			if w.delay > 0 {
				late := time.NewTimer(w.delay)
				select {
				case <-late.C:
				case <-changed:
					late.Stop()
				}
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
