//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package embed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const errAddressInUse = syscall.EADDRINUSE

// lock takes the folder for this process, until unlock or its end. nats-server has no lock
// of its own, and two of them on one folder destroy it.
func lock(dir string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock store folder: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(fmt.Errorf("store folder %s is in use by another process: end that one, or name another folder", dir), f.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock store folder %s: %w", dir, err), f.Close())
	}
	return f.Close, nil
}
