package explain

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A Kept is the part of a result that explains: [schema.Result] without what the worker and the plan
// put into it, which may be large.
type Kept struct {
	Occurrence int64           `json:"occurrence"`
	Attempt    int64           `json:"attempt"`
	N          int64           `json:"n"`
	PlanTime   time.Time       `json:"plan_time,omitzero"`
	MovedFrom  time.Time       `json:"moved_from,omitzero"`
	ExecTime   time.Time       `json:"exec_time,omitzero"`
	EndTime    time.Time       `json:"end_time,omitzero"`
	State      schema.State    `json:"state"`
	Reason     schema.Reason   `json:"reason,omitempty"`
	Cause      schema.Reason   `json:"cause,omitempty"`
	Because    *schema.Because `json:"because,omitempty"`
	Count      int64           `json:"count,omitempty"`
	Trigger    string          `json:"trigger,omitempty"`
	WorkerID   string          `json:"worker_id,omitempty"`
	Final      bool            `json:"final"`
	Late       *schema.Late    `json:"late,omitempty"`
	schema.Attribution
}

// covers reports that r is about the occurrence k, perhaps among others.
func (r *Kept) covers(k int64) bool {
	return r.isOfOccurrence() && k <= r.Occurrence && k > r.Occurrence-max(r.Count, 1)
}

// isOfOccurrence reports that r is about occurrences, unlike one about a triggered run or about the
// items that were left in an inbox.
func (r *Kept) isOfOccurrence() bool {
	return r.Occurrence > 0 && (r.State != schema.StateSkipped || !r.PlanTime.IsZero())
}

// find is the newest result of which is holds; nil: there is none.
func (f *Facts) find(is func(*Kept) bool) *Kept {
	for i := range slices.Backward(f.Kept) {
		if is(&f.Kept[i]) {
			return &f.Kept[i]
		}
	}
	return nil
}

// newest is the result with the highest number; nil: none is kept.
func (f *Facts) newest() (most *Kept) {
	for i := range f.Kept {
		if r := &f.Kept[i]; most == nil || r.N > most.N {
			most = r
		}
	}
	return most
}

// last is the result of the last occurrence; nil: none is kept.
func (f *Facts) last() (most *Kept) {
	for i := range f.Kept {
		if r := &f.Kept[i]; most == nil || r.Occurrence > most.Occurrence {
			most = r
		}
	}
	return most
}

// keptSince is since when results are kept; zero: none is.
func (f *Facts) keptSince() (first time.Time) {
	for i := range f.Kept {
		if end := f.Kept[i].EndTime; first.IsZero() || end.Before(first) {
			first = end
		}
	}
	return first
}

// nearest is the result about the occurrence that was due nearest to a moment, or would have been
// without calendars; nil: none is near it.
func (f *Facts) nearest(at time.Time) (found *Kept) {
	best := Near + 1
	for i := range slices.Backward(f.Kept) {
		r := &f.Kept[i]
		for _, due := range [...]time.Time{r.PlanTime, r.MovedFrom} {
			if apart := due.Sub(at).Abs(); r.Occurrence > 0 && !due.IsZero() && apart < best {
				found, best = r, apart
			}
		}
	}
	return found
}

// beside has the last occurrence due before a moment, and the first one behind, as results tell of
// them; nil: none does.
func (f *Facts) beside(at time.Time) *schema.Because {
	var before, after *schema.Next
	for i := range f.Kept {
		r := &f.Kept[i]
		switch is := (&schema.Next{PlanTime: r.PlanTime, Occurrence: r.Occurrence}); {
		case r.Occurrence == 0 || r.PlanTime.IsZero():
		case r.PlanTime.Before(at) && (before == nil || r.PlanTime.After(before.PlanTime)):
			before = is
		case r.PlanTime.After(at) && (after == nil || r.PlanTime.Before(after.PlanTime)):
			after = is
		}
	}
	if before == nil && after == nil {
		return nil
	}
	return &schema.Because{Before: before, After: after}
}

// lastOK is the last success; nil: none is kept.
func (f *Facts) lastOK() *schema.LastOK {
	r := f.find(func(r *Kept) bool { return r.State == schema.StateOK && r.Final })
	if r == nil {
		return nil
	}
	return &schema.LastOK{Occurrence: r.Occurrence, EndTime: r.EndTime}
}
