package schema

import (
	"regexp"
	"strconv"
	"strings"
)

// A Space is the names of one installation: subjects, streams, buckets and keys. No other
// file makes a subject or reads one. Arguments are not checked: callers check names from
// outside before.
type Space struct {
	Prefix     string // of everything, one token; empty: none
	Partitions int    // 0 means 1
}

// subject puts the prefix before the parts of a subject.
func (s Space) subject(parts string) string {
	if s.Prefix == "" {
		return parts
	}
	return s.Prefix + "." + parts
}

// Service is the subject of a service: "plans.create".
func (s Space) Service(group, endpoint string) string {
	if s.Prefix == "" {
		return group + "." + endpoint
	}
	return s.Prefix + "." + group + "." + endpoint
}

// Claim is where pull workers of a station ask for work.
func (s Space) Claim(station string) string { return s.Service("plans.claim", station) }

// Station is where executions of a station go: "station.hello".
func (s Space) Station(station string) string { return s.Service("station", station) }

// Worker is where executions for one named worker go.
func (s Space) Worker(workerID string) string { return s.Service("worker", workerID) }

// Here is the subject on which a worker announces itself at a station; a station may be
// all that begin with a name ("callback.>"), which then has a last token of its own,
// because a wildcard cannot be published to. Heres matches the announcements of all
// workers.
func (s Space) Here(workerID, station string) string {
	if prefix, many := strings.CutSuffix(station, below); many {
		station = prefix + hereBelow
	}
	return s.subject(hereFlow + workerID + "." + station)
}

// Heres matches all subjects of [Space.Here].
func (s Space) Heres() string { return s.subject(hereFlow + ">") }

const (
	hereFlow  = "worker.here."
	hereBelow = ".*below" // as the * of reply subjects, it is in no name
	below     = ".>"
)

// ParseHere is the inverse of [Space.Here]. It reports false for all that names no worker
// at no station, because any client may publish on such subjects.
func (s Space) ParseHere(subject string) (workerID, station string, ok bool) {
	rest, ok := strings.CutPrefix(subject, s.subject(hereFlow))
	if !ok {
		return "", "", false
	}
	workerID, station, _ = strings.Cut(rest, ".")
	name := station
	if prefix, many := strings.CutSuffix(station, hereBelow); many {
		name, station = prefix, prefix+below
	}
	return workerID, station, CheckID(workerID) == nil && CheckStation(name) == nil
}

// Result is where the results of a plan are broadcast.
func (s Space) Result(station, planID string) string {
	return s.ofPlan(resultFlow, station, planID)
}

// AllResults is the subscription to the results of all plans.
func (s Space) AllResults() string { return s.subject(resultFlow + ">") }

// Kept is the subject on which a result is published to be kept, by the subject of its
// broadcast: the stream of results stores it under the latter. AllKept is the subject of
// that stream.
func (s Space) Kept(result string) string {
	return s.subject(keptFlow + strings.TrimPrefix(result, s.subject(resultFlow)))
}

// AllKept matches all subjects of [Space.Kept].
func (s Space) AllKept() string { return s.subject(keptFlow + ">") }

const (
	resultFlow = "plan.result."
	keptFlow   = "scheduler.result."
)

// ResultsOf is the subscription to the results of one station's plans.
func (s Space) ResultsOf(station string) string { return s.ofPlan(resultFlow, station, "*") }

// Event is where an event of a plan is announced.
func (s Space) Event(kind NoticeKind, station, planID string) string {
	if s.Prefix == "" {
		return "plan.event." + string(kind) + "." + station + "." + planID
	}
	return s.Prefix + ".plan.event." + string(kind) + "." + station + "." + planID
}

// AllEvents is the subscription to all events.
func (s Space) AllEvents() string { return s.subject("plan.event.>") }

// Cancel is the subject of requests to stop an execution of a plan.
func (s Space) Cancel(station, planID string) string {
	return s.ofPlan("plan.cancel.", station, planID)
}

// Cancels is the subscription of a station's worker to its cancellations.
func (s Space) Cancels(station string) string { return s.ofPlan("plan.cancel.", station, "*") }

func (s Space) ofPlan(flow, station, planID string) string {
	if s.Prefix == "" {
		return flow + station + "." + planID
	}
	return s.Prefix + "." + flow + station + "." + planID
}

// Lead is where the leader of a partition takes requests.
func (s Space) Lead(partition int) string {
	return s.subject("scheduler.lead." + strconv.Itoa(partition))
}

// Journal is the subject of a partition's appends.
func (s Space) Journal(partition int) string {
	return s.subject("scheduler.journal." + strconv.Itoa(partition))
}

