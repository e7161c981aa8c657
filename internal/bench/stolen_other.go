//go:build !linux

package bench

import "time"

// stolen is false, because only Linux shows the steal time.
func stolen() (time.Duration, bool) { return 0, false }

// processorTimeOf is false, because it is implemented for Linux alone.
func processorTimeOf(int) (time.Duration, bool, error) { return 0, false, nil }
