package calendar_test

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// TestClockChanges is the rule of docs/adr/0001-clock-changes.md, by example.
func TestClockChanges(t *testing.T) {
	for _, c := range []struct {
		name, zone, cron, after string
		then                    []string
	}{
		{"daily inside the gap runs at its end", "America/New_York", "0 30 2 * * *", "2026-03-07T12:00:00-05:00",
			[]string{"2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00"}},
		{"an interval passes over the gap", "America/New_York", "0 */30 * * * *", "2026-03-08T01:00:00-05:00",
			[]string{"2026-03-08T01:30:00-05:00", "2026-03-08T03:00:00-04:00", "2026-03-08T03:30:00-04:00"}},
		{"daily inside the overlap runs on the first pass", "America/New_York", "0 30 1 * * *", "2026-10-31T12:00:00-04:00",
			[]string{"2026-11-01T01:30:00-04:00", "2026-11-02T01:30:00-05:00"}},
		{"an interval runs on both passes", "America/New_York", "0 */30 * * * *", "2026-11-01T00:30:00-04:00",
			[]string{"2026-11-01T01:00:00-04:00", "2026-11-01T01:30:00-04:00", "2026-11-01T01:00:00-05:00", "2026-11-01T01:30:00-05:00", "2026-11-01T02:00:00-05:00"}},
		{"gap of half an hour", "Australia/Lord_Howe", "0 15 2 * * *", "2026-10-03T12:00:00+10:30",
			[]string{"2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"}},
		{"overlap of half an hour", "Australia/Lord_Howe", "0 45 1 * * *", "2026-04-04T12:00:00+11:00",
			[]string{"2026-04-05T01:45:00+11:00", "2026-04-06T01:45:00+10:30"}},
		{"gap at midnight, Sao Paulo", "America/Sao_Paulo", "0 0 0 * * *", "2018-11-03T12:00:00-03:00",
			[]string{"2018-11-04T01:00:00-02:00", "2018-11-05T00:00:00-02:00"}},
		{"gap at midnight, Cairo", "Africa/Cairo", "0 0 0 * * *", "2026-04-23T12:00:00+02:00",
			[]string{"2026-04-24T01:00:00+03:00", "2026-04-25T00:00:00+03:00"}},
		{"a day that is missing runs at its end", "Pacific/Apia", "0 0 9 * * *", "2011-12-28T12:00:00-10:00",
			[]string{"2011-12-29T09:00:00-10:00", "2011-12-31T00:00:00+14:00", "2011-12-31T09:00:00+14:00"}},

		{"several in one gap are one", "America/New_York", "0 0,10,20,30 2,3 * * *", "2026-03-08T00:00:00-05:00",
			[]string{"2026-03-08T03:00:00-04:00", "2026-03-08T03:10:00-04:00"}},
		{"seconds alone make no interval: gap", "America/New_York", "*/20 30 2 * * *", "2026-03-08T00:00:00-05:00",
			[]string{"2026-03-08T03:00:00-04:00", "2026-03-09T02:30:00-04:00", "2026-03-09T02:30:20-04:00"}},
		{"seconds alone make no interval: overlap", "America/New_York", "*/30 30 1 * * *", "2026-11-01T00:00:00-04:00",
			[]string{"2026-11-01T01:30:00-04:00", "2026-11-01T01:30:30-04:00", "2026-11-02T01:30:00-05:00"}},
		{"an hour range is an interval: gap", "America/New_York", "30 1-2 * * *", "2026-03-08T00:00:00-05:00",
			[]string{"2026-03-08T01:30:00-05:00", "2026-03-09T01:30:00-04:00", "2026-03-09T02:30:00-04:00"}},
		{"hourly counts real hours", "America/New_York", "@hourly", "2026-11-01T00:30:00-04:00",
			[]string{"2026-11-01T01:00:00-04:00", "2026-11-01T01:00:00-05:00", "2026-11-01T02:00:00-05:00"}},
		{"both passes, however rare the day", "America/New_York", "*/30 1 1 11 *", "2026-11-01T00:30:00-04:00",
			[]string{"2026-11-01T01:00:00-04:00", "2026-11-01T01:30:00-04:00", "2026-11-01T01:00:00-05:00", "2026-11-01T01:30:00-05:00", "2027-11-01T01:00:00-04:00"}},
		{"the end of a gap is no second occurrence", "America/New_York", "0 2,3 * * *", "2026-03-08T00:00:00-05:00",
			[]string{"2026-03-08T03:00:00-04:00", "2026-03-09T02:00:00-04:00"}},
		{"accepted on the second pass", "America/New_York", "30 1 * * *", "2026-11-01T01:10:00-05:00",
			[]string{"2026-11-02T01:30:00-05:00"}},
		{"a gap of two hours", "Antarctica/Troll", "30 1 * * *", "2026-03-28T12:00:00Z",
			[]string{"2026-03-29T03:00:00+02:00", "2026-03-30T01:30:00+02:00"}},
		{"the day that Kiritimati left out", "Pacific/Kiritimati", "0 9 31 12 *", "1994-12-01T00:00:00Z",
			[]string{"1995-01-01T00:00:00+14:00", "1995-12-31T09:00:00+14:00"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := compile(t, cron(c.cron, c.zone), moment(t, c.after))
			var prev calendar.Due
			for i, then := range c.then {
				due, ok := s.Next(prev, time.Time{})
				if want := moment(t, then); !ok || !due.At.Equal(want) {
					t.Fatalf("occurrence %d: %v, %v; want %v", i+1, due.At, ok, want)
				}
				prev = due
			}
			if n, last := s.Passed(calendar.Due{}, prev.At.Add(1)); n != int64(len(c.then)) || last != prev {
				t.Errorf("passed %d, last %+v; want all %d", n, last, len(c.then))
			}
		})
	}
}

