package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Calendars: in a quarter of all histories, users put, replace and delete calendars, and make plans
// on them, which some leave no time.

// hasCalendars reports that a seed's history has calendars.
func hasCalendars(seed uint64) bool { return seed%4 == 0 }

// calendarIDs are few, so that most plans name one that is there.
var calendarIDs = []string{"days", "times", "odd"}

// calendar does one thing to a calendar, and schedules the next.
func (u *users) calendar() {
	w := u.w
	if w.calm {
		return
	}
	id := one(w, calendarIDs...)
	switch n := w.rng.IntN(10); {
	case n < 6:
		u.putCalendar(u.randomCalendar(id))
	case n < 8:
		u.ask(command.DeleteCalendar{CalendarID: id}, ignore)
	default:
		u.ask(one[command.Command](w, command.GetCalendar{CalendarID: id}, command.ListCalendars{Limit: 2, After: one(w, "", "days")}), ignore)
	}
	gap := w.within(4 * time.Second)
	if w.chance(0.2) {
		gap = w.within(time.Minute)
	}
	w.after(gap, u.calendar)
}

// putCalendar puts a calendar, now and then at a revision that it does not have. The leader is
// compared with the rows before and behind the change.
func (u *users) putCalendar(c *schema.Calendar) {
	w := u.w
	was := w.check.calendars.revision(c.CalendarID)
	c.Revision = was + 1
	v, err := wire.ValueOf(wire.JSON, c)
	if err == nil {
		c, err = schema.ParseCalendar(v) // as the front does
	}
	if err != nil {
		w.fail("calendar %s is refused: %v", v, err)
	}
	put := command.PutCalendar{Calendar: c}
	if w.chance(0.3) {
		was += one[uint64](w, 0, 0, 1)
		put.Was = &was
	}
	u.compareSoon()
	u.ask(put, func(any, error, bool) { u.compareSoon() })
}

func (u *users) compareSoon() {
	w := u.w
	for range 3 {
		w.after(w.within(500*time.Millisecond), func() {
			if w.lease != nil && !w.calm {
				w.check.compare(w.lease)
			}
		})
	}
}

// calmCalendars has all calendars leave some time of each day to every plan, so that plans can end.
func (u *users) calmCalendars() {
	for _, id := range calendarIDs {
		if c := u.w.check.calendars.present(id); c != nil && c.Description != calmDay {
			hours := schema.CalendarWindow{From: "12:00", To: "24:00"}
			if id == "times" {
				hours = schema.CalendarWindow{From: "00:00", To: "06:00"}
			}
			u.putCalendar(&schema.Calendar{CalendarID: id, Description: calmDay, Timezone: "UTC", Windows: []schema.CalendarWindow{hours}})
		}
	}
}

// calmDay describes a calendar that leaves time.
const calmDay = "calm"

// randomCalendar makes a calendar of days and times near now: mostly some of them, at times all.
func (u *users) randomCalendar(id string) *schema.Calendar {
	w := u.w
	zone := one(w, "UTC", "Europe/Berlin", "America/New_York")
	place, err := schema.LoadZone(zone)
	if err != nil {
		w.fail("zone %s: %v", zone, err)
	}
	now := w.now.In(place)
	c := &schema.Calendar{CalendarID: id, Timezone: one(w, "", zone, zone), Description: one(w, "", "free")}
	if id != "times" {
		for range w.rng.IntN(3) {
			c.Days = append(c.Days, u.randomDay(now))
		}
	}
	for range one(w, 0, 1, 1, 2) {
		from := now.Add(time.Duration(w.rng.IntN(6)-3) * time.Minute)
		window := schema.CalendarWindow{From: from.Format("15:04"), To: from.Add(time.Duration(1+w.rng.IntN(4)) * time.Minute).Format("15:04")}
		switch w.rng.IntN(4) {
		case 0:
			window.Date = from.Format(time.DateOnly)
		case 1:
			window.Weekdays = []string{one(w, "fri", "sat", "sun"), "sat"}
		}
		c.Windows = append(c.Windows, window)
	}
	if w.chance(0.2) {
		c.Except = append(c.Except, u.randomDay(now))
	}
	if id == "odd" && w.chance(0.3) {
		c.Windows = append(c.Windows, schema.CalendarWindow{From: "00:00", To: one(w, "24:00", "23:59")})
	}
	return c
}

func (u *users) randomDay(now time.Time) schema.CalendarDay {
	w := u.w
	day := now.AddDate(0, 0, w.rng.IntN(4)-1)
	switch w.rng.IntN(3) {
	case 0:
		return schema.CalendarDay{Weekday: one(w, "fri", "sat", "sun", "mon"), Name: "weekly"}
	case 1:
		return schema.CalendarDay{Yearly: day.Format("01-02")}
	default:
		return schema.CalendarDay{Date: day.Format(time.DateOnly), Until: day.AddDate(0, 0, w.rng.IntN(3)).Format(time.DateOnly), Name: "dated"}
	}
}

// calendarsOf has a plan keep to calendars, or out of them.
func (u *users) calendarsOf(fields map[string]any) {
	w := u.w
	if w.chance(0.4) {
		return
	}
	switch w.rng.IntN(4) {
	case 0:
		fields["only"] = []any{one(w, calendarIDs...)}
	case 1:
		fields["exclude"], fields["only"] = []any{"times"}, []any{one(w, "days", "odd")}
	default:
		fields["exclude"] = one(w, []any{"days"}, []any{"times"}, []any{"times"}, []any{"odd", "times", "days"})
	}
	maybe := u.maybe(fields)
	maybe(2, "excluded", one(w, "skip", "next", "next", "previous"))
	if fields["timezone"] == nil {
		maybe(3, "timezone", one(w, "Europe/Berlin", "America/New_York"))
	}
}
