package bench

import (
	"runtime"
	"sync"
	"time"
)

// pace returns the time that this machine's processors take for a fixed piece of work, all of
// them at once: the median of twenty of each. It is measured, because a host that clocks them
// lower, or has two guests on one core, halves their speed for seconds or hours, and no counter
// shows that.
func pace() time.Duration {
	const each = 20
	took := make(samples, each*runtime.NumCPU())
	var working sync.WaitGroup
	for cpu := range runtime.NumCPU() {
		working.Go(func() {
			for i := range each {
				began := time.Now()
				n := uint64(1)
				for range 1_000_000 { // about a millisecond
					n = n*6364136223846793005 + 1442695040888963407
				}
				took[cpu*each+i] = float64(time.Since(began))
				runtime.KeepAlive(n)
			}
		})
	}
	working.Wait()
	return time.Duration(took.median())
}