// Plans of type week and month name a fixed time of day.
func TestClockChangesOfWeekAndMonth(t *testing.T) {
	inSamoa := calendar.Spec{
		Type: schema.TypeWeek, Value: int64(time.Friday), Repet: -1, // 2011-12-30 was to be a Friday
		Time: moment(t, "2011-01-07T09:00:00-10:00"), Zone: "Pacific/Apia",
	}
	due, _ := compile(t, inSamoa, moment(t, "2011-12-24")).Next(calendar.Due{}, time.Time{})
	if want := moment(t, "2011-12-31T00:00:00+14:00"); !due.At.Equal(want) {
		t.Errorf("week: due %v, want the end of the missing day, %v", due.At, want)
	}
	inNewYork := calendar.Spec{
		Type: schema.TypeMonth, Value: 1, Repet: -1,
		Time: moment(t, "2026-01-01T01:30:00-05:00"), Zone: "America/New_York",
	}
	s := compile(t, inNewYork, moment(t, "2026-10-20"))
	first, _ := s.Next(calendar.Due{}, time.Time{})
	second, _ := s.Next(first, time.Time{})
	if want := moment(t, "2026-11-01T01:30:00-04:00"); !first.At.Equal(want) {
		t.Errorf("month: due %v, want the first pass, %v", first.At, want)
	}
	if want := moment(t, "2026-12-01T01:30:00-05:00"); !second.At.Equal(want) {
		t.Errorf("month: then %v, want %v", second.At, want)
	}
}

// On the last day of a leap year, beyond a zone's table of changes, ZoneBounds
// answers with an end that lies in the past (golang/go#81583).
func TestLastDayOfALeapYear(t *testing.T) {
	accepted := moment(t, "2040-12-30")
	for _, expression := range []string{"0 * * * *", "0 0,6,12,18 * * *"} {
		s := compile(t, cron(expression, "Europe/London"), accepted)
		now := moment(t, "2041-01-02")
		n, last := s.Passed(calendar.Due{}, now)
		steps := int64(0)
		due, _ := s.Next(calendar.Due{}, time.Time{})
		for ; due.At.Before(now); due, _ = s.Next(due, time.Time{}) {
			steps++
		}
		if n != steps || last.K != steps {
			t.Errorf("%s: passed %d, last %+v; Next finds %d", expression, n, last, steps)
		}
	}
}
