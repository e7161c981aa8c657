package broker_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
)

// wantDamage compares the unacknowledged reports, as "name had has".
func wantDamage(t *testing.T, s *broker.Store, want ...string) {
	t.Helper()
	lost, err := s.Damage(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range lost {
		if lost[i].Text == "" || lost[i].First.IsZero() || lost[i].Last.Before(lost[i].First) {
			t.Errorf("incomplete: %+v", lost[i])
		}
		got = append(got, fmt.Sprintf("%s %d %d", lost[i].Name(), lost[i].Had, lost[i].Has))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDamageStaysUntilItIsAcknowledged(t *testing.T) {
	_, nc, s := newStore(t)
	wantDamage(t, s)
	report := func(stream string, had uint64) {
		t.Helper()
		err := s.Report(deadline(t), schema.Damage{Kind: schema.DamageShort, Stream: stream, Had: had, Text: "it is gone"})
		if err != nil {
			t.Fatal(err)
		}
	}
	report("A", 5)
	report("A", 5) // found again before the repair
	report("B", 1)
	wantDamage(t, s, "short.A 5 0", "short.B 1 0")
	report("A", 9)
	wantDamage(t, s, "short.B 1 0", "short.A 9 0")
	if lost, err := s.Damage(deadline(t)); err != nil || lost[1].Count != 2 {
		t.Errorf("%+v, %v; want to be found twice", lost, err)
	}
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	leaders, err := js.KeyValue(deadline(t), "leaders")
	if err != nil {
		t.Fatal(err)
	}
	// As "nats kv del" and the client do it.
	if err := leaders.Delete(deadline(t), schema.DamageKeys+"short.B"); err != nil {
		t.Fatal(err)
	}
	if err := leaders.Purge(deadline(t), schema.DamageKeys+"short.A"); err != nil {
		t.Fatal(err)
	}
	wantDamage(t, s)
	report("A", 12)
	wantDamage(t, s, "short.A 12 0")
}
