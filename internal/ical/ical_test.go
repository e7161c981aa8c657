package ical_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/ical"
	"github.com/stationmaster-io/stationmaster/schema"
)

func file(events ...string) []byte {
	text := "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test\r\n"
	for _, e := range events {
		text += "BEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\n" + strings.ReplaceAll(e, "\n", "\r\n") + "\r\nEND:VEVENT\r\n"
	}
	return []byte(text + "END:VCALENDAR\r\n")
}

// Events become dates, rules without an end become rules, and dates that are left out exceptions.
func TestEventsBecomeDays(t *testing.T) {
	for event, want := range map[string]string{
		"DTSTART;VALUE=DATE:20261225\nSUMMARY:Christmas\\, first":                              "2026-12-25 (Christmas, first)",
		"DTSTART;VALUE=DATE:20261224\nDTEND;VALUE=DATE:20261227":                               "2026-12-24..2026-12-26",
		"DTSTART;VALUE=DATE:20261224\nDURATION:P1W":                                            "2026-12-24..2026-12-30",
		"DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY":                                       "12-25",
		"DTSTART;VALUE=DATE:20261225\nDTEND;VALUE=DATE:20261227\nRRULE:FREQ=YEARLY;INTERVAL=1": "12-25 12-26",
		"DTSTART;VALUE=DATE:20261126\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH":                  "cron:* 11 thu#4",
		"DTSTART;VALUE=DATE:20260525\nRRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO":                  "cron:* 5 monL",
		"DTSTART;VALUE=DATE:20260115\nRRULE:FREQ=MONTHLY":                                      "cron:15 * *",
		"DTSTART;VALUE=DATE:20260131\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-1":                        "cron:L * *",
		"DTSTART;VALUE=DATE:20260103\nRRULE:FREQ=WEEKLY;BYDAY=SA,SU;WKST=MO":                   "sat sun",
		"DTSTART;VALUE=DATE:20260103\nRRULE:FREQ=WEEKLY;COUNT=2":                               "2026-01-03 2026-01-10",
		"DTSTART;VALUE=DATE:20260103\nRRULE:FREQ=MONTHLY;UNTIL=20260401":                       "2026-01-03 2026-02-03 2026-03-03",
		"DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY\nEXDATE;VALUE=DATE:20271225,20281225":  "12-25 but 2027-12-25 but 2028-12-25",
		"DTSTART;VALUE=DATE:20260103\nRRULE:FREQ=WEEKLY;INTERVAL=2\nSUMMARY:Shift":             "left line 8: Shift repeats by FREQ=WEEKLY;INTERVAL=2 without an end, which no rule of a calendar is",
		"DTSTART:20260103T090000Z\nSUMMARY:Call":                                               "left line 7: Call is no event of whole days: it begins at 20260103T090000Z",
		"DTSTART;VALUE=DATE:20260103\nSTATUS:CANCELLED":                                        "left line 8: is cancelled",
	} {
		days, except, left, err := ical.Read(file(event))
		got := []string{}
		for _, d := range days {
			got = append(got, shown(d))
		}
		for _, d := range except {
			got = append(got, "but "+shown(d))
		}
		for _, l := range left {
			got = append(got, "left "+l.String())
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" || (err != nil) != (len(days) == 0) {
			t.Errorf("%s: %v (-want +got):\n%s", event, err, diff)
		}
	}
}

func shown(d schema.CalendarDay) string {
	text := d.Date + d.Yearly + d.Weekday
	if d.Until != "" {
		text += ".." + d.Until
	}
	if d.Cron != "" {
		text = "cron:" + d.Cron
	}
	if d.Name != "" {
		text += " (" + d.Name + ")"
	}
	return text
}

// A file of any content is read as a calendar that calendars.put accepts.
func FuzzRead(f *testing.F) {
	f.Add(file("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH\nSUMMARY:x"))
	f.Add(file("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=MONTHLY;COUNT=3\nEXDATE:20270101"))
	f.Fuzz(func(t *testing.T, b []byte) {
		days, except, _, err := ical.Read(b)
		if err != nil {
			return
		}
		c := schema.Calendar{CalendarID: "c", Days: days, Except: except}
		if wrong := c.Check(); len(wrong) > 0 {
			t.Fatalf("%q makes %+v: %v", b, c, wrong)
		}
	})
}
