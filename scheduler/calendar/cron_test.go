package calendar_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
)

// TestCronDays shows which days of a month an expression means.
func TestCronDays(t *testing.T) {
	// February 2026 begins on a Sunday and has 28 days; August 2026 begins on a
	// Saturday, and its last day is a Monday; May 2026 ends on a Sunday.
	february := time.Date(2026, time.February, 1, 0, 0, 0, 0, time.UTC)
	may := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
	august := time.Date(2026, time.August, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		cron  string
		month time.Time
		want  []int
	}{
		{"0 0 1,15 * *", february, []int{1, 15}},
		{"0 0 5-9/2 * *", february, []int{5, 7, 9}},
		{"0 0 20/5 * ?", february, []int{20, 25}},
		{"0 0 L * *", february, []int{28}},
		{"0 0 l-2 * *", february, []int{26}},
		{"0 0 L-27,L-28 * *", february, []int{1}},
		{"0 0 LW * *", may, []int{29}},
		{"0 0 lw * *", august, []int{31}},
		{"0 0 1W * *", august, []int{3}}, // Saturday the 1st: not back into July
		{"0 0 1w * *", february, []int{2}},
		{"0 0 31W * *", may, []int{29}}, // Sunday the 31st: not on into June
		{"0 0 15W * *", august, []int{14}},
		{"0 0 30W * *", august, []int{31}},
		{"0 0 30W,1 * *", february, []int{1}},
		{"0 0 ? * 0", february, []int{1, 8, 15, 22}},
		{"0 0 ? * 7", february, []int{1, 8, 15, 22}},
		{"0 0 * * Sat", august, []int{1, 8, 15, 22, 29}},
		{"0 0 * * FRI-MON", february, []int{1, 2, 6, 7, 8, 9, 13, 14, 15, 16, 20, 21, 22, 23, 27, 28}},
		{"0 0 * * 6-7", february, []int{1, 7, 8, 14, 15, 21, 22, 28}},
		{"0 0 * * 7-1", february, []int{1, 2, 8, 9, 15, 16, 22, 23}},
		{"0 0 * * 7-7", february, []int{1, 8, 15, 22}},
		{"0 0 * * 5/2", february, []int{6, 13, 20, 27}},
		{"0 0 * * fri#3", february, []int{20}},
		{"0 0 * * 7#1", february, []int{1}},
		{"0 0 * * SAT#5", august, []int{29}},
		{"0 0 * * SAT#5,1", february, []int{2, 9, 16, 23}},
		{"0 0 * * 5L", february, []int{27}},
		{"0 0 * * monl", august, []int{31}},
		{"0 0 ? * MON#1,5L", february, []int{2, 27}},
		// If both day fields are restricted, either will do. A step above 1 restricts.
		{"0 0 13 * FRI", february, []int{6, 13, 20, 27}},
		{"0 0 L * 1#1", february, []int{2, 28}},
		{"0 0 */10 * MON", february, []int{1, 2, 9, 11, 16, 21, 23}},
		{"0 0 */1 * MON", february, []int{2, 9, 16, 23}},
		{"0 0 1-7,* * MON", february, []int{2, 9, 16, 23}},
		{"0 0 * FEB,aug *", august.AddDate(0, -1, 0), nil},
		{"@monthly", february, []int{1}},
		{"@Weekly", february, []int{1, 8, 15, 22}},
		{"@YEARLY", february, nil},
	} {
		t.Run(c.cron, func(t *testing.T) {
			s := compile(t, cron(c.cron, ""), c.month.Add(-1))
			var got []int
			end := c.month.AddDate(0, 1, 0)
			due, ok := s.Next(calendar.Due{}, time.Time{})
			for ; ok && due.At.Before(end); due, ok = s.Next(due, time.Time{}) {
				got = append(got, due.At.Day())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("days %v, want %v", got, c.want)
			}
		})
	}
}

