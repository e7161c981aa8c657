package listener

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A State is how far a connection is, and so whether it is closed for the next that comes.
type State int

const (
	Idle  State = iota // no request yet, or all answered; it is closed first
	Begun              // it has begun to authenticate; it is closed when none is idle
	Busy               // it stays
	Known              // it stays, and takes no place
)

// Options are the bounds of a listener.
type Options struct {
	Name string // of its connections, in the log
	Most int    // places
	// Expected reports whether an address may use the reserved places, which are as many again
	// and closed to others. Nil: there are none.
	Expected func(netip.Addr) bool
	Logger   *slog.Logger
}

// A Listener has so many connections at a time. While none can be closed for it, the next
// one waits.
type Listener struct {
	net.Listener
	options Options
	logging rate.Sometimes // that all places are taken

	mu       sync.Mutex
	free     *sync.Cond
	strange  room
	expected room
	closed   bool
}

// A room is places, and the connections in them that may be closed.
type room struct {
	most, open int
	queues     [Busy]queue // by their state
}

// New bounds the connections of a listener.
func New(of net.Listener, o Options) *Listener {
	l := &Listener{Listener: of, options: o, logging: rate.Sometimes{Interval: time.Minute}}
	l.free = sync.NewCond(&l.mu)
	l.strange.most, l.expected.most = o.Most, o.Most
	return l
}

// Accept is AcceptConn as a net.Listener has it.
func (l *Listener) Accept() (net.Conn, error) {
	c, err := l.AcceptConn()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// AcceptConn waits for a connection, and until there is a place for it.
func (l *Listener) AcceptConn() (*Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	address := from(conn)
	in := &l.strange
	if l.options.Expected != nil && l.options.Expected(address) {
		in = &l.expected
	}
	c := &Conn{Conn: conn, of: l, in: in, share: network(address)}
	l.mu.Lock()
	defer l.mu.Unlock()
	in.open++
	in.queues[Idle].add(c)
	for in.open > in.most && !l.closed {
		oldest := in.next(c)
		l.logging.Do(func() { l.logFull(in, oldest) })
		if oldest == nil {
			c.leaveQueue() // behind those that come into it meanwhile
			l.free.Wait()
			in.queues[Idle].add(c)
			continue
		}
		_ = oldest.shut() // the cause is known
	}
	if l.closed {
		_ = c.shut()
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l *Listener) logFull(in *room, oldest *Conn) {
	log := l.options.Logger.With("most", in.most)
	if oldest != nil {
		log = log.With("most_are_from", oldest.RemoteAddr())
	}
	log.Warn(fmt.Sprintf("as many %s connections are open as may be; idle ones are closed for those that come", l.options.Name))
}

// Close ends Accept.
func (l *Listener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.free.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}

// next is the connection that is closed for one that has come, which counts for its own
// address already; nil: each stays.
func (r *room) next(came *Conn) *Conn {
	for i := range r.queues {
		if c := r.queues[i].next(); c != nil && c != came {
			return c
		}
	}
	return nil
}

// A Conn is one of a listener's connections.
type Conn struct {
	net.Conn
	of    *Listener
	in    *room
	share netip.Prefix

	// The listener's mu guards these.
	state  State
	place  place
	closed bool
}

// Is sets the state. It has no effect on one that is closed, or known.
func (c *Conn) Is(s State) {
	l := c.of
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.closed || c.state == Known || c.state == s {
		return
	}
	c.leaveQueue()
	c.state = s
	switch s {
	case Idle, Begun:
		c.in.queues[s].add(c)
	case Known:
		c.in.open--
	}
	l.free.Signal() // there may be one to close now, or a place
}

// Close closes the connection, once.
func (c *Conn) Close() error {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	return c.shut()
}

// shut closes it. The caller holds the listener's mu.
func (c *Conn) shut() error {
	if c.closed {
		return nil
	}
	c.closed = true
	c.leaveQueue()
	if c.state != Known {
		c.in.open--
	}
	c.of.free.Signal()
	return c.Conn.Close()
}

func (c *Conn) leaveQueue() {
	if c.state < Busy {
		c.in.queues[c.state].remove(c)
	}
}

// from is the address that a connection comes from; zero: it has none.
func from(conn net.Conn) netip.Addr {
	if at, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		return at.AddrPort().Addr().Unmap().WithZone("")
	}
	return netip.Addr{}
}

// network is the network of an address, because a host may have any number of addresses of an
// IPv6 one.
func network(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // the zero address has the zero prefix
	return p
}
