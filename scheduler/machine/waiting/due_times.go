package waiting

import (
	"cmp"
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// DueTimes are the next due times of all plans, by their handles. A page of the list in their
// order is found by one pass over them, some two milliseconds for a million, because a tree
// would cost each execution more than that saves for each page.
type DueTimes struct{ at []unit.Moment }

// A Due is a plan and when it is due.
type Due struct {
	At unit.Moment
	H  unit.Handle
}

func (d Due) compare(other Due) int {
	return cmp.Or(cmp.Compare(d.At, other.At), cmp.Compare(d.H, other.H))
}

// Set makes a plan due at a moment; 0: it is not.
func (d *DueTimes) Set(h unit.Handle, at unit.Moment) {
	if int(h) >= len(d.at) {
		if at == 0 {
			return
		}
		d.at = slices.Grow(d.at, int(h)+1-len(d.at))[:int(h)+1]
	}
	d.at[h] = at
}

// At returns when a plan is due; 0: it is not.
func (d *DueTimes) At(h unit.Handle) unit.Moment {
	if int(h) >= len(d.at) {
		return 0
	}
	return d.at[h]
}

// After returns the next plans behind one, at most so many, in the order of their due times, and
// of their handles where those are equal.
func (d *DueTimes) After(last Due, most int) []Due {
	found := make([]Due, 0, 2*most)
	highest := unit.Moment(0) // of those that are among the next so far; 0: there are fewer
	for h, at := range d.at {
		// One that is due at the highest comes behind it, because its handle is greater.
		if at < last.At || at == 0 || highest != 0 && at >= highest {
			continue
		}
		due := Due{at, unit.Handle(h)}
		if due.compare(last) <= 0 {
			continue
		}
		if found = append(found, due); len(found) == 2*most {
			found = first(found, most)
			highest = found[most-1].At
		}
	}
	return first(found, most)
}

// first sorts the plans, and returns the first of them.
func first(all []Due, most int) []Due {
	slices.SortFunc(all, Due.compare)
	return all[:min(most, len(all))]
}
