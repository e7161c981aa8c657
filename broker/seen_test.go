package broker_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An epoch that a store has known never counts as a missing one: neither that of an earlier
// leader, nor that of a successor, also when all but the newest append was purged. An
// unknown epoch is reported, with both numbers.
func TestOnlyAStoreThatWentBackLacksAnEpoch(t *testing.T) {
	_, nc, s := newStore(t)
	at := func(holder string, minutes int) *broker.Appender {
		t.Helper()
		p, err := s.Journal(0).Seize(deadline(t), holder, epoch0.Add(time.Duration(minutes)*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	a := at("a", 0)
	b := at("b", 10)
	if b.Lacks(a.Epoch()) || b.Lacks(b.Epoch()) || b.Lacks(0) || b.Lacks(-1) {
		t.Error("it lacks an epoch that its store knows, or a number that is none")
	}
	if !a.Lacks(b.Epoch()) {
		t.Error("it does not even look for a possible successor")
	}
	if _, lacks, err := a.ReportOlder(deadline(t), b.Epoch(), "w1", "hello"); lacks || err != nil {
		t.Errorf("a successor's epoch is reported: %v, %v", lacks, err)
	}
	wantDamage(t, s)

	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(deadline(t), storage.JournalStream(schema.Space{}, 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := stream.Purge(deadline(t), jetstream.WithPurgeKeep(1)); err != nil {
		t.Fatal(err)
	}
	c := at("c", 20)
	if c.Lacks(a.Epoch()) || c.Lacks(b.Epoch()) {
		t.Error("it lacks an epoch from before it")
	}

	for _, lost := range []int64{b.Epoch() + 1, c.Epoch() + 1} {
		if !c.Lacks(lost) {
			t.Errorf("epoch %d is not lacking", lost)
		}
		known, lacks, err := c.ReportOlder(deadline(t), lost, "w1", "hello")
		if known != b.Epoch() || !lacks || err != nil {
			t.Errorf("reported: %d, %v, %v", known, lacks, err)
		}
		wantDamage(t, s, fmt.Sprintf("older.PLAN_JOURNAL %d %d", lost, b.Epoch()))
	}
}
