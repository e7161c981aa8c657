package sim

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// calendarModel holds the versions of each calendar. It promises that a calendar excludes the
// occurrences that are skipped because of it and no others, and that no leader has lost a
// version.
type calendarModel struct {
	w        *world
	versions map[string][]version // by id, in the order of the journal
	shown    map[schema.PlanName]shown
}

// A version of a calendar is one row of it.
type version struct {
	at     time.Time        // when it landed
	seq    uint64           // in this append
	record *schema.Calendar // nil: it was deleted
}

// shown is the next time that a leader has shown of a plan.
type shown struct {
	epoch int64
	next  time.Time
	raw   string // the plan's row
	noted bool   // an event has named another one since
}

func newCalendarModel(w *world) *calendarModel {
	return &calendarModel{w: w, versions: map[string][]version{}, shown: map[schema.PlanName]shown{}}
}

// put enters a row of the append seq.
func (b *calendarModel) put(seq uint64, id string, value []byte) {
	v := version{at: b.w.now, seq: seq}
	if len(value) > 0 {
		v.record = new(schema.Calendar)
		scanned, err := wire.Scan(value, wire.Limits{Items: len(value)})
		if err == nil {
			err = wire.DecodeLoose(scanned, v.record) // without its former versions
		}
		if err != nil {
			b.w.fail("the record of calendar %s cannot be read: %v", id, err)
		}
	}
	b.versions[id] = append(b.versions[id], v)
}

// present is the newest version of a calendar; nil: there is none.
func (b *calendarModel) present(id string) *schema.Calendar {
	if all := b.versions[id]; len(all) > 0 {
		return all[len(all)-1].record
	}
	return nil
}

func (b *calendarModel) revision(id string) uint64 {
	if c := b.present(id); c != nil {
		return c.Revision
	}
	return 0
}

// since are the versions of a calendar that were in force at a moment or later.
func (b *calendarModel) since(id string, from time.Time) []version {
	all := b.versions[id]
	for len(all) > 1 && all[1].at.Before(from) {
		all = all[1:]
	}
	return all
}

// in are the versions that were in force when the append seq was filled.
func (b *calendarModel) in(id string, seq uint64) []version {
	all := b.versions[id]
	for len(all) > 1 && all[1].seq < seq {
		all = all[1:]
	}
	return all
}

// isWritten checks that a calendar was written since a user's request for it, as it was put.
func (b *calendarModel) isWritten(id string, asked time.Time, as *schema.Calendar) {
	for _, v := range slices.Backward(b.versions[id]) {
		if !v.at.Before(asked) && (as == nil && v.record == nil || as != nil && b.same(v.record, as)) {
			return
		}
	}
	b.w.fail("calendar %s was written, and no durable append has it so: %+v, %+v since %v", id, as, b.versions[id], asked)
}

// same reports that two records are written alike.
func (b *calendarModel) same(one, two *schema.Calendar) bool {
	if one == nil || two == nil {
		return one == two
	}
	is, err := wire.Marshal(wire.JSON, one)
	want, wrong := wire.Marshal(wire.JSON, two)
	if err != nil || wrong != nil {
		b.w.fail("a calendar cannot be written: %v %v", err, wrong)
	}
	return bytes.Equal(is, want)
}

// loaded checks that a leader has loaded the newest version of each calendar, and no other.
func (b *calendarModel) loaded(l *leader) {
	there := map[string]bool{}
	for _, c := range askMachine(b.w, l.m, l.n.clock(), command.ListCalendars{Limit: 1000}).(command.CalendarSlice).Calendars {
		there[c.CalendarID] = true
	}
	for _, id := range calendarIDs {
		want := b.present(id)
		if there[id] != (want != nil) {
			b.w.fail("epoch %d loads calendar %s: %t; it is there: %t", l.epoch, id, there[id], want != nil)
		}
		if want == nil {
			continue
		}
		if is := askMachine(b.w, l.m, l.n.clock(), command.GetCalendar{CalendarID: id}).(schema.Calendar); !b.same(&is, want) {
			b.w.fail("epoch %d loads calendar %s as %+v; it is %+v", l.epoch, id, is, *want)
		}
	}
}

