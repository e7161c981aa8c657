package storage

import (
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Kept is the subject on which a result is published to be kept, by the subject of its
// broadcast: the stream of results stores it under the latter.
func Kept(s schema.Space, result string) string {
	return subject(s, keptFlow+strings.TrimPrefix(result, strings.TrimSuffix(s.AllResults(), ">")))
}

// AllKept matches all subjects of [Kept], and is the subject of the stream of results.
func AllKept(s schema.Space) string { return subject(s, keptFlow+">") }

const keptFlow = "scheduler.result."

// Journal is the subject of a partition's appends.
func Journal(s schema.Space, partition int) string {
	return subject(s, "scheduler.journal."+strconv.Itoa(partition))
}

// Stored is the subject of a partition's fence in the streams behind its journal.
func Stored(s schema.Space, partition int) string {
	return subject(s, "scheduler.stored."+strconv.Itoa(partition))
}

// Queued is the subject of a partition's fence in the stream of items, because a subject
// can be in one stream only.
func Queued(s schema.Space, partition int) string {
	return subject(s, "scheduler.queued."+strconv.Itoa(partition))
}

// Inbox is where the items of a plan with an inbox are stored.
func Inbox(s schema.Space, partition int, station, planID string) string {
	return subject(s, "scheduler.inbox."+strconv.Itoa(partition)+"."+station+"."+planID)
}

// AllInboxes matches the subjects of all items of a partition.
func AllInboxes(s schema.Space, partition int) string {
	return subject(s, "scheduler.inbox."+strconv.Itoa(partition)+".>")
}

// ParseInbox is the inverse of [Inbox] for a partition.
func ParseInbox(s schema.Space, partition int, name string) (schema.PlanName, bool) {
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(AllInboxes(s, partition), ">"))
	dot := strings.LastIndexByte(rest, '.')
	if !ok || dot < 0 {
		return schema.PlanName{}, false
	}
	n := schema.PlanName{Station: rest[:dot], PlanID: rest[dot+1:]}
	return n, n.Check() == nil
}

// subject puts the prefix before the parts of a subject.
func subject(s schema.Space, parts string) string {
	if s.Prefix == "" {
		return parts
	}
	return s.Prefix + "." + parts
}
