package exclude_test

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A next time with a calendar of 5,000 entries, under each choice.
func BenchmarkNext(b *testing.B) {
	c := &schema.Calendar{CalendarID: "many"}
	day := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range schema.MaxCalendarEntries {
		c.Days = append(c.Days, schema.CalendarDay{Date: day.AddDate(0, 0, 2*i).Format(time.DateOnly)})
	}
	made, err := exclude.New(c)
	if err != nil {
		b.Fatal(err)
	}
	for _, choice := range []schema.WhenExcluded{schema.ExcludedSkip, schema.ExcludedNext, schema.ExcludedPrevious} {
		b.Run(string(choice), func(b *testing.B) {
			set := &exclude.Set{}
			set.Put("many", made)
			p := &schema.Plan{Schedule: schema.Cron("0 9 * * *", "Europe/Berlin")}
			p.Exclude, p.Excluded = []string{"many"}, choice
			plain, err := calendar.Compile(calendar.SpecOf(p), day)
			if err != nil {
				b.Fatal(err)
			}
			s, prev := set.Apply(plain, p), calendar.Due{}
			for b.Loop() {
				next, ok := s.NextRun(prev, time.Time{}, day.AddDate(20, 0, 0))
				if prev = next; !ok || next.K > 300 {
					prev = calendar.Due{}
				}
			}
		})
	}
}
