package schema

import (
	"time"
)

// StationName names a station in stations.delete and stats.
type StationName struct {
	Station string `json:"station"` // the name of the station
}

// GetStation asks stations.get.
type GetStation struct {
	Station string `json:"station"` // the name of the station
	// Used asks for a [UsedStation], also of a station that was never put.
	Used bool `json:"used,omitempty"`
}

// StationPut answers stations.put.
type StationPut struct {
	Station  string `json:"station"`  // the name of the station
	Kind     Kind   `json:"kind"`     // how an execution reaches its workers
	Created  bool   `json:"created"`  // true: it is new
	Revision uint64 `json:"revision"` // that of the definition, which grows with each change
	// Dropped are the fields of the record before that this one leaves out; a nested one has
	// its path, as retry.interval. Empty: none.
	Dropped []string `json:"dropped,omitempty"`
}

// StationDeleted answers stations.delete.
type StationDeleted struct {
	Station string `json:"station"` // the name of the station
	Deleted bool   `json:"deleted"` // false: of a dry run alone, because a missing one is not_found
	// Kind is that of the record of a station with plans, which is of kind api without it; empty:
	// it was api, or has no plans.
	Kind     Kind `json:"kind,omitempty"`
	HasPlans bool `json:"has_plans,omitempty"` // it has plans, which go on with the defaults
	// Dropped are the fields of the record, but for its name and kind api, if it has plans; in a dry run
	// always.
	Dropped []string `json:"dropped,omitempty"`
	Plans   int64    `json:"plans,omitempty"`   // how many plans go on without those fields
	DryRun  bool     `json:"dry_run,omitempty"` // true: nothing was done
}

// ListStations asks stations.list.
type ListStations struct {
	Limit  int64  `json:"limit,omitempty" wire:"1-1000"` // 1 to 1,000; 0: 100
	Cursor string `json:"cursor,omitempty"`              // Next of the page before; empty: the first page
	// Used adds the stations that have plans and no record, and shows the use of each.
	Used bool `json:"used,omitempty"`
}

// StationPage answers stations.list.
type StationPage struct {
	Stations []Station `json:"stations"`       // one page of stations
	Next     string    `json:"next,omitempty"` // the cursor of the next page; empty: this is the last
}

// ListWorkers asks workers.list: those that serve Station, or all.
type ListWorkers struct {
	Station string `json:"station,omitempty"`             // empty: all
	Limit   int64  `json:"limit,omitempty" wire:"1-1000"` // 1 to 1,000; 0: 100
	Cursor  string `json:"cursor,omitempty"`              // Next of the page before; empty: the first page
}

// WorkerPage answers workers.list, ordered by worker_id.
type WorkerPage struct {
	Workers []Worker `json:"workers"`        // one page of workers
	Next    string   `json:"next,omitempty"` // the cursor of the next page; empty: this is the last
}

// WorkerName asks workers.get.
type WorkerName struct {
	WorkerID string `json:"worker_id" wire:"numeric"` // a worker's own name
}

// WorkerView answers workers.get with a present worker and the executions that it has.
type WorkerView struct {
	Worker
	Rate1m     int64             `json:"rate_1m"`        // executions that ended there in the last minute
	Executions []WorkerExecution `json:"executions"`     // under way there, by station and plan; at most 1,000 of a partition
	More       bool              `json:"more,omitempty"` // there are others
}

// A WorkerExecution is an execution that a worker has.
type WorkerExecution struct {
	PlanName
	Occurrence int64     `json:"occurrence"`         // its number, from 1; 0: a run by plans.trigger
	N          int64     `json:"n"`                  // the number of the execution in its plan
	Attempt    int64     `json:"attempt"`            // the try at the occurrence, from 1
	State      State     `json:"state"`              // the newest one
	Since      time.Time `json:"since,omitzero"`     // when it was sent; zero: unknown
	Deadline   time.Time `json:"deadline,omitzero"`  // when it times out; zero: never
	Progress   *float64  `json:"progress,omitempty"` // 0 to 100 per cent, by its last reply to the leader; nil: unknown
}
