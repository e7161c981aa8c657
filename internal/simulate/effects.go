package simulate

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An EffectKind is the cause of an Effect.
type EffectKind string

const (
	EffectGap      EffectKind = "gap"      // the clocks of a zone go forward
	EffectOverlap  EffectKind = "overlap"  // the clocks of a zone go back
	EffectCalendar EffectKind = "calendar" // a calendar excludes days or times
)

// An Effect sums the consequences of a change of clocks, or of a calendar on some days, for the plans.
type Effect struct {
	Kind     EffectKind  `json:"kind"`
	Day      string      `json:"day"`                // YYYY-MM-DD, the first
	Until    string      `json:"until,omitempty"`    // the last one; empty: there is one
	Days     int         `json:"days"`               // how many they are
	Zone     string      `json:"zone,omitempty"`     // of clocks
	Clock    *ClockTimes `json:"clock,omitempty"`    // of clocks
	Calendar string      `json:"calendar,omitempty"` // its calendar_id
	Name     string      `json:"name,omitempty"`     // of the days; empty: they have none
	Window   string      `json:"window,omitempty"`   // the time of day that is excluded; empty: the days are
	Only     bool        `json:"only,omitempty"`     // the plans keep to the calendar, which lacks the days
	Plans    int         `json:"plans"`              // that it concerns
	Of       int         `json:"of"`                 // plans of the zone, or that name the calendar
	Outcome
	Concerned []Concern `json:"concerned"` // these plans, by station, then id

	plans map[*plan]*Outcome
	days  map[string]bool
}

// ClockTimes are the readings before and behind a change of clocks.
type ClockTimes struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// A Concern is the part of an effect that one plan has.
type Concern struct {
	Station string `json:"station"`
	PlanID  string `json:"plan_id"`
	Outcome
}

// An Outcome has numbers of due times.
type Outcome struct {
	Skipped int64 `json:"skipped,omitempty"` // they do not run
	Moved   int64 `json:"moved,omitempty"`   // they run at another time
	Merged  int64 `json:"merged,omitempty"`  // they come to the moment of another one, and are one with it
	Twice   int64 `json:"twice,omitempty"`   // they run twice, because the clocks show the time twice
	Once    int64 `json:"once,omitempty"`    // they run once, though the clocks show the time twice
}

func (o *Outcome) add(by Outcome) {
	o.Skipped += by.Skipped
	o.Moved += by.Moved
	o.Merged += by.Merged
	o.Twice += by.Twice
	o.Once += by.Once
}

// An effectKey distinguishes effects: changes of clocks by their days, and calendars by the names
// of days, so that the Saturdays of a year are one.
type effectKey struct {
	kind          EffectKind
	zone, when    string // a day; of a calendar the year
	calendar      string
	name, window  string
	withoutAnyDay bool // of `only`
}

type effects map[effectKey]*Effect

// of returns an effect to which a day belongs.
func (all effects) of(key effectKey, day string) *Effect {
	e := all[key]
	if e == nil {
		e = &Effect{
			Kind: key.kind, Day: day, Zone: key.zone, Calendar: key.calendar, Name: key.name, Window: key.window, Only: key.withoutAnyDay,
			plans: map[*plan]*Outcome{}, days: map[string]bool{},
		}
		all[key] = e
	}
	e.days[day] = true
	return e
}

// add adds an outcome for a plan.
func (e *Effect) add(p *plan, by Outcome) {
	if e.plans[p] == nil {
		e.plans[p] = &Outcome{}
	}
	e.plans[p].add(by)
	e.Outcome.add(by)
}

// changes enters the changes of clocks in the time of the simulation, also those that concern no
// plan.
func (w *world) changes() {
	for _, p := range w.inOrder() {
		for _, change := range w.zones.of(p.definition.Timezone) {
			if at := time.Unix(change, 0); !at.Before(w.options.From) && at.Before(w.options.Until) {
				w.clock(p.definition.Timezone, at)
			}
		}
	}
}

// clock is the effect of a change of clocks; nil: it changes no reading.
func (w *world) clock(zone string, change time.Time) *Effect {
	place, err := schema.LoadZone(zone)
	if err != nil {
		return nil
	}
	after := change.In(place)
	_, now := after.Zone()
	_, was := change.Add(-time.Second).In(place).Zone()
	key := effectKey{kind: EffectGap, zone: zone, when: after.Format(time.DateOnly)}
	switch {
	case now == was:
		return nil
	case now < was:
		key.kind = EffectOverlap
	}
	e := w.effects.of(key, key.when)
	if e.Clock == nil {
		e.Clock = &ClockTimes{change.In(time.FixedZone("", was)).Format("15:04"), after.Format("15:04")}
	}
	return e
}

