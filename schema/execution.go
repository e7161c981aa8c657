package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An Execution is one dispatch of an occurrence, as a worker gets it on
// station.<station>.
type Execution struct {
	PlanID      string            `json:"plan_id"`
	Station     string            `json:"station"`
	Command     string            `json:"command,omitempty"`
	RequestID   string            `json:"request_id,omitempty"`
	Caller      string            `json:"caller,omitempty"`
	Description string            `json:"description,omitempty"`
	Messages    []wire.Value      `json:"messages,omitempty"`
	Items       []wire.Value      `json:"items,omitempty"`
	Occurrence  int64             `json:"occurrence"`
	Attempt     int64             `json:"attempt"`
	Exec        string            `json:"exec"` // <n>-<nonce>
	Key         string            `json:"key"`
	PlanTime    time.Time         `json:"plan_time"`
	Deadline    time.Time         `json:"deadline,omitzero"`
	Epoch       int64             `json:"epoch"`
	Ext         wire.Value        `json:"ext,omitzero"`
	Labels      map[string]string `json:"labels,omitempty"`
	TenantID    string            `json:"tenant_id,omitempty"`
	Category    string            `json:"category,omitempty"`
	Priority    int64             `json:"priority,omitempty"`
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
	HeaderContentType = "Content-Type"
	HeaderCommand     = "Plan-Command" // always "proxy"
	HeaderID          = "Plan-Id"
	HeaderStation     = "Plan-Station"
	HeaderExec        = "Plan-Exec"
	HeaderOccurrence  = "Plan-Occurrence"
	HeaderAttempt     = "Plan-Attempt"
	HeaderTime        = "Plan-Time"
	HeaderKey         = "Plan-Key"
	HeaderDeadline    = "Plan-Deadline"
	HeaderStartBy     = "Plan-Start-By"
	HeaderEpoch       = "Plan-Epoch"
	HeaderCaller      = "Plan-Caller"
	HeaderTitle       = "Plan-Title"
	HeaderTrigger     = "Plan-Trigger" // the cause of the run, unless its schedule made it in time
	HeaderTraceparent = "traceparent"
	HeaderItem        = "Plan-Item"  // of a stored item: <incarnation>-<number>
	HeaderState       = "Plan-State" // of a reply: its state; the body is the content

	HeaderServiceError     = "Nats-Service-Error"
	HeaderServiceErrorCode = "Nats-Service-Error-Code"

	CommandProxy = "proxy"

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
	StateRunning    State = "running"
	StateWaiting    State = "waiting"
	StateOK         State = "ok"
	StateError      State = "error"
	StateFailure    State = "failure"
	StateTimeout    State = "timeout"
	StateSkipped    State = "skipped"
	StateCancelled  State = "cancelled"

	// StateNotWorker is a worker's reply to an execution that it claimed and will not
	// begin: it is put back as if it had not been claimed.
	StateNotWorker State = "not_worker"
)

// Reason is the cause of a result or a status.
type Reason string

const (
	ReasonPast         Reason = "past"
	ReasonAbandoned    Reason = "abandoned" // a queue that was not claimed within abandon_after
	ReasonOverlap      Reason = "overlap"
	ReasonConcurrency  Reason = "concurrency"
	ReasonFailure      Reason = "failure"
	ReasonManual       Reason = "manual"
	ReasonPaused       Reason = "paused"
	ReasonMissed       Reason = "missed"
	ReasonStart        Reason = "start"
	ReasonExec         Reason = "exec"
	ReasonPing         Reason = "ping"
	ReasonRetries      Reason = "retries"
	ReasonUnsent       Reason = "unsent" // its leader ended, and has not sent it, or it is unknown whether it has
	ReasonWorker       Reason = "worker"
	ReasonUnknownState Reason = "unknown_state"
	ReasonUnknown      Reason = "unknown"
	ReasonTooLarge     Reason = "too_large"
	ReasonProcessed    Reason = "processed" // a person has done the work of a pending task
	ReasonCaptured     Reason = "captured"  // a stream took the execution; not_worker
	ReasonSkipped      Reason = "skipped"   // of a plan that closed without running
	ReasonInternal     Reason = "internal"  // of a plan at which the scheduler failed
)

// A Reply is a worker's word about one execution.
type Reply struct {
	State    State      `json:"state,omitempty"`
	Content  wire.Value `json:"content,omitzero"`
	Error    wire.Value `json:"error,omitzero"`
	WorkerID string     `json:"worker_id,omitempty"`
	Extend   *Seconds   `json:"extend,omitempty"`
	Delay    *Seconds   `json:"delay,omitempty"`
	Progress *float64   `json:"progress,omitempty"`
	// Callback false of an ok suppresses the station's callback, Retry false of an error
	// makes it final: the occurrence is settled as a failure, reason worker, and the plan
	// goes on.
	Callback *bool `json:"callback,omitempty"`
	Retry    *bool `json:"retry,omitempty"`
	// Unsure of an error: the work may have been done all the same, as after a timeout.
	// Items that were handed over then come again unchanged, under their key, whether or
	// not others are pushed.
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
	Ack            bool  `json:"ack"`
	Accepted       bool  `json:"accepted"`
	Cancel         bool  `json:"cancel,omitempty"`
	PingIntervalMS int64 `json:"ping_interval_ms,omitempty"`
}

