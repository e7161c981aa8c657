package scheduler

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// What an idle leader has put right is told as a metric, which is there from the beginning, as 0.
func TestWhatIsPutRightIsCounted(t *testing.T) {
	set := metrics.New("")
	p := newPartition(Config{Log: slog.New(slog.DiscardHandler), Metrics: set}, 0, new(signal), nil)
	l := &leader{partition: p, machine: machine.New(machine.Config{}), ear: newEar()}
	now := time.Now()
	l.machine.Lead(now, 1, time.Time{})
	d := &desk{leader: l, batch: batch.New(1 << 20)}
	d.batch.Reset(1)
	raw, err := wire.Scan([]byte(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":3600,"plan_repet":-1}`), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	def, err := schema.ParsePlan(raw, schema.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	l.machine.Step(now, event.Ask{What: schema.CreatePlan{Definition: def}}, d.batch)
	idle := func(want string) {
		t.Helper()
		now = now.Add(time.Second)
		l.machine.Step(now, event.Tick{}, d.batch)
		d.measure()
		page := httptest.NewRecorder()
		set.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
		if line := `stationmaster_queue_differences_total{partition="0"} ` + want + "\n"; !strings.Contains(page.Body.String(), line) {
			t.Errorf("no line %q", line)
		}
	}
	idle("0")
	for _, plan := range l.machine.Plans {
		l.machine.Timetable.Set(plan.Handle, 0)
	}
	idle("1")
	idle("1")
}
