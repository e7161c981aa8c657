package storage

import "github.com/stationmaster-io/stationmaster/schema"

// Partition is the partition of a plan: a hash of its id alone, so that a task and its
// callback share one. It must never change.
func Partition(s schema.Space, planID string) int {
	if s.Partitions <= 1 {
		return 0
	}
	hash := uint64(14695981039346656037) // FNV-1a
	for i := range len(planID) {
		hash = (hash ^ uint64(planID[i])) * 1099511628211
	}
	return int(hash % uint64(s.Partitions))
}