// TestCronTimes shows the times of one day that an expression means.
func TestCronTimes(t *testing.T) {
	for _, c := range []struct {
		cron, want string
		grid       bool // counted from acceptance
	}{
		{cron: "30 9 * * *", want: "09:30:00"},
		{cron: "15 30 09 * * *", want: "09:30:15"},
		{cron: "0 */12 * * *", want: "00:00:00 12:00:00"},
		{cron: "0 */24 * * *", want: "00:00:00"},
		{cron: "20/20 1 * * *", want: "01:20:00 01:40:00"},
		{cron: "0,0 1,3-5/2 * * *", want: "01:00:00 03:00:00 05:00:00"},
		{cron: "*/30 59 23 * * *", want: "23:59:00 23:59:30"},
		{cron: "@daily", want: "00:00:00"},
		{cron: "@midnight", want: "00:00:00"},
		{cron: " \t0  12 * * ? ", want: "12:00:00"},
		{cron: "@every 7h", want: "07:00:00 14:00:00 21:00:00", grid: true},
		{cron: "@EVERY 11h59m59s", want: "11:59:59 23:59:58", grid: true},
	} {
		t.Run(c.cron, func(t *testing.T) {
			accepted := newYear.Add(-1)
			if c.grid {
				accepted = newYear
			}
			s := compile(t, cron(c.cron, ""), accepted)
			var got []string
			due, ok := s.Next(calendar.Due{}, time.Time{})
			for ; ok && due.At.Before(newYear.AddDate(0, 0, 1)); due, ok = s.Next(due, time.Time{}) {
				got = append(got, due.At.Format(time.TimeOnly))
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("times %s, want %s", s, c.want)
			}
		})
	}
}

