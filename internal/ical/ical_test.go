package ical_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/teambition/rrule-go"

	"github.com/stationmaster-io/stationmaster/internal/ical"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
)

func file(events ...string) []byte {
	text := bytes.NewBufferString("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test\r\n")
	for _, e := range events {
		text.WriteString("BEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260101T000000Z\r\n" + strings.ReplaceAll(e, "\n", "\r\n") + "\r\nEND:VEVENT\r\n")
	}
	text.WriteString("END:VCALENDAR\r\n")
	return text.Bytes()
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
		"DTSTART;VALUE=DATE:20260103\nSTATUS:CANCELLED\nRECURRENCE-ID;VALUE=DATE:20260103":     "left line 9: changes or cancels one day of a repetition (RECURRENCE-ID), which is not read",
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

// A file's zone is reported, because its days are taken without it.
func TestTheZoneOfAFileIsReported(t *testing.T) {
	zoned := bytes.Replace(file("DTSTART;VALUE=DATE:20261225"), []byte("PRODID"), []byte("X-WR-TIMEZONE:Asia/Tokyo\r\nPRODID"), 1)
	days, _, left, err := ical.Read(zoned)
	if err != nil || len(days) != 1 || len(left) != 1 || left[0].Line != 3 || !strings.HasPrefix(left[0].Reason, "X-WR-TIMEZONE Asia/Tokyo is left out") {
		t.Errorf("read %v and left %v out, %v", days, left, err)
	}
}

// The reason names the line and the property, in no library's words.
func TestWhatCannotBeReadIsNamed(t *testing.T) {
	for property, want := range map[string]string{
		"RRULE:FREQ=YEARLY;BYMONTH=13":                         "repeats in a way that is not read: RRULE has BYMONTH=13; BYMONTH takes 1 to 12",
		"RRULE:FREQ=MONTHLY;COUNT=9;BYMONTHDAY=32":             "repeats in a way that is not read: RRULE has BYMONTHDAY=32; BYMONTHDAY takes 1 to 31, or -31 to -1",
		"RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30":            "repeats in a way that is not read: RRULE has BYMONTH=2 and BYMONTHDAY=30, a day that is never",
		"RRULE:FREQ=YEARLY;COUNT=2;BYMONTH=2,4;BYMONTHDAY=-31": "repeats in a way that is not read: RRULE has BYMONTH=2,4 and BYMONTHDAY=-31, a day that is never",
		"RRULE:FREQ=DAILY;COUNT=3;INTERVAL=7;BYDAY=MO":         "repeats by FREQ=DAILY;COUNT=3;INTERVAL=7;BYDAY=MO (RRULE), which no day up to 2126-12-25 is",
		"RRULE:FREQ=YEARLY;COUNT=200":                          "repeats by FREQ=YEARLY;COUNT=200 (RRULE) for more than 100 years, and the rest is left out",
		"RRULE:FREQ=YEARLY;UNTIL=20250101":                     "repeats by FREQ=YEARLY;UNTIL=20250101 (RRULE), which no day up to 2025-01-01 is",
		"RRULE:FREQ=HOURLY;COUNT=3":                            "repeats in a way that is not read: RRULE has FREQ=HOURLY; FREQ takes YEARLY, MONTHLY, WEEKLY or DAILY, because events of whole days repeat by days",
		"RRULE:FREQ=DAILY;COUNT=99999999999999999999":          "repeats in a way that is not read: RRULE has COUNT=99999999999999999999; COUNT takes 1 to 5000",
		"RRULE:FREQ=YEARLY;BYDAY=XX":                           "repeats in a way that is not read: RRULE has BYDAY=XX; BYDAY takes MO, TU, WE, TH, FR, SA or SU, with a place before it such as 2MO or -1FR",
		"RRULE:FREQ=YEARLY;BYEASTER=1":                         "repeats in a way that is not read: RRULE has BYEASTER, which is not read",
		"RRULE:FREQ=YEARLY;UNTIL=soon":                         "repeats in a way that is not read: RRULE has UNTIL=SOON; UNTIL takes a day before 9999, such as 20271225",
		"RRULE:FREQ=YEARLY;UNTIL=99991231":                     "repeats in a way that is not read: RRULE has UNTIL=99991231; UNTIL takes a day before 9999, such as 20271225",
		"RDATE:20261224T100000,x":                              "names 20261224T100000 in RDATE, which is no day",
	} {
		_, _, left, _ := ical.Read(file("DTSTART;VALUE=DATE:20261225\nSUMMARY:Rest\n" + property))
		if len(left) == 0 || left[0].String() != "line 9: Rest "+want {
			t.Errorf("%s: %v\nwant line 9: Rest %s", property, left, want)
		}
	}
}

// A file that is no calendar is refused with the line, in no library's words.
func TestAWrongFileIsRefusedByLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "line 1: the file is empty; an iCalendar file begins with BEGIN:VCALENDAR",
		"<html>\n":                 `line 1: it is "<html>"; an iCalendar file begins with BEGIN:VCALENDAR`,
		"BEGIN:VCALENDAR\nhello\n": `line 2: "hello" has no colon, so that it is no property; a line that continues another begins with a space`,
		"BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:a\n b\nEND:VALARM\n":                               "line 5: END:VALARM; the component that ends here is VEVENT, of line 2",
		"BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:20260101\n":                                        "line 2: the file ends before END:VEVENT, which belongs to BEGIN:VEVENT here",
		"BEGIN:VCALENDAR\nEND:VCALENDAR\n\nBEGIN:VCALENDAR\n":                                      `line 4: "BEGIN:VCALENDAR" stands behind END:VCALENDAR; one calendar is read of a file`,
		"BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE:20260101\nEND:VEVENT\n":                      "line 3: DTSTART cannot be read; it is written as DTSTART:VALUE, or DTSTART;PARAMETER=VALUE:VALUE",
		"BEGIN:VCALENDAR\n" + strings.Repeat("BEGIN:X\n", 100_000):                                 "line 9: BEGIN:X is within 8 others; at most 8 components are within each other",
		"BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART" + strings.Repeat(";A=B", 100_000) + ":20260101\n": "line 3: DTSTART has more than 1000 bytes of parameters",
	} {
		if _, _, _, err := ical.Read([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.60q: %v\nwant %s", text, err, want)
		}
	}
}

