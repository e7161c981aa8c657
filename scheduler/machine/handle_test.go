package machine

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A handle belongs to one plan, or to none.
func TestHandles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var hs table.Handles
		given := map[unit.Handle]*state.Plan{}
		t.Repeat(map[string]func(*rapid.T){
			"give": func(t *rapid.T) {
				p := &state.Plan{}
				h := hs.Give(p)
				if h == 0 || given[h] != nil {
					t.Fatalf("handle %d is given, and is in use", h)
				}
				given[h] = p
			},
			"take back": func(t *rapid.T) {
				if len(given) == 0 {
					t.Skip("no plan has one")
				}
				h := rapid.SampledFrom(slices.Sorted(maps.Keys(given))).Draw(t, "handle")
				hs.TakeBack(h)
				delete(given, h)
			},
			"": func(t *rapid.T) {
				for h := range hs.Plans {
					if hs.Plans[h] != given[unit.Handle(h)] {
						t.Fatalf("handle %d is another's", h)
					}
				}
			},
		})
	})
}
