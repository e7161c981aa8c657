package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An Execution is one dispatch of an occurrence, as a worker gets it on
// station.<station>.
type Execution struct {
	PlanID      string            `json:"plan_id"`               // the plan's id, unique at its station
	Station     string            `json:"station"`               // the plan's station
	Command     string            `json:"command,omitempty"`     // the plan's, by which a worker decides; empty: none
	RequestID   string            `json:"request_id,omitempty"`  // the publisher's own; empty: none
	Caller      string            `json:"caller,omitempty"`      // the publisher's own; empty: none
	Description string            `json:"description,omitempty"` // the plan's, for people; empty: none
	Messages    []wire.Value      `json:"messages,omitempty"`    // the plan's frames, unchanged
	Items       []wire.Value      `json:"items,omitempty"`       // of a plan with an inbox: those handed over
	Occurrence  int64             `json:"occurrence"`            // its number, from 1; 0: a run by plans.trigger
	Attempt     int64             `json:"attempt"`               // the try at the occurrence, from 1
	Exec        string            `json:"exec"`                  // <n>-<nonce>
	Key         string            `json:"key"`                   // the idempotency key, the same for every attempt
	PlanTime    time.Time         `json:"plan_time"`             // when it was due
	MovedFrom   time.Time         `json:"moved_from,omitzero"`   // when it would have been due without calendars; zero: then
	Deadline    time.Time         `json:"deadline,omitzero"`     // when it times out; zero: never
	Epoch       int64             `json:"epoch"`                 // the leadership that sent it, in Unix milliseconds
	Ext         wire.Value        `json:"ext,omitzero"`          // the plan's, any value; zero: none
	Labels      map[string]string `json:"labels,omitempty"`      // the plan's; empty: none
	TenantID    string            `json:"tenant_id,omitempty"`   // the plan's; empty: none
	Category    string            `json:"category,omitempty"`    // the plan's; empty: none
	Priority    int64             `json:"priority,omitempty"`    // 0 to 9, 9 first; absent: 0
}

// ContentHeader returns the headers of a message in enc that has no others. All such
// messages share them, because publishing only reads headers; callers must not change
// them.
func ContentHeader(enc wire.Encoding) map[string][]string {
	if enc == wire.MsgPack {
		return msgpackHeader
	}
	return jsonHeader
}

var (
	jsonHeader    = map[string][]string{HeaderContentType: {wire.JSON.ContentType()}}
	msgpackHeader = map[string][]string{HeaderContentType: {wire.MsgPack.ContentType()}}
)

// Names of the headers of an execution.
const (
	HeaderContentType = "Content-Type"    // the encoding of the body
	HeaderCommand     = "Plan-Command"    // always "proxy"
	HeaderID          = "Plan-Id"         // the plan's id
	HeaderStation     = "Plan-Station"    // the plan's station
	HeaderExec        = "Plan-Exec"       // <n>-<nonce>
	HeaderOccurrence  = "Plan-Occurrence" // decimal
	HeaderAttempt     = "Plan-Attempt"    // decimal, from 1
	HeaderTime        = "Plan-Time"       // when it was due, RFC 3339, UTC
	HeaderKey         = "Plan-Key"        // the idempotency key
	HeaderDeadline    = "Plan-Deadline"   // when it times out, RFC 3339, UTC; absent: never
	HeaderStartBy     = "Plan-Start-By"   // when it may begin at the latest, RFC 3339, UTC; absent: no limit
	HeaderEpoch       = "Plan-Epoch"      // the leadership, in Unix milliseconds
	HeaderCaller      = "Plan-Caller"     // the plan's caller, as [HeaderText]; absent: none
	HeaderTitle       = "Plan-Title"      // the plan's description, as [HeaderText]; absent: none
	HeaderTrigger     = "Plan-Trigger"    // the cause of the run, unless its schedule made it in time
	HeaderTraceparent = "traceparent"     // of W3C Trace Context; absent: no trace
	HeaderState       = "Plan-State"      // of a reply: its state; the body is the content

	HeaderServiceError     = "Nats-Service-Error"      // of a refusal: its description, as of NATS micro
	HeaderServiceErrorCode = "Nats-Service-Error-Code" // of a refusal: its status, as of NATS micro

	CommandProxy = "proxy" // the value of HeaderCommand

	// TriggerManual is the Plan-Trigger, and a result's trigger, of a run that a user
	// requested.
	TriggerManual = "manual"
	// TriggerCatchUp is the trigger of an occurrence that fell due while no scheduler
	// acted, and runs late.
	TriggerCatchUp = "catch_up"
)

