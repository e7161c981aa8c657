package schema

import (
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Plan is a user's request to run something at certain times, as it travels on
// plans.create:
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
	PlanID      string `json:"plan_id,omitempty" wire:"numeric"`    // 1 to 128 of A-Z a-z 0-9 _ -; absent: made
	RequestID   string `json:"request_id,omitempty" wire:"numeric"` // the publisher's own, repeated in results
	Caller      string `json:"caller,omitempty" wire:"numeric"`     // the publisher's own; filters lists
	Description string `json:"description,omitempty"`               // for people; may be empty
	Station     string `json:"station,omitempty"`                   // where it runs; required
	Command     string `json:"command,omitempty"`                   // for the worker to decide by; may be empty
	// Messages are any values, handed to the worker unchanged; nil: none. The whole
	// definition has at most [MaxDefinitionBytes].
	Messages []wire.Value `json:"messages,omitempty" wire:"list"`

	Schedule // when it is due
	Policy   // how it is carried out; empty fields are the station's

	OnUnknown WhenUnknown `json:"on_unknown,omitempty"` // empty: redo
	OnFailure WhenFailure `json:"on_failure,omitempty"` // empty: halt
	Priority  *int64      `json:"priority,omitempty"`   // pull: 0 to 9, 9 first; nil: 5
	// WorkerCount is, at a pull station, how many different workers each occurrence takes,
	// at most [MaxWorkerCount]; 0: 1.
	WorkerCount int64    `json:"worker_count,omitempty"`
	WorkerIDs   []string `json:"worker_ids,omitempty" wire:"set"` // api, pull: those that may have it; empty: any
	Paused      bool     `json:"paused,omitempty"`                // made paused: none runs until it is resumed
	Batch       int64    `json:"batch,omitempty"`                 // merge queue: most items of an execution; 0: 1,000
	Log         LogMode  `json:"log,omitempty"`                   // empty: full

	TenantID string            `json:"tenant_id,omitempty" wire:"numeric"` // filters lists and claims; empty: none
	Creator  string            `json:"creator,omitempty" wire:"numeric"`   // filters lists and claims; empty: none
	Category string            `json:"category,omitempty" wire:"numeric"`  // filters lists and claims; empty: none
	Labels   map[string]string `json:"labels,omitempty"`                   // texts by name; filter lists; nil: none
	Ext      wire.Value        `json:"ext,omitzero"`                       // the user's own, any value; zero: none

	OnConflict OnConflict `json:"on_conflict,omitempty"` // of a plan_id that exists; empty: error

	Attribution // who creates it, and why; no part of the plan, as OnConflict is none
}

// A Schedule holds the fields that define when a plan is due, which are members of the
// plan on the wire. [Every], [Cron], [At] and [Once] make one; the zero value is Once.
type Schedule struct {
	PlanType PlanType `json:"plan_type,omitempty"` // absent: none, which is at once and once
	// PlanValue is, of second to day, the units between occurrences, 0 to 32,766; 0: the
	// next is due when the one before is settled. Of week it is the day, 0 (Sunday) to 6;
	// of month 1 to 31, 0 the last day, -1 to -31 as many days before it.
	PlanValue *int64 `json:"plan_value,omitempty"`
	// PlanRepet is the number of occurrences, executed and skipped; -1: no end. Nil: -1 of
	// cron, 1 of none and time; the other types require it.
	PlanRepet *int64 `json:"plan_repet,omitempty"`
	// NoKeep sets overlap queue and catch_up full, unless the plan gives them.
	NoKeep bool `json:"no_keep,omitempty"`
	// PlanTime is, of time, when it is due; of second to day, the origin of the grid,
	// whose first occurrence is one span later (zero: now); of week and month, the time of
	// day (zero: midnight).
	PlanTime time.Time `json:"plan_time,omitzero"`
	Cron     string    `json:"cron,omitempty"`     // five fields, or six with seconds first, or @daily and the like
	Timezone string    `json:"timezone,omitempty"` // cron, week, month, and of the days of calendars: IANA name; absent: UTC
	// ClockChange decides, of cron, week and month, about local times that a change of clocks
	// skips or repeats; zero: a time in a gap is due at its end, one that comes twice the first time.
	ClockChange ClockChange `json:"clock_change,omitzero"`
	StartAt     time.Time   `json:"start_at,omitzero"` // no occurrence before it; zero: no bound
	EndAt       time.Time   `json:"end_at,omitzero"`   // no occurrence after it; zero: no bound
	Jitter      Seconds     `json:"jitter,omitempty"`  // seconds that an occurrence is late at most, at random; 0: none
	// Exclude names calendars: an occurrence is excluded when one of them holds its moment. Nil: none.
	Exclude []string `json:"exclude,omitempty" wire:"set"`
	// Only names calendars: an occurrence is excluded unless all of them hold its moment. Nil: none.
	Only     []string     `json:"only,omitempty" wire:"set"`
	Excluded WhenExcluded `json:"excluded,omitempty"` // the treatment of excluded occurrences; empty: skip
}

