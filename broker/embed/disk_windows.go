package embed

import "golang.org/x/sys/windows"

// disk returns the size of the file system that dir is on, and its free bytes; zeros if
// they are unknown.
func disk(dir string) (size, free int64) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0
	}
	var avail, total uint64
	if err := windows.GetDiskFreeSpaceEx(name, &avail, &total, nil); err != nil {
		return 0, 0
	}
	return int64(total), int64(avail) //nolint:gosec // no disk is that large
}
