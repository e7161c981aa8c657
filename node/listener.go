package node

import (
	"container/list"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A limitedListener has so many connections at a time, so that whoever opens more takes no
// open files from the stores. When there are as many, the one that has been idle for the
// longest is closed for the next that comes; while each has a request under way, that one
// waits.
type limitedListener struct {
	net.Listener
	most int
	log  *slog.Logger
	told rate.Sometimes // that they are all taken

	mu     sync.Mutex
	free   *sync.Cond
	open   int
	idle   *list.List // of *limitedConn, the one that has been so for the longest first
	closed bool
}

// A limitedConn is one of its connections.
type limitedConn struct {
	net.Conn
	of   *limitedListener
	once sync.Once
	at   *list.Element // in idle; nil: a request is under way
}

func limit(of net.Listener, most int, log *slog.Logger) *limitedListener {
	l := &limitedListener{Listener: of, most: most, log: log, told: rate.Sometimes{Interval: time.Minute}, idle: list.New()}
	l.free = sync.NewCond(&l.mu)
	return l
}

// Accept waits for a connection, and until there is room for it.
func (l *limitedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.open >= l.most && !l.closed {
		l.told.Do(func() {
			l.log.Warn("as many HTTP connections are open as may be; idle ones are closed for those that come", "most", l.most)
		})
		if oldest := l.idle.Front(); oldest != nil {
			l.shut(oldest.Value.(*limitedConn))
			continue
		}
		l.free.Wait()
	}
	if l.closed {
		_ = conn.Close()
		return nil, net.ErrClosed
	}
	l.open++
	it := &limitedConn{Conn: conn, of: l}
	it.at = l.idle.PushBack(it)
	return it, nil
}

// noted is an http.Server's ConnState.
func (l *limitedListener) noted(conn net.Conn, state http.ConnState) {
	it, ok := conn.(*limitedConn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateActive:
		l.busy(it)
	case http.StateIdle:
		if it.at == nil {
			it.at = l.idle.PushBack(it)
		}
	}
}

// busy takes it from those that are idle. The caller holds mu.
func (l *limitedListener) busy(it *limitedConn) {
	if it.at != nil {
		l.idle.Remove(it.at)
		it.at = nil
	}
}

// shut closes a connection. The caller holds mu.
func (l *limitedListener) shut(it *limitedConn) (err error) {
	l.busy(it) // also one that is closed, because Accept looks for another until none is idle
	it.once.Do(func() {
		l.open--
		l.free.Signal()
		err = it.Conn.Close()
	})
	return err
}

// Close closes the connection, once.
func (it *limitedConn) Close() error {
	it.of.mu.Lock()
	defer it.of.mu.Unlock()
	return it.of.shut(it)
}

// Close ends Accept.
func (l *limitedListener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.free.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}
