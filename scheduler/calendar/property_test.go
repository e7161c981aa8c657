package calendar_test

import (
	"sort"
	"testing"
	"time"

	"github.com/hashicorp/cronexpr"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// oddZones have changed their clocks in every known way, which is by half an hour, by two, at
// midnight, twice for Ramadan, below UTC, or by leaving out a day.
var oddZones = []string{
	"UTC", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Africa/Cairo",
	"Pacific/Apia", "Africa/Casablanca", "Europe/London", "Pacific/Kiritimati", "Antarctica/Troll",
}

var (
	year1990 = time.Date(1990, time.January, 1, 0, 0, 0, 0, time.UTC)
	year2040 = time.Date(2040, time.January, 1, 0, 0, 0, 0, time.UTC)
)

// drawMoment draws a millisecond between 1990 and 2040.
func drawMoment(t *rapid.T, name string) time.Time {
	return time.UnixMilli(rapid.Int64Range(year1990.UnixMilli(), year2040.UnixMilli()).Draw(t, name)).UTC()
}

// drawWindow draws a zone and a day and a half between 1990 and 2040, most of
// them around a clock change.
func drawWindow(t *rapid.T) (zone *time.Location, a, b time.Time) {
	zone, err := time.LoadLocation(rapid.SampledFrom(oddZones).Draw(t, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	a = drawMoment(t, "from").Truncate(time.Second)
	if _, change := a.In(zone).ZoneBounds(); !change.IsZero() && rapid.IntRange(0, 3).Draw(t, "at a change") > 0 {
		a = change.Add(-time.Duration(rapid.IntRange(0, 30*3600).Draw(t, "lead")) * time.Second)
	}
	return zone, a.UTC(), a.Add(36 * time.Hour).UTC()
}

// Next and Passed agree with asking the clock each second.
func TestAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpression(t)
		zone, a, b := drawWindow(t)
		if _, err := calendar.Compile(cron(e.text, ""), a); err != nil {
			t.Skip(err)
		}
		want := e.due(zone, a, b)
		after := func(at time.Time) int { // how many are due at that second or before
			return sort.Search(len(want), func(i int) bool { return want[i].After(at) })
		}
		for range 20 {
			accepted := a.Add(time.Duration(rapid.Int64Range(0, int64(b.Sub(a))).Draw(t, "accepted")))
			s, err := calendar.Compile(cron(e.text, zone.String()), accepted)
			if err != nil {
				continue // only ever inside a gap
			}
			i := after(accepted)
			due, ok := s.Next(calendar.Due{}, time.Time{})
			if i < len(want) && (!ok || !due.At.Equal(want[i])) {
				t.Fatalf("%q in %v: after %v due %v, want %v", e.text, zone, accepted, due.At, want[i])
			}
			if i == len(want) && ok && !due.At.After(b) {
				t.Fatalf("%q in %v: after %v due %v, want none before %v", e.text, zone, accepted, due.At, b)
			}

			end := accepted.Add(time.Duration(rapid.Int64Range(0, int64(b.Sub(accepted))).Draw(t, "end")))
			j := max(i, after(end.Add(-1)))
			n, last := s.Passed(calendar.Due{}, end)
			if n != int64(j-i) || n > 0 && (last.K != n || !last.At.Equal(want[j-1])) {
				t.Fatalf("%q in %v: from %v to %v passed %d, last %v; want %d", e.text, zone, accepted, end, n, last, j-i)
			}
			if due, ok := s.Next(calendar.Due{}, end); j < len(want) && (!ok || due.K != n+1 || !due.At.Equal(want[j])) {
				t.Fatalf("%q in %v: accepted %v, from %v on due %v; want %d, %v", e.text, zone, accepted, end, due, n+1, want[j])
			}
		}
	})
}

// drawSpec draws a plan of any type that repeats itself.
func drawSpec(t *rapid.T) calendar.Spec {
	s := calendar.Spec{
		Type: rapid.SampledFrom([]schema.PlanType{
			schema.TypeSecond, schema.TypeMinute, schema.TypeHour, schema.TypeDay, schema.TypeWeek, schema.TypeMonth, schema.TypeCron,
		}).Draw(t, "type"),
		Zone:  rapid.SampledFrom(oddZones).Draw(t, "zone"),
		Repet: rapid.SampledFrom([]int64{-1, 1, 7, 500}).Draw(t, "repet"),
		After: rapid.SampledFrom([]int64{0, 0, 3}).Draw(t, "occurrences before"),
	}
	switch s.Type {
	case schema.TypeCron:
		s.Cron = drawExpression(t).text
	case schema.TypeWeek:
		s.Value = rapid.Int64Range(0, 6).Draw(t, "weekday")
	case schema.TypeMonth:
		s.Value = rapid.Int64Range(-31, 31).Draw(t, "date")
	default:
		s.Value = rapid.Int64Range(1, 32766).Draw(t, "value")
	}
	if rapid.Bool().Draw(t, "has plan_time") {
		s.Time = drawMoment(t, "plan_time")
	}
	if rapid.IntRange(0, 3).Draw(t, "has window") == 0 {
		s.From = drawMoment(t, "start_at")
		s.Until = s.From.AddDate(rapid.IntRange(0, 9).Draw(t, "years"), 0, 1)
	}
	return s
}