// State is the outcome of an execution, in replies, results and records.
type State string

const (
	StateDispatched State = "dispatched" // published, no reply yet
	StateRunning    State = "running"    // a worker has begun
	StateWaiting    State = "waiting"    // its worker asked for more time
	StateOK         State = "ok"         // done
	StateError      State = "error"      // it failed, and is tried again under the plan's retry
	StateFailure    State = "failure"    // it failed for good
	StateTimeout    State = "timeout"    // no reply in time
	StateSkipped    State = "skipped"    // never executed, or of an occurrence that gave way
	StateCancelled  State = "cancelled"  // ended by a request, or in favour of another

	// StateNotWorker is a worker's reply to an execution that it claimed and will not
	// begin: it is put back as if it had not been claimed.
	StateNotWorker State = "not_worker"
)

// Reason is the cause of a result or a status.
type Reason string

const (
	ReasonPast        Reason = "past"        // of a skip: its time had passed
	ReasonAbandoned   Reason = "abandoned"   // a queue that was not claimed within abandon_after
	ReasonOverlap     Reason = "overlap"     // of a skip: another occurrence was open, or took its place
	ReasonConcurrency Reason = "concurrency" // of a skip: max_concurrency were under way
	ReasonFailure     Reason = "failure"     // of a skip: the last execution had failed
	ReasonManual      Reason = "manual"      // a user's request
	ReasonPaused      Reason = "paused"      // of a skip: the plan was paused
	ReasonCalendar    Reason = "calendar"    // of a skip: calendars exclude its time
	ReasonMissed      Reason = "missed"      // of a skip: it fell due while no scheduler acted
	ReasonStart       Reason = "start"       // of a timeout: no first reply within start_timeout
	ReasonExec        Reason = "exec"        // of a timeout: no end within exec_timeout
	ReasonPing        Reason = "ping"        // of a timeout: no ping within ping_timeout_ms
	ReasonRetries     Reason = "retries"     // of a failure: retries are used up
	// its leader ended, and has not sent it, or it is unknown whether it has
	ReasonUnsent       Reason = "unsent"
	ReasonWorker       Reason = "worker"        // of a failure: reported by the worker
	ReasonUnknownState Reason = "unknown_state" // of a failure: a reply with a state that does not exist
	ReasonUnknown      Reason = "unknown"       // it is unknown whether it ran, and on_unknown forbids a repetition
	ReasonTooLarge     Reason = "too_large"     // of a failure: a content above the limit
	ReasonProcessed    Reason = "processed"     // a person has done the work of a pending task
	ReasonCaptured     Reason = "captured"      // a stream took the execution; not_worker
	ReasonSkipped      Reason = "skipped"       // of a plan that closed without running
	ReasonInternal     Reason = "internal"      // of a plan at which the scheduler failed
)

