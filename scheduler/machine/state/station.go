package state

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Station is a row like a plan's. A station that was never put has no record and all the
// defaults.
type Station struct {
	Name   string
	Record *schema.Station // nil: never put
	// Generation counts the records, so that plans know when their terms are old.
	Generation uint32
	Revision   uint64
	// Usual are the terms of plans that set no policy themselves: cron or not, no_keep or not.
	Usual [4]*schema.Terms
	Plans int
	// UnderWay counts the executions of its plans that have not ended, and Line holds the plans
	// that wait for one of them to end. Both are a leader's.
	UnderWay int64
	Line     waiting.ConcurrencyQueue
	// Counts has the results and waits of its plans; nil: none was counted so far.
	Counts *tally.Series
	// Claimable are the offers that may be claimed here; nil: there was none so far. Rematch is
	// how far they were matched against the waiting claims; nil: none is under way.
	Claimable *Claimable
	Rematch   *Rematch
	// Dirty: bucket stations has an older record.
	Dirty *DirtyRow
}

func (s *Station) Kind() schema.Kind {
	if s.Record == nil || s.Record.Kind == "" {
		return schema.KindAPI
	}
	return s.Record.Kind
}

// Set replaces the record; nil removes it. A change counts from the next dispatch on.
func (s *Station) Set(r *schema.Station) {
	s.Record = r
	s.Generation++
	s.Usual = [4]*schema.Terms{}
}

// IsTaskType reports that a task type made s, which is nil where the station is unknown.
func (s *Station) IsTaskType() bool { return s != nil && s.Record != nil && s.Record.TaskType != nil }

func NoStation(name string) error {
	return &schema.Error{
		Code: schema.CodeNotFound, Field: "station",
		Message: fmt.Sprintf("station %q was never put; plans may name it all the same, it is then of kind api with the defaults", name),
	}
}