// Stored is the subject of a partition's fence in the streams behind its journal.
func (s Space) Stored(partition int) string {
	return s.subject("scheduler.stored." + strconv.Itoa(partition))
}

// Queued is the subject of a partition's fence in the stream of items, because a subject
// can be in one stream only.
func (s Space) Queued(partition int) string {
	return s.subject("scheduler.queued." + strconv.Itoa(partition))
}

// Inbox is where the items of a plan with an inbox are stored, AllInboxes those of all
// plans of a partition.
func (s Space) Inbox(partition int, station, planID string) string {
	return s.ofPlan("scheduler.inbox."+strconv.Itoa(partition)+".", station, planID)
}

// AllInboxes matches the subjects of all items of a partition.
func (s Space) AllInboxes(partition int) string {
	return s.subject("scheduler.inbox." + strconv.Itoa(partition) + ".>")
}

// ParseInbox is the inverse of [Space.Inbox] for a partition.
func (s Space) ParseInbox(partition int, subject string) (PlanName, bool) {
	rest, ok := strings.CutPrefix(subject, strings.TrimSuffix(s.AllInboxes(partition), ">"))
	dot := strings.LastIndexByte(rest, '.')
	if !ok || dot < 0 {
		return PlanName{}, false
	}
	n := PlanName{Station: rest[:dot], PlanID: rest[dot+1:]}
	return n, n.Check() == nil
}

// JournalStream is the stream of a partition's journal.
func (s Space) JournalStream(partition int) string { return s.numbered(journalStream, partition) }

// ParseJournalStream returns the prefix of the installation to which a journal's stream
// belongs, of any partition; it reports false for all other streams.
func ParseJournalStream(name string) (prefix string, ok bool) {
	parts := journalStreams.FindStringSubmatch(name)
	if parts == nil {
		return "", false
	}
	return parts[1], true
}

const journalStream = "PLAN_JOURNAL"

var journalStreams = regexp.MustCompile(`^(?:(.+)_)?` + journalStream + `(?:_\d+)?$`)

// ResultsStream, RepliesStream and QueuesStream are the streams of all results,
// of captured replies and of the items of inboxes.
func (s Space) ResultsStream() string { return s.store("PLAN_RESULTS") }

// RepliesStream is the stream that captures replies.
func (s Space) RepliesStream() string { return s.store("PLAN_REPLIES") }

// QueuesStream is the stream of items of merge queues.
func (s Space) QueuesStream() string { return s.store("PLAN_QUEUES") }

// PlansBucket is the bucket of a partition's plans.
func (s Space) PlansBucket(partition int) string { return s.numbered("plans", partition) }

// StationsBucket, WorkersBucket and LeadersBucket are the buckets of stations, of
// the workers that are there, and of leases.
func (s Space) StationsBucket() string { return s.store("stations") }

// WorkersBucket is the bucket of the workers that are present.
func (s Space) WorkersBucket() string { return s.store("workers") }

// LeadersBucket is the bucket of leases and of the installation.
func (s Space) LeadersBucket() string { return s.store("leaders") }

// SecretsBucket is the bucket of the keys that sign callbacks.
func (s Space) SecretsBucket() string { return s.store("secrets") }

// Presence is where the records of workers are put: the keys of their bucket.
func (s Space) Presence() string { return BucketSubject(s.WorkersBucket(), ">") }

// BucketSubject is where a key of a bucket is put (NATS ADR-8).
func BucketSubject(bucket, key string) string { return "$KV." + bucket + "." + key }

// store puts the prefix before the name of a stream or bucket.
func (s Space) store(name string) string {
	if s.Prefix == "" {
		return name
	}
	return s.Prefix + "_" + name
}

// numbered adds the partition, but only where there are several.
func (s Space) numbered(name string, partition int) string {
	if s.Partitions > 1 {
		name += "_" + strconv.Itoa(partition)
	}
	return s.store(name)
}

// Partition is the partition of a plan: a hash of its id alone, so that a task and its
// callback share one. It must never change.
func (s Space) Partition(planID string) int {
	if s.Partitions <= 1 {
		return 0
	}
	hash := uint64(14695981039346656037) // FNV-1a
	for i := range len(planID) {
		hash = (hash ^ uint64(planID[i])) * 1099511628211
	}
	return int(hash % uint64(s.Partitions))
}

// ours are the first tokens of the installation's subjects, where it has no prefix.
var ours = map[string]bool{
	"plan": true, "plans": true, "station": true, "stations": true, "worker": true, "workers": true,
	"scheduler": true, "tasks": true, "task_types": true, "periodic_tasks": true, "queues": true, "secrets": true,
}

