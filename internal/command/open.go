package command

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// ListOpen is answered with OpenSlice, the open occurrences of some plans behind After.
type ListOpen struct {
	Station string    `json:"station,omitempty"` // of the plans, or a filter; empty: all
	Before  time.Time `json:"before,omitzero"`   // occurrences that were due before; zero: all
	After   int64     `json:"after,omitempty"`   // Last of the slice before; 0: from the first plan on
}

func (ListOpen) command() {}

// An OpenSlice has the executions of some plans that have not ended, and their due occurrences that
// wait for the first one.
type OpenSlice struct {
	Open []OpenRun `json:"open,omitempty"` // in the order of the plans
	Last int64     `json:"last,omitempty"` // the place of the last plan that was looked at
	More bool      `json:"more,omitempty"` // false: no plan lies behind it
}

// An OpenRun is one of them, and its worker.
type OpenRun struct {
	schema.TimelineBar
	WorkerID string `json:"worker_id,omitempty"` // the worker that has it; empty: none is known
}
