package scheduler

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// TestHeaderOfEachExecution makes the headers of executions one after the other. No header of one
// may remain in the next, which lacks it.
func TestHeaderOfEachExecution(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 500_000_000, time.UTC)
	plain := event.Outgoing{
		Name: schema.PlanName{Station: "hello", PlanID: "p"}, Occurrence: 4, Attempt: 1, Epoch: 7, PlanTime: at,
	}
	rich := plain
	rich.Occurrence, rich.Deadline, rich.StartBy, rich.MadeBy, rich.Trace = 5, at, at, schema.TriggerManual, "00-1-2-01"
	want := nats.Header{
		"Content-Type": {"application/json"}, "Plan-Command": {"proxy"}, "Plan-Id": {"p"}, "Plan-Station": {"hello"},
		"Plan-Exec": {"6-0123456789abcdef"}, "Plan-Occurrence": {"4"}, "Plan-Attempt": {"1"},
		"Plan-Time": {"2026-03-01T12:00:00.5Z"}, "Plan-Key": {"hello/p/1/4"}, "Plan-Epoch": {"7"},
	}
	wantRich := nats.Header{
		"Plan-Deadline": {"2026-03-01T12:00:00.5Z"}, "Plan-Start-By": {"2026-03-01T12:00:00.5Z"},
		"Plan-Trigger": {"manual"}, "traceparent": {"00-1-2-01"},
	}
	for name, values := range want {
		wantRich[name] = values
	}
	wantRich["Plan-Occurrence"] = []string{"5"}

	var h header
	body := schema.Execution{Exec: "6-0123456789abcdef", Key: "hello/p/1/4"}
	for _, tt := range []struct {
		x    event.Outgoing
		want nats.Header
	}{{plain, want}, {rich, wantRich}, {plain, want}, {rich, wantRich}} {
		if diff := cmp.Diff(tt.want, h.of(&tt.x, &body, wire.JSON)); diff != "" {
			t.Errorf("occurrence %d: %s", tt.x.Occurrence, diff)
		}
	}
}

func BenchmarkHeader(b *testing.B) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 500_000_000, time.UTC)
	x := event.Outgoing{
		Name: schema.PlanName{Station: "hello", PlanID: "01J00000000000000000000000"}, Occurrence: 400, Attempt: 1,
		Epoch: 1767225600000, PlanTime: at, Deadline: at, StartBy: at,
	}
	body := schema.Execution{Exec: "6-0123456789abcdef", Key: "hello/01J00000000000000000000000/1/4"}
	var h header
	b.ReportAllocs()
	for b.Loop() {
		h.of(&x, &body, wire.JSON)
	}
}
