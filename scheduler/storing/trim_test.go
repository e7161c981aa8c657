package storing

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/storage"
)

// Markers are trimmed when there are too many, and all rows stay.
func TestMarkersAreTrimmed(t *testing.T) {
	c := configOn(t, brokertest.Server(t))
	plans := int64(0)
	c.Plans = func() int64 { return plans }
	appender, err := c.Store.Journal(0).Seize(t.Context(), "n", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer appender.Close()
	s, _, err := Open(t.Context(), c, appender.Epoch(), "n")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tb := s.table
	tb.trimAbove = 1000
	set := func(msgs ...*nats.Msg) {
		t.Helper()
		if err := tb.again(t.Context(), msgs); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{}
	for i := range 10 {
		var msgs []*nats.Msg
		for k := range 150 {
			name := fmt.Sprintf("%d-%d", i, k)
			plan, state := storage.PlanKey("s", name), storage.StateKey("s", name)
			if k%5 == 0 {
				want[plan], want[state] = "definition of "+name, "state of "+name
				msgs = append(msgs, tb.bucket.Set(plan, []byte(want[plan])), tb.bucket.Set(state, []byte(want[state])))
				plans++
				continue
			}
			msgs = append(msgs, tb.bucket.Unset(plan), tb.bucket.Unset(state))
		}
		set(msgs...)
	}
	before, err := tb.bucket.Span(t.Context())
	if err != nil || before.Count < 3000 {
		t.Fatalf("%+v, %v", before, err)
	}
	steps := 0
	for begun := true; begun; begun = tb.trim.goal != 0 {
		steps++
		if err := tb.tidy(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	after, err := tb.bucket.Span(t.Context())
	if err != nil || after.Count > uint64(len(want))+1+uint64(len(tb.bucket.Padding())) {
		t.Errorf("%+v after %d steps, %v; %d rows", after, steps, err, len(want))
	}
	got := map[string]string{}
	err = tb.bucket.Scan(t.Context(), tb.chain.Revision(), func(key string, value []byte, _ uint64) error {
		if value != nil && key != storage.CheckpointKey {
			got[key] = string(value)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := tb.tidy(t.Context()); err != nil || tb.trim.goal != 0 {
		t.Errorf("another trim begins at once: %v", err)
	}
}
