package bench

import (
	"fmt"
	"time"

	"golang.org/x/sys/windows"
)

// processCPU returns the user and system time of all threads of this process so far:
// server, clients and workers alike.
func processCPU() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		panic(fmt.Sprintf("bench: times of this process: %v", err)) // only a wrong argument can do this
	}
	return spent(kernel) + spent(user)
}

// spent reads a span of time, which comes in units of 100 ns.
func spent(t windows.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
