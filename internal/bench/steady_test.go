package bench

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
)

// noticed is how long a machine stands still that has spoilt a measurement.
const noticed = 250 * time.Millisecond

// steadily measures until the machine did not stand still meanwhile, or nothing is wrong
// all the same: in a standstill what is due is skipped or late, and the time of a short
// measurement passes, which is for the measurement to refuse. All else that is wrong is
// an error at once.
func steadily(t *testing.T, measure func() error) {
	t.Helper()
	const most = 20
	for range most {
		watch := brokertest.WatchStalls()
		err := measure()
		watch.Stop()
		var refused *notSteady // of a short window, in which a pause of the disk is much
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

// measured is steadily for a measurement in a folder of its own whose figures are looked at.
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

// rising says that quantiles are in their order; p99 may be too high by a part.
func rising(p50, p99, last time.Duration) bool {
	return p50 > 0 && p50 <= p99 && p99 <= last+last/subBuckets
}