// Answerable reports whether an answer may be sent to subject, which the requester has
// chosen. NATS checks only the responder's rights, so that an answer is lent authority.
// None goes to the server's own subjects (one to $JS.API or $KV would act on streams) and
// to ours (an answer is no execution, and no append).
func (s Space) Answerable(subject string) bool {
	token, _, _ := strings.Cut(subject, ".")
	if token == "" || token[0] == '$' {
		return false
	}
	if s.Prefix != "" {
		return token != s.Prefix
	}
	return !ours[token]
}

// CheckpointKey is the fence of a partition's bucket.
const CheckpointKey = "checkpoint"

// A KeyKind is the kind of object that a key of a bucket names.
type KeyKind byte

const (
	KeyPlan    KeyKind = iota + 1 // plan.<station>.<id>: a definition
	KeyState                      // state.<station>.<id>: the scheduler's record of a plan
	KeyStation                    // station.<station>: in bucket stations
	KeyClosed                     // closed.<number>: some plans that closed a short while ago
)

// PlanKey, StateKey and StationKey name rows of the buckets.
func PlanKey(station, id string) string { return "plan." + station + "." + id }

// StateKey is the key of the state of a plan in its bucket.
func StateKey(station, id string) string { return "state." + station + "." + id }

// StationKey is the key of the record of a station in its bucket.
func StationKey(station string) string { return "station." + station }

// ClosedKey is the key of some plans that closed a short while ago, by the number of the row.
func ClosedKey(number uint64) string { return "closed." + strconv.FormatUint(number, 10) }

// ParseKey is the inverse of [PlanKey], [StateKey], [StationKey] and [ClosedKey], whose number is
// the id, in decimal. It reports false for keys of other makings.
func ParseKey(key string) (kind KeyKind, station, id string, ok bool) {
	word, rest, _ := strings.Cut(key, ".")
	switch word {
	case "plan":
		kind = KeyPlan
	case "state":
		kind = KeyState
	case "station":
		return KeyStation, rest, "", CheckStation(rest) == nil
	case "closed":
		number, err := strconv.ParseUint(rest, 10, 64)
		return KeyClosed, "", rest, err == nil && ClosedKey(number) == key
	default:
		return 0, "", "", false
	}
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return 0, "", "", false
	}
	station, id = rest[:dot], rest[dot+1:]
	return kind, station, id, CheckStation(station) == nil && CheckID(id) == nil
}

// replyFlow stands before the partition of every reply subject.
const replyFlow = "plan.reply."

// Reply is where the worker of one execution answers:
// "plan.reply.<partition>.<station>.*<plan_id>.<exec>". The * is the first byte
// of the token and marks a proxied sender.
func (s Space) Reply(partition int, station, planID, exec string) string {
	number := strconv.Itoa(partition)
	if s.Prefix == "" {
		return replyFlow + number + "." + station + ".*" + planID + "." + exec
	}
	return s.Prefix + "." + replyFlow + number + "." + station + ".*" + planID + "." + exec
}

// Replies is the subscription of a partition's leader.
func (s Space) Replies(partition int) string {
	return s.subject(replyFlow + strconv.Itoa(partition) + ".>")
}

// AllReplies is the subject of the stream of captured replies.
func (s Space) AllReplies() string { return s.subject(replyFlow + ">") }

// ParseReply is the inverse of [Space.Reply]. It reports false for all that this
// installation cannot have made, because any client may publish on such subjects.
func (s Space) ParseReply(subject string) (ReplyName, bool) {
	var n ReplyName
	rest := subject
	if s.Prefix != "" {
		var ok bool
		if rest, ok = strings.CutPrefix(rest, s.Prefix); !ok || rest == "" || rest[0] != '.' {
			return n, false
		}
		rest = rest[1:]
	}
	rest, ok := strings.CutPrefix(rest, replyFlow)
	if !ok {
		return n, false
	}
	number, rest, ok := strings.Cut(rest, ".")
	partition, isNumber := parseNumber(number)
	if !ok || !isNumber || partition >= int64(max(s.Partitions, 1)) {
		return n, false
	}
	dot := strings.LastIndexByte(rest, '.')
	if dot < 0 {
		return n, false
	}
	rest, exec := rest[:dot], rest[dot+1:]
	if dot = strings.LastIndexByte(rest, '.'); dot < 0 || dot+1 == len(rest) || rest[dot+1] != '*' {
		return n, false
	}
	n.Partition, n.Station, n.PlanID = int(partition), rest[:dot], rest[dot+2:]
	if n.N, n.Nonce, ok = ParseExec(exec); !ok {
		return ReplyName{}, false
	}
	if CheckStation(n.Station) != nil || CheckID(n.PlanID) != nil {
		return ReplyName{}, false
	}
	return n, true
}
