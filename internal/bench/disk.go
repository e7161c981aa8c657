package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// disk measures the time in which the folder's disk makes a small append durable. The
// other figures depend on it, because every promise of the product waits for the disk.
func disk(ctx context.Context, dir string, lasting time.Duration) (_ *latencies, err error) {
	file, err := os.CreateTemp(dir, "sync-")
	if err != nil {
		return nil, fmt.Errorf("make file: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	body := make([]byte, 4096)
	took := new(latencies)
	for end := time.Now().Add(lasting); time.Now().Before(end) && ctx.Err() == nil; {
		began := time.Now()
		if _, err := file.Write(body); err != nil {
			return nil, fmt.Errorf("append: %w", err)
		}
		if err := file.Sync(); err != nil {
			return nil, fmt.Errorf("sync: %w", err)
		}
		took.add(time.Since(began))
	}
	return took, context.Cause(ctx)
}

// deletions measures the time in which the folder's disk deletes a small file. nats-server
// stages each atomic batch in files, and all else waits while the disk deletes them, which
// takes hardly any time, or a millisecond each where the file system is mounted with
// discard.
func deletions(ctx context.Context, dir string, files int) (*latencies, error) {
	took := new(latencies)
	for i := 0; i < files && ctx.Err() == nil; i++ {
		name, err := smallFile(dir)
		if err != nil {
			return nil, err
		}
		began := time.Now()
		if err := os.Remove(name); err != nil {
			return nil, fmt.Errorf("delete: %w", err)
		}
		took.add(time.Since(began))
	}
	return took, context.Cause(ctx)
}

// smallFile makes a file of 4 KiB, on disk.
func smallFile(dir string) (name string, err error) {
	file, err := os.CreateTemp(dir, "delete-")
	if err != nil {
		return "", fmt.Errorf("make file: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := file.Write(make([]byte, 4096)); err != nil {
		return "", fmt.Errorf("write: %w", err)
	}
	return file.Name(), file.Sync()
}