// byClocks notes the effect of a change of clocks on an occurrence.
func (w *world) byClocks(p *plan, r calendar.Reading, at time.Time) {
	if r.Gap == nil && r.Pass == 0 || p.schedule.FollowsRealTime() {
		return
	}
	e := w.clock(p.definition.Timezone, w.zones.nearest(p.definition.Timezone, at))
	switch overlap := p.definition.ClockChange.Overlap; {
	case e == nil:
	case r.Gap != nil && r.Gap.Own:
		e.add(p, Outcome{Merged: r.Gap.N})
	case r.Gap != nil:
		e.add(p, Outcome{Moved: 1, Merged: r.Gap.N - 1})
	case overlap != schema.OverlapBoth:
		e.add(p, Outcome{Once: 1})
	case r.Pass == 2:
		e.add(p, Outcome{Twice: 1})
	}
}

// byCalendar is the effect of a calendar at a moment.
func (w *world) byCalendar(p *plan, at time.Time) *Effect {
	c := exclude.RuleIn(p.schedule).Content().Cause(at)
	day := c.Day
	if day == "" {
		day = w.localDay(p, at).Format(time.DateOnly)
	}
	return w.effects.of(effectKey{
		kind: EffectCalendar, when: day[:4], calendar: c.Calendar, name: c.Name, window: c.Window, withoutAnyDay: c.Only,
	}, day)
}

// localDay is a moment in the zone of a plan.
func (w *world) localDay(p *plan, at time.Time) time.Time {
	if place, err := schema.LoadZone(cmp.Or(p.definition.Timezone, "UTC")); err == nil {
		return at.In(place)
	}
	return at.UTC()
}

// excluded notes that calendars exclude count occurrences up to one, of which some may be excluded
// by other days.
func (w *world) excluded(p *plan, last calendar.Due, count int64) {
	prev := calendar.Due{K: last.K - count}
	if prev.K > 0 {
		prev = p.seen
	}
	if prev.K != last.K-count {
		w.byCalendar(p, last.At).add(p, Outcome{Skipped: count})
		return
	}
	for prev.K < last.K {
		first, ok := p.schedule.Next(prev, time.Time{})
		if !ok || first.K > last.K {
			w.byCalendar(p, last.At).add(p, Outcome{Skipped: last.K - prev.K})
			return
		}
		local := w.localDay(p, first.At)
		n, end := p.schedule.Passed(prev, time.Date(local.Year(), local.Month(), local.Day()+1, 0, 0, 0, 0, local.Location()))
		if n == 0 {
			n, end = 1, first
		}
		if end.K > last.K {
			n, end = last.K-prev.K, last
		}
		w.byCalendar(p, first.At).add(p, Outcome{Skipped: n})
		prev = end
	}
}

// list are the effects, the most important first: changes of clocks that concern plans, then
// calendars on some days, those on many, and changes of clocks that concern none.
func (all effects) list(w *world) []*Effect {
	inZone, named := map[string]int{}, map[string]int{}
	for _, p := range w.plans {
		inZone[p.definition.Timezone]++
		for _, id := range slices.Concat(p.definition.Exclude, p.definition.Only) {
			named[id]++
		}
	}
	list := slices.Collect(maps.Values(all))
	for _, e := range list {
		days := slices.Sorted(maps.Keys(e.days))
		if e.Day, e.Days = days[0], len(days); e.Days > 1 {
			e.Until = days[len(days)-1]
		}
		e.Plans, e.Of = len(e.plans), inZone[e.Zone]
		if e.Kind == EffectCalendar {
			e.Of = named[e.Calendar]
		}
		e.Concerned = make([]Concern, 0, len(e.plans))
		for p, outcome := range e.plans {
			e.Concerned = append(e.Concerned, Concern{p.name.Station, p.name.PlanID, *outcome})
		}
		slices.SortFunc(e.Concerned, func(a, b Concern) int {
			return cmp.Or(cmp.Compare(a.Station, b.Station), cmp.Compare(a.PlanID, b.PlanID))
		})
	}
	slices.SortFunc(list, func(a, b *Effect) int {
		return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(b.Plans, a.Plans), cmp.Compare(a.Day, b.Day),
			cmp.Compare(a.Zone+a.Calendar, b.Zone+b.Calendar), cmp.Compare(a.Name+a.Window, b.Name+b.Window), cmp.Compare(a.Kind, b.Kind))
	})
	return list
}

// manyDays is from how many days on an effect is no event, but a habit such as weekends.
const manyDays = 32

func (e *Effect) rank() int {
	switch {
	case e.Kind != EffectCalendar && e.Plans == 0:
		return 3
	case e.Kind != EffectCalendar:
		return 0
	case e.Only || e.Days >= manyDays || e.Name == "" && e.Days > 1:
		return 2
	}
	return 1
}
