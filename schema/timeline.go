package schema

import "time"

// Words of [PlanTimeline.Lanes].
const (
	LanesByPlan    = "plan"    // a lane has the runs of a plan
	LanesByWorker  = "worker"  // of those that a worker had
	LanesByStation = "station" // of the plans of a station
)

// OtherLanes is the name of the lane that has the runs of those which are too many to be shown.
const OtherLanes = "*"

// PlanTimeline asks plans.timeline for the runs that a span of time meets, those under way, too. From
// and Until are at most a day apart.
type PlanTimeline struct {
	From    time.Time `json:"from,omitzero"`               // zero: an hour before Until
	Until   time.Time `json:"until,omitzero"`              // zero: now
	Lanes   string    `json:"lanes,omitempty"`             // plan, worker or station; empty: plan
	Station string    `json:"station,omitempty"`           // of the plan, or a filter; empty: all
	Max     int64     `json:"max,omitempty" wire:"1-2000"` // runs that are shown one by one, 1 to 2,000; 0: 2,000
	// WithinMS is how long runs are looked for, 1 to 2,000 milliseconds; 0: 2,000. A client that is to show
	// something at once asks for little, and once more if that was not complete.
	WithinMS int64 `json:"within_ms,omitempty" wire:"1-2000"`
}

// Timeline answers plans.timeline.
type Timeline struct {
	From   time.Time     `json:"from"`              // as asked
	Until  time.Time     `json:"until"`             // as asked
	StepMS int64         `json:"step_ms,omitempty"` // how long a bucket is, in milliseconds; 0: lanes have bars
	Lanes  []TimelineRow `json:"lanes"`             // by their names
	// Complete is false when the time for reading was over before all was read; the oldest runs are
	// missing then. Nil: nothing is missing.
	Complete *bool `json:"complete,omitempty"`
}

// A TimelineRow has some of the runs: each as a bar, or how many began when.
type TimelineRow struct {
	Name    string           `json:"lane"`              // station/plan_id, a worker's or station's name; empty: no worker is known
	Bars    []TimelineBar    `json:"bars,omitempty"`    // the first to begin first
	Buckets []TimelineBucket `json:"buckets,omitempty"` // from From on, each of StepMS
}

// A TimelineBar is a run, or a due occurrence that waits for its first execution.
type TimelineBar struct {
	Station string    `json:"station"`           // of the plan
	PlanID  string    `json:"plan_id"`           // of the plan
	N       int64     `json:"n,omitempty"`       // of the run; 0: it has none yet
	Attempt int64     `json:"attempt,omitempty"` // from 1; 0: not tried
	Due     time.Time `json:"due,omitzero"`      // when its occurrence was due
	Start   time.Time `json:"start,omitzero"`    // when it was sent; zero: it was not
	End     time.Time `json:"end,omitzero"`      // zero: it is under way, or waits
	State   State     `json:"state"`             // the newest one
	Reason  Reason    `json:"reason,omitempty"`  // why State is so; empty: no special cause
	// KnownAs is the name of the plan's HTTP job; empty: it is none, or its definition is large and was
	// put away.
	KnownAs string `json:"known_as,omitempty"`
}

// A TimelineBucket counts the runs that began in a part of the time, or before all of it in the first.
type TimelineBucket struct {
	Count int64 `json:"count"` // of them
	Bad   int64 `json:"bad"`   // of them, those that ended with error, failure or timeout, or were missed
}
