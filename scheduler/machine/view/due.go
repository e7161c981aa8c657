package view

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Dues are the occurrences in a span, of the plans that were added. Those with the same occurrences
// are one group, because a million plans have far fewer schedules.
type Dues struct {
	Groups      []command.DueGroup
	from, until time.Time
	each        bool
	byGrid      map[gridKey]int
	byRule      map[ruleKey]int
}

type gridKey struct {
	station           *state.Station
	first, last, step int64
}

type ruleKey struct {
	station  *state.Station
	schedule calendar.Schedule
}

// NewDues returns the empty Dues of a span.
func NewDues(span command.DueSpan) *Dues {
	return &Dues{
		from: time.Unix(span.From, 0).UTC(), until: time.Unix(span.Until, 0).UTC(), each: span.Each,
		byGrid: map[gridKey]int{}, byRule: map[ruleKey]int{},
	}
}

const groupFrame = 96

// Add adds a plan, and returns about how many bytes the answer grows by; 0: another plan has the same
// occurrences, or it has none.
func (d *Dues) Add(p *state.Plan, now unit.Moment) int {
	if p.Suspension != nil || p.Closing || p.Removed || p.Skip != nil && p.Skip.K == state.SkipAll {
		return 0
	}
	if p.Inbox != nil {
		at := state.InboxComes(p).Time()
		if at.Before(d.from) || !at.Before(d.until) {
			return 0
		}
		return d.grid(p, calendar.Due{K: 1, At: at}, calendar.Due{K: 1, At: at})
	}
	if p.Next.K == 0 || !p.Next.At.Before(d.until) || p.Schedule.Continuous() {
		return 0
	}
	prev := p.Prev
	if p.Skip != nil && p.Skip.K > prev.K {
		prev = p.Skip.Due
	}
	switch {
	case d.each:
		return d.plan(p, prev)
	case p.Schedule.IsGrid() && p.Schedule.Exclusion() == nil:
		first, ok := p.Schedule.Next(prev, d.from)
		if !ok || !first.At.Before(d.until) {
			return 0
		}
		_, last := p.Schedule.Passed(prev, d.until)
		return d.grid(p, first, last)
	}
	return d.schedule(p, prev)
}

// grid adds the occurrences of a grid. Fractions of seconds are left out, because no cell of a
// calendar ends within a second.
func (d *Dues) grid(p *state.Plan, first, last calendar.Due) int {
	key := gridKey{station: p.Station, first: first.At.Unix(), last: last.At.Unix()}
	if n := last.K - first.K; n > 0 {
		key.step = (key.last - key.first) / n
	}
	if i, known := d.byGrid[key]; known && !d.each {
		d.Groups[i].Plans++
		return 0
	}
	d.byGrid[key] = len(d.Groups)
	g := command.DueGroup{Station: p.Name.Station, Plans: 1, First: key.first, Last: key.last, Step: key.step}
	if d.each {
		g.PlanID, g.Count = p.Name.PlanID, last.K-first.K+1
	}
	d.Groups = append(d.Groups, g)
	return groupFrame + len(g.Station) + len(g.PlanID)
}

// plan adds the first occurrence of a plan that runs in the span, and how many do.
func (d *Dues) plan(p *state.Plan, prev calendar.Due) int {
	first, ok := p.Schedule.NextRun(prev, d.from, d.until)
	if !ok || !first.At.Before(d.until) {
		return 0
	}
	before := calendar.Due{K: first.K - 1, At: first.At.Add(-time.Nanosecond)}
	_, last := p.Schedule.Passed(before, d.until)
	g := command.DueGroup{
		Station: p.Name.Station, PlanID: p.Name.PlanID, Plans: 1, First: first.At.Unix(), Last: first.At.Unix(),
		Count: p.Schedule.Runs(before, last),
	}
	d.Groups = append(d.Groups, g)
	return groupFrame + len(g.Station) + len(g.PlanID)
}

// schedule adds a plan whose occurrences another one computes from its definition.
func (d *Dues) schedule(p *state.Plan, prev calendar.Due) int {
	g := command.DueGroup{Station: p.Name.Station, Plans: 1, Accepted: p.Accepted.Time(), Base: p.Base}
	if alike, ok := p.Schedule.Alike(prev, d.from); ok {
		key := ruleKey{p.Station, alike}
		if i, known := d.byRule[key]; known {
			d.Groups[i].Plans++
			return 0
		}
		d.byRule[key] = len(d.Groups)
	} else {
		g.PrevK, g.PrevAt, g.Own = prev.K, prev.At, true
	}
	g.Plan = aboutTime(wire.Trust(p.Enc, p.Raw))
	d.Groups = append(d.Groups, g)
	return groupFrame + len(g.Station) + len(g.Plan.Raw())
}

// timeMembers are the members of a definition that its due times follow from.
var timeMembers = [...]string{
	"plan_type", "plan_value", "plan_repet", "plan_time", "cron", "timezone", "clock_change", "start_at", "end_at", "exclude", "only", "excluded",
}

// aboutTime returns those members of a definition.
func aboutTime(definition wire.Value) wire.Value {
	w := wire.NewWriter(definition.Encoding(), nil)
	w.BeginMap()
	for _, name := range timeMembers {
		if v := definition.Field(name); !v.IsZero() {
			w.KeyText(name)
			w.Value(v)
		}
	}
	w.EndMap()
	return w.Whole()
}
