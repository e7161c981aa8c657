package schema

import (
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Plan is a user's request to run something at certain times, as it travels on
// plans.create (seed 000, 1.3):
//
//	schema.Plan{
//		Station: "hello", PlanID: "office", Command: "greet", Messages: schema.Messages("Ada"),
//		Schedule: schema.Cron("0 9 * * mon-fri", "Europe/Berlin"),
//		Policy:   schema.Policy{ExecTimeout: schema.Within(30 * time.Second), MaxConcurrency: new(int64(1))},
//	}
//
// Absent fields are zero; a field is a pointer where zero and absent are both valid, because
// nil then means absent. Seconds may have fractions. Of ids and their like (`wire:"numeric"`)
// numbers are taken as their decimal text. The tag of a list decides about duplicates: a
// "set" keeps the first of them, a "list" all.
type Plan struct {
	PlanID      string       `json:"plan_id,omitempty" wire:"numeric"`
	RequestID   string       `json:"request_id,omitempty" wire:"numeric"`
	Caller      string       `json:"caller,omitempty" wire:"numeric"`
	Description string       `json:"description,omitempty"`
	Station     string       `json:"station,omitempty"`
	Command     string       `json:"command,omitempty"`
	Messages    []wire.Value `json:"messages,omitempty" wire:"list"`

	Schedule
	Policy

	OnUnknown   WhenUnknown `json:"on_unknown,omitempty"`
	OnFailure   WhenFailure `json:"on_failure,omitempty"`
	Priority    *int64      `json:"priority,omitempty"`
	WorkerCount int64       `json:"worker_count,omitempty"`
	WorkerIDs   []string    `json:"worker_ids,omitempty" wire:"set"`
	Paused      bool        `json:"paused,omitempty"`
	Batch       int64       `json:"batch,omitempty"`
	Log         LogMode     `json:"log,omitempty"`

	TenantID string            `json:"tenant_id,omitempty" wire:"numeric"`
	Creator  string            `json:"creator,omitempty" wire:"numeric"`
	Category string            `json:"category,omitempty" wire:"numeric"`
	Labels   map[string]string `json:"labels,omitempty"`
	Ext      wire.Value        `json:"ext,omitzero"`

	OnConflict OnConflict `json:"on_conflict,omitempty"`
}

// A Schedule holds the fields that define when a plan is due, which are members of the
// plan on the wire. [Every], [Cron], [At] and [Once] make one; the zero value is Once.
type Schedule struct {
	PlanType  PlanType  `json:"plan_type,omitempty"`
	PlanValue *int64    `json:"plan_value,omitempty"`
	PlanRepet *int64    `json:"plan_repet,omitempty"`
	NoKeep    bool      `json:"no_keep,omitempty"`
	PlanTime  time.Time `json:"plan_time,omitzero"`
	Cron      string    `json:"cron,omitempty"`
	Timezone  string    `json:"timezone,omitempty"`
	StartAt   time.Time `json:"start_at,omitzero"`
	EndAt     time.Time `json:"end_at,omitzero"`
	Jitter    Seconds   `json:"jitter,omitempty"`
}

// Policy holds the fields that a plan may set and that its station may default.
// An absent field is resolved by [Plan.Terms].
type Policy struct {
	Overlap        WhenBusy   `json:"overlap,omitempty"`
	Failure        WhenFailed `json:"failure,omitempty"`
	MaxConcurrency *int64     `json:"max_concurrency,omitempty"`
	Concurrency    WhenFull   `json:"concurrency,omitempty"`
	CatchUp        WhenMissed `json:"catch_up,omitempty"`
	Retry          *Retry     `json:"retry,omitempty"`
	ExecTimeout    *Seconds   `json:"exec_timeout,omitempty"`
	StartTimeout   *Seconds   `json:"start_timeout,omitempty"`

	Voters *int64 `json:"voters,omitempty"`
	Quorum *int64 `json:"quorum,omitempty"`

	PingIntervalMS         *int64 `json:"ping_interval_ms,omitempty"`
	PingTimeoutMS          *int64 `json:"ping_timeout_ms,omitempty"`
	MaxUnexpectedRetries   *int64 `json:"max_unexpected_retries,omitempty"`
	UnexpectedRetryDelayMS *int64 `json:"unexpected_retry_delay_ms,omitempty"`
}

// IsZero reports that no field is given.
func (p Policy) IsZero() bool { return p == Policy{} }

// Retry is the policy for an occurrence whose execution ended in an error or a timeout.
type Retry struct {
	Strategy Strategy `json:"strategy,omitempty"`
	// Interval is the delay of fixed_period, and of the first exponential retry.
	Interval *Seconds `json:"interval,omitempty"`
	// Sequence holds the delays one by one; the last one repeats.
	Sequence []Seconds `json:"sequence,omitempty" wire:"list"`
	// MaxInterval bounds exponential delays.
	MaxInterval *Seconds `json:"max_interval,omitempty"`
	// MaxErrorCount is the number of retries; absent means no limit.
	MaxErrorCount *int64 `json:"max_error_count,omitempty"`
	// Jitter is a share of the delay, 0 to 1.
	Jitter     *float64 `json:"jitter,omitempty"`
	NeedManual bool     `json:"need_manual,omitempty"`
}

// Seconds is a span of time as it travels: a number of seconds.
type Seconds float64

// Duration returns s to the nanosecond.
func (s Seconds) Duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }

