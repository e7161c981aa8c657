package broker_test

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// The server that comes with a program runs one installation: none is made beside another,
// and what is there goes on. On a server of somebody else's there are several.
func TestNoInstallationIsMadeBesideAnotherWhereNobodyRunsThat(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	provision := func(prefix string, partitions int, sole bool) error {
		c := brokertest.Config(t)
		c.Space.Prefix, c.Space.Partitions, c.Sole = prefix, partitions, sole
		_, err := broker.Provision(t.Context(), nc, c)
		return err
	}
	refused := func(prefix, says string) {
		t.Helper()
		if err := provision(prefix, 1, true); err == nil || !strings.Contains(err.Error(), says) {
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
	// Both are there.
	for prefix, partitions := range map[string]int{"": 1, "acme": 2} {
		if err := provision(prefix, partitions, true); err != nil {
			t.Errorf("%q: %v", prefix, err)
		}
	}
	// One that has lost its record is not new.
	if err := js.DeleteStream(t.Context(), "KV_leaders"); err != nil {
		t.Fatal(err)
	}
	if err := provision("", 1, true); err != nil {
		t.Error(err)
	}
}
