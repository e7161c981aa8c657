//go:build unix

package bench

import (
	"fmt"
	"syscall"
	"time"
)

// processCPU returns the user and system time of all threads of this process so far:
// server, clients and workers alike.
func processCPU() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		panic(fmt.Sprintf("bench: getrusage of this process: %v", err)) // only a wrong argument can do this
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
