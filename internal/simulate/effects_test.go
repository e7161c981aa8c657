package simulate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/simulate"
	"github.com/stationmaster-io/stationmaster/schema"
)

// cronOf is a plan of a cron expression in a zone, with more members.
func cronOf(name, cron, zone, more string) string {
	return fmt.Sprintf(`{"station":"s","plan_id":%q,"command":"c","plan_type":"cron","cron":%q,"timezone":%q%s}`, name, cron, zone, more)
}

// withHolidays is a source of plans with two calendars.
func withHolidays(t testing.TB, plans ...string) *simulate.Source {
	s := sourceOf(t, nil, plans...)
	s.Calendars = []*schema.Calendar{
		{CalendarID: "de", Days: []schema.CalendarDay{{Date: "2027-03-26", Name: "Karfreitag"}, {Date: "2027-03-29", Name: "Ostermontag"}}},
		{CalendarID: "weekends", Days: []schema.CalendarDay{{Weekday: "sat"}, {Weekday: "sun"}}},
	}
	return s
}

// lines are the effects as the summary has them.
func lines(t *testing.T, r *simulate.Report) (all []string) {
	t.Helper()
	var out bytes.Buffer
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	_, below, _ := strings.Cut(out.String(), "EFFECT OF CLOCKS AND CALENDARS")
	for line := range strings.Lines(below) {
		if strings.TrimSpace(line) == "" {
			break
		}
		all = append(all, regexp.MustCompile(" {2,}").ReplaceAllString(strings.TrimSpace(line), " | "))
	}
	return all[1:]
}

// Each change of clocks and each day of a calendar is one line, the most important first.
func TestEffectsAreSummed(t *testing.T) {
	r, _ := run(t, withHolidays(t,
		cronOf("moved", "30 2 * * *", "Europe/Berlin", ""),
		cronOf("skipped", "*/20 2 * * *", "Europe/Berlin", `,"clock_change":{"gap":"skip"}`),
		cronOf("one", "0 2,3 * * *", "Europe/Berlin", ""),
		cronOf("hourly", "0 * * * *", "Europe/Berlin", ""),
		cronOf("holiday", "0 9 * * *", "Europe/Berlin", `,"exclude":["de"]`),
		cronOf("next", "0 10 * * *", "Europe/Berlin", `,"exclude":["de","weekends"],"excluded":"next"`),
		cronOf("ticks", "0 * * * *", "Europe/Berlin", `,"exclude":["de","weekends"]`),
		cronOf("elsewhere", "30 2 * * *", "Asia/Shanghai", ""),
	), simulate.Options{From: time.Date(2027, 3, 25, 0, 0, 0, 0, time.UTC), Until: time.Date(2027, 4, 1, 0, 0, 0, 0, time.UTC), Seed: 1, Take: exactly(time.Second)})
	want := []string{
		"Sun 2027-03-28 | Clocks go forward, 02:00 to 03:00 (Europe/Berlin) | 3 of 7 | 3 skipped, 1 merged into others, 1 moved",
		"Fri 2027-03-26 | Karfreitag (de) | 3 of 3 | 25 skipped, 1 merged into others",
		"Mon 2027-03-29 | Ostermontag (de) | 3 of 3 | 25 skipped, 1 merged into others",
		"2 days, 2027-03-27 to 2027-03-28 | weekends | 2 of 2 | 47 skipped, 2 merged into others",
	}
	if diff := cmp.Diff(want, lines(t, r)); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	skipped := int64(0)
	for _, e := range r.Effects {
		if e.Kind == simulate.EffectCalendar {
			skipped += e.Skipped
		}
		sum := simulate.Outcome{}
		for _, c := range e.Concerned {
			sum.Skipped, sum.Moved, sum.Merged, sum.Twice, sum.Once = sum.Skipped+c.Skipped, sum.Moved+c.Moved, sum.Merged+c.Merged, sum.Twice+c.Twice, sum.Once+c.Once
		}
		if sum != e.Outcome || len(e.Concerned) != e.Plans {
			t.Errorf("%s %s: the plans have %+v, %d of them; the line has %+v, %d", e.Day, e.Name, sum, len(e.Concerned), e.Outcome, e.Plans)
		}
	}
	if skipped != r.Skipped[schema.ReasonCalendar] {
		t.Errorf("%d occurrences are skipped in the lines, %d in the report", skipped, r.Skipped[schema.ReasonCalendar])
	}
}

func TestEffectsOfAnHourThatIsThereTwice(t *testing.T) {
	r, _ := run(t, withHolidays(t,
		cronOf("once", "30 2 * * *", "Europe/Berlin", ""),
		cronOf("second", "30 2 * * *", "Europe/Berlin", `,"clock_change":{"overlap":"second"}`),
		cronOf("twice", "0,30 2 * * *", "Europe/Berlin", `,"clock_change":{"overlap":"both"}`),
		cronOf("hourly", "0 * * * *", "Europe/Berlin", ""),
		cronOf("noon", "0 12 * * *", "America/New_York", ""),
	), simulate.Options{From: time.Date(2027, 10, 30, 0, 0, 0, 0, time.UTC), Until: time.Date(2027, 11, 8, 0, 0, 0, 0, time.UTC), Seed: 1, Take: exactly(time.Second)})
	want := []string{
		"Sun 2027-10-31 | Clocks go back, 03:00 to 02:00 (Europe/Berlin) | 3 of 4 | 2 run twice, 2 run once, at a time that is there twice",
		"Sun 2027-11-07 | Clocks go back, 02:00 to 01:00 (America/New_York) | 0 of 1 | nothing changes",
	}
	if diff := cmp.Diff(want, lines(t, r)); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
}

