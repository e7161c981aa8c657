package embed

import (
	"context"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Every client that can connect can provoke a line each time, by nonsense, by a wrong password or
// by not reading. So a limited number is logged, and the others are counted.
const (
	linesPerSecond = 2
	linesAtOnce    = 20
	// routeTries is the interval between two lines about a node of the cluster that does
	// not listen, or has this one's name, because routes are tried each second.
	routeTries = time.Minute
)

// A logger passes on nats-server's lines. Its notices ("Listening for client connections")
// are debug lines here.
type logger struct {
	log      *slog.Logger
	fatal    chan error
	lines    *rate.Limiter
	tries    *rate.Limiter // routes to nodes that do not listen
	names    *rate.Limiter // of routes to a node of the same name
	namesake atomic.Bool   // there was a route to a node of the same name
	unlogged atomic.Int64
	unclosed sync.Once
	routes   *routePort // nil without a cluster
}

func newLogger(log *slog.Logger, fatal chan error, routes *routePort) *logger {
	return &logger{
		log: log, fatal: fatal, routes: routes,
		lines: rate.NewLimiter(linesPerSecond, linesAtOnce), tries: rate.NewLimiter(rate.Every(routeTries), 2),
		names: rate.NewLimiter(rate.Every(routeTries), 1),
	}
}

// text is a line. If it begins with a connection of the cluster, which comes to nats-server
// from loopback, the line has the peer's address in its place.
func (l *logger) text(format string, v ...any) string {
	line := fmt.Sprintf(format, v...)
	address, rest, found := strings.Cut(line, " - rid:")
	if !found || l.routes == nil {
		return "nats-server: " + line
	}
	if at, err := netip.ParseAddrPort(address); err == nil && at.Addr().IsLoopback() {
		if from := l.routes.behind.at(int(at.Port())); from != "" {
			line = from + " - rid:" + rest
		}
	}
	return "nats-server: " + line
}

// bounded logs a line that a client may have provoked.
func (l *logger) bounded(level slog.Level, format string, v ...any) {
	if !l.lines.Allow() {
		l.unlogged.Add(1)
		return
	}
	var attrs []any
	if n := l.unlogged.Swap(0); n > 0 {
		attrs = []any{"unlogged", n}
	}
	l.log.Log(context.Background(), level, l.text(format, v...), attrs...)
}

func (l *logger) Noticef(format string, v ...any) {
	l.log.Debug(l.text(format, v...))
}
func (l *logger) Warnf(format string, v ...any) {
	if isRebuild(format) {
		// Of each stream: its index was not written when the process was killed, and is
		// rebuilt from the blocks on disk.
		l.unclosed.Do(func() {
			l.log.Info("the store was not closed when the process ended; nats-server builds its indexes anew, and nothing has to be repaired")
		})
		l.log.Debug(l.text(format, v...))
		return
	}
	l.bounded(slog.LevelWarn, format, v...)
}

func (l *logger) Errorf(format string, v ...any) {
	switch {
	case strings.HasPrefix(format, "Error trying to connect to route") && !l.tries.Allow():
		l.log.Debug(l.text(format, v...)) // the first line is enough
	case strings.Contains(format, "Remote server has a duplicate name"):
		l.namesake.Store(true)
		if l.names.Allow() {
			l.log.Error("another server of the cluster has the name of this node, and is not let in, nor is this one by it; " +
				"give each a name of its own (--node)")
		}
		l.log.Debug(l.text(format, v...))
	case strings.Contains(format, "processRemoteSub Parse Error") && l.namesake.Load():
		l.log.Debug(l.text(format, v...)) // rest of a route that was closed for its name
	default:
		l.bounded(slog.LevelError, format, v...)
	}
}
func (l *logger) Debugf(format string, v ...any) {
	l.log.Debug(l.text(format, v...))
}
func (l *logger) Tracef(string, ...any) {}

// Fatalf means the end of the process in nats-server, but does not end it here: Start
// returns the first one.
func (l *logger) Fatalf(format string, v ...any) {
	err := fmt.Errorf(format, v...)
	select {
	case l.fatal <- err:
	default:
		l.log.Error("nats-server: " + err.Error())
	}
}

// isRebuild reports that a line is about an index that is rebuilt. It looks at the format
// alone, so that a line which is not logged is not formatted.
func isRebuild(format string) bool {
	return strings.Contains(format, "Recovering ") && strings.Contains(format, " state from index errored") ||
		strings.Contains(format, " state is outdated; attempting to recover") ||
		strings.Contains(format, "Stream state outdated, ") && strings.HasSuffix(format, ", will rebuild")
}
