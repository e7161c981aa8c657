//go:build darwin || dragonfly || freebsd

package embed

import "syscall"

// disk returns the size of the file system that dir is on, and its free bytes; zeros if
// they are unknown.
func disk(dir string) (size, free int64) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, 0
	}
	return int64(fs.Blocks) * int64(fs.Bsize), int64(fs.Bavail) * int64(fs.Bsize) //nolint:gosec,unconvert // types differ by system
}