// A due time that comes to the moment of another leaves a note at that one.
func TestWhatIsMergedIsNoted(t *testing.T) {
	r, _ := run(t, withHolidays(t,
		cronOf("clocks", "0 2,3 * * *", "Europe/Berlin", ""),
		cronOf("calendar", "0 9 * * *", "Europe/Berlin", `,"exclude":["de"],"excluded":"next"`),
	), simulate.Options{From: time.Date(2027, 3, 26, 0, 0, 0, 0, time.UTC), Until: time.Date(2027, 3, 29, 0, 0, 0, 0, time.UTC), Seed: 1, Take: exactly(time.Second)})
	var got []string
	for _, n := range r.Notes {
		if n.Kind == schema.NoteMerged {
			got = append(got, fmt.Sprintf("%s %s: %s", n.PlanID, n.PlanTime.Format(time.RFC3339), n.Text))
		}
	}
	want := []string{
		"calendar 2027-03-27T08:00:00Z: the occurrence of 2027-03-26 09:00, which de moves here, is one with it",
		"clocks 2027-03-28T01:00:00Z: the occurrence of 02:00 and that of 03:00 are one, because they come to the same moment",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// A page of two thousand plans is small, names all plans that are concerned, and has the numbers
// of the JSON output.
func TestAPageOfManyPlansIsSmall(t *testing.T) {
	var plans []string
	for i := range 2000 {
		more := ""
		if i%2 == 0 {
			more = `,"exclude":["de","weekends"],"excluded":"next"`
		}
		plans = append(plans, cronOf(fmt.Sprintf("nightly-%04d", i), fmt.Sprintf("%d %d * * *", i%60, i%5), "Europe/Berlin", more))
	}
	r, err := simulate.Run(t.Context(), withHolidays(t, plans...), simulate.Options{
		From: time.Date(2027, 3, 20, 0, 0, 0, 0, time.UTC), Until: time.Date(2027, 4, 5, 0, 0, 0, 0, time.UTC), Seed: 1, Take: exactly(time.Second),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var page, out bytes.Buffer
	if err := r.WriteHTML(&page); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	if page.Len() > 1<<20 {
		t.Errorf("the page has %d bytes", page.Len())
	}
	var report struct {
		Effects []struct {
			Plans, Of int
			Concerned []struct {
				PlanID string `json:"plan_id"`
			}
		}
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(page.String(), `<summary class="row">`)[1:]
	if len(rows) != len(report.Effects) || len(rows) != 4 {
		t.Fatalf("%d lines, %d effects; want 4", len(rows), len(report.Effects))
	}
	for i, e := range report.Effects {
		row, _, _ := strings.Cut(rows[i], "</details>")
		if !strings.Contains(row, fmt.Sprintf(">%d of %d plans<", e.Plans, e.Of)) {
			t.Errorf("line %d has other numbers than %d of %d plans: %.300s", i, e.Plans, e.Of, row)
		}
		for _, c := range e.Concerned {
			if !strings.Contains(row, c.PlanID) {
				t.Errorf("line %d lacks %s", i, c.PlanID)
				break
			}
		}
	}
}

// The picture of a year of hours is small, too.
func TestThePageOfOneYearIsSmall(t *testing.T) {
	r, err := simulate.Run(t.Context(), sourceOf(t, nil, cronOf("hourly", "0 * * * *", "UTC", "")), options(365*24*time.Hour, time.Second), nil)
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := r.WriteHTML(&page); err != nil || page.Len() > 400<<10 {
		t.Errorf("%v; the page has %d bytes", err, page.Len())
	}
}

// A plan of each second is cut, and the report names the bound and the number that was left out.
func TestAPlanOfEachSecondIsCut(t *testing.T) {
	o := options(365*24*time.Hour, 100*time.Millisecond)
	o.Limit = 1000
	r, _ := run(t, sourceOf(t, nil, every(1, "p", `,"plan_repet":-1`)), o)
	if !r.Cut || r.Limit != 1000 || r.Executions != 1000 || r.Expected != 365*24*3600-1 {
		t.Errorf("cut %v at %d, %d of %d", r.Cut, r.Limit, r.Executions, r.Expected)
	}
	want := "it stopped after 1000 executions, the limit (--limit); that is 1000 of some 31535999 occurrences"
	var text, page bytes.Buffer
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), want) {
		t.Errorf("%v, %s", err, text.String())
	}
	if err := r.WriteHTML(&page); err != nil || !strings.Contains(page.String(), want) {
		t.Errorf("%v, %.2000s", err, page.String())
	}
}
