//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package embed

import "syscall"

// diskSize returns the size of the file system that dir is on; 0 if it cannot be
// told.
func diskSize(dir string) int64 {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0
	}
	return int64(fs.Blocks) * int64(fs.Bsize)
}
