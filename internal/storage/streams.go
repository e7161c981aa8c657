package storage

import (
	"regexp"
	"strconv"

	"github.com/stationmaster-io/stationmaster/schema"
)

// JournalStream is the stream of a partition's journal.
func JournalStream(s schema.Space, partition int) string {
	return numbered(s, journalStream, partition)
}

// ParseJournalStream returns the prefix of the installation to which a journal's stream
// belongs, of any partition; it reports false for all other streams.
func ParseJournalStream(name string) (prefix string, ok bool) {
	parts := journalStreams.FindStringSubmatch(name)
	if parts == nil {
		return "", false
	}
	return parts[1], true
}

// ParseStream is [ParseJournalStream] for all streams of an installation but those of buckets, which capture nothing.
func ParseStream(name string) (prefix string, ok bool) {
	parts := streams.FindStringSubmatch(name)
	if parts == nil {
		return "", false
	}
	return parts[1], true
}

var streams = regexp.MustCompile(`^(?:(.+)_)?(?:` + journalStream + `|PLAN_(?:REPLIES|RESULTS|QUEUES))(?:_\d+)?$`)

const journalStream = "PLAN_JOURNAL"

var journalStreams = regexp.MustCompile(`^(?:(.+)_)?` + journalStream + `(?:_\d+)?$`)

// RepliesStream is the stream that captures replies.
func RepliesStream(s schema.Space) string { return store(s, "PLAN_REPLIES") }

// QueuesStream is the stream of items of merge queues.
func QueuesStream(s schema.Space) string { return store(s, "PLAN_QUEUES") }

// PlansBucket is the bucket of a partition's plans.
func PlansBucket(s schema.Space, partition int) string { return numbered(s, "plans", partition) }

// StationsBucket is the bucket of stations.
func StationsBucket(s schema.Space) string { return store(s, "stations") }

// WorkersBucket is the bucket of the workers that are present.
func WorkersBucket(s schema.Space) string { return store(s, "workers") }

// SecretsBucket is the bucket of the keys that sign callbacks.
func SecretsBucket(s schema.Space) string { return store(s, "secrets") }

// Presence is where the records of workers are put: the keys of their bucket.
func Presence(s schema.Space) string { return BucketSubject(WorkersBucket(s), ">") }

// BucketSubject is where a key of a bucket is put (NATS ADR-8).
func BucketSubject(bucket, key string) string { return "$KV." + bucket + "." + key }

// numbered adds the partition, but only where there are several.
func numbered(s schema.Space, name string, partition int) string {
	if s.Partitions > 1 {
		name += "_" + strconv.Itoa(partition)
	}
	return store(s, name)
}

// store puts the prefix before the name of a stream or bucket.
func store(s schema.Space, name string) string {
	if s.Prefix == "" {
		return name
	}
	return s.Prefix + "_" + name
}
