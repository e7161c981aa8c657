package schema

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Each wrong entry is refused and named, with the accepted form.
func TestCalendarsAreChecked(t *testing.T) {
	for body, want := range map[string]string{
		`{}`:                                    "calendar_id is missing",
		`{"calendar_id":"a b"}`:                 `calendar_id holds ' '`,
		`{"calendar_id":"c","timezone":"Mars"}`: "timezone",
		`{"calendar_id":"c","day":[]}`:          `did you mean "days"`,
		`{"calendar_id":"c","days":[{"weekday":"sat"},{}]}`:                                                "days: item 2 has 0 of",
		`{"calendar_id":"c","days":[{"weekday":"sat","yearly":"12-25"}]}`:                                  "days: item 1 has 2 of",
		`{"calendar_id":"c","days":[{"date":"2026-02-30"}]}`:                                               "days.date: item 1",
		`{"calendar_id":"c","days":[{"date":"2026-02-03","until":"2026-02-02"}]}`:                          "days.until: item 1",
		`{"calendar_id":"c","days":[{"weekday":"sat","until":"2026-02-02"}]}`:                              "days.until: item 1",
		`{"calendar_id":"c","except":[{"yearly":"13-01"}]}`:                                                "except.yearly: item 1",
		`{"calendar_id":"c","days":[{"easter":81}]}`:                                                       "days.easter: item 1",
		`{"calendar_id":"c","days":[{"weekday":"satt"}]}`:                                                  `did you mean "sat"`,
		`{"calendar_id":"c","days":[{"weekday":7}]}`:                                                       "days.weekday",
		`{"calendar_id":"c","windows":[{"from":"22:00","to":"22:00"}]}`:                                    "windows.to: item 1 is 22:00, as from is",
		`{"calendar_id":"c","windows":[{"from":"24:00","to":"22:00"}]}`:                                    "windows.from: item 1",
		`{"calendar_id":"c","windows":[{"from":"2:00","to":"22:00"}]}`:                                     "windows.from: item 1",
		`{"calendar_id":"c","windows":[{"from":"02:00","to":"24:01"}]}`:                                    "windows.to: item 1",
		`{"calendar_id":"c","windows":[{"from":"02:00","to":"24:00","date":"x"}]}`:                         "windows.date: item 1",
		`{"calendar_id":"c","days":[` + strings.Repeat(`{"weekday":"sat"},`, 5000) + `{"weekday":"sun"}]}`: "5001 entries",
	} {
		v, err := wire.Scan([]byte(body), wire.Limits{Items: 100_000})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = ParseCalendar(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %v, want %q in it", body, err, want)
		}
	}
	for _, body := range []string{
		`{"calendar_id":"c"}`,
		`{"calendar_id":"c","windows":[{"from":"00:00","to":"24:00"},{"from":"22:00","to":"06:00","weekdays":["fri","SAT"]}]}`,
		`{"calendar_id":"c","days":[{"yearly":"02-29"},{"easter":-80},{"cron":"* 11 thu#4"}]}`,
	} {
		if _, err := ParseCalendar(scanned(t, body)); err != nil {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// Calendars of plans are checked as far as that needs no calendars.
func TestCalendarsOfPlansAreChecked(t *testing.T) {
	for body, want := range map[string]string{
		`{"exclude":["a b"]}`:                               "exclude: item 1",
		`{"exclude":["a"],"only":["a"]}`:                    "only and exclude both have a",
		`{"excluded":"next"}`:                               "it goes with exclude or only",
		`{"exclude":["a"],"excluded":"nxt"}`:                `did you mean "next"`,
		`{"exclude":["1","2","3","4","5","6","7","8","9"]}`: "at most 8",
	} {
		if _, err := ParsePlan(scanned(t, body), ParseOptions{Preview: true}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", body, err, want)
		}
	}
}

// A calendar is accepted or refused, and an accepted one is equal when it is read again.
func FuzzParseCalendar(f *testing.F) {
	f.Add(`{"calendar_id":"c","days":[{"date":"2026-12-24","until":"2027-01-01"},{"easter":-2}],"windows":[{"from":"22:00","to":"06:00"}]}`)
	f.Add(`{"calendar_id":"c","except":[{"yearly":"02-29","name":"x"}],"revision":3}`)
	f.Fuzz(func(t *testing.T, body string) {
		v, err := wire.Scan([]byte(body), wire.Limits{})
		if err != nil {
			return
		}
		c, err := ParseCalendar(v)
		if err != nil {
			return
		}
		again, err := wire.ValueOf(wire.JSON, c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseCalendar(again); err != nil {
			t.Fatalf("%s is taken, and %s is not: %v", body, again, err)
		}
	})
}
