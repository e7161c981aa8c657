package bench

import (
	"testing"
	"time"
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
		stop := longestStandstill()
		err := measure()
		switch stood := stop(); {
		case err == nil:
			return
		case stood < noticed:
			t.Fatal(err)
		default:
			t.Logf("measured again, since the machine stood still for %v: %v", stood, err)
		}
	}
	t.Fatalf("the machine stood still in each of %d measurements", most)
}

// longestStandstill looks at the clock all the time until it is stopped, and then returns
// the longest time between two looks.
func longestStandstill() (stop func() time.Duration) {
	done, longest := make(chan struct{}), make(chan time.Duration)
	go func() {
		look := time.NewTicker(10 * time.Millisecond)
		defer look.Stop()
		last, most := time.Now(), time.Duration(0)
		for {
			select {
			case <-look.C:
				most, last = max(most, time.Since(last)), time.Now()
			case <-done:
				longest <- max(most, time.Since(last))
				return
			}
		}
	}()
	return func() time.Duration {
		close(done)
		return <-longest
	}
}
