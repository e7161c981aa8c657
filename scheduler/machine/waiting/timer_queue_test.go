package waiting

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// TestTimerQueue compares the heap with a list that is searched from end to end.
func TestTimerQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table TimerQueue
		last := rapid.IntRange(1, 60).Draw(t, "plans")
		wants := map[unit.Handle]unit.Moment{}
		first := func() unit.Handle {
			return slices.MinFunc(slices.Collect(maps.Keys(wants)), func(a, b unit.Handle) int {
				return cmp.Or(cmp.Compare(wants[a], wants[b]), cmp.Compare(a, b))
			})
		}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				h := unit.Handle(rapid.IntRange(1, last).Draw(t, "plan"))
				at := unit.Moment(rapid.IntRange(0, 100).Draw(t, "at"))
				table.Set(h, at)
				wants[h] = at
				if at == 0 {
					delete(wants, h)
				}
			},
			"take the first": func(t *rapid.T) {
				if len(wants) == 0 {
					t.Skip("no plan is due")
				}
				if got, want := table.First(), first(); got != want {
					t.Fatalf("%d is first, want %d", got, want)
				}
				delete(wants, table.First())
				table.Set(table.First(), 0)
			},
			"": func(t *rapid.T) {
				earliest := unit.Moment(0)
				for _, at := range wants {
					earliest = unit.Sooner(earliest, at)
				}
				if table.Next() != earliest {
					t.Fatalf("next is %d, want %d", table.Next(), earliest)
				}
				if len(table.entries) != len(wants) {
					t.Fatalf("%d entries for %d plans", len(table.entries), len(wants))
				}
				for h := range unit.Handle(last + 2) { // including handles that were never set
					if table.At(h) != wants[h] {
						t.Fatalf("%d stands at %d, want %d", h, table.At(h), wants[h])
					}
				}
			},
		})
	})
}
