package schema

import (
	"strings"
	"testing"
)

// A choice that means nothing is refused, and so is a word that is none.
func TestClockChangesAreChecked(t *testing.T) {
	for body, want := range map[string]string{
		`{"plan_type":"day","plan_value":1,"plan_repet":-1,"clock_change":{"gap":"skip"}}`: "clock_change belongs to",
		`{"plan_type":"cron","cron":"@every 90s","clock_change":{"gap":"skip"}}`:           "clock_change belongs to",
		`{"plan_type":"cron","cron":"0 2 * * *","clock_change":{"gap":"skipp"}}`:           `did you mean "skip"?`,
		`{"plan_type":"cron","cron":"0 2 * * *","clock_change":{"overlap":"booth"}}`:       `did you mean "both"?`,
	} {
		_, err := ParsePlan(scanned(t, body), ParseOptions{Preview: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q in it", body, err, want)
		}
	}
}
