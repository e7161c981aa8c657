package worker

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

// A message at which the library itself panics is lost, and no other.
func TestAMessageAtWhichTheLibraryPanicsIsDropped(t *testing.T) {
	var log strings.Builder
	heard := 0
	f := contained(slog.New(slog.NewTextHandler(&log, nil)), func(m *nats.Msg) {
		if heard++; m.Subject == "bad" {
			panic("planted")
		}
	})
	for _, subject := range []string{"bad", "good"} {
		f(&nats.Msg{Subject: subject})
	}
	if heard != 2 || !strings.Contains(log.String(), "subject=bad panic=planted stack=") {
		t.Errorf("%d were heard, and the log says %s", heard, log.String())
	}
}
