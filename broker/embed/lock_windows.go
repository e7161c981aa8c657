package embed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

const errAddressInUse = windows.WSAEADDRINUSE

// lock takes the folder for this process, until unlock or its end. nats-server has no lock
// of its own, and two of them on one folder destroy it.
func lock(dir string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock store folder: %w", err)
	}
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return nil, errors.Join(fmt.Errorf("store folder %s is in use by another process: end that one, or name another folder", dir), f.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock store folder %s: %w", dir, err), f.Close())
	}
	return f.Close, nil
}
