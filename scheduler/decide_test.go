package scheduler

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An idle leader keeps nothing of messages of strangers, however many come.
func TestAnIdleLeaderKeepsNothingOfStrangers(t *testing.T) {
	p := newPartition(Config{Log: slog.New(slog.DiscardHandler), Metrics: metrics.New("")}, 0, new(signal), nil)
	l := &leader{
		partition: p, machine: machine.New(machine.Config{}), stallDetector: newStallDetector(),
	}
	l.machine.Lead(time.Now(), 1, time.Time{})
	d := &decider{leader: l, batch: batch.New(1 << 20)}
	d.batch.Reset(1)
	for n := range int64(1000) {
		about := schema.ReplyName{Station: "s", PlanID: "p", N: n + 1, Nonce: "0123456789abcdef"}
		if !d.step(event.ReplyReceived{About: about, Reply: schema.Reply{State: schema.StateOK}}) {
			t.Fatal("a word was not taken")
		}
	}
	if !d.batch.Empty() || len(d.stepped) != 0 {
		t.Errorf("%d words are kept for the leader behind a panic, and the batch is empty: %v", len(d.stepped), d.batch.Empty())
	}
}
