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
	received := 0
	f := contained(slog.New(slog.NewTextHandler(&log, nil)), func(m *nats.Msg) {
		if received++; m.Subject == "bad" {
			panic("planted")
		}
	})
	for _, subject := range []string{"bad", "good"} {
		f(&nats.Msg{Subject: subject})
	}
	if received != 2 || !strings.Contains(log.String(), "subject=bad panic=planted stack=") {
		t.Errorf("%d were received, and the log is %s", received, log.String())
	}
}