// PlanType selects how a plan's due times are computed (seed 000, 1.2). On the wire it is
// a word, or the seed's number 0 to 7.
type PlanType string

const (
	TypeNone   PlanType = "none"   // 0: at once, one occurrence
	TypeTime   PlanType = "time"   // 1: at plan_time, one occurrence
	TypeSecond PlanType = "second" // 2: a grid of plan_value seconds
	TypeMinute PlanType = "minute" // 3
	TypeHour   PlanType = "hour"   // 4
	TypeDay    PlanType = "day"    // 5
	TypeWeek   PlanType = "week"   // 6: each week on weekday plan_value, Sunday is 0
	TypeMonth  PlanType = "month"  // 7: each month on day plan_value
	TypeCron   PlanType = "cron"   // ours: a cron expression
)

// planTypes are the words of the seed's numbers 0 to 7, and ours.
var planTypes = [...]PlanType{
	TypeNone, TypeTime, TypeSecond, TypeMinute, TypeHour, TypeDay, TypeWeek, TypeMonth, TypeCron,
}

var errPlanType = errors.New("takes a word such as second or cron, or a number 0 to 7")

// DecodeWire reads a word or one of the seed's numbers. Whether the word is one of
// ours is checked with the rest of a plan.
func (t *PlanType) DecodeWire(v wire.Value) error {
	if s, ok := v.Text(); ok {
		*t = PlanType(s)
		return nil
	}
	i, ok := v.Int()
	if !ok || i < 0 || i > 7 {
		return errPlanType
	}
	*t = planTypes[i]
	return nil
}

// WhenBusy is `overlap`: an occurrence falls due while an earlier one is open.
type WhenBusy string

const (
	BusySkip       WhenBusy = "skip"
	BusyQueue      WhenBusy = "queue"
	BusyCancelPrev WhenBusy = "cancel_prev"
	BusyParallel   WhenBusy = "parallel"
	BusyAllow      WhenBusy = "allow"
)

// WhenFull is `concurrency`: max_concurrency executions are under way.
type WhenFull string

const (
	FullQueue    WhenFull = "queue"
	FullSkip     WhenFull = "skip"
	FullParallel WhenFull = "parallel"
)

// WhenFailed is `failure`: the last effective execution failed.
type WhenFailed string

const (
	FailedRunNew WhenFailed = "run_new"
	FailedSkip   WhenFailed = "skip"
	FailedRetry  WhenFailed = "retry"
)

// WhenMissed is `catch_up`: occurrences fell due while no scheduler acted.
type WhenMissed string

const (
	MissedNone    WhenMissed = "none"
	MissedCompact WhenMissed = "compact"
	MissedFull    WhenMissed = "full"
)

// WhenUnknown is `on_unknown`, the policy when it is unknown whether an execution ran.
type WhenUnknown string

const (
	UnknownRedo WhenUnknown = "redo"
	UnknownSkip WhenUnknown = "skip"
	UnknownHold WhenUnknown = "hold"
)

// WhenFailure is `on_failure`, the policy when a worker reports that an execution failed
// for good, or reports an unknown state.
type WhenFailure string

const (
	FailureHalt   WhenFailure = "halt"   // the plan stops in plan_error until a person acts
	FailureSettle WhenFailure = "settle" // the occurrence is settled, and the plan goes on
)

// Strategy is how the delay before a retry is computed.
type Strategy string

const (
	RetryNone        Strategy = "none"
	RetryFixed       Strategy = "fixed_period"
	RetrySequence    Strategy = "sequence"
	RetryExponential Strategy = "exponential"
)

// LogMode is `log`: the records of runs that are kept beyond the broadcast.
type LogMode string

const (
	LogFull    LogMode = "full"
	LogTrigger LogMode = "trigger" // without messages and content
	LogNone    LogMode = "none"
)

// OnConflict decides how create treats an id that exists.
type OnConflict string

const (
	ConflictError  OnConflict = "error"
	ConflictKeep   OnConflict = "keep"
	ConflictUpdate OnConflict = "update"
)
