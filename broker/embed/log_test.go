package embed

import (
	"log/slog"
	"strings"
	"testing"
)

// Clients that provoke a line each time fill no disk, and the next line has the number of
// the dropped ones.
func TestLinesThatClientsProvokeAreBounded(t *testing.T) {
	var log strings.Builder
	l := newLogger(slog.New(slog.NewTextHandler(&log, nil)), nil, nil)
	for range 10_000 {
		l.Errorf("client parser error")
	}
	if lines := strings.Count(log.String(), "\n"); lines < linesAtOnce || lines > 2*linesAtOnce {
		t.Errorf("%d lines", lines)
	}
}

// A node of the cluster that does not listen is tried each second, and logged now and then.
func TestAMissingRouteIsLoggedNowAndThen(t *testing.T) {
	var log strings.Builder
	l := newLogger(slog.New(slog.NewTextHandler(&log, nil)), nil, nil)
	for attempt := range 100 {
		l.Errorf("Error trying to connect to route (attempt %v): %v", attempt, "refused")
	}
	l.Errorf("something else")
	if lines := strings.Count(log.String(), "\n"); lines != 3 {
		t.Errorf("%d lines:\n%s", lines, log.String())
	}
}

// After kill -9 each stream's index is rebuilt, which is one debug line.
func TestAStoreThatWasNotClosedIsOneLine(t *testing.T) {
	var log strings.Builder
	l := newLogger(slog.New(slog.NewTextHandler(&log, nil)), nil, nil)
	for _, stream := range []string{"A", "B"} {
		l.Warnf("Filestore [%s] Recovering stream state from index errored: %v", stream, "prior state file")
		l.Warnf("Filestore [%s] Stream state outdated, last block has additional entries, will rebuild", stream)
		l.Warnf("Filestore [%s] Stream state outdated, found extra blocks, will rebuild", stream)
		l.Warnf("Filestore [%s] TTL state is outdated; attempting to recover using linear scan (seq %d to %d)", stream, 1, 2)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "nothing has to be repaired") || strings.Contains(text, "WARN") {
		t.Errorf("%s", text)
	}
	log.Reset()
	if l.Warnf("something else"); !strings.Contains(log.String(), "WARN") {
		t.Errorf("%s", log.String())
	}
}

// Two nodes of one name try each other each second, and each logs it now and then, with the
// remedy.
func TestATakenNameIsLoggedNowAndThen(t *testing.T) {
	var log strings.Builder
	l := newLogger(slog.New(slog.NewTextHandler(&log, nil)), nil, nil)
	l.Errorf("127.0.0.1:6222 - rid:7 - processRemoteSub Parse Error: 'R x'") // of its own
	for range 100 {
		l.Errorf("127.0.0.1:6222 - rid:94 - Remote server has a duplicate name: %q", "n2")
		l.Errorf("127.0.0.1:6222 - rid:94 - processRemoteSub Parse Error: 'R $NRG.R.lo0IHzbf'")
	}
	if logged := log.String(); strings.Count(logged, "\n") != 2 || !strings.Contains(logged, "--node") {
		t.Errorf("logged %s", logged)
	}
}
