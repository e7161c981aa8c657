package embed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/internal/listener"
)

// A routePort accepts the connections of the other servers of a cluster in place of
// nats-server, which has no bound for them, and copies them to and from its listener on
// loopback. The client of a cluster connection speaks first, so silent connections do not
// get that far.
type routePort struct {
	*listener.Listener
	log    *slog.Logger
	native func() *server.Server // the one that runs or starts; nil: none
	within time.Duration         // see identifyWithin

	open  context.Context // until stop
	stop  context.CancelFunc
	parts sync.WaitGroup

	behind behind
}

const (
	// identifyWithin bounds the time until nats-server has authenticated a connection as
	// one of a server of the cluster: TLS and CONNECT have handshakeSeconds each.
	identifyWithin = 3 * handshakeSeconds * time.Second
	// identifyFirst is the time until nats-server is asked first; each further wait is
	// twice as long.
	identifyFirst = 50 * time.Millisecond
	// stalledAfter is the time after which a connection that accepts no bytes is closed,
	// because nats-server notices only its own end of it.
	stalledAfter = time.Minute
	// copied is the number of bytes that are copied at a time.
	copied = 32 << 10
)

// listenForRoutes takes the address; connections wait until serve.
func listenForRoutes(ctx context.Context, c *Cluster, log *slog.Logger, native func() *server.Server) (*routePort, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", c.Listen)
	switch {
	case errors.Is(err, errAddressInUse):
		return nil, fmt.Errorf("%s is in use: is another nats-server or stationmaster running? (--cluster-listen takes another address)", c.Listen)
	case err != nil:
		return nil, fmt.Errorf("listen for the cluster on %q: %w", c.Listen, err)
	}
	p := &routePort{log: log, native: native, within: identifyWithin}
	p.open, p.stop = context.WithCancel(context.Background())
	peers := &peers{hosts: c.hosts(), look: func(f func(context.Context)) { p.parts.Go(func() { f(p.open) }) }}
	p.Listener = listener.New(l, listener.Options{Name: "cluster", Most: c.maxConns(), Expected: peers.have, Logger: log})
	return p, nil
}

// advertised is host:port at which the other servers reach it.
func (p *routePort) advertised(c *Cluster) (string, error) {
	host, _, err := net.SplitHostPort(c.Listen)
	if c.Advertise != "" {
		host = c.Advertise
	}
	return net.JoinHostPort(host, strconv.Itoa(p.Addr().(*net.TCPAddr).Port)), err
}

// serve accepts connections until close.
func (p *routePort) serve() {
	const least, most = 5 * time.Millisecond, time.Second
	wait := least
	for {
		conn, err := p.AcceptConn()
		switch {
		case err == nil:
			wait = least
			p.parts.Go(func() { p.pass(conn) })
		case errors.Is(err, net.ErrClosed):
			return
		default:
			p.log.Error("take a connection of the cluster", "error", err)
			select {
			case <-time.After(wait):
			case <-p.open.Done():
				return
			}
			wait = min(2*wait, most)
		}
	}
}

// close ends all connections and their goroutines.
func (p *routePort) close() error {
	err := p.Close()
	p.stop()
	p.parts.Wait()
	if err != nil {
		return fmt.Errorf("close the port of the cluster: %w", err)
	}
	return nil
}

// pass copies a connection once its first bytes have come.
func (p *routePort) pass(conn *listener.Conn) {
	ctx, end := context.WithCancel(p.open)
	defer end()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	defer func() { _ = conn.Close() }()
	first := make([]byte, copied)
	if err := conn.SetReadDeadline(time.Now().Add(handshakeSeconds * time.Second)); err != nil {
		return
	}
	n, err := conn.Read(first)
	if err != nil {
		return
	}
	conn.Is(listener.Begun)
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		return
	}
	ns, inner, err := p.dial(ctx)
	if err != nil {
		p.log.Debug("a connection of the cluster finds no server", "from", conn.RemoteAddr(), "error", err)
		return // the peer tries again, as it does without a listener
	}
	defer func() { _ = inner.Close() }()
	defer context.AfterFunc(ctx, func() { _ = inner.Close() })()
	seen := inner.LocalAddr().(*net.TCPAddr)
	defer p.behind.put(seen.Port, conn.RemoteAddr())()

	// nats-server ends both directions together, and so does this.
	p.parts.Go(func() {
		defer end()
		pump(conn, inner, make([]byte, copied), 0)
	})
	p.parts.Go(func() {
		if identified(ctx, ns, seen, p.within) {
			conn.Is(listener.Known)
		} else {
			end()
		}
	})
	pump(inner, conn, first, n)
}

// dial connects to nats-server.
func (p *routePort) dial(ctx context.Context) (*server.Server, net.Conn, error) {
	ns := p.native()
	if ns == nil {
		return nil, nil, errStopped
	}
	at := ns.ClusterAddr()
	if at == nil {
		return nil, nil, errors.New("nats-server takes no connections of the cluster yet")
	}
	dialer := net.Dialer{Timeout: handshakeSeconds * time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", at.String())
	return ns, conn, err
}

// pump writes the n bytes in buf to one connection, and then all bytes of another one,
// until either ends.
func pump(to, of net.Conn, buf []byte, n int) {
	for {
		if n > 0 {
			if err := to.SetWriteDeadline(time.Now().Add(stalledAfter)); err != nil {
				return
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		var err error
		if n, err = of.Read(buf); err != nil && n == 0 {
			return
		}
	}
}

// identified waits until a nats-server has authenticated the connection that it sees as
// seen as one of a server of its cluster; false: that took too long, or ctx ended.
func identified(ctx context.Context, ns *server.Server, seen *net.TCPAddr, within time.Duration) bool {
	began := time.Now()
	for wait := identifyFirst; time.Since(began) < within; wait *= 2 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false
		}
		routes, err := ns.Routez(nil)
		if err != nil {
			continue
		}
		for _, r := range routes.Routes {
			if r.Port == seen.Port && r.IP == seen.IP.String() {
				return true
			}
		}
	}
	return false
}

// A behind knows the peers behind the connections that nats-server sees from loopback, by
// their ports. Ended ones are kept for a while, because nats-server still logs about them.
type behind struct {
	mu    sync.Mutex
	who   map[int]*origin
	ended [64]int // the last ports whose connections have ended
	next  int
}

type origin struct {
	from  string
	ended bool
}

// put records from as the peer behind a port, until the returned function is called.
func (b *behind) put(port int, from net.Addr) (end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.who == nil {
		b.who = map[int]*origin{}
	}
	o := &origin{from: from.String()}
	b.who[port] = o
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		o.ended = true
		if last := b.who[b.ended[b.next]]; last != nil && last.ended && last != o {
			delete(b.who, b.ended[b.next])
		}
		b.ended[b.next] = port
		b.next = (b.next + 1) % len(b.ended)
	}
}

// at is the peer behind a port; empty: unknown.
func (b *behind) at(port int) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	if o := b.who[port]; o != nil {
		return o.from
	}
	return ""
}
