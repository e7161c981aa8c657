package machine

import (
	"testing"

	"pgregory.net/rapid"
)

// TestTimetable holds the heap to a list that is searched from end to end.
func TestTimetable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table timetable
		plans := make([]*plan, rapid.IntRange(1, 60).Draw(t, "plans"))
		for i := range plans {
			plans[i] = &plan{slot: -1}
		}
		wants := map[*plan]moment{}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				p := rapid.SampledFrom(plans).Draw(t, "plan")
				at := moment(rapid.IntRange(0, 100).Draw(t, "at"))
				table.set(p, at)
				wants[p] = at
				if at == 0 {
					delete(wants, p)
				}
			},
			"take the first": func(t *rapid.T) {
				if len(wants) == 0 {
					t.Skip("nobody wants a look")
				}
				p := table.first()
				if wants[p] != table.next() {
					t.Fatalf("the first wants a look at %d, and is listed at %d", wants[p], table.next())
				}
				table.set(p, 0)
				delete(wants, p)
			},
			"": func(t *rapid.T) {
				earliest := moment(0)
				for _, at := range wants {
					earliest = sooner(earliest, at)
				}
				if table.next() != earliest {
					t.Fatalf("next is %d, want %d", table.next(), earliest)
				}
				if len(table.entries) != len(wants) {
					t.Fatalf("%d entries for %d plans", len(table.entries), len(wants))
				}
				for i, e := range table.entries {
					if int(e.p.slot) != i {
						t.Fatalf("the plan in slot %d believes to be in %d", i, e.p.slot)
					}
				}
			},
		})
	})
}
