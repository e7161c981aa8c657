//go:build !windows

package node

import "syscall"

// openFiles is the number of files that this process may have open; 0: unknown.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), 1<<30)) //nolint:unconvert // its type differs by system
}
