package front

import (
	"fmt"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
)

// The answer to a put counts the plans of all partitions, and names ten at most.
func TestPlansWithoutTimeOfAllPartitionsAreCounted(t *testing.T) {
	of := func(count int, more bool) *schema.NoTime {
		n := &schema.NoTime{Count: int64(count), More: more}
		for i := range min(count, 10) {
			n.Plans = append(n.Plans, schema.PlanName{Station: "s", PlanID: fmt.Sprint(i)})
		}
		return n
	}
	if got := withOthers(nil, nil); got != nil {
		t.Errorf("none and none are %v", got)
	}
	for _, got := range []*schema.NoTime{withOthers(of(2, false), nil), withOthers(nil, of(2, false))} {
		if got == nil || got.Count != 2 || len(got.Plans) != 2 || got.More {
			t.Errorf("two and none are %v", got)
		}
	}
	if got := withOthers(of(8, false), of(5, true)); got.Count != 13 || len(got.Plans) != 10 || !got.More {
		t.Errorf("eight and five are %v", got)
	}
}
