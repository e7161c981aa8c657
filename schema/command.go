package schema

// A Command is what a user asks of one partition, checked and placed by the
// front. It gets exactly one answer, when what it changed is durable.
type Command interface{ command() }

type (
	// CreatePlan answers Created. A plan that exists is treated as
	// Definition.Plan.OnConflict says. Trace is the request's traceparent.
	CreatePlan struct {
		Definition *Definition
		Trace      string
	}

	// GetPlan answers PlanView.
	GetPlan struct{ Name PlanName }

	// LookPlans answers PlanSlice: what matches Filter, at most Limit, of the
	// next some thousand plans behind After.
	LookPlans struct {
		Filter ListPlans
		Limit  int
		After  PlanName
	}

	// ClosePlan answers Standing: no further occurrence, and the plan leaves when
	// its last execution has ended.
	ClosePlan struct{ Name PlanName }

	// RemovePlan answers Standing: the plan leaves at once.
	RemovePlan struct{ Name PlanName }

	// OpenRuns answers []Result: what is under way of a plan, newest first;
	// nothing when there is no such plan.
	OpenRuns struct{ Name PlanName }

	// PutStation answers StationPut.
	PutStation struct{ Station *Station }

	// GetStation answers Station.
	GetStation struct{ Station string }

	// DeleteStation answers StationDeleted.
	DeleteStation struct{ Station string }

	// LookStations answers StationSlice: at most Limit stations behind After.
	LookStations struct {
		Limit int
		After string
	}
)

func (CreatePlan) command()    {}
func (GetPlan) command()       {}
func (LookPlans) command()     {}
func (ClosePlan) command()     {}
func (RemovePlan) command()    {}
func (OpenRuns) command()      {}
func (PutStation) command()    {}
func (GetStation) command()    {}
func (DeleteStation) command() {}
func (LookStations) command()  {}

// A PlanSlice is what one look at the table found. More says that plans lie
// behind Last; Plans may then be fewer than asked for, even none.
type PlanSlice struct {
	Plans []PlanView
	Last  PlanName
	More  bool
}

// A StationSlice is a page of stations by name; More says that others follow.
type StationSlice struct {
	Stations []Station
	More     bool
}
