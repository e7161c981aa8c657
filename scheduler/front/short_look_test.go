package front_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// hayAndOneNeedle is a leader of so many plans, of which the last one matches; it looks at some in each
// request, and takes its time.
type hayAndOneNeedle struct {
	plans, slice int
	took         time.Duration
	table        table
}

func (l *hayAndOneNeedle) Ask(_ int, c command.Command, done func(any, error)) {
	time.Sleep(l.took)
	at := 0
	_, _ = fmt.Sscanf(c.(command.ListPlans).After.PlanID, "p%d", &at)
	to := min(at+l.slice, l.plans)
	out := command.PlanSlice{Last: schema.PlanName{Station: "s", PlanID: fmt.Sprintf("p%09d", to)}, More: to < l.plans, Looked: to - at}
	if !out.More && at < to {
		out.Plans = append(out.Plans, l.table.view(out.Last))
	}
	done(out, nil)
}

// A search of a large table is answered soon, with how far it came; of a small one it is whole,
// however slow the machine is.
func TestASearchOfManyPlansIsShort(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		l := &hayAndOneNeedle{plans: 250_000, slice: 25_000, took: 30 * time.Millisecond}
		d := openOn(t, ns, l)
		looked, pages := int64(0), 0
		var p schema.PlanPage
		for cursor := ""; pages == 0 || p.Next != ""; cursor = p.Next {
			began := time.Now()
			p = schema.PlanPage{}
			d.page(wire.JSON, "plans.list", `{"text":"needle","cursor":"`+cursor+`"}`, &p)
			if took := time.Since(began); took > 250*time.Millisecond {
				t.Errorf("page %d takes %v", pages, took)
			}
			if (p.Next == "") != (p.Complete == nil) || (p.Next == "") != (p.LookedAt == 0) || p.Complete != nil && *p.Complete {
				t.Errorf("page %d is %+v", pages, p)
			}
			looked += p.LookedAt
			pages++
		}
		if pages != 2 || looked != 125_000 || len(p.Plans) != 1 {
			t.Errorf("it is found on %d pages, behind %d plans: %+v", pages, looked, p)
		}
		l.plans, l.took = 90_000, 400*time.Millisecond
		d.page(wire.JSON, "plans.list", `{"text":"needle"}`, &p)
		if len(p.Plans) != 1 || p.Next != "" {
			t.Errorf("of a small table: %+v", p)
		}
	})
}