// An error points at the field, counted as the user wrote it.
func TestCronErrors(t *testing.T) {
	for _, c := range []struct{ cron, want string }{
		{"0 0 32 * *", "field 3 (day of month): 32 is past 31"},
		{"0 0 0 32 * *", "field 4 (day of month): 32 is past 31"},
		{"60 0 0 * * *", "field 1 (second): 60 is past 59"},
		{"59,60 * * * *", "field 1 (minute): 60 is past 59"},
		{"0 24 * * *", "field 2 (hour): 24 is past 23"},
		{"0 0 0 * *", "field 3 (day of month): 0 is below 1"},
		{"0 0 * 13 *", "field 4 (month): 13 is past 12"},
		{"0 0 * * 8", "field 5 (day of week): 8 is past 7"},
		{"0 0 * * MOO", `field 5 (day of week): "MOO" is neither a number nor one of SUN MON TUE WED THU FRI SAT`},
		{"x 0 * * *", `field 1 (minute): "X" is not a number`},
		{"+5 0 * * *", `field 1 (minute): "+5" is not a number`},
		{"99999999999999999999 0 * * *", "field 1 (minute): 99999999999999999999 is past 59"},
		{"1,,2 0 * * *", "field 1 (minute): a value is missing"},
		{"-5 0 * * *", "field 1 (minute): a value is missing"},
		{"*/0 * * * *", "field 1 (minute): step: 0 is below 1"},
		{"*/61 * * * *", "field 1 (minute): step: 61 is past 60; for each 61 minutes write @every 61m"},
		{"0 */30 * * *", "field 2 (hour): step: 30 is past 24; for each 30 hours write @every 30h"},
		{"5/61 * * * *", "field 1 (minute): step: 61 is past 60"},
		{"*/ * * * *", "field 1 (minute): step: a value is missing"},
		{"0 22-2 * * *", "field 2 (hour): 22-2 runs backwards; write 22-23,0-2"},
		{"0 0 * NOV-FEB *", "field 4 (month): NOV-FEB runs backwards; write NOV-12,1-FEB"},
		{"CRON_TZ=Europe/Berlin 0 9 * * *", `"CRON_TZ=Europe/Berlin" stands in the expression; a time zone goes into the field timezone`},
		{"? * * * *", `field 1 (minute): "?" is not a number`},
		{"0 0 ?/2 * *", `field 3 (day of month): "?" is not a number`},
		{"0 0 L-31 * *", "field 3 (day of month): 31 is past 30"},
		{"0 0 L-2W * *", `field 3 (day of month): "2W" is not a number`},
		{"0 0 32W * *", "field 3 (day of month): 32 is past 31"},
		{"0 0 1-5W * *", `field 3 (day of month): "1-5" is not a number`},
		{"0 0 * * L", "field 5 (day of week): a value is missing"},
		{"0 0 * * 5#6", "field 5 (day of week): 6 is past 5"},
		{"0 0 * * 5#0", "field 5 (day of week): 0 is below 1"},
		{"0 0 * * 1-5#2", `field 5 (day of week): "1-5" is neither a number nor one of SUN MON TUE WED THU FRI SAT`},
		{"0 0 * * 8L", "field 5 (day of week): 8 is past 7"},
		{"0 0 30 2 *", "no day of any year matches"},
		{"0 0 31 4,6,9,11 ?", "no day of any year matches"},
		{"0 0 ? FEB ?,MON#5", ""},
		{"* * * *", "4 fields; write five (minute, hour, day of month, month, day of week), or six with seconds first"},
		{"0 0 0 1 1 * 2026", "7 fields; write five (minute, hour, day of month, month, day of week), or six with seconds first"},
		{" ", "the expression is empty"},
		{strings.Repeat("1,", 150) + "1 * * * *", "the expression has 309 bytes; 256 are allowed"},
		{"@reboot", `the expression is "@reboot"; it takes @yearly, @monthly, @weekly, @daily, @hourly, @every`},
		{"@daily *", `the expression is "@daily *"; it takes @yearly, @monthly, @weekly, @daily, @hourly, @every; did you mean "@daily"?`},
		{"@every", "@every takes one duration, such as 1h30m"},
		{"@every 1 h", "@every takes one duration, such as 1h30m"},
		{"@every 1d", `@every: "1d" is no duration; write one such as 90s or 1h30m`},
		{"@every 1500ms", "@every: 1500ms is not a whole number of seconds, one or more"},
		{"@every -1m", "@every: -1m is not a whole number of seconds, one or more"},
		{"@every 0s", "@every: 0s is not a whole number of seconds, one or more"},
	} {
		if c.want == "" {
			compile(t, cron(c.cron, ""), newYear)
			continue
		}
		if e := refusal(t, cron(c.cron, ""), newYear); e.Field != "cron" || e.Message != c.want {
			t.Errorf("%q: %s: %s\nwant cron: %s", c.cron, e.Field, e.Message, c.want)
		}
	}
}

func TestRareExpressions(t *testing.T) {
	for _, c := range []struct{ cron, want string }{
		{"0 0 29 2 ?", "2028-02-29T00:00:00Z"},
		{"0 0 ? 2 MON#5", "2044-02-29T00:00:00Z"}, // a leap day that is a Monday
		{"0 0 L-28 2 ?", "2028-02-01T00:00:00Z"},  // the 1st of a February of 29 days
		{"0 0 29W 2 ?", "2028-02-29T00:00:00Z"},
	} {
		due, ok := compile(t, cron(c.cron, ""), newYear).Next(calendar.Due{}, time.Time{})
		if got := due.At.Format(time.RFC3339); !ok || got != c.want {
			t.Errorf("%s: %s, want %s", c.cron, got, c.want)
		}
	}
	// An interval, where the day begins 14 hours before UTC's.
	kiritimati := compile(t, cron("*/5 0 ? 2 MON#5", "Pacific/Kiritimati"), newYear)
	first, ok := kiritimati.Next(calendar.Due{}, time.Time{})
	wantDue(t, first, ok, 1, moment(t, "2044-02-28T10:00:00Z"))
	// The wait is the longest of all, because 2100 is no leap year.
	s := compile(t, cron("*/7 0 29 2 ?", "Europe/London"), moment(t, "2097-01-01"))
	due, ok := s.Next(calendar.Due{}, time.Time{})
	wantDue(t, due, ok, 1, moment(t, "2104-02-29"))
}
