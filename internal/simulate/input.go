package simulate

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A Source is an installation: its calendars, stations and plans.
type Source struct {
	// At is when the plans with a record were as the records have them; zero: none has a record.
	At        time.Time
	Calendars []*schema.Calendar
	Stations  []*schema.Station
	Plans     []Plan
	// Changes are plans that are created, or replace the definition of a plan that exists, at the
	// begin of the simulation; and so are calendars and stations, before them.
	Changes         []Plan
	CalendarChanges []*schema.Calendar
	StationChanges  []*schema.Station
}

// A Plan is one plan of a source.
type Plan struct {
	Definition *schema.Definition
	// Record is the scheduler's state of the plan, as plans.export has it; zero: it is new.
	Record wire.Value
}

// Name returns the plan's name.
func (p Plan) Name() schema.PlanName {
	return schema.PlanName{Station: p.Definition.Plan.Station, PlanID: p.Definition.Plan.PlanID}
}

// Options are the assumptions of a simulation.
type Options struct {
	// From and Until bound the time: an execution that begins at From or later and before
	// Until is followed to its end.
	From, Until time.Time
	// Seed chooses the durations and failures.
	Seed uint64
	// Limit is the number of executions at which the simulation stops. Zero means DefaultLimit. It
	// stops at as many results of skipped occurrences, too, or at DefaultLimit if that is more.
	Limit int64
	// Take is how long executions take.
	Take Take
	// Workers is how many executions the workers of a station have at once; a station without
	// an entry has enough workers.
	Workers map[string]int
	// Fail is the share of the executions that end in an error, 0 to 1.
	Fail float64
	// Outages are the times in which no scheduler acts, in their order.
	Outages []Outage
}

// DefaultLimit is the limit of executions where none is given.
const DefaultLimit = 10_000_000

// An Outage is a time in which no scheduler acts.
type Outage struct {
	From  time.Time
	Until time.Time
}

// A Sink receives each result in its order. An error ends the simulation.
type Sink func(*Result) error

// A Result is one execution that ended, or occurrences that were skipped.
type Result struct {
	Name                schema.PlanName
	Occurrence, Attempt int64
	PlanTime            time.Time
	// Begin is when a worker began; zero: none did. End is when it ended or was skipped.
	Begin, End time.Time
	State      schema.State
	Reason     schema.Reason
	// Count is how many occurrences it stands for, Occurrence being the last; at least 1.
	Count int64
}

// An InputError is a plan, a station or a calendar that the scheduler refuses.
type InputError struct {
	What string // such as "plan mail/digest"
	Err  error
}

func (e *InputError) Error() string { return fmt.Sprintf("%s: %v", e.What, e.Err) }
func (e *InputError) Unwrap() error { return e.Err }
