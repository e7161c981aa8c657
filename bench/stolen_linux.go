package bench

import (
	"time"

	"github.com/prometheus/procfs"
)

// stolen is how long this machine's processors, summed up, had work so far and did not
// run, since their host gave the time to other guests ("steal"). It is false where that is
// not told.
func stolen() (time.Duration, bool) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, false
	}
	stat, err := proc.Stat()
	if err != nil {
		return 0, false
	}
	return time.Duration(stat.CPUTotal.Steal * float64(time.Second)), true
}
