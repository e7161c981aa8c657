package scheduler

import (
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/scheduler/machine"
)

// A repair by an idle leader is counted by a metric, which exists from the beginning, as 0.
func TestRepairsAreCounted(t *testing.T) {
	set := metrics.New("")
	p := newPartition(Config{Log: slog.New(slog.DiscardHandler), Metrics: set}, 0, new(signal), nil)
	d := &decider{leader: &leader{partition: p, machine: machine.New(machine.Config{}), stallDetector: newStallDetector()}}
	shows := func(want string) {
		t.Helper()
		page := httptest.NewRecorder()
		set.Handler().ServeHTTP(page, httptest.NewRequest("GET", "/metrics", nil))
		if line := `stationmaster_queue_differences_total{partition="0"} ` + want + "\n"; !strings.Contains(page.Body.String(), line) {
			t.Errorf("no line %q", line)
		}
	}
	d.measure()
	shows("0")
	d.count(machine.Counts{Differences: 1})
	shows("1")
	d.count(machine.Counts{Differences: 1}) // a running total
	shows("1")
}
