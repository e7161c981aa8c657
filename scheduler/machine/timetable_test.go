package machine

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// TestTimetable holds the heap to a list that is searched from end to end.
func TestTimetable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table timetable
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
				table.set(h, at)
				wants[h] = at
				if at == 0 {
					delete(wants, h)
				}
			},
			"advance": func(t *rapid.T) {
				h := unit.Handle(rapid.IntRange(1, last).Draw(t, "plan"))
				at := unit.Moment(rapid.IntRange(0, 100).Draw(t, "at"))
				table.advance(h, at)
				if wants[h] != 0 {
					wants[h] = unit.Sooner(wants[h], at)
				}
			},
			"take the first": func(t *rapid.T) {
				if len(wants) == 0 {
					t.Skip("nobody wants a look")
				}
				if got, want := table.first(), first(); got != want {
					t.Fatalf("%d is first, want %d", got, want)
				}
				delete(wants, table.first())
				table.set(table.first(), 0)
			},
			"": func(t *rapid.T) {
				earliest := unit.Moment(0)
				for _, at := range wants {
					earliest = unit.Sooner(earliest, at)
				}
				if table.next() != earliest {
					t.Fatalf("next is %d, want %d", table.next(), earliest)
				}
				if len(table.entries) != len(wants) {
					t.Fatalf("%d entries for %d plans", len(table.entries), len(wants))
				}
				for h := range unit.Handle(last + 2) { // some that were never there, too
					if table.at(h) != wants[h] {
						t.Fatalf("%d stands at %d, want %d", h, table.at(h), wants[h])
					}
				}
			},
		})
	})
}

// A handle is nobody's or one plan's.
func TestHandles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var hs handles
		given := map[unit.Handle]*plan{}
		t.Repeat(map[string]func(*rapid.T){
			"give": func(t *rapid.T) {
				p := &plan{}
				h := hs.give(p)
				if h == 0 || given[h] != nil {
					t.Fatalf("handle %d is given, and is somebody's", h)
				}
				given[h] = p
			},
			"take back": func(t *rapid.T) {
				if len(given) == 0 {
					t.Skip("nobody has one")
				}
				h := rapid.SampledFrom(slices.Sorted(maps.Keys(given))).Draw(t, "handle")
				hs.takeBack(h)
				delete(given, h)
			},
			"": func(t *rapid.T) {
				for h := range hs.plans {
					if hs.plans[h] != given[unit.Handle(h)] {
						t.Fatalf("handle %d is another's", h)
					}
				}
			},
		})
	})
}
