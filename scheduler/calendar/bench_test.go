package calendar_test

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
)

func BenchmarkNext(b *testing.B) {
	for _, c := range []struct{ name, cron, zone string }{
		{"every5minUTC", "*/5 * * * *", ""},
		{"every5minNewYork", "*/5 * * * *", "America/New_York"},
		{"dailyNewYork", "30 2 * * *", "America/New_York"},
		{"everySecondNewYork", "* * * * * *", "America/New_York"},
		{"once28YearsUTC", "0 0 ? 2 MON#5", ""},
		{"once28YearsNewYork", "*/5 0 ? 2 MON#5", "America/New_York"},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := compile(b, cron(c.cron, c.zone), newYear.AddDate(-9, 0, 0))
			prev := calendar.Due{K: 1, At: newYear.AddDate(-9, 2, 0)}
			for b.Loop() {
				s.Next(prev, time.Time{})
			}
		})
	}
}

// A week of seconds lost, in a zone.
func BenchmarkPassed(b *testing.B) {
	s := compile(b, cron("* * * * * *", "America/New_York"), newYear)
	prev := calendar.Due{K: 1, At: newYear.Add(time.Second)}
	for b.Loop() {
		s.Passed(prev, newYear.AddDate(0, 0, 7))
	}
}

func BenchmarkCompile(b *testing.B) {
	b.Run("known", func(b *testing.B) {
		for b.Loop() {
			compile(b, cron("*/5 0-6 * * MON-FRI", "America/New_York"), newYear)
		}
	})
}
