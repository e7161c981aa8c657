package embed

import (
	"log/slog"
	"strings"
	"testing"
)

// Who provokes a line each time fills no disk, and the next line says how many there
// were.
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
