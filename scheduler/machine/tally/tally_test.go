package tally

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// TestWindows compares the counts of the last minute, hour and day with a list of all results.
func TestWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var book Book
		var all []Result
		now := unit.Moment(1_800_000_000_000_000)
		of := book.Of("s")
		for range rapid.IntRange(1, 60).Draw(t, "results") {
			now += unit.Moment(rapid.SampledFrom([]int64{0, 1, 400_000, 1_000_000, 59_000_000, 61_000_000, 3_600_000_000, 90_000_000_000}).Draw(t, "later"))
			r := Result{
				At: now, State: rapid.SampledFrom(states[:]).Draw(t, "state"), Reason: rapid.SampledFrom(reasons[:]).Draw(t, "reason"),
				Count: rapid.Int64Range(0, 5).Draw(t, "count"), Late: unit.Moment(rapid.Int64Range(-1, 1<<36).Draw(t, "late")),
			}
			book.Add(of, &r)
			all = append(all, r)
		}
		for step, points := range map[Step]int{Second: 60, Minute: 60, Hour: 24} {
			want := Slot{}
			for i := range all {
				if unitsOf(all[i].At, step) > unitsOf(now, step)-int64(points) {
					p := placeOf(&all[i])
					want.add(&p)
				}
			}
			if got := of.Last(now, step, points); got != want {
				t.Errorf("of the last %d times %d seconds there are %v, want %v", points, step, got, want)
			}
			if got := book.All.Last(now, step, points); got != want {
				t.Errorf("of all stations there are %v, want %v", got, want)
			}
		}
	})
}

func unitsOf(at unit.Moment, step Step) int64 { return int64(at/1_000_000) / int64(step) }

// TestShapes compares the counts of plans with a table of their shapes.
func TestShapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var book Book
		is := map[unit.Handle]Shape{}
		for range rapid.IntRange(1, 50).Draw(t, "changes") {
			h := unit.Handle(rapid.IntRange(1, 6).Draw(t, "plan"))
			to := Shape(0)
			if rapid.Bool().Draw(t, "counts") {
				to = ShapeOf(rapid.SampledFrom(statuses[:]).Draw(t, "status"), TypeOf(rapid.SampledFrom(types[:]).Draw(t, "type")),
					rapid.SampledFrom(append([]schema.WaitFor{""}, waits[:]...)).Draw(t, "wait"), rapid.Bool().Draw(t, "calls"))
			}
			book.Set(h, book.Of("s"), to)
			is[h] = to
		}
		status, wait, total := map[schema.Status]int64{}, map[schema.WaitFor]int64{}, int64(0)
		for _, s := range is {
			if s != 0 {
				status[s.Status()]++
				total++
			}
			if s.Wait() != "" {
				wait[s.Wait()]++
			}
		}
		if book.Total() != total {
			t.Errorf("%d plans count, want %d", book.Total(), total)
		}
		for _, s := range statuses {
			if got := book.Plans.ByStatus()[s]; got != status[s] {
				t.Errorf("%d plans are %s, want %d", got, s, status[s])
			}
		}
		for _, w := range waits {
			if book.All.Waiting.Of(w) != wait[w] || book.Of("s").Waiting.Of(w) != wait[w] {
				t.Errorf("%d plans wait for %s, want %d", book.All.Waiting.Of(w), w, wait[w])
			}
		}
	})
}

// Stations beyond the first 2,000 are counted as one.
func TestManyStationsAreCountedAsOne(t *testing.T) {
	var book Book
	for i := range MaxStations {
		book.Of(string(rune('a' + i)))
	}
	if book.Of("late") != &book.Rest || book.Of("a") == &book.Rest {
		t.Error("not the first stations have counts of their own")
	}
}

// An execution counts as late where the scheduler alone held it up.
func TestLateness(t *testing.T) {
	for _, c := range []struct {
		what string
		b    Begun
		want unit.Moment
	}{
		{"in time", Begun{Due: 10, Sent: 10, Attempt: 1}, 0},
		{"a little late", Begun{Due: 10, Sent: 3010, Attempt: 1}, 3000},
		{"never sent", Begun{Due: 10, Attempt: 1}, -1},
		{"a retry", Begun{Due: 10, Sent: 3010, Attempt: 2}, -1},
		{"triggered", Begun{Due: 10, Sent: 3010, Attempt: 1, Made: true}, -1},
		{"accepted late", Begun{Due: 10, Sent: 5_000_010, Attempt: 1}, -1},
		{"behind the journal", Begun{Due: 10, Sent: 5_000_010, Attempt: 1, Own: 4_000_000}, 4_000_000},
		{"behind a limit", Begun{Due: 10, Sent: 5_000_010, Attempt: 1, Own: 1_000_000, Others: 4_000_000}, -1},
	} {
		if got := c.b.Lateness(); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}
