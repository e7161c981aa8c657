package command

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Command is a user's request to one partition, checked and placed by the front. It gets
// exactly one answer, once its changes are durable.
type Command interface{ command() }

type (
	// CreatePlan is answered with Created. Definition.Plan.OnConflict decides about a plan that
	// exists. Trace is the request's traceparent. A Task is refused when its station is no task
	// type any more, because no agent would serve it.
	CreatePlan struct {
		Definition *schema.Definition // the plan, checked
		Trace      string             // traceparent of W3C; empty: none
		Task       bool               // the plan is a task
	}

	// RestorePlan is answered with Created. It enters a plan from a backup with the state of its
	// Record. Definition.Plan.OnConflict, error or keep, decides about a plan that exists. The
	// record was scanned, but not checked.
	RestorePlan struct {
		Definition *schema.Definition // the plan, checked
		Record     wire.Value         // its state, as plans.export gave it
	}

	// GetPlan is answered with PlanView, on request with the policy in force. A Name without a
	// station is that of a merge queue.
	GetPlan struct {
		Name    schema.PlanName // the plan
		InForce bool            // with the policy in force
	}

	// ListPlans is answered with PlanSlice, at most Limit plans that match Filter, among the
	// next some thousand plans behind After. Of each station only the plans with IDs are looked
	// at, so that the plans between cost nothing.
	ListPlans struct {
		Filter schema.ListPlans // zero: all plans
		IDs    IDRange          // zero: all ids
		Limit  int              // plans at most
		After  schema.PlanName  // zero: from the first on
		// Records asks for the record of each plan, too.
		Records bool
		// Tasks asks for tasks alone, each with its trace.
		Tasks bool
		// Count asks for the number of plans that match, in place of the plans.
		Count bool `json:"count,omitempty"`
		// Due is where the order of due times goes on; zero: from the first on.
		Due DuePlace `json:"due,omitzero"`
		// Span asks for the occurrences in it, in place of the plans.
		Span DueSpan `json:"span,omitzero"`
	}

	// UpdatePlan is answered with Created. The definition takes the place of the one that was
	// read at Revision of the plan of that Incarnation; a conflict when the plan is another by
	// now.
	UpdatePlan struct {
		Definition            *schema.Definition // the new one, checked
		Incarnation, Revision uint64             // of the plan, as it was read
	}

	// PausePlan and ResumePlan answer Standing; repeating one changes nothing.
	PausePlan struct {
		Name schema.PlanName // of the plan
		// Drops skips occurrences that wait to begin, a user's runs too. False: they keep their turn.
		Drops bool
	}
	// ResumePlan ends the pause of PausePlan.
	ResumePlan struct {
		Name schema.PlanName // of the plan
	}

	// TriggerPlan is answered with Triggered. It makes one extra run now, of occurrence 0.
	TriggerPlan struct {
		Name schema.PlanName // of the plan
	}

	// SkipPlan is answered with Standing. The next Count occurrences are skipped when they fall
	// due; -1: all, until the count is set anew. The last count stands.
	SkipPlan struct {
		Name  schema.PlanName // the plan
		Count int64           // occurrences; 0: none any more
	}

	// ResetPlan is answered with Standing. The plan leaves plan_error or pending, and the
	// occurrence that stopped it is tried again at once.
	ResetPlan struct {
		Name schema.PlanName // of the plan
	}

	// CancelRun is answered with Standing. Execution N, under way or waiting for its retry, ends
	// cancelled, and its occurrence is settled.
	CancelRun struct {
		Name schema.PlanName // the plan
		N    int64           // the execution's number
	}

	// ClosePlan is answered with Standing. The plan has no further occurrence, and leaves when
	// its last execution has ended.
	ClosePlan struct {
		Name schema.PlanName // of the plan
	}

	// RemovePlan is answered with Standing. The plan leaves at once. A Revision that is not 0 is
	// the only one that leaves; another is a conflict, and so is another Incarnation.
	RemovePlan struct {
		Name        schema.PlanName // the plan
		Revision    uint64          // 0: any
		Incarnation uint64          `json:"incarnation,omitempty"` // of the plan that was read; 0: any
	}

	// OpenRuns is answered with []Result, the open executions of a plan, newest first; none
	// when there is no such plan.
	OpenRuns struct {
		Name schema.PlanName // of the plan
	}

	// ExplainPlan is answered with Explained, about at most one of an occurrence, an execution
	// and a moment; without one, about what is under way or next.
	ExplainPlan struct {
		Name       schema.PlanName // the plan
		Occurrence int64           `json:"occurrence,omitempty"` // its number; 0: not asked for
		N          int64           `json:"n,omitempty"`          // the execution's number; 0: not asked for
		At         time.Time       `json:"at,omitzero"`          // near its due time; zero: not asked for
	}

	// PutStation is answered with StationPut. With a Was it takes the place of that revision
	// alone, 0 being none; another is a conflict.
	PutStation struct {
		Station *schema.Station // the whole record
		Was     *uint64         `json:"was,omitempty"` // nil: of any revision
	}

	// GetStation is answered with Station.
	GetStation struct {
		Station string // its name
	}

	// DeleteStation is answered with StationDeleted. A task type goes only when it is taken away
	// as one, with TaskType.
	DeleteStation struct {
		Station  string // its name
		TaskType bool   // it is taken away as a task type
		DryRun   bool   `json:"dry_run,omitempty"` // it stays, and the answer foresees its end
	}

	// ListStations is answered with StationSlice, at most Limit stations behind After that were
	// put; with Used those that were put or have plans, with their counters; or the counters of
	// Station alone.
	ListStations struct {
		Limit   int    // stations at most
		After   string // a name; empty: from the first on
		Used    bool   `json:"used,omitempty"`    // with counters
		Station string `json:"station,omitempty"` // with Used: this one alone; empty: all
	}

	// PutCalendar is answered with CalendarPut. Its revision becomes the calendar's. With a Was
	// it takes the place of that revision alone, 0 being none; another is a conflict.
	PutCalendar struct {
		Calendar *schema.Calendar // the whole record, which was checked
		Was      *uint64          // nil: of any revision
	}

	// GetCalendar is answered with Calendar.
	GetCalendar struct {
		CalendarID string // its id
	}

	// DeleteCalendar is answered with CalendarDeleted. A calendar that plans name is a conflict.
	DeleteCalendar struct {
		CalendarID string // its id
	}

	// ListCalendars is answered with CalendarSlice, at most Limit calendars behind After,
	// with the plans of the partition.
	ListCalendars struct {
		Limit int    // calendars at most
		After string // an id; empty: from the first on
	}

	// ReadCounters is answered with Counters, an overview, or with Points the counts of a
	// station at each of the last times of Step seconds.
	ReadCounters struct {
		Station string `json:"station,omitempty"` // with Points; empty: all
		Step    int64  `json:"step,omitempty"`    // with Points
		Points  int    `json:"points,omitempty"`  // how many; 0: an overview
	}

	// ListWorkers is answered with WorkerSlice, at most Limit workers behind After that serve
	// Station, or any when it is empty.
	ListWorkers struct {
		Station string // a name; empty: any
		Limit   int    // workers at most
		After   string // an id; empty: from the first on
	}

	// GetWorker is answered with FoundWorker.
	GetWorker struct {
		WorkerID string // its own name
	}
)

