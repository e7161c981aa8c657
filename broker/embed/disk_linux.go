package embed

import (
	"cmp"
	"syscall"
)

// disk returns the size of the file system that dir is on, and its free bytes; zeros if
// they are unknown.
func disk(dir string) (size, free int64) {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(dir, &fs); err != nil {
		return 0, 0
	}
	// Blocks are counted in fragments; Bsize is the preferred size of a transfer.
	unit := int64(cmp.Or(fs.Frsize, fs.Bsize)) //nolint:unconvert // types differ by architecture
	return int64(fs.Blocks) * unit, int64(fs.Bavail) * unit
}
