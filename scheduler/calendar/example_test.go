package calendar_test

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A backup at half past two, through the night in which New York's clocks skip
// from two to three.
func ExampleSchedule_Next() {
	accepted := time.Date(2026, time.March, 6, 12, 0, 0, 0, time.UTC)
	s, err := calendar.Compile(calendar.Spec{
		Type: schema.TypeCron, Cron: "30 2 * * *", Zone: "America/New_York", Repet: -1,
	}, accepted)
	if err != nil {
		fmt.Println(err)
		return
	}
	newYork, _ := time.LoadLocation("America/New_York")
	var due calendar.Due
	for range 3 {
		due, _ = s.Next(due, time.Time{})
		fmt.Println(due.K, due.At.In(newYork))
	}
	// Output:
	// 1 2026-03-07 02:30:00 -0500 EST
	// 2 2026-03-08 03:00:00 -0400 EDT
	// 3 2026-03-09 02:30:00 -0400 EDT
}

// A plan of every ten seconds skips the occurrences of a week in which no node was up, and has a
// next one.
func ExampleSchedule_Passed() {
	accepted := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	s, err := calendar.Compile(calendar.Spec{Type: schema.TypeSecond, Value: 10, Repet: -1}, accepted)
	if err != nil {
		fmt.Println(err)
		return
	}
	now := accepted.Add(7*24*time.Hour + 5*time.Second)
	n, last := s.Passed(calendar.Due{}, now)
	fmt.Println("skipped", n, "the last of them due", last.At)
	next, _ := s.Next(last, now)
	fmt.Println("next is", next.K, "due", next.At)
	// Output:
	// skipped 60480 the last of them due 2026-01-08 00:00:00 +0000 UTC
	// next is 60481 due 2026-01-08 00:00:10 +0000 UTC
}

func ExampleSchedule_Occurrences() {
	from := time.Date(2027, time.December, 1, 0, 0, 0, 0, time.UTC)
	schedule, err := calendar.Compile(calendar.Spec{Type: schema.TypeMonth, Value: 31, Repet: 3}, from)
	if err != nil {
		fmt.Println(err)
		return
	}
	for due := range schedule.Occurrences(false, from) {
		fmt.Println(due.K, due.At.Format(time.DateOnly))
	}
	// Output:
	// 1 2027-12-31
	// 2 2028-01-31
	// 3 2028-02-29
}

// A refusal names the field, and points into the expression.
func ExampleCompile_refused() {
	_, err := calendar.Compile(calendar.Spec{Type: schema.TypeCron, Cron: "0 0 32 * *", Repet: -1}, time.Now())
	fmt.Println(err)
	// Output: invalid_plan: cron: field 3 (day of month): 32 is past 31
}
