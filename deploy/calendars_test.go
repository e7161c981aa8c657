package deploy_test

import (
	"os"
	"testing"

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
