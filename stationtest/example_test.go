package stationtest_test

import (
	"context"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/stationtest"
	"github.com/stationmaster-io/stationmaster/worker"
)

// The books are closed at 18:00 on the last working day of each month. A month passes in less than
// a second.
func TestBooksAreClosedOnTheLastWorkingDay(t *testing.T) {
	stationtest.Run(t, func(t *testing.T, s *stationtest.Server) {
		s.At("2027-02-01T00:00:00Z") // the first one says when it all begins
		s.Plan(&schema.Plan{
			Station: "billing", PlanID: "close", Command: "close",
			Schedule: schema.Cron("0 18 LW * *", "Europe/Berlin"),
		})
		var closed []string
		s.Handle("billing", "close", func(_ context.Context, x *worker.Execution) (any, error) {
			closed = append(closed, time.Now().UTC().Format(time.DateOnly))
			return nil, nil
		})

		s.At("2027-03-01T00:00:00Z") // fake time passes until then, and all due occurrences have ended

		if len(closed) != 1 || closed[0] != "2027-02-26" {
			t.Errorf("the books were closed on %v, want the Friday 2027-02-26", closed)
		}
		results := s.Results("billing", "close")
		if len(results) != 1 || results[0].State != schema.StateOK {
			t.Errorf("results: %+v", results)
		}
	})
}