// Ahead counts the steps of Next behind a moment, and a schedule that begins behind as many
// more, or goes on from that moment, has the same due times again.
func TestWhatIsAheadComesAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		spec.Repet, spec.Until = -1, time.Time{}
		accepted := drawMoment(t, "accepted")
		s, err := calendar.Compile(spec, accepted)
		if err != nil {
			t.Skip(err)
		}
		var all []calendar.Due
		prev := calendar.Due{}
		for range rapid.IntRange(1, 40).Draw(t, "taken") {
			due, ok := s.Next(prev, time.Time{})
			if !ok {
				t.Skip("it ends")
			}
			all, prev = append(all, due), due
		}
		back := all[rapid.IntRange(0, len(all)-1).Draw(t, "back to")].At.Add(rapid.SampledFrom([]time.Duration{-time.Second, -1, 0, 1, time.Second}).Draw(t, "and"))
		over := sort.Search(len(all), func(i int) bool { return all[i].At.After(back) })
		n := s.Ahead(prev, back)
		if n != int64(len(all)-over) {
			t.Fatalf("%d of %d are ahead of %v, want %d", n, len(all), back, len(all)-over)
		}
		if n == 0 {
			return
		}
		again := calendar.Due{K: prev.K, At: back}
		if s.IsGrid() {
			spec.After += n
			if s, err = calendar.Compile(spec, accepted); err != nil {
				t.Fatal(err)
			}
		} else if over == 0 {
			return // the window has yet to begin
		}
		for i, was := range all[over:] {
			due, ok := s.Next(again, time.Time{})
			if !ok || !due.At.Equal(was.At) || due.K != prev.K+int64(i)+1 {
				t.Fatalf("behind %v: %d at %v comes again as %d at %v", back, was.K, was.At, due.K, due.At)
			}
			again = due
		}
		if s.Ahead(prev, back) > 0 && s.IsGrid() {
			t.Fatalf("%d are ahead still", s.Ahead(prev, back))
		}
	})
}

// Occurrences come one after the other, inside the window, and numbered without
// a gap; Passed counts the steps of Next.
func TestPassedCountsWhatNextSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		s, err := calendar.Compile(spec, drawMoment(t, "accepted"))
		if err != nil {
			t.Skip(err)
		}
		var steps []calendar.Due
		prev := calendar.Due{K: spec.After}
		for len(steps) < 200 {
			due, ok := s.Next(prev, time.Time{})
			if !ok {
				break
			}
			switch {
			case due.K != prev.K+1 || len(steps) > 0 && !due.At.After(prev.At):
				t.Fatalf("%+v follows %+v", due, prev)
			case due.At.Before(spec.From) || !spec.Until.IsZero() && due.At.After(spec.Until):
				t.Fatalf("%+v is outside the window", due)
			case spec.Repet > 0 && due.K > spec.Repet:
				t.Fatalf("%+v is one too many", due)
			}
			steps = append(steps, due)
			prev = due
		}
		index := rapid.IntRange(0, len(steps)-1)
		i, j := index.Draw(t, "i"), index.Draw(t, "j")
		i, j = min(i, j), max(i, j)
		if n, last := s.Passed(steps[i], steps[j].At); n != int64(max(0, j-i-1)) || last != steps[max(i, j-1)] {
			t.Fatalf("between %+v and %+v passed %d, last %+v", steps[i], steps[j], n, last)
		}
		if n, last := s.Passed(calendar.Due{}, steps[j].At.Add(1)); n != int64(j+1) || last != steps[j] {
			t.Fatalf("up to %+v passed %d, last %+v", steps[j], n, last)
		}
		if due, ok := s.Next(steps[i], steps[j].At); j > i && (!ok || due != steps[j]) {
			t.Fatalf("from %+v on due %+v", steps[j], due)
		}
		if due, ok := s.Nth(steps[i], int64(j-i)); j > i && (!ok || due != steps[j]) {
			t.Fatalf("%d after %+v is %+v, not %+v", j-i, steps[i], due, steps[j])
		}
		if len(steps) < 200 { // all there are
			if due, ok := s.Nth(steps[i], 1000); ok != (i+1 < len(steps)) || ok && due != prev {
				t.Fatalf("the last after %+v is %+v, not %+v", steps[i], due, prev)
			}
		}
		if due, ok := s.Next(steps[i], steps[j].At.Add(1)); j+1 < len(steps) && (!ok || due != steps[j+1]) {
			t.Fatalf("after %+v due %+v", steps[j], due)
		}
	})
}

// In UTC, hashicorp/cronexpr agrees wherever it can be trusted. It lacks L-n,
// takes a weekday range that ends in 7 to end on Saturday, calls */1 a
// restriction, and knows no year after 2099. The generator avoids the first
// three: its ranges end at 6 and its * steps by 2 or more.
func TestAgainstCronexpr(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpression(t)
		oracle, err := cronexpr.Parse(e.text + " *") // a seventh field, the year, or it takes the first for minutes
		if err != nil {
			t.Skip(err)
		}
		at := drawMoment(t, "from")
		s, err := calendar.Compile(cron(e.text, ""), at)
		if err != nil {
			if found := oracle.Next(at); !found.IsZero() {
				t.Fatalf("%q: %v, but cronexpr finds %v", e.text, err, found)
			}
			return
		}
		var due calendar.Due
		for range 30 {
			want := oracle.Next(at)
			if want.IsZero() {
				return // past 2099
			}
			var ok bool
			if due, ok = s.Next(due, time.Time{}); !ok || !due.At.Equal(want) {
				t.Fatalf("%q: after %v due %v; cronexpr has %v", e.text, at, due, want)
			}
			at = want
		}
	})
}
