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
	StatusQueued    Status = "queued"
	StatusExecuting Status = "executing"
	StatusRetrying  Status = "retrying"
	StatusPaused    Status = "paused"
	StatusPending   Status = "pending"
	StatusPlanError Status = "plan_error"
	StatusClosed    Status = "closed"
)

// PlanName names a plan in every verb.
type PlanName struct {
	Station string `json:"station"`
	PlanID  string `json:"plan_id" wire:"numeric"`
}

// Created answers plans.create; Standing, without Created, all other commands.
type Created struct {
	PlanID   string    `json:"plan_id"`
	Station  string    `json:"station"`
	State    Status    `json:"state"`
	PlanTime time.Time `json:"plan_time,omitzero"`
	Created  bool      `json:"created"`
	Reason   Reason    `json:"reason,omitempty"`
	Revision uint64    `json:"revision,omitempty"`
}

// Standing answers pause, resume, skip, reset, close, remove and cancel: the plan as
// it now is.
type Standing struct {
	PlanID   string    `json:"plan_id"`
	Station  string    `json:"station"`
	State    Status    `json:"state"`
	PlanTime time.Time `json:"plan_time,omitzero"`
	Revision uint64    `json:"revision,omitempty"`
}

// GetPlanRequest asks plans.get.
type GetPlanRequest struct {
	Station string `json:"station"`
	PlanID  string `json:"plan_id" wire:"numeric"`
	// InForce asks for the policy that holds, of plan, station and configuration together.
	InForce bool `json:"in_force,omitempty"`
}

// PlanView is a plan as plans.get and plans.list show it: the definition as it
// was sent, and where the plan stands.
type PlanView struct {
	Plan  wire.Value `json:"plan"`
	State PlanState  `json:"state"`
	// InForce is there if it was asked for.
	InForce *InForce `json:"in_force,omitempty"`
	// Incarnation distinguishes the plan from others that had its name, and Record is the
	// scheduler's state of it, on request; none of these travels.
	Incarnation uint64     `json:"-"`
	Record      wire.Value `json:"-"`
	// Trace is there for a task that was asked for as one.
	Trace *TaskTrace `json:"-"`
}

// Triggered answers plans.trigger; N is the number of the run.
type Triggered struct {
	PlanID  string `json:"plan_id"`
	Station string `json:"station"`
	State   Status `json:"state"`
	N       int64  `json:"n"`
}

// Skip asks plans.skip. Count is 0 or more, or -1 (1).
type Skip struct {
	Station string `json:"station"`
	PlanID  string `json:"plan_id" wire:"numeric"`
	Count   *int64 `json:"count,omitempty"`
}

// Remove asks plans.remove. With a revision, nothing happens when the plan has another.
type Remove struct {
	Station  string `json:"station"`
	PlanID   string `json:"plan_id" wire:"numeric"`
	Revision uint64 `json:"revision,omitempty"`
}

// RunName names one run in plans.run and plans.cancel.
type RunName struct {
	Station string `json:"station"`
	PlanID  string `json:"plan_id" wire:"numeric"`
	N       int64  `json:"n"`
}

// RunView answers plans.run.
type RunView struct {
	Run wire.Value `json:"run"`
}

// PlanState is where a plan stands. Occurrence, Attempt and N are those of the
// newest execution; PlanTime is the next due time.
type PlanState struct {
	Status     Status    `json:"status"`
	PlanTime   time.Time `json:"plan_time,omitzero"`
	Occurrence int64     `json:"occurrence"`
	Attempt    int64     `json:"attempt"`
	N          int64     `json:"n"`
	RealRepet  int64     `json:"real_repet"`
	SkipNum    int64     `json:"skip_num"`
	// SkipNext is how many of the next occurrences will be skipped, because a user asked
	// for it; -1: all.
	SkipNext  int64            `json:"skip_next,omitempty"`
	LastState State            `json:"last_state,omitempty"`
	ExecTime  time.Time        `json:"exec_time,omitzero"`
	Revision  uint64           `json:"revision"`
	Reason    Reason           `json:"reason,omitempty"`
	Open      []OpenOccurrence `json:"open,omitempty"`
	Inbox     *InboxState      `json:"inbox,omitempty"`
}