func (CreatePlan) command()     {}
func (RestorePlan) command()    {}
func (GetPlan) command()        {}
func (ListPlans) command()      {}
func (UpdatePlan) command()     {}
func (PausePlan) command()      {}
func (ResumePlan) command()     {}
func (TriggerPlan) command()    {}
func (SkipPlan) command()       {}
func (ResetPlan) command()      {}
func (CancelRun) command()      {}
func (ClosePlan) command()      {}
func (RemovePlan) command()     {}
func (OpenRuns) command()       {}
func (ExplainPlan) command()    {}
func (PutStation) command()     {}
func (GetStation) command()     {}
func (DeleteStation) command()  {}
func (ListStations) command()   {}
func (ListWorkers) command()    {}
func (GetWorker) command()      {}
func (ReadCounters) command()   {}
func (PutCalendar) command()    {}
func (GetCalendar) command()    {}
func (DeleteCalendar) command() {}
func (ListCalendars) command()  {}

// An IDRange is the plan ids from From on and before To; an empty To has no end.
type IDRange struct {
	From, To string // the first id, and the first one behind the range
}

// A PlanView is a plan as users see it, with the part that none of them gets.
type PlanView struct {
	schema.PlanView        // as users see it
	Incarnation     uint64 `json:"-"` // distinguishes the plan from others that had its name
	// Record is the scheduler's state of the plan; zero: not asked for.
	Record wire.Value `json:"-"`
	// Trace is there for a task that was asked for as one.
	Trace *TaskTrace `json:"-"`
	// Due is the place of the plan in the order of due times; zero: by name.
	Due DuePlace `json:"-"`
}