// A Reply is a worker's word about one execution.
type Reply struct {
	State    State      `json:"state,omitempty"`     // empty: ok, or error where Error is given
	Content  wire.Value `json:"content,omitzero"`    // the result, any value; zero: none
	Error    wire.Value `json:"error,omitzero"`      // why it failed, any value; with Content 256 KiB at most
	WorkerID string     `json:"worker_id,omitempty"` // the worker; empty: unnamed
	// of waiting: until the next reply, from now; nil: the plan's exec_timeout
	Extend   *Seconds `json:"extend,omitempty"`
	Delay    *Seconds `json:"delay,omitempty"`    // of error: until the next attempt; nil: by the plan's retry
	Progress *float64 `json:"progress,omitempty"` // of running, waiting: 0 to 100 per cent; nil: unknown
	// Callback false of an ok suppresses the station's callback, Retry false of an error
	// makes it final: the occurrence is settled as a failure, reason worker, and the plan
	// goes on.
	Callback *bool `json:"callback,omitempty"`
	Retry    *bool `json:"retry,omitempty"` // nil: true
	// Unsure of an error means that the work may have been done all the same, as after a timeout.
	// Items that were handed over then come again unchanged, under their key, whether or not
	// others are pushed.
	Unsure bool `json:"unsure,omitempty"`
	// Overflow of an error: it would be an ok, but its content is larger than
	// MaxReplyBytes, so that repeating the work would bring no less.
	Overflow bool `json:"overflow,omitempty"`
	// Stream is set when this is no worker's answer, because a JetStream stream of that
	// name took the execution as a message, and confirmed it. All else is absent then.
	Stream string `json:"-"`
}

// An Ack answers a reply that was sent as a request, once the reply is durable.
type Ack struct {
	Ack            bool  `json:"ack"`                        // always true
	Accepted       bool  `json:"accepted"`                   // false: the reply changes nothing
	Cancel         bool  `json:"cancel,omitempty"`           // true: the worker is to stop
	PingIntervalMS int64 `json:"ping_interval_ms,omitempty"` // milliseconds between two pings; 0: none are expected
}

// A Result records one execution that ended, or occurrences that were skipped;
// it is broadcast on plan.result.<station>.<plan_id> and kept.
type Result struct {
	PlanID      string            `json:"plan_id"`               // the plan's id, unique at its station
	Station     string            `json:"station"`               // the plan's station
	RequestID   string            `json:"request_id,omitempty"`  // the publisher's own; empty: none
	Caller      string            `json:"caller,omitempty"`      // the publisher's own; empty: none
	Description string            `json:"description,omitempty"` // the plan's; empty: none
	Command     string            `json:"command,omitempty"`     // the plan's; empty: none
	Messages    []wire.Value      `json:"messages,omitempty"`    // the plan's frames
	TenantID    string            `json:"tenant_id,omitempty"`   // the plan's; empty: none
	Category    string            `json:"category,omitempty"`    // the plan's; empty: none
	Labels      map[string]string `json:"labels,omitempty"`      // the plan's; empty: none
	Ext         wire.Value        `json:"ext,omitzero"`          // the plan's; zero: none
	Occurrence  int64             `json:"occurrence"`            // its number, from 1; 0: a run by plans.trigger
	Attempt     int64             `json:"attempt"`               // from 1; 0: not tried
	N           int64             `json:"n"`                     // of the execution or the skip; a plan gives it once
	// of a late ok, the execution whose it is, which has a result already
	Of          int64      `json:"of,omitempty"`
	Key         string     `json:"key,omitempty"`       // the idempotency key
	PlanTime    time.Time  `json:"plan_time,omitzero"`  // when it was due
	MovedFrom   time.Time  `json:"moved_from,omitzero"` // when it would have been due without calendars; zero: then
	ExecTime    time.Time  `json:"exec_time,omitzero"`  // when it was sent; zero: never
	EndTime     time.Time  `json:"end_time,omitzero"`   // when it ended
	State       State      `json:"state"`               // how it ended
	Reason      Reason     `json:"reason,omitempty"`    // why State is so; empty: no special cause
	Cause       Reason     `json:"cause,omitempty"`     // of a failure, why its last execution was a timeout
	Because     *Because   `json:"because,omitempty"`   // of a skip or a cancellation, its cause; nil: unknown
	Count       int64      `json:"count,omitempty"`     // occurrences that it is about; 0: one
	Trigger     string     `json:"trigger,omitempty"`   // empty: the schedule, in time
	Attribution            // of reason manual or processed, or trigger manual
	Content     wire.Value `json:"content,omitzero"`    // the worker's; zero: none
	Error       wire.Value `json:"error,omitzero"`      // the worker's; zero: none
	WorkerID    string     `json:"worker_id,omitempty"` // the worker that had it; empty: none
	Votes       []Vote     `json:"votes,omitempty"`     // of a vote station
	RealRepet   int64      `json:"real_repet"`          // occurrences executed so far
	SkipNum     int64      `json:"skip_num"`            // occurrences skipped so far
	Final       bool       `json:"final"`               // true: the occurrence is settled
	Late        *Late      `json:"late,omitempty"`      // why its execution began late; nil: it did not
	// Of a task: when it was submitted, and its errors so far; of its last result, unless
	// that is a failure itself, also the last of them.
	CreateDate time.Time  `json:"create_date,omitzero"`
	ErrorCount int64      `json:"error_count,omitempty"` // 0: none
	LastError  *LastError `json:"last_error,omitempty"`  // nil: none
}

