package command

import (
	"regexp"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// PeriodicPrefix begins the ids of the plans of periodic tasks. Such a plan must be found by the
// task's id alone, so its own id is made from that. The prefix separates it from other plans at
// the same station, and is part of the store.
const PeriodicPrefix = "periodic_"

// PeriodicMark is the label of the plan of a periodic task that is new or offline, so that its
// pause is not taken for one of plans.pause. Builds before it was written marked new ones alone.
const PeriodicMark = "status"

var jobID = regexp.MustCompile(`^[a-z2-7]{32}$`)

// IsJobID reports that an id has the form of those that /api/v1/tasks makes of the names of its
// jobs.
func IsJobID(id string) bool { return jobID.MatchString(id) }

type (
	// GetTask is answered with TaskView, when all results that were decided before are stored.
	GetTask struct {
		Name schema.PlanName // of the task
	}

	// ReportTask is answered with TaskReported. It is a worker's report, treated like its reply.
	ReportTask struct {
		About schema.ReplyName // the execution
		Reply schema.Reply     // of its worker
	}

	// EndTask is answered with Standing. The task is settled by a person, who cancels it or,
	// Processed, has done it. The latter only while it is pending.
	EndTask struct {
		Name      schema.PlanName // of the task's plan
		Processed bool            // false: cancelled
		Remark    string          // the person's comment; may be empty
	}
)

func (GetTask) command()    {}
func (ReportTask) command() {}
func (EndTask) command()    {}

// TaskView is an open task, with its trace; or none. Delivering is set while a callback of
// the task is not delivered.
type TaskView struct {
	Plan       *PlanView // nil: no such task is open
	Delivering bool      // a callback is on its way
}

// TaskReported is the outcome of a worker's report, and the state of the task after it.
type TaskReported struct {
	Ack  schema.Ack // answers the report
	Task TaskView   // the task after it
}

// TaskTrace is the part of a task's view beside the view of its plan. It is for the
// services of tasks alone, because the name of the execution holds its nonce.
type TaskTrace struct {
	Accepted time.Time `json:"accepted"`         // UTC; when it was submitted
	Errors   int64     `json:"errors,omitempty"` // how often it has failed
	Lost     int64     `json:"lost,omitempty"`   // agents whose pings stopped
	// LastError is nil as long as it has not failed.
	LastError *schema.LastError `json:"last_error,omitempty"`
	// Of the newest execution that is under way.
	Exec     string    `json:"exec,omitempty"`
	Sent     time.Time `json:"sent,omitzero"`     // UTC; zero: none is under way
	Deadline time.Time `json:"deadline,omitzero"` // UTC; zero: none
}