// A Result records one execution that ended, or occurrences that were skipped;
// it is broadcast on plan.result.<station>.<plan_id> and kept.
type Result struct {
	PlanID      string            `json:"plan_id"`
	Station     string            `json:"station"`
	RequestID   string            `json:"request_id,omitempty"`
	Caller      string            `json:"caller,omitempty"`
	Description string            `json:"description,omitempty"`
	Command     string            `json:"command,omitempty"`
	Messages    []wire.Value      `json:"messages,omitempty"`
	TenantID    string            `json:"tenant_id,omitempty"`
	Category    string            `json:"category,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Ext         wire.Value        `json:"ext,omitzero"`
	Occurrence  int64             `json:"occurrence"`
	Attempt     int64             `json:"attempt"`
	N           int64             `json:"n"`
	Of          int64             `json:"of,omitempty"` // of a late ok, the execution whose it is, which has a result already
	Key         string            `json:"key,omitempty"`
	PlanTime    time.Time         `json:"plan_time,omitzero"`
	ExecTime    time.Time         `json:"exec_time,omitzero"`
	EndTime     time.Time         `json:"end_time,omitzero"`
	State       State             `json:"state"`
	Reason      Reason            `json:"reason,omitempty"`
	Cause       Reason            `json:"cause,omitempty"` // of a failure, why its last execution was a timeout
	Count       int64             `json:"count,omitempty"`
	Trigger     string            `json:"trigger,omitempty"`
	Content     wire.Value        `json:"content,omitzero"`
	Error       wire.Value        `json:"error,omitzero"`
	WorkerID    string            `json:"worker_id,omitempty"`
	Votes       []Vote            `json:"votes,omitempty"` // of a vote station
	RealRepet   int64             `json:"real_repet"`
	SkipNum     int64             `json:"skip_num"`
	Final       bool              `json:"final"`
	// Of a task: when it was submitted, and its errors so far; of its last result, unless
	// that is a failure itself, also the last of them.
	CreateDate time.Time  `json:"create_date,omitzero"`
	ErrorCount int64      `json:"error_count,omitempty"`
	LastError  *LastError `json:"last_error,omitempty"`
}

// A Vote is the reply of one worker of a vote station.
type Vote struct {
	WorkerID string     `json:"worker_id,omitempty"`
	State    State      `json:"state"`
	Content  wire.Value `json:"content,omitzero"`
	Error    wire.Value `json:"error,omitzero"`
}

// A Notice is a live, unstored note of something that happened, published on
// plan.event.<kind>.<station>.<plan_id>.
type Notice struct {
	Kind       NoticeKind `json:"kind"`
	Station    string     `json:"station"`
	PlanID     string     `json:"plan_id"`
	Occurrence int64      `json:"occurrence,omitempty"`
	Attempt    int64      `json:"attempt,omitempty"`
	N          int64      `json:"n,omitempty"`
	PlanTime   time.Time  `json:"plan_time,omitzero"`
	Time       time.Time  `json:"time,omitzero"`
	Reason     Reason     `json:"reason,omitempty"`
	WorkerID   string     `json:"worker_id,omitempty"`
	Progress   *float64   `json:"progress,omitempty"`
}

// NoticeKind is the kind of an event.
type NoticeKind string

const (
	NoticeCreated    NoticeKind = "created"
	NoticeUpdated    NoticeKind = "updated"
	NoticeDispatched NoticeKind = "dispatched"
	NoticeRunning    NoticeKind = "running"
	NoticeWaiting    NoticeKind = "waiting"
	NoticeNotWorker  NoticeKind = "not_worker"
	NoticeTimeout    NoticeKind = "timeout"
	NoticeRetrying   NoticeKind = "retrying"
	NoticeSkipped    NoticeKind = "skipped"
	NoticePaused     NoticeKind = "paused"
	NoticeResumed    NoticeKind = "resumed"
	NoticeClosed     NoticeKind = "closed"
	NoticeRemoved    NoticeKind = "removed"
	NoticePlanError  NoticeKind = "plan_error"
	// NoticeNotCalledBack: the callback about a result will not be made, because the queue
	// of callbacks has no room for it.
	NoticeNotCalledBack NoticeKind = "not_called_back"
)

// NoticeKinds are all kinds of events: those that are counted, and that a reader may ask
// for.
var NoticeKinds = []NoticeKind{
	NoticeCreated, NoticeUpdated, NoticeDispatched, NoticeRunning, NoticeWaiting, NoticeNotWorker, NoticeTimeout,
	NoticeRetrying, NoticeSkipped, NoticePaused, NoticeResumed, NoticeClosed, NoticeRemoved, NoticePlanError,
	NoticeNotCalledBack,
}

// A Cancel requests workers to stop execution n, on plan.cancel.<station>.<plan_id>.
type Cancel struct {
	PlanID     string `json:"plan_id"`
	Station    string `json:"station"`
	N          int64  `json:"n"`
	Occurrence int64  `json:"occurrence"`
	Attempt    int64  `json:"attempt"`
	Reason     Reason `json:"reason,omitempty"`
}

// A Here is a worker's announcement beside its subject, which names the worker and the
// station. No body means the same as an empty one.
type Here struct {
	Version string `json:"version,omitempty"`
	Load    int64  `json:"load,omitempty"`
	Gone    bool   `json:"gone,omitempty"` // it leaves
	// Epochs are the newest leaderships that it has seen, of MaxSeenEpochs partitions at
	// most, so that a scheduler that does not know them learns that it leads with an older
	// store.
	Epochs []SeenEpochs `json:"epochs,omitempty" wire:"list"`
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
	Partition int   `json:"partition"`
	Epoch     int64 `json:"epoch"`
	Before    int64 `json:"before,omitempty"`
}

// A Worker is a record of bucket workers, and a row of workers.list.
type Worker struct {
	WorkerID string    `json:"worker_id" wire:"numeric"`
	Stations []string  `json:"stations" wire:"set"`
	Version  string    `json:"version,omitempty"`
	Load     int64     `json:"load,omitempty"`
	LastSeen time.Time `json:"last_seen,omitzero"`
}
