package broker_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// A program with an embedded server runs one installation. A start refuses to make one beside
// another, and an existing one goes on. An external server may hold several.
func TestNoInstallationIsMadeBesideAnIdleOne(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	provision := func(prefix string, partitions int, sole bool) error {
		c := brokertest.Config(t)
		c.Space.Prefix, c.Space.Partitions, c.Sole = prefix, partitions, sole
		_, err := broker.Provision(t.Context(), nc, c)
		return err
	}
	refused := func(prefix, message string) {
		t.Helper()
		if err := provision(prefix, 1, true); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%q: %v", prefix, err)
		}
	}
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	if err := provision("acme", 2, true); err != nil {
		t.Fatal(err)
	}
	refused("", "another installation (--prefix acme) and none of this prefix (without --prefix)")
	if _, err := js.Stream(t.Context(), "KV_leaders"); err == nil {
		t.Error("it is made, though it is refused")
	}
	if err := provision("", 1, false); err != nil {
		t.Fatal(err)
	}
	refused("b", "none of this prefix (--prefix b)")
	// Both installations exist.
	for prefix, partitions := range map[string]int{"": 1, "acme": 2} {
		if err := provision(prefix, partitions, true); err != nil {
			t.Errorf("%q: %v", prefix, err)
		}
	}
	// An installation that lost its record is not a new one.
	if err := js.DeleteStream(t.Context(), "KV_leaders"); err != nil {
		t.Fatal(err)
	}
	if err := provision("", 1, true); err != nil {
		t.Error(err)
	}
}