// OpenOccurrence is an occurrence that fell due and is not settled.
type OpenOccurrence struct {
	Occurrence int64           `json:"occurrence"`
	PlanTime   time.Time       `json:"plan_time"`
	Executions []OpenExecution `json:"executions,omitempty"`
	// Of one that has failed: when it is tried again at the earliest, unless it is under way
	// or waits for a person, how often it has failed, and how the last time.
	NextTry   time.Time  `json:"next_try,omitzero"`
	Errors    int64      `json:"errors,omitempty"`
	LastError *LastError `json:"last_error,omitempty"`
}

// OpenExecution is an execution that has not ended; of a plan that wants several workers
// also one that has, with its last state, while the occurrence goes on.
type OpenExecution struct {
	N        int64     `json:"n"`
	Attempt  int64     `json:"attempt"`
	State    State     `json:"state"`
	WorkerID string    `json:"worker_id,omitempty"`
	Deadline time.Time `json:"deadline,omitzero"`
	// PingExpireTime is when its worker counts as lost unless it pings before.
	PingExpireTime time.Time `json:"ping_expire_time,omitzero"`
}

// ListPlans asks plans.list. Limit is 1 to 1,000 (100).
type ListPlans struct {
	Station  string            `json:"station,omitempty"`
	Status   OneOrMany         `json:"status,omitempty" wire:"set"`
	PlanType PlanType          `json:"plan_type,omitempty"`
	Caller   string            `json:"caller,omitempty" wire:"numeric"`
	TenantID string            `json:"tenant_id,omitempty" wire:"numeric"`
	Category string            `json:"category,omitempty" wire:"numeric"`
	Creator  string            `json:"creator,omitempty" wire:"numeric"`
	Labels   map[string]string `json:"labels,omitempty"`
	// Text is looked for in plan_id, description, command and request_id, in any
	// case of ASCII letters.
	Text string `json:"text,omitempty"`
	// The next due time is at DueFrom or later, and before DueBefore.
	DueFrom   time.Time `json:"due_from,omitzero"`
	DueBefore time.Time `json:"due_before,omitzero"`
	Limit     *int64    `json:"limit,omitempty"`
	Cursor    string    `json:"cursor,omitempty"`
}

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
	Plans []PlanView `json:"plans"`
	Next  string     `json:"next,omitempty"`
}

