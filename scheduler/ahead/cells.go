package ahead

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// mostDistinct bounds the schedules that are counted one by one; of more they are a sample.
	mostDistinct = 10_000
	// mostTop and mostNotes bound the stations and the notes of a cell.
	mostTop   = 5
	mostNotes = 5
)

// Cells counts the occurrences that will run of many plans, in pieces of time. Plans with the same
// rule are counted once.
type Cells struct {
	bounds    []time.Time // of the cells, and the end of the last one
	lang      schema.Lang
	now       time.Time
	calendars *exclude.Set
	shared    map[sharedKey]*shared
	changes   map[string][]change // of clocks, by zone
	cells     []cell
	plans     int64 // that were added
	left      int64 // of them those that were not counted
	distinct  int   // schedules so far
}

// A sharedKey is what plans have in common whose occurrences are the same.
type sharedKey struct {
	spec calendar.Spec
	rule *exclude.Rule
}

// A shared is a rule, and how many plans of which stations have it.
type shared struct {
	schedule calendar.Schedule
	plan     schema.Plan
	stations map[string]int64
}

type cell struct {
	stations map[string]int64
	notes    map[schema.Note]int64
}

// NewCells makes cells between bounds, which ascend; the last one is the end. The set has the
// calendars that plans name.
func NewCells(bounds []time.Time, now time.Time, lang schema.Lang, calendars *exclude.Set) *Cells {
	return &Cells{
		bounds: bounds, now: now, lang: lang, calendars: calendars, shared: map[sharedKey]*shared{},
		changes: map[string][]change{}, cells: make([]cell, len(bounds)-1),
	}
}

// Bounds are those of the cells of a step, an hour or a day by the clock of a zone, that together
// hold all from from until until.
func Bounds(from, until time.Time, step string, zone *time.Location) (bounds []time.Time) {
	at := from.In(zone)
	if step == "1d" {
		at = time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, zone)
	} else {
		at = at.Add(-pastHour(at))
	}
	for ; at.Before(until); at = boundBehind(at, step) {
		bounds = append(bounds, at)
	}
	return append(bounds, at)
}

func pastHour(t time.Time) time.Duration {
	return time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second + time.Duration(t.Nanosecond())
}

// boundBehind is the next full hour, or midnight, that the clock shows behind t. A change of clocks
// may make a cell shorter, or longer.
func boundBehind(t time.Time, step string) time.Time {
	if step != "1d" {
		return t.Add(time.Hour - pastHour(t))
	}
	for day := 1; ; day++ { // a zone may leave out a day
		if next := time.Date(t.Year(), t.Month(), t.Day()+day, 0, 0, 0, 0, t.Location()); next.After(t) {
			return next
		}
	}
}

// Add counts a plan, of which the view has the record, as [Upcoming] has it.
func (c *Cells) Add(view command.PlanView) error {
	c.plans++
	var p schema.Plan
	if err := wire.DecodeLoose(view.Plan, &p); err != nil {
		return fmt.Errorf("read the definition of a plan: %w", err)
	}
	var record state.Record
	accepted := c.now
	if !view.Record.IsZero() {
		var err error
		if record, err = state.DecodeRecord(view.Record); err != nil {
			return fmt.Errorf("read the record of %s/%s: %w", p.Station, p.PlanID, err)
		}
		accepted = record.Accepted.Time()
	}
	prev := record.Prev
	var skip calendar.Due
	if record.Skip != nil {
		skip = record.Skip.Due
	}
	if skip.K > prev.K {
		prev = skip
	}
	rests := coming{state: &view.State, record: &record, skip: skip}
	switch {
	case rests.rests() != "":
		return nil
	case view.State.Inbox != nil:
		if i := c.cellOf(view.State.PlanTime); i >= 0 {
			c.cells[i].add(p.Station, 1)
		}
		return nil
	}
	return c.addScheduled(&p, record.Base, prev, accepted)
}

