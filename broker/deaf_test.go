package broker_test

import (
	"net"
	"sync/atomic"

	"github.com/nats-io/nats-server/v2/server"
)

// A deafProvider gives in-process connections that break at the next read while deaf is
// set: the server's answer is lost, although the server has done its work. One break clears
// deaf; the client reconnects and reads again.
type deafProvider struct {
	ns   *server.Server
	deaf *atomic.Bool
}

func (p deafProvider) InProcessConn() (net.Conn, error) {
	c, err := p.ns.InProcessConn()
	return &deafConn{c, p.deaf}, err
}

type deafConn struct {
	net.Conn
	deaf *atomic.Bool
}

func (c *deafConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == nil && c.deaf.CompareAndSwap(true, false) {
		c.Conn.Close()
		return 0, net.ErrClosed
	}
	return n, err
}
