package schema

import (
	"errors"
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Status is a plan's, computed from its record and never stored: the first that
// holds of plan_error, pending, paused, executing, retrying, queued.
type Status string

const (
	StatusQueued    Status = "queued"     // nothing executes, and no occurrence waits for its retry
	StatusExecuting Status = "executing"  // an execution is under way
	StatusRetrying  Status = "retrying"   // an occurrence waits for its retry
	StatusPaused    Status = "paused"     // occurrences that fall due are skipped
	StatusPending   Status = "pending"    // a person decides; plans.reset goes on
	StatusPlanError Status = "plan_error" // stopped by a failure; plans.reset goes on
	StatusClosed    Status = "closed"     // it has ended: no further occurrence
)

// PlanName names a plan in every verb.
type PlanName struct {
	Station string `json:"station"`                // the plan's station
	PlanID  string `json:"plan_id" wire:"numeric"` // the plan's id, unique at its station
}

// Created answers plans.create; Standing, without Created, all other commands.
type Created struct {
	PlanID   string    `json:"plan_id"`            // the plan's id, unique at its station; made when none was given
	Station  string    `json:"station"`            // the plan's station
	State    Status    `json:"state"`              // the status of the plan
	PlanTime time.Time `json:"plan_time,omitzero"` // the next due time; zero: none
	Created  bool      `json:"created"`            // false: a plan of that name existed
	Reason   Reason    `json:"reason,omitempty"`   // why State is so; empty: no special cause
	Revision uint64    `json:"revision,omitempty"` // that of the definition, which grows with each change
	// Dropped are the fields that the plan had before and an update, or a create with on_conflict
	// update, left out, nested ones with their paths, as labels.team. Empty: none.
	Dropped []string `json:"dropped,omitempty"`
	// Idle are the fields of the plan that do nothing, as of [Plan.IdleFields]. Empty: none.
	Idle []string `json:"idle,omitempty"`
}

// Standing answers pause, resume, skip, reset, close, remove and cancel with the plan as it now
// is.
type Standing struct {
	PlanID   string    `json:"plan_id"`            // the plan's id, unique at its station
	Station  string    `json:"station"`            // the plan's station
	State    Status    `json:"state"`              // the status of the plan
	PlanTime time.Time `json:"plan_time,omitzero"` // the next due time; zero: none
	Revision uint64    `json:"revision,omitempty"` // that of the definition, which grows with each change
	// LastPlanTime is when the last occurrence of a paused plan is due: if it is paused still, that is
	// skipped, and the plan ends. So it does where skips take all that are left. Zero: neither is so, the
	// plan has no last one, or more than 100 to come.
	LastPlanTime time.Time `json:"last_plan_time,omitzero"`
}

// GetPlanRequest asks plans.get.
type GetPlanRequest struct {
	Station string `json:"station"`                // the plan's station
	PlanID  string `json:"plan_id" wire:"numeric"` // the plan's id, unique at its station
	// InForce asks for the policy that holds, of plan, station and configuration together.
	InForce bool `json:"in_force,omitempty"`
}

// PlanView is a plan as plans.get and plans.list show it, with the definition as it was sent and
// the plan's state.
type PlanView struct {
	Plan  wire.Value `json:"plan"`  // the definition as it was sent
	State PlanState  `json:"state"` // where the plan stands
	// InForce is there if it was asked for.
	InForce *InForce `json:"in_force,omitempty"`
	// Runs are the last runs, the oldest first, a letter each: o ok, e error, f failure,
	// t timeout, s skipped, c cancelled, - under way. Empty: none, or they were not asked for.
	Runs string `json:"runs,omitempty"`
	// Words are the schedule as a sentence. Empty: they were not asked for.
	Words string `json:"words,omitempty"`
	// KnownAs is the name that users gave to an HTTP job or a merge queue, whose plan's id is derived
	// from it. Empty: the plan is neither, or [FieldsBrief] was not asked for.
	KnownAs string `json:"known_as,omitempty"`
}

// DisplayName is the name that users gave to the HTTP job or merge queue of a plan; empty: it is neither, and
// users know it by its id.
func (v *PlanView) DisplayName() string {
	if v.State.Inbox != nil && v.State.Inbox.Key != "" {
		return v.State.Inbox.Key
	}
	return KnownAs(v.Plan)
}

// Triggered answers plans.trigger; N is the number of the run.
type Triggered struct {
	PlanID  string `json:"plan_id"` // the plan's id, unique at its station
	Station string `json:"station"` // the plan's station
	State   Status `json:"state"`   // the status of the plan
	N       int64  `json:"n"`       // names the run in plans.run and plans.cancel
	// Skipped is the reason why the plan's policy does not let the run begin. Empty: it does, now
	// or later.
	Skipped Reason   `json:"skipped,omitempty"`
	Because *Because `json:"because,omitempty"` // of Skipped: its cause; nil: unknown
}

// Skip asks plans.skip. Count is 0 or more, or -1 (1).
type Skip struct {
	Station string `json:"station"`                // the plan's station
	PlanID  string `json:"plan_id" wire:"numeric"` // the plan's id, unique at its station
	Count   *int64 `json:"count,omitempty"`        // next occurrences to skip; -1: all; 0: none; nil: 1
}

// Remove asks plans.remove. With a revision, nothing happens when the plan has another; with an
// incarnation, when its name has another plan by now.
type Remove struct {
	Station  string `json:"station"`                // the plan's station
	PlanID   string `json:"plan_id" wire:"numeric"` // the plan's id, unique at its station
	Revision uint64 `json:"revision,omitempty"`     // the expected one; 0: any
	// Incarnation is that of [PlanState]; 0: any.
	Incarnation uint64 `json:"incarnation,omitempty"`
}

// RunName names one run in plans.run and plans.cancel.
type RunName struct {
	Station string `json:"station"`                // the plan's station
	PlanID  string `json:"plan_id" wire:"numeric"` // the plan's id, unique at its station
	N       int64  `json:"n"`                      // the number of the execution, or of the skip
}

// RunView answers plans.run.
type RunView struct {
	Run wire.Value `json:"run"` // the run, under way or ended
}

// PlanState is where a plan stands. Occurrence, Attempt and N are those of the
// newest execution; PlanTime is the next due time.
type PlanState struct {
	Status     Status    `json:"status"`             // the first that holds, in the order at [Status]
	PlanTime   time.Time `json:"plan_time,omitzero"` // zero: none is to come
	Occurrence int64     `json:"occurrence"`         // from 1; 0: none yet
	Attempt    int64     `json:"attempt"`            // the try at this occurrence, from 1; 0: not tried
	N          int64     `json:"n"`                  // 0: none yet
	RealRepet  int64     `json:"real_repet"`         // occurrences that were executed
	SkipNum    int64     `json:"skip_num"`           // occurrences that were skipped
	// SkipNext is how many of the next occurrences will be skipped, because a user asked
	// for it; -1: all.
	SkipNext  int64            `json:"skip_next,omitempty"`
	Paused    *Paused          `json:"paused,omitempty"`     // who paused it; nil: it is not paused
	Skips     *Skips           `json:"skips,omitempty"`      // who has its next occurrences skipped; nil: none are
	Waits     *Waits           `json:"waits,omitempty"`      // of the oldest occurrence that is due and does not run; nil: none
	LastState State            `json:"last_state,omitempty"` // how the last execution ended; empty: none has
	ExecTime  time.Time        `json:"exec_time,omitzero"`   // when the newest execution was sent; zero: none was
	Revision  uint64           `json:"revision"`             // that of the definition, which grows with each change
	Reason    Reason           `json:"reason,omitempty"`     // why Status is so; empty: no special cause
	Open      []OpenOccurrence `json:"open,omitempty"`       // occurrences that fell due and are not settled
	Inbox     *InboxState      `json:"inbox,omitempty"`      // where the inbox stands; nil: the plan has none
	// Incarnation distinguishes the plan from others that had its name, because each begins at
	// revision 1. It is in plans.get alone; 0: not given.
	Incarnation uint64 `json:"incarnation,omitempty"`
}

// WaitFor is the cause for which a due occurrence does not run.
type WaitFor string

const (
	WaitWorker WaitFor = "worker" // no worker is there
	WaitClaim  WaitFor = "claim"  // it is offered, and not claimed
	WaitRoom   WaitFor = "room"   // a limit
	WaitTurn   WaitFor = "turn"   // an earlier occurrence
	WaitRetry  WaitFor = "retry"  // the delay after an execution that failed
	WaitJitter WaitFor = "jitter" // its share of the jitter
	WaitLock   WaitFor = "lock"   // an inbox that is handed over
	WaitPerson WaitFor = "person" // a person has to act: pending, plan_error
	WaitResume WaitFor = "resume" // the plan is paused
)

// Waits explains why an occurrence that is due does not run. Fields without a meaning there
// are zero.
type Waits struct {
	For        WaitFor   `json:"for"`                  // the cause
	Occurrence int64     `json:"occurrence,omitempty"` // 0: a run by plans.trigger, or none
	N          int64     `json:"n,omitempty"`          // its newest execution; 0: none yet
	Since      time.Time `json:"since,omitzero"`       // since when it waits; zero: unknown
	Next       time.Time `json:"next,omitzero"`        // when it goes on, or is tried again; zero: unknown
	Place      int64     `json:"place,omitempty"`      // of room: its place in the line of the station, from 1
	Tries      int64     `json:"tries,omitempty"`      // of worker and retry: how often it was tried
}

// Paused explains why a plan is paused.
type Paused struct {
	Since time.Time `json:"since,omitzero"` // when it was paused
	Attribution
}

// Skips explains why the next occurrences of a plan will be skipped.
type Skips struct {
	Left  int64     `json:"left"`           // how many are left; -1: all
	Since time.Time `json:"since,omitzero"` // when that was asked for; zero: by an earlier release
	Attribution
}

// OpenOccurrence is an occurrence that fell due and is not settled.
type OpenOccurrence struct {
	Occurrence int64           `json:"occurrence"`           // its number, from 1; 0: a run by plans.trigger
	PlanTime   time.Time       `json:"plan_time"`            // when it was due
	Executions []OpenExecution `json:"executions,omitempty"` // empty: none is under way
	// For an occurrence that has failed: its earliest next attempt, unless it is under way or waits
	// for a person, the number of its failures, and the last failure.
	NextTry   time.Time  `json:"next_try,omitzero"`
	Errors    int64      `json:"errors,omitempty"`     // 0: none
	LastError *LastError `json:"last_error,omitempty"` // nil: none
}

// OpenExecution is an execution that has not ended; of a plan that wants several workers
// also one that has, with its last state, while the occurrence goes on.
type OpenExecution struct {
	N        int64     `json:"n"`                   // the number of the execution in its plan
	Attempt  int64     `json:"attempt"`             // the try at the occurrence, from 1
	State    State     `json:"state"`               // the newest one
	WorkerID string    `json:"worker_id,omitempty"` // the worker that has it; empty: none is known
	Deadline time.Time `json:"deadline,omitzero"`   // when it times out; zero: never
	// PingExpireTime is when its worker counts as lost unless it pings before.
	PingExpireTime time.Time `json:"ping_expire_time,omitzero"`
	Progress       *float64  `json:"progress,omitempty"` // 0 to 100 per cent, by its last reply to the leader; nil: unknown
}

// ListPlans asks plans.list. Limit is 1 to 1,000 (100).
type ListPlans struct {
	Station  string    `json:"station,omitempty"`                  // empty: all
	Status   OneOrMany `json:"status,omitempty" wire:"set"`        // any of these; empty: all
	Waits    OneOrMany `json:"waits,omitempty" wire:"set"`         // any of these, as in [Waits]; empty: all
	PlanType PlanType  `json:"plan_type,omitempty"`                // empty: all
	Caller   string    `json:"caller,omitempty" wire:"numeric"`    // empty: all
	TenantID string    `json:"tenant_id,omitempty" wire:"numeric"` // empty: all
	Category string    `json:"category,omitempty" wire:"numeric"`  // empty: all
	Creator  string    `json:"creator,omitempty" wire:"numeric"`   // empty: all
	// a plan has all of these, with equal values; empty: all plans
	Labels map[string]string `json:"labels,omitempty"`
	// Text is looked for in plan_id, description, command and request_id, in any
	// case of ASCII letters.
	Text string `json:"text,omitempty"`
	// The next due time is at DueFrom or later, and before DueBefore.
	DueFrom   time.Time `json:"due_from,omitzero"`
	DueBefore time.Time `json:"due_before,omitzero"` // zero: no bound
	// Prefix is the begin of "station/plan_id"; empty: any.
	Prefix string `json:"prefix,omitempty"`
	// Order is "due" for the soonest first; then those that are paused, or stopped, or not due
	// at all. A plan that becomes due between two pages may be on both, or on none. Empty: by
	// station, then id.
	Order string `json:"order,omitempty"`
	// Fields is "brief" for definitions without messages and ext. Empty: whole ones.
	Fields string `json:"fields,omitempty"`
	// Runs is the number of the last runs in [PlanView.Runs]; 0: none.
	Runs int64 `json:"runs,omitempty" wire:"1-20"`
	// Words is the language of [PlanView.Words]; empty: there are none.
	Words Lang `json:"words,omitempty"`
	// Total asks for the number of all plans that match, of all pages together.
	Total  bool   `json:"total,omitempty"`
	Limit  int64  `json:"limit,omitempty" wire:"1-1000"` // 1 to 1,000; 0: 100
	Cursor string `json:"cursor,omitempty"`              // Next of the page before; empty: the first page
}

// Words of [ListPlans].
const (
	OrderDue    = "due"   // of Order
	FieldsBrief = "brief" // of Fields
)

// OneOrMany is a word or a list of words on the wire.
type OneOrMany []string

var errOneOrMany = errors.New("takes a word or a list of words")

// DecodeWire reads either.
func (m *OneOrMany) DecodeWire(v wire.Value) error {
	if s, ok := v.Text(); ok {
		*m = OneOrMany{s}
		return nil
	}
	if v.Kind() != wire.KindList {
		return errOneOrMany
	}
	*m = OneOrMany{}
	for _, e := range v.List() {
		s, ok := e.Text()
		if !ok {
			return errOneOrMany
		}
		*m = append(*m, s)
	}
	return nil
}

// PlanPage answers plans.list; no Next on the last page.
type PlanPage struct {
	Plans []PlanView `json:"plans"`           // in the order that was asked for
	Next  string     `json:"next,omitempty"`  // the cursor of the next page; empty: this is the last
	Total *int64     `json:"total,omitempty"` // how many match; nil: it was not asked for
	// TotalComplete is false where counting took too long, so that there are more; nil: it is true.
	TotalComplete *bool `json:"total_complete,omitempty"`
	// LookedAt is how many plans a search looked at that Next goes on with, because it took too
	// long; 0: the page was searched whole.
	LookedAt int64 `json:"looked_at,omitempty"`
	Complete *bool `json:"complete,omitempty"` // false beside LookedAt; nil: there is none
}

// ListRuns asks plans.runs: for the runs of one plan, or, without PlanID, for those that have
// ended of all plans of a station, of all stations below one (a Station that ends in ".>"), or
// of all.
type ListRuns struct {
	Station string `json:"station,omitempty"`                // of the plan, or a filter; empty: all
	PlanID  string `json:"plan_id,omitempty" wire:"numeric"` // empty: all plans
	State   State  `json:"state,omitempty"`                  // empty: all
	// Failed is StateError, StateFailure and StateTimeout together, and StateSkipped of an
	// occurrence that had failed, and gave way.
	Failed bool              `json:"failed,omitempty"`
	Labels map[string]string `json:"labels,omitempty"` // the plan has all of these; empty: all
	// Trouble selects the runs that deserve attention, which are StateFailure, StateError and
	// StateTimeout that are final, and occurrences that were skipped with ReasonMissed.
	Trouble  bool   `json:"trouble,omitempty"`
	Reason   Reason `json:"reason,omitempty"`                   // empty: any, or none
	WorkerID string `json:"worker_id,omitempty" wire:"numeric"` // the worker that had it; empty: any
	// Text is in the run's plan_id, description, command, request_id, content or error, in any case
	// of letters; empty: any.
	Text string `json:"text,omitempty"`
	// LongerThanMS are those that took longer, from their dispatch to their end; 0: any.
	LongerThanMS int64 `json:"longer_than_ms,omitempty" wire:"1-9007199254740991"`
	// Runs that ended at From or later, and before To.
	From   time.Time `json:"from,omitzero"`
	To     time.Time `json:"to,omitzero"`                   // zero: no bound
	Until  time.Time `json:"until,omitzero"`                // the same as To, of which one is given
	Limit  int64     `json:"limit,omitempty" wire:"1-1000"` // 1 to 1,000; 0: 100
	Cursor string    `json:"cursor,omitempty"`              // Next of the page before; empty: the first page
}

// RunPage answers plans.runs: results, newest first, and the open executions.
type RunPage struct {
	Runs []wire.Value `json:"runs"`           // one page of runs, the newest first
	Next string       `json:"next,omitempty"` // the cursor of the next page; empty: this is the last
	// LookedAt is how many runs were looked at for this page; 0: none, or the release is older.
	LookedAt int64 `json:"looked_at,omitempty"`
	// Complete is false when the time for the page was over before it was full, and Next goes on,
	// or when the release is older.
	Complete bool `json:"complete,omitempty"`
}