// addScheduled counts a plan that goes on behind prev.
func (c *Cells) addScheduled(p *schema.Plan, base int64, prev calendar.Due, accepted time.Time) error {
	spec := calendar.SpecOf(p)
	key := sharedKey{spec, c.calendars.RuleOf(p)}
	sharable := spec.Repet < 0 && prev.At.Before(c.bounds[0]) && !accepted.After(c.bounds[0])
	if s := c.shared[key]; s != nil && sharable {
		s.stations[p.Station]++
		return nil
	}
	if c.distinct == mostDistinct {
		c.left++
		return nil
	}
	c.distinct++
	spec.After = base
	schedule, err := calendar.Compile(spec, accepted)
	if err != nil {
		return fmt.Errorf("read the schedule of %s/%s: %w", p.Station, p.PlanID, err)
	}
	one := shared{c.calendars.Apply(schedule, p), *p, map[string]int64{p.Station: 1}}
	if sharable && !schedule.FollowsRealTime() {
		c.shared[key] = &one
		return nil
	}
	c.count(&one, prev)
	return nil
}

// cellOf is the cell that holds a moment; -1: none does.
func (c *Cells) cellOf(at time.Time) int {
	i := sort.Search(len(c.bounds), func(i int) bool { return c.bounds[i].After(at) }) - 1
	if i == len(c.cells) {
		return -1
	}
	return i
}

// count counts what runs behind prev. It looks at each cell that something is due in once, however
// much that is.
func (c *Cells) count(s *shared, prev calendar.Due) {
	if s.schedule.Continuous() {
		return // it has no times of its own
	}
	_, last := s.schedule.Passed(prev, c.bounds[0])
	for {
		next, ok := s.schedule.Next(last, time.Time{})
		if !ok {
			return
		}
		i := c.cellOf(next.At)
		if i < 0 {
			return
		}
		_, end := s.schedule.Passed(last, c.bounds[i+1])
		if n := s.schedule.Runs(calendar.Due{K: next.K - 1, At: next.At.Add(-time.Nanosecond)}, end); n > 0 {
			for station, plans := range s.stations {
				c.cells[i].add(station, n*plans)
			}
			c.note(i, s, next)
		}
		last = end
	}
}

func (c *cell) add(station string, n int64) {
	if c.stations == nil {
		c.stations = map[string]int64{}
	}
	c.stations[station] += n
}

// Counted returns the answer, when all plans were added; partial: there are more.
func (c *Cells) Counted(zone, step string, partial bool) *schema.DueCalendar {
	for key, s := range c.shared {
		c.count(s, calendar.Due{})
		delete(c.shared, key)
	}
	out := &schema.DueCalendar{
		Zone: zone, Step: step, AsOf: c.now, Plans: c.plans, Sampled: partial || c.left > 0, Cells: []schema.DueCell{},
	}
	for i := range c.cells {
		out.Cells = append(out.Cells, c.shown(i))
	}
	return out
}

func (c *Cells) shown(i int) schema.DueCell {
	out := schema.DueCell{From: c.bounds[i].Format(time.RFC3339), Top: []schema.DueStation{}, Notes: []schema.DueNote{}}
	for station, n := range c.cells[i].stations {
		if c.left > 0 {
			n = n * c.plans / (c.plans - c.left)
		}
		out.Count += n
		out.Top = append(out.Top, schema.DueStation{Station: station, Count: n})
	}
	slices.SortFunc(out.Top, func(a, b schema.DueStation) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Station, b.Station))
	})
	out.Top = out.Top[:min(len(out.Top), mostTop)]
	for note, plans := range c.cells[i].notes {
		out.Notes = append(out.Notes, schema.DueNote{Note: note, Plans: plans})
	}
	slices.SortFunc(out.Notes, func(a, b schema.DueNote) int {
		return cmp.Or(cmp.Compare(b.Plans, a.Plans), cmp.Compare(a.Text, b.Text))
	})
	out.Notes = out.Notes[:min(len(out.Notes), mostNotes)]
	return out
}
