package incident_test

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
)

// fails panics, and reports it as a caller does.
func fails(r *incident.Reporter, fault any) (number string) {
	defer func() { number = r.Report(metrics.AtStep, recover(), "plan", "s/p") }()
	panic(fault)
}

func TestTheNumberStandsBesideTheStack(t *testing.T) {
	var log strings.Builder
	r := incident.New(slog.New(slog.NewTextHandler(&log, nil)), metrics.New("v"))
	number := fails(r, "boom")
	for _, want := range []string{"incident=" + number, "panic=boom", "plan=s/p", "at=step", "incident_test.fails"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log has no %s: %s", want, log.String())
		}
	}
	if refused := incident.Refusal(number).Error(); !strings.HasPrefix(refused, "internal: ") || !strings.Contains(refused, number) || strings.Contains(refused, "boom") {
		t.Errorf("the client gets %s", refused)
	}
}

// A client that can provoke a panic does not fill the disk; the numbers that it gets are in
// the log all the same.
func TestManyPanicsFillNoDisk(t *testing.T) {
	synctest.Test(t, manyPanicsFillNoDisk) // time stands still, because each second has a line of its own
}

func manyPanicsFillNoDisk(t *testing.T) {
	var log strings.Builder
	r := incident.New(slog.New(slog.NewTextHandler(&log, nil)), metrics.New("v"))
	numbers := map[string]bool{}
	for range 1000 {
		numbers[fails(r, strings.Repeat("x", 1<<20))] = true
	}
	if log.Len() > 1<<20 || strings.Count(log.String(), "\n") != 20 {
		t.Errorf("%d bytes were logged", log.Len())
	}
	for n := range numbers {
		if !strings.Contains(log.String(), "incident="+n) {
			t.Errorf("incident %s is not in the log", n)
		}
	}
}
