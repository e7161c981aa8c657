package schema

import (
	"fmt"
	"strings"
)

// A Calendar names days and times of day, for plans that leave them out or keep to them
// ([Schedule.Exclude], [Schedule.Only]). It holds a moment whose day is one of Days or whose time
// is in one of Windows, unless the day is one of Except. A window over midnight belongs to the day
// on which it begins. Day and time are those of a clock in Timezone at that moment.
type Calendar struct {
	CalendarID  string `json:"calendar_id,omitempty" wire:"numeric"` // 1 to 128 of A-Z a-z 0-9 _ -; required
	Description string `json:"description,omitempty"`                // for people; empty: none
	Timezone    string `json:"timezone,omitempty"`                   // IANA name; empty: the plan's, or UTC
	// Days, Except and Windows have at most [MaxCalendarEntries] entries together. Of the Days
	// that hold a date, the first gives it its name.
	Days    []CalendarDay    `json:"days,omitempty" wire:"list"`
	Except  []CalendarDay    `json:"except,omitempty" wire:"list"`  // days that the calendar does not hold; nil: none
	Windows []CalendarWindow `json:"windows,omitempty" wire:"list"` // times of day; nil: none
	// Revision grows with each put. In calendars.put it is the one that is to be replaced; 0: any.
	Revision uint64 `json:"revision,omitempty"`
}

// A CalendarDay is one day, or some, in one of five ways, of which exactly one is given.
type CalendarDay struct {
	Date    string `json:"date,omitempty"`    // YYYY-MM-DD
	Until   string `json:"until,omitempty"`   // the last day from Date on; empty: Date alone
	Yearly  string `json:"yearly,omitempty"`  // MM-DD of each year; 02-29: of leap years
	Easter  *int64 `json:"easter,omitempty"`  // days after Western Easter, -80 to 80; nil: another way
	Weekday string `json:"weekday,omitempty"` // sun, mon, tue, wed, thu, fri or sat of each week
	Cron    string `json:"cron,omitempty"`    // day of month, month, day of week, as in plan_type cron
	Name    string `json:"name,omitempty"`    // for people, such as Christmas; empty: none
}

// A CalendarWindow is a time of day, of every day unless it has Weekdays or a Date.
type CalendarWindow struct {
	From string `json:"from"` // HH:MM, in the window
	// To is HH:MM, the first minute behind the window, on the next day if it is before From;
	// 24:00 is the end of the day.
	To       string   `json:"to"`
	Weekdays []string `json:"weekdays,omitempty" wire:"set"` // sun to sat, on which it begins; nil: every day
	Date     string   `json:"date,omitempty"`                // YYYY-MM-DD, the only day on which it begins; empty: every day
}

const (
	// MaxCalendars bounds the calendars of an installation.
	MaxCalendars = 1000
	// MaxCalendarEntries bounds the entries of a calendar: days, exceptions and windows.
	MaxCalendarEntries = 5000
	// MaxCalendarBytes bounds a calendar, in bytes.
	MaxCalendarBytes = 512 << 10
	// MaxCalendarsOfPlan bounds exclude and only of a plan, together.
	MaxCalendarsOfPlan = 8
)

// WhenExcluded is `excluded`: the treatment of an occurrence that calendars exclude.
type WhenExcluded string

const (
	ExcludedSkip     WhenExcluded = "skip"     // the default: it is skipped
	ExcludedNext     WhenExcluded = "next"     // it moves to the next day, or time, that is not excluded
	ExcludedPrevious WhenExcluded = "previous" // it moves to the last day, or time, before that is not excluded
)

// CalendarName names a calendar in calendars.get and delete.
type CalendarName struct {
	CalendarID string `json:"calendar_id" wire:"numeric"` // the calendar's id
}

// CalendarPut answers calendars.put.
type CalendarPut struct {
	CalendarID string  `json:"calendar_id"`       // the calendar's id
	Created    bool    `json:"created"`           // true: it is new
	Revision   uint64  `json:"revision"`          // grows with each put
	NoTime     *NoTime `json:"no_time,omitempty"` // plans that it leaves no time; nil: none that was looked at
	Plans      int64   `json:"plans,omitempty"`   // in a dry run, or with Dropped: how many plans name it
	DryRun     bool    `json:"dry_run,omitempty"` // true: nothing was done, and this would be the outcome
	// Dropped are the fields of the calendar before that this one leaves out, as days of one that is
	// empty now. Empty: none.
	Dropped []string `json:"dropped,omitempty"`
}

// NoTime are the plans that calendars leave no time to run within five years.
type NoTime struct {
	Count int64      `json:"count"`          // how many
	More  bool       `json:"more,omitempty"` // true: there may be more, because not all were looked at
	Plans []PlanName `json:"plans"`          // the first of them
}

// String is a sentence about them.
func (n *NoTime) String() string {
	if n.Count == 1 {
		return n.say("has no time to run within five years now")
	}
	return n.say("have no time to run within five years now")
}

// Foreseen is a sentence about them after a dry run, which changed nothing.
func (n *NoTime) Foreseen() string { return n.say("would have no time to run within five years") }

// say names them, in front of and behind what is said of them.
func (n *NoTime) say(what string) string {
	count := fmt.Sprintf("%d plans", n.Count)
	if n.Count == 1 {
		count = "1 plan"
	}
	if n.More {
		count = "at least " + count
	}
	names := make([]string, len(n.Plans))
	for i, p := range n.Plans {
		names[i] = p.String()
	}
	text := fmt.Sprintf("%s %s: %s", count, what, strings.Join(names, ", "))
	if int64(len(n.Plans)) < n.Count {
		text += ", …"
	}
	return text
}

// CalendarDeleted answers calendars.delete.
type CalendarDeleted struct {
	CalendarID string `json:"calendar_id"` // the calendar's id
	Deleted    bool   `json:"deleted"`     // always true, because a missing one is not_found
}

// ListCalendars asks calendars.list.
type ListCalendars struct {
	Limit  int64  `json:"limit,omitempty" wire:"1-1000"` // 1 to 1,000; 0: 100
	Cursor string `json:"cursor,omitempty"`              // Next of the page before; empty: the first page
}

// A CalendarSummary is a calendar in a list.
type CalendarSummary struct {
	CalendarID  string `json:"calendar_id"`           // the calendar's id
	Description string `json:"description,omitempty"` // for people; empty: none
	Revision    uint64 `json:"revision"`              // grows with each put
	Plans       int64  `json:"plans"`                 // plans that name it
}

// CalendarPage answers calendars.list, ordered by calendar_id.
type CalendarPage struct {
	Calendars []CalendarSummary `json:"calendars"`      // one page of calendars
	Next      string            `json:"next,omitempty"` // the cursor of the next page; empty: this is the last
}

// AskCalendarDays asks calendars.days for the days that a calendar holds. Both ends are included;
// there may be a year between them.
type AskCalendarDays struct {
	CalendarID string `json:"calendar_id" wire:"numeric"` // the calendar's id
	From       string `json:"from"`                       // YYYY-MM-DD
	Until      string `json:"until"`                      // YYYY-MM-DD, not before From
}

// CalendarDays answers calendars.days.
type CalendarDays struct {
	Days []NamedDay `json:"days"` // in order; windows do not count
}

// A NamedDay is a day that a calendar holds.
type NamedDay struct {
	Date string `json:"date"`           // YYYY-MM-DD
	Name string `json:"name,omitempty"` // of the first entry that holds it; empty: it has none
}
