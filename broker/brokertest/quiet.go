package brokertest

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/nats-io/nats-server/v2/server"
)

// accessTimeRefs counts the users of the server's cached time. Only the first of them starts its
// goroutine.
//
//go:linkname accessTimeRefs github.com/nats-io/nats-server/v2/server/ats.refs
var accessTimeRefs atomic.Int64

// accessTime is the server's cached time, in Unix nanoseconds.
//
//go:linkname accessTime github.com/nats-io/nats-server/v2/server/ats.utime
var accessTime atomic.Int64

// statsInterval is how often a server that starts will publish statistics.
//
//go:linkname statsInterval github.com/nats-io/nats-server/v2/server.statsHBInterval
var statsInterval time.Duration

// setLogInterval sets how often a server looks for old entries among its repeated log lines.
//
//go:linkname setLogInterval github.com/nats-io/nats-server/v2/server.(*Server).changeRateLimitLogInterval
func setLogInterval(ns *server.Server, interval time.Duration)

// quietInterval is an interval that does not pass.
const quietInterval = 100 * 365 * 24 * time.Hour

// QuietBubble is a [Bubble] for tests in which months pass. The server's cached time, by which it
// drops blocks that it has read ahead, stands still, because it would be set ten times a second.
func QuietBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	accessTimeRefs.Add(1)
	defer accessTimeRefs.Add(-1)
	Bubble(t, f)
}

// QuietServer runs a server whose clocks do not tick while nothing happens, in a [QuietBubble].
func QuietServer(t *testing.T) *server.Server {
	t.Helper()
	usual := statsInterval
	statsInterval = quietInterval
	ns := Server(t, func(o *server.Options) { o.SyncInterval, o.PingInterval = quietInterval, quietInterval })
	statsInterval = usual
	synctest.Wait() // it listens for the interval then
	setLogInterval(ns, quietInterval)
	return ns
}

// Age has a server in a [QuietBubble] drop blocks that it has read ahead, because it would
// otherwise check their age every few seconds.
func Age() { accessTime.Store(time.Now().Add(time.Hour).UnixNano()) }