// A Vote is the reply of one worker of a vote station.
type Vote struct {
	WorkerID string     `json:"worker_id,omitempty"` // empty: unnamed
	State    State      `json:"state"`               // as in [Reply]
	Content  wire.Value `json:"content,omitzero"`    // zero: none
	Error    wire.Value `json:"error,omitzero"`      // zero: none
}

// A Notice is a live, unstored note of something that happened, published on
// plan.event.<kind>.<station>.<plan_id>.
type Notice struct {
	Kind       NoticeKind `json:"kind"`                 // the event
	Station    string     `json:"station"`              // the plan's station
	PlanID     string     `json:"plan_id"`              // the plan's id, unique at its station
	Occurrence int64      `json:"occurrence,omitempty"` // from 1; 0: none, or a run by plans.trigger
	Attempt    int64      `json:"attempt,omitempty"`    // from 1; 0: not tried
	N          int64      `json:"n,omitempty"`          // of the execution or the skip; 0: none
	PlanTime   time.Time  `json:"plan_time,omitzero"`   // when it was due; zero: none
	Time       time.Time  `json:"time,omitzero"`        // when it happened
	Reason     Reason     `json:"reason,omitempty"`     // empty: no special cause
	WorkerID   string     `json:"worker_id,omitempty"`  // empty: none is known
	Progress   *float64   `json:"progress,omitempty"`   // 0 to 100 per cent; nil: unknown

	Attribution // of created, updated, paused, resumed, closed, removed, skipped: who asked, and why
}

// NoticeKind is the kind of an event.
type NoticeKind string

const (
	NoticeCreated    NoticeKind = "created"    // a new plan
	NoticeUpdated    NoticeKind = "updated"    // a plan has another definition
	NoticeDispatched NoticeKind = "dispatched" // an execution is sent, or offered to workers
	NoticeRunning    NoticeKind = "running"    // a worker has begun, or claimed it
	NoticeWaiting    NoticeKind = "waiting"    // a worker asked for more time
	NoticeNotWorker  NoticeKind = "not_worker" // an execution reached no worker, or was given back
	NoticeTimeout    NoticeKind = "timeout"    // no reply in time
	NoticeRetrying   NoticeKind = "retrying"   // an occurrence waits for its retry, or is sent again
	NoticeSkipped    NoticeKind = "skipped"    // occurrences are skipped
	NoticePaused     NoticeKind = "paused"     // a user paused the plan
	NoticeResumed    NoticeKind = "resumed"    // a user resumed the plan
	// NoticeRescheduled reports that a change of a calendar moved the plan's next time, which is
	// PlanTime.
	NoticeRescheduled NoticeKind = "rescheduled"
	NoticeClosed      NoticeKind = "closed"     // the plan has ended
	NoticeRemoved     NoticeKind = "removed"    // the plan is removed
	NoticePlanError   NoticeKind = "plan_error" // the plan stopped, in plan_error or pending
	// NoticeNotCalledBack reports that the callback about a result will not be made, because the
	// queue of callbacks has no room for it.
	NoticeNotCalledBack NoticeKind = "not_called_back"
)

