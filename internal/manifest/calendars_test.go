package manifest_test

import (
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/manifest"
)

// Calendars of a file are checked, with their place, and dates need no quotes.
func TestCalendarsOfAFile(t *testing.T) {
	read := func(text string) (*manifest.Set, error) {
		var s manifest.Set
		return &s, s.Read("f.yaml", strings.NewReader(text))
	}
	s, err := read("calendars:\n  - calendar_id: freeze\n    days:\n      - date: 2026-12-24\n        until: 2027-01-01\n      - yearly: 12-25\n    windows:\n      - {from: 22:00, to: 06:00, weekdays: [fri]}\n")
	if err != nil || len(s.Calendars) != 1 || s.Len() != 1 {
		t.Fatalf("%v: %v", s.Calendars, err)
	}
	want := `{"calendar_id":"freeze","days":[{"date":"2026-12-24","until":"2027-01-01"},{"yearly":"12-25"}],"windows":[{"from":"22:00","to":"06:00","weekdays":["fri"]}]}`
	if got := s.Calendars[0].String(); got != want {
		t.Errorf("it is %s, want %s", got, want)
	}
	if _, err := read("calendars:\n  - calendar_id: freeze\n    days: [{weekday: satt}]\n"); err == nil || !strings.Contains(err.Error(), "f.yaml:2") || !strings.Contains(err.Error(), `did you mean "sat"`) {
		t.Errorf("a wrong entry: %v", err)
	}
	if _, err := read("calendars:\n  - calendar_id: a\n  - calendar_id: a\n"); err == nil || !strings.Contains(err.Error(), "calendar a is at f.yaml:2, too") {
		t.Errorf("twice: %v", err)
	}
}
