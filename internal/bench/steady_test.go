package bench

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// noticed is the length of a stall of the machine that spoils a measurement.
const noticed = 250 * time.Millisecond

// steadily repeats a measurement that failed while the machine stalled, because in a stall due
// executions are skipped or late, and the time of a short measurement passes, so that the
// measurement has to refuse its figures. Any other failure is an error at once.
func steadily(t *testing.T, measure func() error) {
	t.Helper()
	const most = 20
	for range most {
		watch := brokertest.WatchStalls()
		err := measure()
		watch.Stop()
		var refused *notSteady // of a short window, of which a pause of the disk is a large part
		switch stood := watch.Longest(); {
		case err == nil:
			return
		case stood < noticed && !errors.As(err, &refused):
			t.Fatal(err)
		default:
			t.Logf("measured again, since the machine stood still for %v: %v", stood, err)
		}
	}
	t.Fatalf("the machine stood still, or nothing was steady, in each of %d measurements", most)
}

// measured is steadily for a measurement in a folder of its own, with a check of its figures.
func measured[F any](t *testing.T, measure func(dir string) (F, error), sane func(F) bool) {
	t.Helper()
	steadily(t, func() error {
		f, err := measure(leavesNothing(t))
		if err != nil {
			return err
		}
		t.Logf("%+v", f)
		if !sane(f) {
			return fmt.Errorf("figures %+v", f)
		}
		return nil
	})
}

// rising reports whether quantiles are in order. The bound of p99 has a margin, because a quantile
// is the end of its bucket.
func rising(p50, p99, last time.Duration) bool {
	return p50 > 0 && p50 <= p99 && p99 <= last+last/subBuckets
}
