//go:build !linux

package bench

import "time"

// stolen is told by Linux alone.
func stolen() (time.Duration, bool) { return 0, false }

// processorTimeOf is not told here.
func processorTimeOf(int) (time.Duration, bool, error) { return 0, false, nil }