// Policy holds the fields that a plan may set and that its station may default.
// An absent field of a plan is its station's, but for MaxConcurrency, then the default given here ([Plan.Terms]).
type Policy struct {
	Overlap WhenBusy   `json:"overlap,omitempty"` // empty: skip
	Failure WhenFailed `json:"failure,omitempty"` // empty: run_new
	// MaxConcurrency is how many executions of the plan, or of all plans of the station, may
	// be under way at once; both hold. Nil or 0: no limit.
	MaxConcurrency *int64     `json:"max_concurrency,omitempty"`
	Concurrency    WhenFull   `json:"concurrency,omitempty"` // empty: queue
	CatchUp        WhenMissed `json:"catch_up,omitempty"`    // empty: none of cron, compact of the others
	Retry          *Retry     `json:"retry,omitempty"`       // nil: exponential, without a limit
	// ExecTimeout is how long a worker may be silent before the execution is given up and
	// tried again; 0: no limit. Nil: the installation's --plan-exec-timeout (60 s).
	ExecTimeout *Seconds `json:"exec_timeout,omitempty"`
	// StartTimeout bounds the wait for a worker's first answer; 0: no limit. Nil: the
	// installation's --plan-start-timeout (30 s).
	StartTimeout *Seconds `json:"start_timeout,omitempty"`

	Voters *int64 `json:"voters,omitempty"` // vote: answers that end an execution; nil: as many as workers are there
	Quorum *int64 `json:"quorum,omitempty"` // vote: how many of them must be ok; nil: more than half

	// PingIntervalMS is, at pull stations, the milliseconds between two pings of a worker.
	// Nil: a third of PingTimeoutMS.
	PingIntervalMS *int64 `json:"ping_interval_ms,omitempty"`
	// PingTimeoutMS is the milliseconds without a ping after which the execution is taken
	// away from its worker. Nil: none, and ExecTimeout holds.
	PingTimeoutMS *int64 `json:"ping_timeout_ms,omitempty"`
	// MaxUnexpectedRetries is how often an execution whose worker vanished is tried again.
	// Nil: no limit.
	MaxUnexpectedRetries *int64 `json:"max_unexpected_retries,omitempty"`
	// UnexpectedRetryDelayMS is the milliseconds until it is. Nil: 0.
	UnexpectedRetryDelayMS *int64 `json:"unexpected_retry_delay_ms,omitempty"`
}

// IsZero reports that no field is given.
func (p Policy) IsZero() bool { return p == Policy{} }

