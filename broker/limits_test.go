package broker_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// edit changes settings of a stream, as a user does.
func edit(t *testing.T, js jetstream.JetStream, stream string, change func(*jetstream.StreamConfig)) {
	t.Helper()
	is, err := js.Stream(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	c := is.CachedInfo().Config
	change(&c)
	if _, err := js.UpdateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// A limit that a user sets keeps an installation from starting. No command could remove it
// from a server that ends with the program.
func TestLimitsOfStreamsAreSetBackWhereTheServerIsOurs(t *testing.T) {
	nc := brokertest.Connect(t, brokertest.Server(t))
	store := brokertest.Store(t, nc)
	js, err := jetstream.New(nc, patient)
	if err != nil {
		t.Fatal(err)
	}
	edit(t, js, "PLAN_RESULTS", func(c *jetstream.StreamConfig) { c.MaxMsgs = 5_000_000 })
	edit(t, js, "PLAN_JOURNAL", func(c *jetstream.StreamConfig) {
		c.MaxAge, c.MaxMsgSize, c.MaxMsgsPerSubject = 24*time.Hour, 1<<20, 1000
	})
	edit(t, js, "KV_plans", func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 1 })
	want := []broker.Difference{
		{Stream: "PLAN_JOURNAL", Setting: "max_msg_size", Is: "1048576", ShouldBe: "unlimited"},
		{Stream: "PLAN_JOURNAL", Setting: "max_age", Is: "24h0m0s", ShouldBe: "0s"},
		{Stream: "PLAN_JOURNAL", Setting: "max_msgs_per_subject", Is: "1000", ShouldBe: "unlimited"},
		{Stream: "KV_plans", Setting: "max_msgs_per_subject", Is: "1", ShouldBe: "2"},
		{Stream: "PLAN_RESULTS", Setting: "max_msgs", Is: "5000000", ShouldBe: "unlimited"},
	}
	if now, err := store.Differences(t.Context()); err != nil || len(now) != len(want) {
		t.Errorf("while it runs: %v, %v", now, err)
	}
	_, err = broker.Provision(t.Context(), nc, brokertest.Config(t))
	ds := mismatch(t, err)
	if diff := cmp.Diff(want, ds); diff != "" {
		t.Error(diff)
	}
	if got := ds[1].Command(); got != "nats stream edit PLAN_JOURNAL --max-age=0s -f" {
		t.Errorf("the command is %q", got)
	}

	c := brokertest.Config(t)
	c.SetBack = true
	if _, err := broker.Provision(t.Context(), nc, c); err != nil {
		t.Fatal(err)
	}
	if left, err := store.Differences(t.Context()); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	edit(t, js, "PLAN_JOURNAL", func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld })
	_, err = broker.Provision(t.Context(), nc, c)
	if ds := mismatch(t, err); len(ds) != 1 || ds[0].Command() != "nats stream edit PLAN_JOURNAL --discard=new -f" {
		t.Errorf("no limit is set back: %v", ds)
	}
}

// A node waits for an edit of streams, but not where another start with other flags would do, or no
// edit would.
func TestMismatchesAreEditableWhereAnEditEndsThem(t *testing.T) {
	discard := broker.Difference{Stream: "PLAN_JOURNAL", Setting: "discard", Is: "DiscardOld", ShouldBe: "DiscardNew"}
	for _, tt := range []struct {
		besides  broker.Difference
		editable bool
		command  string
	}{
		{discard, true, "nats stream edit PLAN_JOURNAL --discard=new -f"},
		{broker.Difference{Stream: "KV_plans", Setting: "max_msgs_per_subject", ShouldBe: "2"}, true, "nats stream edit KV_plans --max-msgs-per-subject=2 -f"},
		{broker.Difference{Stream: "PLAN_REPLIES", Setting: "no_ack", ShouldBe: "true"}, true, "nats stream edit PLAN_REPLIES --no-ack -f"},
		{broker.Difference{Stream: "a_PLAN_RESULTS", Setting: "max_age", ShouldBe: "168h0m0s"}, false, "nats stream edit a_PLAN_RESULTS --max-age=168h0m0s -f"},
		{broker.Difference{Stream: "PLAN_RESULTS", Setting: "max_bytes", ShouldBe: "8589934592"}, false, "nats stream edit PLAN_RESULTS --max-bytes=8GiB -f"},
		{broker.Difference{Stream: "PLAN_JOURNAL", Setting: "replicas", ShouldBe: "3"}, false, "nats stream edit PLAN_JOURNAL --replicas=3 -f"},
		{broker.Difference{Stream: "PLAN_JOURNAL", Setting: "storage", ShouldBe: "File"}, false, ""},
		{broker.Difference{Setting: "nats-server", ShouldBe: "2.14 or newer"}, false, ""},
	} {
		err := &broker.MismatchError{Differences: []broker.Difference{discard, tt.besides}}
		if got := err.Editable(); got != tt.editable {
			t.Errorf("%v: editable %t", err, got)
		}
		if got := tt.besides.Command(); got != tt.command || !strings.Contains(err.Error(), tt.command) {
			t.Errorf("%v: command %q", tt.besides, got)
		}
	}
}