// holds returns the part of a calendar that holds a moment, by the letter of its record, which is
// a day, windows, or none.
func holds(c *schema.Calendar, zone string, at time.Time) (day string, windows []string) {
	if c == nil {
		return "", nil
	}
	if c.Timezone != "" {
		zone = c.Timezone
	}
	place, err := schema.LoadZone(zone)
	if zone == "" || err != nil {
		place = time.UTC
	}
	t := at.In(place)
	today := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	if onDay(c.Days, today) && !onDay(c.Except, today) {
		return today.Format(time.DateOnly), nil
	}
	for _, w := range c.Windows {
		from, _ := schema.ParseClock(w.From)
		to, _ := schema.ParseClock(w.To)
		if to < from {
			to += 24 * 60 * 60
		}
		for back := range 2 {
			begins := today.AddDate(0, 0, -back)
			clock := t.Hour()*3600 + t.Minute()*60 + t.Second() + back*24*60*60
			weekday := len(w.Weekdays) == 0 || slices.Contains(w.Weekdays, strings.ToLower(begins.Format("Mon")))
			if from <= clock && clock < to && weekday && (w.Date == "" || w.Date == begins.Format(time.DateOnly)) && !onDay(c.Except, begins) {
				windows = append(windows, w.From+"-"+w.To)
			}
		}
	}
	return "", windows
}

func onDay(days []schema.CalendarDay, day time.Time) bool {
	date := day.Format(time.DateOnly)
	return slices.ContainsFunc(days, func(d schema.CalendarDay) bool {
		switch {
		case d.Yearly != "":
			return d.Yearly == date[5:]
		case d.Weekday != "":
			return d.Weekday == strings.ToLower(day.Format("Mon"))
		default:
			return d.Date <= date && date <= max(d.Date, d.Until)
		}
	})
}

// mayExclude reports that one of some versions of a calendar excludes a moment, or, with may false,
// that one does not.
func mayExclude(versions []version, p *schema.Plan, id string, at time.Time, may bool) bool {
	return slices.ContainsFunc(versions, func(v version) bool {
		day, windows := holds(v.record, p.Timezone, at)
		held := day != "" || len(windows) > 0
		return (held != slices.Contains(p.Only, id)) == may
	})
}

// because checks the cause of a skip: the first calendar that its plan names excludes its moment, by
// that day or window.
func (b *calendarModel) because(l *life, r *schema.Result, seq uint64, redefined bool) {
	if r.Reason != schema.ReasonCalendar {
		return
	}
	if !l.plan.HasCalendars() && !redefined {
		b.w.fail("%s: occurrence %d is skipped because of a calendar, and its plan names none", l.name, r.Occurrence)
	}
	at := r.PlanTime
	if !r.MovedFrom.IsZero() {
		at = r.MovedFrom
	}
	cause, since := r.Because, r.PlanTime.Add(-b.w.apart-allowance)
	in := func(id string) []version {
		return slices.Concat(upTo(b.since(id, since), r.PlanTime.Add(b.w.apart+written)), b.in(id, seq))
	}
	if redefined || cause == nil && b.free(&l.plan, at, in) {
		return
	}
	if cause == nil {
		b.w.fail("%s: occurrence %d is skipped because of a calendar, and its result does not say which", l.name, r.Occurrence)
	}
	for _, id := range slices.Concat(l.plan.Exclude, l.plan.Only) {
		versions := in(id)
		if id != cause.Calendar {
			if !mayExclude(versions, &l.plan, id, at, false) {
				b.w.fail("%s: occurrence %d is skipped because of %s, and %s, which comes before, excludes it", l.name, r.Occurrence, cause.Calendar, id)
			}
			continue
		}
		if !slices.ContainsFunc(versions, func(v version) bool {
			day, windows := holds(v.record, l.plan.Timezone, at)
			if cause.Only {
				return day == "" && len(windows) == 0
			}
			return day == cause.Day && (day != "" || slices.Contains(windows, cause.Window))
		}) {
			b.w.fail("%s: occurrence %d, due at %v, is skipped because of %s %s %s (only %t), which is not so: %s", l.name, r.Occurrence, at,
				cause.Calendar, cause.Day, cause.Window, cause.Only, texts(versions))
		}
		return
	}
	b.w.fail("%s: occurrence %d is skipped because of calendar %s, which its plan does not name", l.name, r.Occurrence, cause.Calendar)
}

