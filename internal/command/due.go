package command

import (
	"time"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A DueSpan asks a list for the occurrences from one moment on and before another, in place of the
// plans.
type DueSpan struct {
	From  int64 `json:"from,omitempty"`  // in Unix seconds
	Until int64 `json:"until,omitempty"` // in Unix seconds; 0: the list is one of plans
	// Each asks for the plans that have occurrences one by one, in place of groups.
	Each bool `json:"each,omitempty"`
	// Most asks for a sample, if there are more plans, unless names tell the plans that are asked for.
	Most int64 `json:"most,omitempty"`
	// Every goes on with a sample; it is that of the slice before.
	Every int64 `json:"every,omitempty"`
}

// A DueGroup is some plans of a station whose occurrences in a span are the same: those of a grid,
// which First, Last and Step tell, or those of the schedule of Plan.
type DueGroup struct {
	Station string `json:"station"`           // of the plans
	PlanID  string `json:"plan_id,omitempty"` // of the only plan, where each is asked for
	Plans   int64  `json:"plans"`             // how many
	First   int64  `json:"first,omitempty"`   // the first occurrence, in Unix seconds
	Last    int64  `json:"last,omitempty"`    // the last one
	Step    int64  `json:"step,omitempty"`    // seconds from one to the next; 0: there is one
	Count   int64  `json:"count,omitempty"`   // of occurrences, where each is asked for

	// Plan has the members of one of the definitions that are about time; zero: it is a grid.
	Plan     wire.Value `json:"plan,omitzero"`
	Accepted time.Time  `json:"accepted,omitzero"` // from when that one counts
	Base     int64      `json:"base,omitempty"`    // its occurrences under earlier schedules
	PrevK    int64      `json:"prev_k,omitempty"`  // the number of the last one that was taken, or is skipped
	PrevAt   time.Time  `json:"prev_at,omitzero"`  // when that was due
	// Own: Accepted, Base and Prev matter, so that no other plan has the same occurrences.
	Own bool `json:"own,omitempty"`
}