// A DuePlace is a place in the order of due times, behind a plan of one partition.
type DuePlace struct {
	At     int64 `json:"at,omitempty"`     // when the plan is due, in Unix microseconds
	Handle int64 `json:"handle,omitempty"` // names it among those that are due then; -1: before all of them
	Rest   bool  `json:"rest,omitempty"`   // behind all that are due: the others are in the order of their names
}

// A PlanSlice is the result of one read of the table. More is set when plans lie behind
// Last; Plans may then be fewer than the limit, even none.
type PlanSlice struct {
	Plans []PlanView      // those that match
	Last  schema.PlanName // the last plan that was looked at
	More  bool            // false: the table ends here
	Due   DuePlace        // the place of the last plan in the order of due times
	Count int64           // how many match
	// Looked is how many plans were looked at; 0: none, or the node is of an earlier version.
	Looked int `json:"looked,omitempty"`
	// Groups have the occurrences in the span that was asked for, of the plans that Count counts.
	Groups []DueGroup `json:"groups,omitempty"`
	// Every is how many plans there are for each one that was looked at; 0 and 1: all were. A sample goes
	// on at Due.
	Every int64 `json:"every,omitempty"`
}

// An Explained has the facts that the leader of a plan knows about an occurrence, and the ones
// that the reader of the result needs beside them.
type Explained struct {
	// Known has no sentence. An empty Verdict: it is settled, and its result tells the rest.
	Known       schema.Explanation
	Plan        wire.Value      // its definition
	Station     *schema.Station // the record of its station; nil: there is none
	Defaults    schema.Defaults // of the configuration
	Incarnation uint64          // as in PlanView
	// NoTime reports that its calendars exclude every time of the next five years.
	NoTime bool `json:"no_time,omitempty"`
	// Errors counts the failures in a row of the occurrence, or of a queue's items, which are still
	// tried again, and LastError is the last of them.
	Errors    int64             `json:"errors,omitempty"`
	LastError *schema.LastError `json:"last_error,omitempty"` // nil: none has
}

// A StationSlice is a page of stations by name; More is set when others follow.
type StationSlice struct {
	Stations []schema.Station // in the order of their names
	More     bool             // false: the last page
	// Used takes the place of Stations where counters were asked for.
	Used []schema.UsedStation `json:"used,omitempty"`
}

// A CalendarSlice is a page of calendars by id; More is set when others follow.
type CalendarSlice struct {
	Calendars []schema.CalendarSummary // in the order of their ids
	More      bool                     // false: the last page
}

// Counters are those of one partition.
type Counters struct {
	Overview *schema.Overviewed `json:"overview,omitempty"` // without percentiles and texts; nil: points were asked for
	Since    time.Time          `json:"since,omitzero"`     // when its leader began to lead
	Points   []CounterPoint     `json:"points,omitempty"`   // without those at which nothing happened
	Versions []NewVersion       `json:"versions,omitempty"` // with Points, the newest last
}

// A NewVersion is one that workers of a station have, which had another before.
type NewVersion struct {
	At      time.Time `json:"at"`      // when the first of them came
	Station string    `json:"station"` // which they serve
	Version string    `json:"version"` // as they tell it
}

// A CounterPoint has the counts of one time.
type CounterPoint struct {
	T        int64                   `json:"t"` // Unix seconds
	States   map[schema.State]int64  `json:"states"`
	Reasons  map[schema.Reason]int64 `json:"reasons"`
	Lateness schema.LatenessCounts   `json:"lateness"` // without percentiles
}

// A WorkerSlice is a page of workers by id; More is set when others follow.
type WorkerSlice struct {
	Workers []schema.Worker // in the order of their ids
	More    bool            // false: the last page
}

// A FoundWorker is a worker as one partition knows it, with its executions of that partition.
type FoundWorker struct {
	There bool // false: it is not present; the executions are there nevertheless
	schema.WorkerView
}

// DoneIsUnknown is part of the message of an unavailable after which it is unknown whether
// the request was carried out.
const DoneIsUnknown = "done is unknown: ask again"

// EndedSince refuses to restore a plan to a state before its end.
func EndedSince() error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "plan_id",
		Message: "it came to its end here since, and would run again; on_conflict keep leaves it out, and plans.create makes it anew",
	}
}
