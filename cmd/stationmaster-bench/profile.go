package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
)

// profiles are the files that get profiles of this process; empty: none.
type profiles struct{ cpu, memory string }

// around runs f, and writes the profiles that are asked for.
func (p profiles) around(f func() error) (err error) {
	if p.cpu != "" {
		file, failed := os.Create(p.cpu)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		if err := pprof.StartCPUProfile(file); err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := f(); err != nil || p.memory == "" {
		return err
	}
	file, err := os.Create(p.memory)
	if err != nil {
		return err
	}
	runtime.GC() // live memory counts as of the last collection
	return errors.Join(pprof.Lookup("allocs").WriteTo(file, 0), file.Close())
}
