package schema

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Explain asks plans.explain about an occurrence or a run of a plan, with at most one of
// Occurrence, N and At; without one, about the occurrence that is next or under way.
type Explain struct {
	Station    string `json:"station"`                                        // the plan's station
	PlanID     string `json:"plan_id" wire:"numeric"`                         // the plan's id, unique at its station
	Occurrence int64  `json:"occurrence,omitempty" wire:"1-9007199254740991"` // its number, from 1; 0: none is asked for
	N          int64  `json:"n,omitempty" wire:"1-9007199254740991"`          // the number of an execution or of a skip, from 1; 0: none is asked for
	// At is about when it was due, by the schedule or as a calendar moved it, up to a minute
	// away; zero: no time is asked for.
	At   time.Time `json:"at,omitzero"`
	Lang Lang      `json:"lang,omitempty"` // of the sentence and the remedy; empty: en
}

// An Explanation answers plans.explain with the reason why an occurrence ran or did not run, or
// with the time when it will.
type Explanation struct {
	Station string  `json:"station"` // the plan's station
	PlanID  string  `json:"plan_id"` // the plan's id, unique at its station
	Verdict Verdict `json:"verdict"` // its outcome or prospect
	// Occurrence is its number, from 1; 0: a run by plans.trigger, or none.
	Occurrence int64     `json:"occurrence,omitempty"`
	N          int64     `json:"n,omitempty"`         // of its newest execution or of its skip; 0: none
	PlanTime   time.Time `json:"plan_time,omitzero"`  // when it is or was due; zero: unknown, or never
	MovedFrom  time.Time `json:"moved_from,omitzero"` // when it would be due without calendars; zero: then
	Reason     Reason    `json:"reason,omitempty"`    // of its result, or why it never comes; empty: no special cause
	Sentence   string    `json:"sentence"`            // all of it, in the plan's zone
	Rule       *Rule     `json:"rule,omitempty"`      // the field that decided; nil: none did
	Because    *Because  `json:"because,omitempty"`   // the obstacle, or the requester; nil: unknown
	Waits      *Waits    `json:"waits,omitempty"`     // of waits: the cause; nil: it does not wait
	Late       *Late     `json:"late,omitempty"`      // why its execution began late; nil: it did not
	Attempt    int64     `json:"attempt,omitempty"`   // of runs: the try at it, from 1; 0: not tried
	State      State     `json:"state,omitempty"`     // of runs: that of its newest execution; empty: none
	WorkerID   string    `json:"worker_id,omitempty"` // of runs: the worker that has it; empty: none is known
	Since      time.Time `json:"since,omitzero"`      // of runs: since when; zero: unknown
	Deadline   time.Time `json:"deadline,omitzero"`   // of runs: when it times out; zero: never
	KeptSince  time.Time `json:"kept_since,omitzero"` // of unknown: no result that ended before it is kept
	Next       *Next     `json:"next,omitempty"`      // the next occurrence that will run; nil: there is none
	Remedy     string    `json:"remedy,omitempty"`    // the change to make if it was not meant so; empty: none
	LastOK     *LastOK   `json:"last_ok,omitempty"`   // the last success of the plan; nil: none is known
}

// Verdict is the outcome of an occurrence, or its prospect.
type Verdict string

const (
	VerdictRan       Verdict = "ran"       // it succeeded
	VerdictFailed    Verdict = "failed"    // it failed for good; of an execution: an error or a timeout, too
	VerdictCancelled Verdict = "cancelled" // ended by a request, or in favour of another
	VerdictSkipped   Verdict = "skipped"   // it was not executed, or gave way
	VerdictRuns      Verdict = "runs"      // it is under way
	VerdictWaits     Verdict = "waits"     // it is due and does not run, or its plan is paused
	VerdictNotDue    Verdict = "not_due"   // it is to come; or nothing was due at that time
	VerdictNever     Verdict = "never"     // there is no such occurrence, and there will be none
	VerdictUnknown   Verdict = "unknown"   // its result is not kept any more, or never was
)

// Reasons why there will never be such an occurrence, beside those of results and of plans of
// which nothing runs.
const (
	ReasonStartAt Reason = "start_at" // its time is before the schedule begins
	ReasonGap     Reason = "gap"      // its time does not exist on that day, because the clocks change
)

// A Rule is the field that decided about an occurrence.
type Rule struct {
	Field string     `json:"field"`          // its wire name, such as overlap or retry.max_error_count
	Value wire.Value `json:"value,omitzero"` // its value in force; zero: none is set
	From  Source     `json:"from"`           // plan, station, configuration or default
}

// A LastOK is the last occurrence of a plan that succeeded.
type LastOK struct {
	Occurrence int64     `json:"occurrence"` // its number, from 1; 0: a run by plans.trigger
	EndTime    time.Time `json:"end_time"`   // when it ended
}
