package ahead

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/describe"
	"github.com/stationmaster-io/stationmaster/schema"
)

// mostNoted bounds the occurrences of a schedule in a cell that are looked at for notes.
const mostNoted = 60

// A change is one of clocks, and when occurrences may be moved or doubled by it.
type change struct{ from, until time.Time }

// changesOf are the changes of clocks of a zone near the cells.
func (c *Cells) changesOf(zone string) []change {
	if all, known := c.changes[zone]; known {
		return all
	}
	var all []change
	if location, err := schema.LoadZone(zone); err == nil {
		const near = 26 * time.Hour // a zone has left out a whole day
		first, end := c.bounds[0].Add(-near), c.bounds[len(c.cells)].Add(near)
		for _, at := first.In(location).ZoneBounds(); !at.IsZero() && at.Before(end); _, at = at.ZoneBounds() {
			_, before := at.Add(-time.Second).Zone()
			_, after := at.Zone()
			by := time.Duration(max(after-before, before-after))*time.Second + time.Hour
			all = append(all, change{at.Add(-by), at.Add(by)})
		}
	}
	c.changes[zone] = all
	return all
}

// note notes what a change of clocks does to the occurrences of a schedule in a cell, of which first
// is the first.
func (c *Cells) note(i int, s *shared, first calendar.Due, plans int64) {
	if s.plan.Timezone == "" || s.schedule.FollowsRealTime() {
		return
	}
	for _, ch := range c.changesOf(s.plan.Timezone) {
		if !c.bounds[i].Before(ch.until) || !ch.from.Before(c.bounds[i+1]) {
			continue
		}
		due, ok := first, true
		for n := 0; ok && n < mostNoted && due.At.Before(c.bounds[i+1]); n++ {
			for _, note := range describe.Notes(&s.plan, s.schedule, due.At, c.lang) {
				if note.Kind == schema.NoteGap || note.Kind == schema.NoteOverlap {
					c.cells[i].noted(note, plans)
					return
				}
			}
			due, ok = s.schedule.Next(due, time.Time{})
		}
	}
}

func (s *shared) plans() (n int64) {
	for _, of := range s.stations {
		n += of
	}
	return n
}

func (c *cell) noted(note schema.Note, plans int64) {
	if c.notes == nil {
		c.notes = map[schema.Note]int64{}
	}
	c.notes[note] += plans
}