// NoticeKinds are all kinds of events, which are counted, and which a reader may ask for.
var NoticeKinds = []NoticeKind{
	NoticeCreated, NoticeUpdated, NoticeDispatched, NoticeRunning, NoticeWaiting, NoticeNotWorker, NoticeTimeout,
	NoticeRetrying, NoticeSkipped, NoticePaused, NoticeResumed, NoticeRescheduled, NoticeClosed, NoticeRemoved, NoticePlanError,
	NoticeNotCalledBack,
}

// A Cancel requests workers to stop execution n, on plan.cancel.<station>.<plan_id>.
type Cancel struct {
	PlanID     string `json:"plan_id"`          // the plan's id, unique at its station
	Station    string `json:"station"`          // the plan's station
	N          int64  `json:"n"`                // the number of the execution
	Occurrence int64  `json:"occurrence"`       // 0: a run by plans.trigger
	Attempt    int64  `json:"attempt"`          // from 1
	Reason     Reason `json:"reason,omitempty"` // empty: no special cause
}

// A Here is a worker's announcement beside its subject, which names the worker and the
// station. No body means the same as an empty one.
type Here struct {
	Version string `json:"version,omitempty"` // of the worker's program; empty: unknown
	Load    int64  `json:"load,omitempty"`    // executions under way there
	Gone    bool   `json:"gone,omitempty"`    // it leaves
	WorkerBuild
	// Epochs are the newest leaderships that it has seen, of MaxSeenEpochs partitions at
	// most, so that a scheduler that does not know them learns that it leads with an older
	// store.
	Epochs []SeenEpochs `json:"epochs,omitempty" wire:"list"`
}

// WorkerBuild is where a worker runs, and by which library.
type WorkerBuild struct {
	Host    string    `json:"host,omitempty"`    // its machine; empty: unknown
	Library string    `json:"library,omitempty"` // the library that it speaks by, with its version; empty: unknown
	Since   time.Time `json:"since,omitzero"`    // when it began, by its clock; zero: unknown
}

// epochAhead is how far an epoch may be ahead of the receiver's clock.
const epochAhead = time.Minute

// IsEpochAhead reports that an epoch is too far ahead of now to count. Epochs begin at the
// time in milliseconds, so no leader has had it, or one on a machine whose clock is wrong.
func IsEpochAhead(epoch int64, now time.Time) bool { return epoch > now.Add(epochAhead).UnixMilli() }

// MaxSeenEpochs is the number of partitions whose epochs a worker reports at once. More
// are not read.
const MaxSeenEpochs = 16

// SeenEpochs are the highest epoch that a worker has seen of a partition, and the one that
// was the highest before; 0: there was none.
type SeenEpochs struct {
	Partition int   `json:"partition"`        // from 0
	Epoch     int64 `json:"epoch"`            // Unix milliseconds
	Before    int64 `json:"before,omitempty"` // Unix milliseconds
}

// A Worker is a record of bucket workers, and a row of workers.list.
type Worker struct {
	WorkerID string    `json:"worker_id" wire:"numeric"` // the worker's own name
	Stations []string  `json:"stations" wire:"set"`      // those that it serves
	Version  string    `json:"version,omitempty"`        // of its program; empty: unknown
	Load     int64     `json:"load,omitempty"`           // executions under way there
	LastSeen time.Time `json:"last_seen,omitzero"`       // when it announced itself last; zero: never
	WorkerBuild
}
