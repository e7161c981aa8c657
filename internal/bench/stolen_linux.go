package bench

import (
	"fmt"
	"time"

	"github.com/prometheus/procfs"
)

// stolen returns the time so far, summed up over this machine's processors, in which they had
// work and did not run, because their host gave the time to other guests ("steal"). It is
// false where the system does not show it.
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

// processorTimeOf returns the user and system time of a process.
func processorTimeOf(pid int) (time.Duration, bool, error) {
	proc, err := procfs.NewProc(pid)
	if err != nil {
		return 0, true, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	stat, err := proc.Stat()
	if err != nil {
		return 0, true, fmt.Errorf("processor time of process %d: %w", pid, err)
	}
	return time.Duration(stat.CPUTime() * float64(time.Second)), true, nil
}
