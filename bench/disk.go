package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// disk measures how long the folder's disk takes to make a small append durable.
// All that is promised waits for that, so it says what the other figures are worth.
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