// texts are versions as a person reads them.
func texts(versions []version) (text string) {
	for _, v := range versions {
		value, _ := wire.Marshal(wire.JSON, v.record)
		text += " " + string(value)
	}
	return text
}

// free reports that some versions of a plan's calendars do not exclude a moment.
func (b *calendarModel) free(p *schema.Plan, at time.Time, of func(id string) []version) bool {
	for _, id := range slices.Concat(p.Exclude, p.Only) {
		if !mayExclude(of(id), p, id, at, false) {
			return false
		}
	}
	return true
}

// written bounds how long a change of a calendar takes until it is durable.
const written = 30 * time.Second

// upTo are the versions that were in force at a moment or before, the first one in any case.
func upTo(versions []version, until time.Time) []version {
	for len(versions) > 1 && versions[len(versions)-1].at.After(until) {
		versions = versions[:len(versions)-1]
	}
	return versions
}

// mayRun checks an occurrence that begins. Nothing excluded its time when it was due or, if it
// moves, at a moment since; one that moved comes from an excluded due time, in the right
// direction; and occurrences have their numbers in the order of their times.
func (b *calendarModel) mayRun(l *life, x *event.Outgoing) {
	p := &l.plan
	if x.Trigger != 0 || l.inbox != nil || l.changed || l.restored || !p.HasCalendars() {
		if !x.MovedFrom.IsZero() && !p.HasCalendars() && !l.changed {
			b.w.fail("%s: occurrence %d was moved, and its plan names no calendar", x.Name, x.Occurrence)
		}
		return
	}
	since, until := x.PlanTime.Add(-b.w.apart-allowance), x.PlanTime.Add(b.w.apart+written)
	if p.Excluded == schema.ExcludedNext || p.Excluded == schema.ExcludedPrevious { // which the calendars as they are move
		until = b.w.now
	}
	if l.made.After(until) { // it was due before its plan was made
		until = l.made
	}
	if !b.free(p, x.PlanTime, func(id string) []version { return upTo(b.since(id, since), until) }) {
		b.w.fail("%s: occurrence %d runs, due at %v, which its calendars excluded then", x.Name, x.Occurrence, x.PlanTime)
	}
	b.moved(l, x)
	if b.w.apart > 0 {
		return // a clock that was set back has times come again
	}
	for k, due := range l.due {
		if k > 0 && k < x.Occurrence && due.After(x.PlanTime) || k > x.Occurrence && due.Before(x.PlanTime) {
			b.w.fail("%s: occurrence %d is due at %v, and occurrence %d at %v", x.Name, x.Occurrence, x.PlanTime, k, due)
		}
	}
}

// farthestMove bounds how far an occurrence moves: 31 days, one of which may be longer by a change of
// clocks.
const farthestMove = 31*24*time.Hour + 2*time.Hour