// Retry is the policy for an occurrence whose execution ended in an error or a timeout.
type Retry struct {
	Strategy Strategy `json:"strategy,omitempty"` // empty: exponential
	// Interval is the delay of fixed_period, and of the first exponential retry. Nil: 1 s.
	Interval *Seconds `json:"interval,omitempty"`
	// Sequence holds the delays one by one; the last one repeats.
	Sequence []Seconds `json:"sequence,omitempty" wire:"list"`
	// MaxInterval bounds exponential delays. Nil: 60 s.
	MaxInterval *Seconds `json:"max_interval,omitempty"`
	// MaxErrorCount is the number of retries; 0: none. Nil: no limit.
	MaxErrorCount *int64 `json:"max_error_count,omitempty"`
	// Jitter is a share of the delay, 0 to 1, that is added at most, at random. Nil: 0.2.
	Jitter *float64 `json:"jitter,omitempty"`
	// NeedManual makes the plan pending, until a person acts, when its retries are used
	// up; else the occurrence is a failure.
	NeedManual bool `json:"need_manual,omitempty"`
}

// Seconds is a span of time as it travels: a number of seconds.
type Seconds float64

// Duration returns s to the nanosecond.
func (s Seconds) Duration() time.Duration { return time.Duration(float64(s) * float64(time.Second)) }

// PlanType selects how a plan's due times are computed. On the wire it is
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

// DecodeWire reads a word or one of the seed's numbers. An unknown word is found with the
// check of the whole plan.
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
	BusySkip       WhenBusy = "skip"        // the default: one that executes wins, one that no worker has gives way
	BusyQueue      WhenBusy = "queue"       // it waits
	BusyCancelPrev WhenBusy = "cancel_prev" // it takes the place of the earlier one
	BusyParallel   WhenBusy = "parallel"    // it runs beside, beyond max_concurrency too
	BusyAllow      WhenBusy = "allow"       // it runs beside, within max_concurrency
)

// WhenFull is `concurrency`: max_concurrency executions are under way.
type WhenFull string

const (
	FullQueue    WhenFull = "queue"    // the default: it waits
	FullSkip     WhenFull = "skip"     // it is skipped
	FullParallel WhenFull = "parallel" // it runs beyond the limit
)

// WhenFailed is `failure`: the last effective execution failed.
type WhenFailed string

const (
	FailedRunNew WhenFailed = "run_new" // the default: it begins with attempt 1
	FailedSkip   WhenFailed = "skip"    // one occurrence is left out
	FailedRetry  WhenFailed = "retry"   // it goes on with the next attempt
)

// WhenMissed is `catch_up`: occurrences fell due while no scheduler acted.
type WhenMissed string

const (
	MissedNone    WhenMissed = "none"    // each is skipped; the default of cron
	MissedCompact WhenMissed = "compact" // the last one runs, late; the default of all other types
	MissedFull    WhenMissed = "full"    // each runs, late, in order
)

// WhenUnknown is `on_unknown`, the policy when it is unknown whether an execution ran.
type WhenUnknown string

const (
	UnknownRedo WhenUnknown = "redo" // the default: it is executed again, so at least once
	UnknownSkip WhenUnknown = "skip" // it is a failure, so at most once
	UnknownHold WhenUnknown = "hold" // a person decides
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
	RetryNone        Strategy = "none"         // no retry
	RetryFixed       Strategy = "fixed_period" // always Interval
	RetrySequence    Strategy = "sequence"     // the delays of Sequence
	RetryExponential Strategy = "exponential"  // the default: Interval, doubled each time up to MaxInterval
)

// LogMode is `log`: the records of runs that are kept beyond the broadcast.
type LogMode string

const (
	LogFull    LogMode = "full"    // the default: each record whole
	LogTrigger LogMode = "trigger" // without messages and content
	LogNone    LogMode = "none"    // no record
)

// OnConflict decides how create treats an id that exists.
type OnConflict string

const (
	ConflictError  OnConflict = "error"  // the default: the request is refused
	ConflictKeep   OnConflict = "keep"   // the existing one stays as it is
	ConflictUpdate OnConflict = "update" // the new one takes its place
)
