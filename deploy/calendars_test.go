package deploy_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The calendars are taken, and have the days that are known.
func TestCalendars(t *testing.T) {
	for id, days := range map[string]map[string]string{
		"us-federal": {
			"2026-07-03": "Independence Day, observed", "2026-07-04": "Independence Day", "2026-11-26": "Thanksgiving Day", "2027-12-31": "New Year's Day, observed",
			"2027-12-24": "Christmas Day, observed", "2026-05-25": "Memorial Day", "2026-12-24": "-", "2028-01-03": "-",
		},
		"de-national": {"2027-03-26": "Karfreitag", "2027-03-29": "Ostermontag", "2027-05-06": "Christi Himmelfahrt", "2027-05-17": "Pfingstmontag", "2027-10-31": "-"},
		"cn-holidays": {"2026-02-14": "-", "2026-02-15": "春节", "2026-02-23": "春节", "2026-02-24": "-", "2026-03-07": "周六", "2026-10-07": "国庆节", "2026-10-10": "-"},
		"weekends":    {"2026-12-05": "Saturday", "2026-12-06": "Sunday", "2026-12-07": "-"},
	} {
		c := calendar(t, id)
		for date, want := range days {
			at, _ := schema.ParseDate(date)
			got := "-"
			if found := c.Days(at, at); len(found) > 0 {
				got = found[0].Name
			}
			if got != want {
				t.Errorf("%s: %s is %q, want %q", id, date, got, want)
			}
		}
	}
}

// The holidays of seven years, worked out by hand from the laws that the files name.
func TestHolidaysOfYears(t *testing.T) {
	for id, years := range map[string]map[int]string{
		// 5 U.S.C. 6103; a second day in brackets is the one on which the holiday is observed, of
		// a Saturday the Friday before, of a Sunday the Monday after (5 U.S.C. 6103(b), Executive
		// Order 11582), see https://www.opm.gov/policy-data-oversight/pay-leave/federal-holidays.
		"us-federal": {
			2024: "01-01 01-15 02-19 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25",
			2025: "01-01 01-20 02-17 05-26 06-19 07-04 09-01 10-13 11-11 11-27 12-25",
			2026: "01-01 01-19 02-16 05-25 06-19 [07-03] 07-04 09-07 10-12 11-11 11-26 12-25",
			2027: "01-01 01-18 02-15 05-31 [06-18] 06-19 07-04 [07-05] 09-06 10-11 11-11 11-25 [12-24] 12-25 [12-31]",
			2028: "01-01 01-17 02-21 05-29 06-19 07-04 09-04 10-09 [11-10] 11-11 11-23 12-25",
			2029: "01-01 01-15 02-19 05-28 06-19 07-04 09-03 10-08 11-11 [11-12] 11-22 12-25",
			2030: "01-01 01-21 02-18 05-27 06-19 07-04 09-02 10-14 11-11 11-28 12-25",
		},
		// The holidays that all sixteen states have; Easter is on 31 March 2024, 20 April 2025,
		// 5 April 2026, 28 March 2027, 16 April 2028, 1 April 2029 and 21 April 2030.
		"de-national": {
			2024: "01-01 03-29 04-01 05-01 05-09 05-20 10-03 12-25 12-26",
			2025: "01-01 04-18 04-21 05-01 05-29 06-09 10-03 12-25 12-26",
			2026: "01-01 04-03 04-06 05-01 05-14 05-25 10-03 12-25 12-26",
			2027: "01-01 03-26 03-29 05-01 05-06 05-17 10-03 12-25 12-26",
			2028: "01-01 04-14 04-17 05-01 05-25 06-05 10-03 12-25 12-26",
			2029: "01-01 03-30 04-02 05-01 05-10 05-21 10-03 12-25 12-26",
			2030: "01-01 04-19 04-22 05-01 05-30 06-10 10-03 12-25 12-26",
		},
	} {
		c := calendar(t, id)
		for year, want := range years {
			var days []string
			for _, day := range c.Days(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(year, 12, 31, 0, 0, 0, 0, time.UTC)) {
				date := day.Date[len("2024-"):]
				if strings.HasSuffix(day.Name, ", observed") {
					date = "[" + date + "]"
				}
				days = append(days, date)
			}
			if got := strings.Join(days, " "); got != want {
				t.Errorf("%s has in %d\n%s, want\n%s", id, year, got, want)
			}
		}
	}
}

func calendar(t *testing.T, id string) *exclude.Calendar {
	t.Helper()
	body, err := os.ReadFile("calendars/" + id + ".json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := wire.Scan(body, wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	record, err := schema.ParseCalendar(v)
	if err != nil {
		t.Fatal(err)
	}
	c, err := exclude.New(record)
	if err != nil || record.CalendarID != id {
		t.Fatalf("%s is %s: %v", id, record.CalendarID, err)
	}
	return c
}
