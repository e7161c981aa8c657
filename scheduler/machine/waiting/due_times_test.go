package waiting

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Pages of any size, one behind the other, are all that are due, in the order of their times and, where
// those are equal, of their handles; also where all are due at one time.
func TestPagesOfDueTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, times := range []int64{1, 2, 5, 1000} {
		var d DueTimes
		var want []Due
		for h := range unit.Handle(500) {
			if at := unit.Moment(random.Int64N(times + 1)); at != 0 {
				d.Set(h, at)
				want = append(want, Due{at, h})
			}
		}
		slices.SortFunc(want, func(a, b Due) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.H, b.H)) })
		for _, most := range []int{1, 3, 20, 1000} {
			var got []Due
			for last := (Due{}); ; last = got[len(got)-1] {
				page := d.After(last, most)
				if got = append(got, page...); len(page) < most {
					break
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d times, %d on a page: %v, want %v", times, most, got, want)
			}
		}
	}
}

// BenchmarkDueTimes is the first page of a million plans that are all due at one time.
func BenchmarkDueTimes(b *testing.B) {
	var d DueTimes
	for h := range unit.Handle(1_000_000) {
		d.Set(h, 7)
	}
	for b.Loop() {
		d.After(Due{}, 20)
	}
}