// ListRuns asks plans.runs: for the runs of one plan, or, without PlanID, for those that have
// ended of all plans of a station, of all stations below one (a Station that ends in ".>"), or
// of all.
type ListRuns struct {
	Station string `json:"station,omitempty"`
	PlanID  string `json:"plan_id,omitempty" wire:"numeric"`
	State   State  `json:"state,omitempty"`
	// Failed is StateError, StateFailure and StateTimeout together, and StateSkipped of an
	// occurrence that had failed, and gave way.
	Failed bool              `json:"failed,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	// Those that ended at From or later, and before To.
	From   time.Time `json:"from,omitzero"`
	To     time.Time `json:"to,omitzero"`
	Limit  *int64    `json:"limit,omitempty"`
	Cursor string    `json:"cursor,omitempty"`
}

// RunPage answers plans.runs: results, newest first, and the open executions.
type RunPage struct {
	Runs []wire.Value `json:"runs"`
	Next string       `json:"next,omitempty"`
}

// Preview asks plans.preview. Count is 1 to 1,000 (6).
type Preview struct {
	Plan  wire.Value `json:"plan"`
	From  time.Time  `json:"from,omitzero"`
	Count *int64     `json:"count,omitempty"`
}

// Previewed answers plans.preview.
type Previewed struct {
	Occurrences []PreviewedOccurrence `json:"occurrences"`
}

// PreviewedOccurrence is one due time to come.
type PreviewedOccurrence struct {
	Occurrence int64     `json:"occurrence"`
	PlanTime   time.Time `json:"plan_time"`
}

// Import asks plans.import: at most 1,000 plans.
type Import struct {
	Plans      []wire.Value `json:"plans" wire:"list"`
	OnConflict OnConflict   `json:"on_conflict,omitempty"`
}

// Imported answers plans.import; a bad plan does not stop the others.
type Imported struct {
	Created int64         `json:"created"`
	Updated int64         `json:"updated"`
	Kept    int64         `json:"kept"`
	Errors  []ImportError `json:"errors,omitempty"`
}

// Export asks plans.export. Limit is 1 to 1,000 (100).
type Export struct {
	Limit  *int64 `json:"limit,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// ExportPage answers plans.export, by station, then id; no Next on the last page.
type ExportPage struct {
	Plans []PlanCopy `json:"plans"`
	Next  string     `json:"next,omitempty"`
}

// A PlanCopy is a plan with all that the scheduler keeps of it. The definition is
// Plan where it speaks the encoding of the message, byte for byte as it is stored;
// otherwise it is Raw, in the encoding of that word ("json" or "msgpack").
type PlanCopy struct {
	Plan     wire.Value `json:"plan,omitzero"`
	Raw      []byte     `json:"raw,omitempty"`
	Encoding string     `json:"encoding,omitempty"`
	// Record is the map that the bucket has under the plan's state key, without votes.
	Record wire.Value `json:"record,omitzero"`
	// Inbox is there in place of a Record when the plan is a merge queue, PlanTime is
	// when its items are due. The items come by plans.items, and a restore takes them
	// with it.
	Inbox    *InboxState `json:"inbox,omitempty"`
	PlanTime time.Time   `json:"plan_time,omitzero"`
	Items    *ItemsCopy  `json:"items,omitempty"`
}

// In returns p as it travels in a message of that encoding.
func (p PlanCopy) In(enc wire.Encoding) (PlanCopy, error) {
	definition, err := p.Definition()
	if err != nil {
		return PlanCopy{}, err
	}
	out := p
	out.Record, out.Plan, out.Raw, out.Encoding = p.Record.In(enc), wire.Value{}, nil, ""
	if p.Items != nil {
		items := p.Items.in(enc)
		out.Items = &items
	}
	if definition.Encoding() == enc {
		out.Plan = definition
	} else {
		out.Raw, out.Encoding = definition.Raw(), definition.Encoding().String()
	}
	return out, nil
}

// Definition returns the definition in its own encoding. It was scanned, but not checked:
// a caller that takes it from an untrusted source holds it to the limits of a plan. The
// error is a [*Error] with code invalid_plan or too_large.
func (p PlanCopy) Definition() (wire.Value, error) {
	wrong := func(field, message string) (wire.Value, error) {
		return wire.Value{}, &Error{Code: CodeInvalidPlan, Field: field, Message: message}
	}
	switch {
	case !p.Plan.IsZero() && p.Raw != nil:
		return wrong("raw", "a plan has plan or raw, not both")
	case !p.Plan.IsZero():
		return p.Plan, nil
	case p.Raw == nil:
		return wrong("plan", "plan is missing; it is the definition, as plans.export gave it")
	}
	enc, ok := wire.ParseEncoding(p.Encoding)
	if !ok {
		return wrong("encoding", "encoding is none of json, msgpack; it says what raw is in")
	}
	v, err := wire.ScanAs(enc, p.Raw, wire.Limits{Bytes: MaxDefinitionBytes})
	if err != nil {
		return wire.Value{}, WireErrors(CodeInvalidPlan, err)
	}
	return v, nil
}

// Restore asks plans.restore: at most 1,000 plans. OnConflict is error or keep.
// [Imported] answers it.
type Restore struct {
	Plans      []PlanCopy `json:"plans" wire:"list"`
	OnConflict OnConflict `json:"on_conflict,omitempty"`
}

// ImportError is the fault of the plan at Index, counted from 0.
type ImportError struct {
	Index int64  `json:"index"`
	Error *Error `json:"error"`
}

// StationName names a station in stations.get and delete.
type StationName struct {
	Station string `json:"station"`
}

// StationPut answers stations.put.
type StationPut struct {
	Station  string `json:"station"`
	Kind     Kind   `json:"kind"`
	Created  bool   `json:"created"`
	Revision uint64 `json:"revision"`
}

// StationDeleted answers stations.delete.
type StationDeleted struct {
	Station string `json:"station"`
	Deleted bool   `json:"deleted"`
}

// ListStations asks stations.list.
type ListStations struct {
	Limit  *int64 `json:"limit,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// StationPage answers stations.list.
type StationPage struct {
	Stations []Station `json:"stations"`
	Next     string    `json:"next,omitempty"`
}

// ListWorkers asks workers.list: those that serve Station, or all.
type ListWorkers struct {
	Station string `json:"station,omitempty"`
	Limit   *int64 `json:"limit,omitempty"`
	Cursor  string `json:"cursor,omitempty"`
}

// WorkerPage answers workers.list, ordered by worker_id.
type WorkerPage struct {
	Workers []Worker `json:"workers"`
	Next    string   `json:"next,omitempty"`
}
