package exclude

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Rule applies some calendars to the due times of plans that have the same calendars, zone and
// choices. It stays the same when a calendar changes, and answers by the new one.
type Rule struct {
	Exclude, Only []string // the ids of its calendars, as plans name them

	set       *Set
	key       key
	order     string
	zone      *time.Location
	moves     int // 1: to a later day; -1: to an earlier one; 0: nowhere
	content   *Content
	exclusion calendar.Exclusion
}

func newRule(s *Set, k key, p *schema.Plan) *Rule {
	r := &Rule{Exclude: p.Exclude, Only: p.Only, set: s, key: k, order: fmt.Sprintf("%q", k), zone: time.UTC}
	if zone, err := schema.LoadZone(k.zone); k.zone != "" && err == nil { // it was checked
		r.zone = zone
	}
	switch k.excluded {
	case schema.ExcludedNext:
		r.moves = 1
	case schema.ExcludedPrevious:
		r.moves = -1
	}
	r.exclusion = calendar.Exclusion{Pieces: r, Moves: r.moves != 0}
	return r
}

// RuleIn returns the rule that applies to a schedule; nil: there is none.
func RuleIn(s calendar.Schedule) *Rule {
	if over := s.Exclusion(); over != nil {
		r, _ := over.Pieces.(*Rule)
		return r
	}
	return nil
}

// Exclusion is the rule as a schedule has it.
func (r *Rule) Exclusion() *calendar.Exclusion { return &r.exclusion }

// Moves reports that occurrences which are excluded move.
func (r *Rule) Moves() bool { return r.moves != 0 }

// As is the rule with the content that it had.
func (r *Rule) As(c *Content) *calendar.Exclusion {
	return &calendar.Exclusion{Pieces: c, Moves: r.moves != 0}
}

// Names reports that the rule has a calendar.
func (r *Rule) Names(id string) bool {
	return slices.Contains(r.Exclude, id) || slices.Contains(r.Only, id)
}

// At implements [calendar.Pieces] by the calendars as they are.
func (r *Rule) At(second int64) calendar.Piece { return r.Content().At(second) }

// Content has the calendars as they are now, and as they were.
func (r *Rule) Content() *Content {
	if r.content == nil {
		r.content = r.contentBefore(math.MaxInt64)
		r.content.earlier = r.earlierOf()
	}
	return r.content
}

// contentBefore has the calendars that count right before a Unix second.
func (r *Rule) contentBefore(second int64) *Content {
	c := &Content{zone: r.zone, moves: r.moves, change: r.key.change, raw: map[int64][]part{}, pieces: map[int64][]calendar.Piece{}}
	for _, id := range r.Exclude {
		c.uses = append(c.uses, use{id: id, of: r.set.before(id, second)})
	}
	for _, id := range r.Only {
		c.uses = append(c.uses, use{id: id, of: r.set.before(id, second), only: true})
	}
	return c
}

// A Cause is why a moment is excluded, by the first calendar that the plan names. The zero value:
// it is not.
type Cause struct {
	Calendar  string // its id
	Day, Name string // the day, YYYY-MM-DD, and its name if it has one; empty: another cause
	Window    string // 22:00-06:00; empty: another cause
	Only      bool   // an `only` of the plan does not hold it
}

// cause is why a moment is excluded by these calendars alone.
func (c *Content) cause(at time.Time) Cause {
	for _, u := range c.uses {
		found := Cause{}
		if u.of != nil {
			found = u.of.cause(at.In(c.zoneOf(u.of)))
		}
		switch held := found != (Cause{}); {
		case u.only && !held:
			return Cause{Calendar: u.id, Only: true}
		case !u.only && held:
			found.Calendar = u.id
			return found
		}
	}
	return Cause{}
}

// cause returns the entry that holds a moment, which is in the calendar's zone; the zero value: nothing.
func (c *Calendar) cause(at time.Time) (found Cause) {
	_, offset := at.Zone()
	wall := at.Unix() + int64(offset)
	day, clock := int(floorDiv(wall, daySeconds)), int(floorMod(wall, daySeconds))
	if c.holdsDay(day) {
		return Cause{Day: midnight(day).Format(time.DateOnly), Name: c.name(day)}
	}
	in := func(w *window, clock int) bool {
		if w.from <= clock && clock < w.to {
			found.Window = w.text
		}
		return found.Window == ""
	}
	for w := range func(yield func(*window) bool) { c.windowsOn(day, yield) } {
		if !in(w, clock) {
			return found
		}
	}
	for w := range func(yield func(*window) bool) { c.windowsOn(day-1, yield) } {
		if !in(w, clock+daySeconds) {
			return found
		}
	}
	return found
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}

func floorMod(a, b int64) int64 { return a - floorDiv(a, b)*b }
