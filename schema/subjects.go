package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Space is the names of one installation: the subjects, streams and buckets that users,
// clients and workers know. No other file of the package makes a subject or reads one.
// Arguments are not checked, because callers check names from outside before.
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

const resultFlow = "plan.result."

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

// ResultsStream is the stream of all results.
func (s Space) ResultsStream() string { return s.store("PLAN_RESULTS") }

// LeadersBucket is the bucket of leases and of the installation.
func (s Space) LeadersBucket() string { return s.store("leaders") }

// store puts the prefix before the name of a stream or bucket.
func (s Space) store(name string) string {
	if s.Prefix == "" {
		return name
	}
	return s.Prefix + "_" + name
}

// ours are the first tokens of the installation's subjects, where it has no prefix.
var ours = map[string]bool{
	"plan": true, "plans": true, "station": true, "stations": true, "worker": true, "workers": true,
	"scheduler": true, "tasks": true, "task_types": true, "periodic_tasks": true, "queues": true, "secrets": true,
}

// CheckPrefix is [CheckID] for the prefix of an installation. It refuses the first tokens of the
// subjects of one without a prefix, because that one's streams and subscriptions, such as
// station.>, would receive the messages of this one; and the names of the stations that the
// program itself serves, which read like these.
func CheckPrefix(prefix string) error {
	if err := CheckID(prefix); err != nil {
		return err
	}
	if ours[prefix] {
		return fmt.Errorf("begins subjects of an installation without a prefix, which would take in those of this one (%s.>); choose another", prefix)
	}
	switch prefix {
	case HTTPStation, QueueStation, CallbackStation, TaskCommand, "_INBOX":
		return errors.New("is a name that the program itself uses; choose another")
	}
	return nil
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
