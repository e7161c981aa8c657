package describe

import (
	"cmp"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Words returns the schedule of a plan as a sentence without a full stop. An empty lang is
// English, and so is one that does not exist. The errors are those of [calendar.Compile].
func Words(p *schema.Plan, lang schema.Lang) (string, error) {
	s := calendar.SpecOf(p)
	w := writerOf(lang)
	text := ""
	switch s.Type {
	case schema.TypeNone, "":
		return w.atOnce() + w.calendars(p), nil
	case schema.TypeTime:
		return w.onceAt(moment(s.Time, s.Zone), zoneName(s.Zone)) + w.calendars(p), nil
	case schema.TypeWeek, schema.TypeMonth, schema.TypeCron:
		parts, err := s.Parts()
		if err != nil {
			return "", err
		}
		if parts.Every > 0 {
			text = gridWords(w, &s, largest(parts.Every))
		} else {
			text = w.rule(clockOf(&parts), &parts, zoneName(s.Zone))
		}
	default:
		text = gridWords(w, &s, interval{s.Value, unitOf[s.Type]})
	}
	text += w.times(s.Repet)
	if !s.From.IsZero() {
		text += w.from(moment(s.From, s.Zone))
	}
	if !s.Until.IsZero() {
		text += w.until(moment(s.Until, s.Zone))
	}
	return text + w.calendars(p), nil
}

// InboxWords returns, in place of [Words], when a plan with an inbox runs.
func InboxWords(lang schema.Lang) string { return writerOf(lang).inbox() }

// A writer has the phrases of one language. Moments are written in the zone of their schedule.
type writer interface {
	atOnce() string
	inbox() string
	onceAt(moment, zone string) string
	grid(every interval) string
	counted(from, zone string) string // the start of a grid
	rule(c clock, p *calendar.Parts, zone string) string
	times(n int64) string // of an end after n occurrences; -1: none
	from(moment string) string
	until(moment string) string
	calendars(p *schema.Plan) string // its exclusions, and the treatment of excluded occurrences

	moved(from, id string) string                  // from a local time, by a calendar
	excluded(id, day, name string) string          // by a calendar, with the day or the window, or neither
	merged(n int64, first, last, id string) string // from local times, by a calendar
	oneOfGap(g *calendar.Gap, due time.Time) string
	gap(g *calendar.Gap, due time.Time, zone string) string
	overlap(local time.Time, pass int, back calendar.Change, zone string) string
	clamped(local time.Time, missing int) string
	jitter(seconds string) string
}

func writerOf(lang schema.Lang) writer {
	if lang == schema.LangChinese {
		return chinese{}
	}
	return english{}
}

// A unit is that of an interval.
type unit int

const (
	second unit = iota
	minute
	hour
	day
)

var unitOf = map[schema.PlanType]unit{
	schema.TypeSecond: second, schema.TypeMinute: minute, schema.TypeHour: hour, schema.TypeDay: day,
}

// An interval is a span of time in the words of people.
type interval struct {
	n int64
	unit
}

// largest is an interval of seconds in the largest unit that it is a multiple of, up to hours.
func largest(seconds int64) interval {
	switch {
	case seconds%3600 == 0:
		return interval{seconds / 3600, hour}
	case seconds%60 == 0:
		return interval{seconds / 60, minute}
	}
	return interval{seconds, second}
}

// gridWords are those of a schedule that counts elapsed time.
func gridWords(w writer, s *calendar.Spec, every interval) string {
	text := w.grid(every)
	if !s.Time.IsZero() && every.n > 0 {
		text += w.counted(moment(s.Time, s.Zone), zoneName(s.Zone))
	}
	return text
}

func zoneName(zone string) string { return cmp.Or(zone, "UTC") }

// moment writes a time in a zone of a plan that was checked, without the seconds where they
// are 0.
func moment(t time.Time, zone string) string {
	if place, err := schema.LoadZone(zoneName(zone)); err == nil {
		t = t.In(place)
	} else {
		t = t.UTC()
	}
	return t.Format("2006-01-02 " + clockLayout(t))
}

// clockLayout is the layout of a time of day, without the parts at its end that are 0.
func clockLayout(t time.Time) string {
	switch {
	case t.Nanosecond() != 0:
		return "15:04:05.999999999"
	case t.Second() != 0:
		return "15:04:05"
	}
	return "15:04"
}