// moved checks where an occurrence comes from.
func (b *calendarModel) moved(l *life, x *event.Outgoing) {
	from, by := x.MovedFrom, x.PlanTime.Sub(x.MovedFrom)
	if from.IsZero() {
		return
	}
	switch {
	case l.plan.Excluded == schema.ExcludedNext && by > 0 && by <= farthestMove:
	case l.plan.Excluded == schema.ExcludedPrevious && by < 0 && by >= -farthestMove:
	default:
		b.w.fail("%s: occurrence %d moved from %v to %v, by excluded %q", x.Name, x.Occurrence, from, x.PlanTime, l.plan.Excluded)
	}
	since := x.PlanTime.Add(-b.w.apart - allowance)
	if !slices.ContainsFunc(slices.Concat(l.plan.Exclude, l.plan.Only), func(id string) bool {
		return mayExclude(b.since(id, since), &l.plan, id, from, true)
	}) {
		b.w.fail("%s: occurrence %d moved from %v, which no calendar excluded", x.Name, x.Occurrence, from)
	}
}

// dueTime checks the due time of an occurrence of a plan whose occurrences move: its own, or where it
// comes from, is one of its schedule without calendars.
func (s *schedule) dueTime(w *world, x *event.Outgoing) {
	own := x.PlanTime
	if !x.MovedFrom.IsZero() {
		own = x.MovedFrom
	}
	spec := calendar.SpecOf(&s.plan)
	spec.Repet = -1 // those that meet are one, so that later ones run
	compiled, err := calendar.Compile(spec, s.accepted)
	if err != nil {
		w.fail("%s: its schedule: %v", x.Name, err)
	}
	if _, due := compiled.Passed(calendar.Due{}, own.Add(time.Millisecond)); due.At.Sub(own).Abs() > time.Millisecond && w.apart == 0 {
		w.fail("%s: occurrence %d comes from %v, at which nothing is due without calendars", x.Name, x.Occurrence, own)
	}
}

// rescheduled checks the event that a change of a calendar moved the next time of a plan.
func (b *calendarModel) rescheduled(l *life, n schema.Notice) {
	name := schema.PlanName{Station: n.Station, PlanID: n.PlanID}
	if l == nil || !l.plan.HasCalendars() {
		b.w.fail("%s is rescheduled, and names no calendar", name)
	}
	if !n.PlanTime.IsZero() && !l.changed && !b.free(&l.plan, n.PlanTime, func(id string) []version { return b.since(id, l.made) }) {
		b.w.fail("%s is rescheduled to %v, which its calendars exclude", name, n.PlanTime)
	}
	s := b.shown[name]
	s.noted = true
	b.shown[name] = s
}

// shows checks, of an idle leader, that no plan's next time is excluded, and that an event names
// each one that a change of a calendar alone has moved.
func (b *calendarModel) shows(l *leader, views map[schema.PlanName]command.PlanView) {
	now := l.n.clock()
	if wake := l.m.Wake(); !wake.IsZero() && !wake.After(now) || l.m.WentBack(now) {
		return // it has some plans to bring up to date
	}
	for _, name := range slices.SortedFunc(maps.Keys(views), compareNames) {
		book, next := b.w.check.plans.current[name], views[name].State.PlanTime
		if book == nil || book.inbox != nil || !book.plan.HasCalendars() {
			continue
		}
		then := func(id string) []version { return b.versions[id][max(len(b.versions[id])-1, 0):] }
		if next.Before(now) {
			then = func(id string) []version { return b.since(id, next.Add(-b.w.apart-allowance)) }
		}
		if !next.IsZero() && !b.free(&book.plan, next, then) {
			b.w.fail("%s is shown as due next at %v, which its calendars exclude", name, next)
		}
		v := book.plan.PlanValue
		was, is := b.shown[name], shown{epoch: l.epoch, next: next, raw: string(book.raw)}
		steady := views[name].State.Status != schema.StatusPaused && (v == nil || *v != 0) // else its next time depends on the present one
		if steady && was.epoch == is.epoch && was.raw == is.raw && !was.noted && !was.next.Equal(is.next) {
			b.w.fail("%s was due next at %v and is at %v, and no event has told of it", name, was.next, is.next)
		}
		b.shown[name] = is
	}
}