// The bound of a calendar holds for the repetitions of all events together, and ends the reading.
func TestTheEntriesOfAFileAreBounded(t *testing.T) {
	events := slices.Repeat([]string{"DTSTART;VALUE=DATE:20260101\nRRULE:FREQ=DAILY;COUNT=2000"}, 300)
	_, _, _, err := ical.Read(file(events...))
	want := "line 20: the file makes more than 5000 entries up to here, and a calendar has 5000 at most; leave out events that are over, or give repetitions a nearer UNTIL"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant %s", err, want)
	}
	days, _, left, err := ical.Read(file(slices.Repeat([]string{"DTSTART;VALUE=DATE:20260101\nRRULE:FREQ=YEARLY;UNTIL=20260601"}, 5000)...))
	if err != nil || len(days) != 5000 || len(left) > 0 {
		t.Errorf("%d days, %d left, %v; want 5,000 days", len(days), len(left), err)
	}
}

// A repetition that never comes is given up after a century, and a file of such is refused.
func TestTheWorkOfAFileIsBounded(t *testing.T) {
	never := "DTSTART;VALUE=DATE:20260101\nRRULE:FREQ=DAILY;COUNT=3;INTERVAL=7;BYDAY=MO"
	_, _, left, err := ical.Read(file(slices.Repeat([]string{never}, 1000)...))
	var refused *ical.LineError
	if !errors.As(err, &refused) || !strings.Contains(refused.Reason, "the repetitions up to here take more than 20000000 comparisons with days") {
		t.Errorf("%v", err)
	}
	if len(left) < 10 || len(left) > 200 {
		t.Errorf("%d repetitions were looked for", len(left))
	}
}

// The days of a repetition are those of the library, which is asked about other years.
func TestDaysAreThoseOfTheLibrary(t *testing.T) {
	for _, rule := range []string{
		"FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;COUNT=5", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=40",
		"FREQ=YEARLY;BYWEEKNO=53;BYDAY=MO;COUNT=6", "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20301231",
		"FREQ=YEARLY;BYYEARDAY=-1,366;COUNT=9", "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1,1;COUNT=30", "FREQ=DAILY;INTERVAL=13;UNTIL=20280401",
	} {
		for _, first := range []string{"19700101", "20000229", "20270301"} {
			start, err := time.Parse("20060102", first)
			if err != nil {
				t.Fatal(err)
			}
			option, err := rrule.StrToROption(rule)
			if err != nil {
				t.Fatal(err)
			}
			option.Dtstart = start
			library, err := rrule.NewRRule(*option)
			if err != nil {
				t.Fatal(err)
			}
			var want, got []string
			for _, at := range library.All() {
				want = append(want, at.Format(time.DateOnly))
			}
			days, _, left, err := ical.Read(file("DTSTART;VALUE=DATE:" + first + "\nRRULE:" + rule))
			for _, d := range days {
				got = append(got, d.Date)
			}
			if diff := cmp.Diff(want, got); diff != "" || err != nil || len(left) > 0 {
				t.Errorf("%s from %s: %v, %v (-want +got):\n%s", rule, first, left, err, diff)
			}
		}
	}
}

// A file of any content is read as a calendar that calendars.put accepts, with bounded work.
func FuzzRead(f *testing.F) {
	f.Add(file("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH\nSUMMARY:x"))
	f.Add(file("DTSTART;VALUE=DATE:20261225\nRRULE:FREQ=MONTHLY;COUNT=3\nEXDATE:20270101"))
	f.Add(file("DTSTART;VALUE=DATE:20261225\nDTEND:20261227\nRRULE:FREQ=YEARLY;BYWEEKNO=53,-1;BYSETPOS=-1;BYDAY=2MO,SU;UNTIL=20991231T000000Z;WKST=SU"))
	f.Add(file("DTSTART:20260101\nRRULE:FREQ=MONTHLY;BYMONTHDAY=-31,+5;INTERVAL=1", "DTSTART;TZID=\"a:b\":20260101\nDURATION:P1W"))
	f.Fuzz(func(t *testing.T, b []byte) {
		days, except, left, steps, err := ical.ReadCounted(b)
		if most := ical.MostSearched + ical.MostOfOneRule; steps > most {
			t.Fatalf("%q takes %d steps; the bound is %d", b, steps, most)
		}
		if len(left) > 1001 || len(days)+len(except) > schema.MaxCalendarEntries {
			t.Fatalf("%q: %d left, %d entries", b, len(left), len(days)+len(except))
		}
		for _, l := range left {
			if l.Line < 1 || l.Line > 1+bytes.Count(b, []byte("\n")) || len(l.Reason) > 1000 {
				t.Fatalf("%q: %v", b, l)
			}
		}
		if err != nil {
			return
		}
		c := schema.Calendar{CalendarID: "c", Days: days, Except: except}
		if wrong := c.Check(); len(wrong) > 0 {
			t.Fatalf("%q makes %+v: %v", b, c, wrong)
		}
		if _, err := exclude.New(&c); err != nil {
			t.Fatalf("%q makes %+v: %v", b, c, err)
		}
	})
}
