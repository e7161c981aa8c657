package simulate

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/describe"
	"github.com/stationmaster-io/stationmaster/schema"
)

// nearChange is how far from a change of clocks an occurrence may be that it concerns.
const nearChange = 26 * time.Hour

// zones knows when the clocks of each zone change in the time of a simulation.
type zones struct {
	from, until time.Time
	changes     map[string][]int64 // by zone, in Unix seconds
}

func newZones(from, until time.Time) zones {
	return zones{from, until, map[string][]int64{}}
}

// of are the changes of a zone in the time of the simulation.
func (z *zones) of(zone string) []int64 {
	known, is := z.changes[zone]
	if is || zone == "" {
		return known
	}
	if place, err := schema.LoadZone(zone); err == nil {
		clock := schema.Clock{Location: place}
		last := z.until.Add(nearChange).Unix()
		for at := z.from.Add(-nearChange).Unix(); at < last; {
			_, _, end := clock.Stretch(at)
			if end >= last {
				break
			}
			known, at = append(known, end), end
		}
	}
	z.changes[zone] = known
	return known
}

// change reports that the clocks of a zone change in the time of the simulation.
func (z *zones) change(zone string) bool { return len(z.of(zone)) > 0 }

// near reports that the clocks of a zone change near a moment.
func (z *zones) near(zone string, at time.Time) bool {
	for _, change := range z.of(zone) {
		if d := at.Sub(time.Unix(change, 0)); -nearChange < d && d < nearChange {
			return true
		}
	}
	return false
}

// nearest is the change of clocks of a zone that is nearest to a moment.
func (z *zones) nearest(zone string, at time.Time) (nearest time.Time) {
	for _, change := range z.of(zone) {
		if t := time.Unix(change, 0); nearest.IsZero() || at.Sub(t).Abs() < at.Sub(nearest).Abs() {
			nearest = t
		}
	}
	return nearest
}

// noteSkipped notes the effects of clocks and calendars on occurrences that are skipped, the last
// of which is due.
func (w *world) noteSkipped(p *plan, due calendar.Due, reason schema.Reason, count int64) {
	if !p.special || due.K == 0 {
		return
	}
	if n, is := describe.ByCalendar(p.definition, p.schedule, due.At, schema.LangEnglish); is && n.Kind == schema.NoteExcluded && reason == schema.ReasonCalendar {
		p.addNote(n, due.K, due.At, count)
		w.excluded(p, due, count)
	}
	if due.K > p.seen.K {
		w.note(p, due)
	}
}

// note notes the effects of clocks and calendars on an occurrence that is due.
func (w *world) note(p *plan, due calendar.Due) {
	if !p.special || due.K == 0 {
		return
	}
	if due.K > p.seen.K {
		p.seen = due
	}
	moved := false
	if n, is := describe.ByCalendar(p.definition, p.schedule, due.At, schema.LangEnglish); is && n.Kind == schema.NoteMoved {
		moved = true
		p.addNote(n, due.K, due.At, 1)
		w.byCalendar(p, n.From).add(p, Outcome{Moved: 1})
	}
	if n, is := describe.Merged(p.definition, p.schedule, due.At, schema.LangEnglish); is {
		p.addNote(n, due.K, due.At, 1)
		for _, m := range p.schedule.Merged(due.At) {
			w.byCalendar(p, m.First).add(p, Outcome{Merged: m.N})
		}
	}
	near := w.zones.near(p.definition.Timezone, due.At)
	if p.definition.PlanType != schema.TypeMonth && !near {
		return
	}
	for _, n := range describe.Notes(p.definition, p.schedule, due.At, schema.LangEnglish) {
		if n.Kind != schema.NoteJitter { // which holds for every occurrence
			p.addNote(n, due.K, due.At, 1)
		}
	}
	if near && !moved {
		w.byClocks(p, p.schedule.Reading(due.At), due.At)
	}
}

// addNote counts the occurrences that a note holds for, and keeps the first of its kind.
func (p *plan) addNote(n schema.Note, occurrence int64, at time.Time, count int64) {
	if p.notes == nil {
		p.notes = map[schema.NoteKind]*Note{}
	}
	if p.notes[n.Kind] == nil {
		p.notes[n.Kind] = &Note{
			Station: p.name.Station, PlanID: p.name.PlanID, Kind: n.Kind,
			Occurrence: occurrence, PlanTime: at, Text: n.Text,
		}
	}
	p.notes[n.Kind].Count += count
}

// noteLost notes the due times that do not exist, because the plan skips those in a gap: the
// schedule with another choice has them.
func (w *world) noteLost(p *plan, spec calendar.Spec, accepted time.Time) error {
	if spec.Change.Gap != schema.GapSkip {
		return nil
	}
	spec.Change.Gap = schema.GapAfter
	schedule, err := calendar.Compile(spec, accepted)
	if err != nil {
		return err
	}
	for _, change := range w.zones.of(spec.Zone) {
		at := time.Unix(change, 0).UTC()
		due, is := schedule.Next(calendar.Due{}, at)
		gap := schedule.Reading(at).Gap
		if !is || !due.At.Equal(at) || gap == nil || at.Before(w.options.From) || !at.Before(w.options.Until) {
			continue
		}
		p.addNote(schema.Note{Kind: schema.NoteGap, Text: gap.First.Format("15:04:05 does not exist on 2006-01-02") +
			" in " + spec.Zone + "; there is no occurrence, because the plan skips it"}, 0, at, gap.N)
		if e := w.clock(spec.Zone, at); e != nil && !schedule.FollowsRealTime() {
			e.add(p, Outcome{Skipped: gap.N})
		}
	}
	return nil
}

// noteStop notes that a plan has stopped until a person acts, at the end of the time.
func (p *plan) noteStop(s *schema.PlanState) {
	if s.Status != schema.StatusPending && s.Status != schema.StatusPlanError || len(s.Open) == 0 {
		return
	}
	first := s.Open[0]
	p.addNote(schema.Note{
		Kind: schema.NoteKind(s.Status),
		Text: "it has stopped here as " + string(s.Status) + ", and waits for a person",
	}, first.Occurrence, first.PlanTime, 1)
}
