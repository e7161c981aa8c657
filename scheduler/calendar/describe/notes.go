package describe

import (
	"cmp"
	"strconv"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Notes returns notes on an unusual occurrence of a plan that is due at at, of the schedule that
// was compiled for it. There is at most one of a kind; nil: it is an ordinary one. An empty lang
// is English, and so is one that does not exist.
func Notes(p *schema.Plan, s calendar.Schedule, at time.Time, lang schema.Lang) (notes []schema.Note) {
	w, zone := writerOf(lang), zoneName(p.Timezone)
	note := func(kind schema.NoteKind, text string) { notes = append(notes, schema.Note{Kind: kind, Text: text}) }
	local, r := localTime(at, zone), calendar.Reading{}
	if s.MovedFrom(at).IsZero() {
		r = s.Reading(at)
	}
	if r.Gap != nil {
		note(schema.NoteGap, w.gap(r.Gap, local, zone))
	}
	if r.Gap != nil && (r.Gap.N > 1 || r.Gap.Own) {
		note(schema.NoteMerged, w.oneOfGap(r.Gap, local))
	}
	if r.Pass > 0 {
		note(schema.NoteOverlap, w.overlap(local, r.Pass, r.Back, zone))
	}
	if r.Day > 0 {
		asked := local
		if r.Gap != nil {
			asked = r.Gap.First
		}
		note(schema.NoteClamped, w.clamped(asked, r.Missing))
	}
	if p.Jitter > 0 {
		note(schema.NoteJitter, w.jitter(strconv.FormatFloat(float64(p.Jitter), 'f', -1, 64)))
	}
	return notes
}

// ByCalendar returns the note about an occurrence that is due at at, and that a calendar has moved
// there or excludes; false: no calendar of the schedule concerns it. An empty lang is English.
func ByCalendar(p *schema.Plan, s calendar.Schedule, at time.Time, lang schema.Lang) (schema.Note, bool) {
	r := exclude.RuleIn(s)
	if r == nil {
		return schema.Note{}, false
	}
	if from := s.MovedFrom(at); !from.IsZero() {
		id, local := r.Content().Cause(from).Calendar, localTime(from, zoneName(p.Timezone))
		return schema.Note{
			Kind: schema.NoteMoved, Text: writerOf(lang).moved(local.Format("2006-01-02 "+clockLayout(local)), id), From: from, Calendar: id,
		}, true
	}
	if !s.Excludes(at) {
		return schema.Note{}, false
	}
	c := r.Content().Cause(at)
	return schema.Note{
		Kind: schema.NoteExcluded, Text: writerOf(lang).excluded(c.Calendar, cmp.Or(c.Day, c.Window), c.Name), Calendar: c.Calendar,
	}, true
}

// Merged returns the note about an occurrence that is due at at, and to which a calendar moves
// others of the plan, which are one with it; false: it moves none. An empty lang is English.
func Merged(p *schema.Plan, s calendar.Schedule, at time.Time, lang schema.Lang) (schema.Note, bool) {
	r, all := exclude.RuleIn(s), s.Merged(at)
	if r == nil || len(all) == 0 {
		return schema.Note{}, false
	}
	n, first, last := int64(0), all[0].First, all[len(all)-1].Last
	for _, m := range all {
		n += m.N
	}
	zone, id := zoneName(p.Timezone), r.Content().Cause(first).Calendar
	stamp := func(t time.Time) string {
		local := localTime(t, zone)
		return local.Format("2006-01-02 " + clockLayout(local))
	}
	return schema.Note{
		Kind: schema.NoteMerged, Text: writerOf(lang).merged(n, stamp(first), stamp(last), id), From: first, Calendar: id,
	}, true
}

// localTime is the reading of a zone's clock, as a time of UTC.
func localTime(at time.Time, zone string) time.Time {
	place, err := schema.LoadZone(zone)
	if err != nil { // no plan that was checked has such a zone
		return at.UTC()
	}
	t := at.In(place)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// shown writes a reading beside another one: without its date, if that is the same.
func shown(t, beside time.Time) string {
	if t.Truncate(24 * time.Hour).Equal(beside.Truncate(24 * time.Hour)) {
		return t.Format(clockLayout(t))
	}
	return t.Format("2006-01-02 " + clockLayout(t))
}

// daysOf is the number of days of the month of t.
func daysOf(t time.Time) int {
	return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
}
