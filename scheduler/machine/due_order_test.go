package machine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

func ids(found []command.PlanView) (all []string) {
	for _, v := range found {
		id, _ := v.Plan.Field("plan_id").Text()
		all = append(all, id)
	}
	return all
}

// The soonest comes first, with any number on a page, and behind all that are due come the others
// by name. A plan is where it belongs also after it was changed.
func TestTheOrderOfDueTimes(t *testing.T) {
	x := newBench(t)
	random := rand.New(rand.NewPCG(1, 2))
	var want []string
	for i := range 300 {
		id := fmt.Sprintf("p%03d", i)
		x.create(fmt.Sprintf(`{"station":"s%d","plan_id":%q,"command":"c","plan_type":"time","plan_time":"2026-03-%02dT%02d:%02d:00Z"}`,
			i%3, id, 2+random.IntN(9), random.IntN(24), random.IntN(60)))
	}
	for _, more := range []string{`"plan_id":"b","paused":true`, `"plan_id":"a","paused":true`} {
		x.create(`{"station":"z","command":"c","plan_type":"time","plan_time":"2026-03-01T13:00:00Z",` + more + `}`)
	}
	check := func() {
		t.Helper()
		all, _ := list(t, x.m, schema.ListPlans{}, 1000)
		slices.SortStableFunc(all, func(a, b command.PlanView) int {
			switch ap, bp := a.State.Status == schema.StatusPaused, b.State.Status == schema.StatusPaused; {
			case ap != bp && ap:
				return 1
			case ap != bp:
				return -1
			case ap:
				return strings.Compare(ids([]command.PlanView{a})[0], ids([]command.PlanView{b})[0])
			}
			return a.State.PlanTime.Compare(b.State.PlanTime)
		})
		want = nil
		for _, v := range all {
			want = append(want, v.State.PlanTime.String())
		}
		for _, limit := range []int{1, 7, 1000} {
			found, _ := list(t, x.m, schema.ListPlans{Order: schema.OrderDue}, limit)
			var got []string
			for _, v := range found {
				got = append(got, v.State.PlanTime.String())
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%d on a page: %d plans in the order %v\nwant %d in %v", limit, len(got), got, len(want), want)
			}
		}
		if last, _ := list(t, x.m, schema.ListPlans{Order: schema.OrderDue, Station: "z"}, 10); !slices.Equal(ids(last), []string{"a", "b"}) {
			t.Fatalf("those that are not due are in the order %v", ids(last))
		}
	}
	check()
	x.step(event.Ask{From: "user", What: command.RemovePlan{Name: schema.PlanName{Station: "s0", PlanID: "p000"}}})
	x.step(event.Ask{From: "user", What: command.SkipPlan{Name: schema.PlanName{Station: "s1", PlanID: "p001"}}})
	x.step(event.Ask{From: "user", What: command.PausePlan{Name: schema.PlanName{Station: "s2", PlanID: "p002"}}})
	x.step(event.Ask{From: "user", What: command.ResumePlan{Name: schema.PlanName{Station: "s2", PlanID: "p002"}}})
	x.create(`{"station":"s0","plan_id":"new","command":"c","plan_type":"time","plan_time":"2026-03-01T12:30:00Z"}`)
	check()
	if first, _ := list(t, x.m, schema.ListPlans{Order: schema.OrderDue, Station: "s0"}, 1); ids(first)[0] != "new" {
		t.Errorf("the first is %s", ids(first)[0])
	}
}
