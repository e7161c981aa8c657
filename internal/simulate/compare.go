package simulate

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Comparison is a second simulation beside the first one.
type Comparison struct {
	Cut        bool                    `json:"cut,omitempty"` // it stopped at the limit, and its plans have more to come
	Executions int64                   `json:"executions"`    // of the second one, as all here
	States     map[schema.State]int64  `json:"states"`
	Skipped    map[schema.Reason]int64 `json:"skipped"`
	Plans      []Difference            `json:"plans"` // that differ, by station, then id
}

// A Difference is a plan whose results differ.
type Difference struct {
	Station string `json:"station"`
	PlanID  string `json:"plan_id"`
	// Change is added, removed, or changed: its results are others, though there may be as many.
	Change string  `json:"change"`
	Before *Counts `json:"before,omitempty"` // nil: it was added
	After  *Counts `json:"after,omitempty"`  // nil: it was removed
}

// Counts are the results of a plan in one of two simulations.
type Counts struct {
	States  map[schema.State]int64  `json:"states"`
	Skipped map[schema.Reason]int64 `json:"skipped"`
}

// CompareWith notes a second simulation in the report of the first.
func (r *Report) CompareWith(second *Report) {
	c := &Comparison{Cut: second.Cut, Executions: second.Executions, States: second.States, Skipped: second.Skipped, Plans: []Difference{}}
	before, after := r.byName(), second.byName()
	for name, p := range before {
		q := after[name]
		switch {
		case q == nil:
			c.Plans = append(c.Plans, Difference{name.Station, name.PlanID, "removed", countsOf(p), nil})
		case r.digests[name] != second.digests[name]:
			c.Plans = append(c.Plans, Difference{name.Station, name.PlanID, "changed", countsOf(p), countsOf(q)})
		}
	}
	for name, q := range after {
		if before[name] == nil {
			c.Plans = append(c.Plans, Difference{name.Station, name.PlanID, "added", nil, countsOf(q)})
		}
	}
	slices.SortFunc(c.Plans, func(a, b Difference) int {
		return compareNames(schema.PlanName{Station: a.Station, PlanID: a.PlanID}, schema.PlanName{Station: b.Station, PlanID: b.PlanID})
	})
	r.Compare = c
}

func (r *Report) byName() map[schema.PlanName]*PlanCounts {
	all := map[schema.PlanName]*PlanCounts{}
	for _, p := range r.Plans {
		all[schema.PlanName{Station: p.Station, PlanID: p.PlanID}] = p
	}
	return all
}

func countsOf(p *PlanCounts) *Counts { return &Counts{p.States, p.Skipped} }
