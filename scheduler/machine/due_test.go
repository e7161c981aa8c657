package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// thisHour is the time behind the acceptance of the plans, because until then none is like another.
var thisHour = command.DueSpan{From: noon.Unix() + 2, Until: noon.Add(time.Hour).Unix()}

// due asks for the occurrences in a span, in as many queries as it takes.
func (x *bench) due(t *testing.T, ask command.ListPlans) (groups []command.DueGroup, plans int64, queries int) {
	t.Helper()
	ask.Limit = 100
	for {
		queries++
		slice := x.last(x.step(event.Ask{From: "user", What: ask})).(event.Answer).Body.(command.PlanSlice)
		groups, plans = append(groups, slice.Groups...), plans+slice.Count
		if ask.After, ask.Due, ask.Span.Every = slice.Last, slice.Due, slice.Every; !slice.More {
			return groups, plans, queries
		}
	}
}

// Plans with the same times are told together. Plans that rest have no times.
func TestPlansWithTheSameTimesAreOneGroup(t *testing.T) {
	x := newBench(t)
	const grid, daily = `"plan_type":"minute","plan_value":10,"plan_repet":-1,"plan_time":"2026-03-01T12:05:00Z"`, `"plan_type":"cron","cron":"30 * * * *"`
	for i, rest := range []string{
		grid, grid, daily, daily, daily + `,"plan_repet":3`, daily + `,"exclude":["free"]`,
		`"plan_type":"time","plan_time":"2026-03-01T12:59:59.5Z"`, `"plan_type":"time","plan_time":"2026-03-01T13:00:00Z"`,
		grid + `,"paused":true`, `"plan_type":"second","plan_value":0,"plan_repet":-1`,
	} {
		if i == 5 {
			x.step(event.Ask{From: "user", What: command.PutCalendar{Calendar: &schema.Calendar{
				CalendarID: "free", Windows: []schema.CalendarWindow{{From: "12:00", To: "12:31"}},
			}}})
		}
		x.create(fmt.Sprintf(`{"station":"s","plan_id":"p%d","command":"c",%s}`, i, rest))
	}
	groups, plans, _ := x.due(t, command.ListPlans{Span: thisHour})
	if plans != 10 {
		t.Errorf("%d plans were looked at; want 10", plans)
	}
	got := ""
	for _, g := range groups {
		got += fmt.Sprintf("%d:%d-%d/%d rule %v own %v\n", g.Plans, max(0, g.First-noon.Unix()), max(0, g.Last-noon.Unix()), g.Step, !g.Plan.IsZero(), g.Own)
	}
	if want := "2:900-3300/600 rule false own false\n2:0-0/0 rule true own false\n1:0-0/0 rule true own true\n1:0-0/0 rule true own false\n1:3599-3599/0 rule false own false\n"; got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	each := command.ListPlans{Filter: schema.ListPlans{Prefix: "s/p"}}
	each.Span = thisHour
	each.Span.Each = true
	groups, _, _ = x.due(t, each)
	got = ""
	for _, g := range groups {
		got += fmt.Sprintf("%s %d from %d\n", g.PlanID, g.Count, g.First-noon.Unix())
	}
	if want := "p0 5 from 900\np1 5 from 900\np2 1 from 1800\np3 1 from 1800\np4 1 from 1800\np6 1 from 3599\n"; got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// A look at many plans comes in pieces, each of which is short, and finds each plan once.
func TestManyPlansAreCountedInPieces(t *testing.T) {
	x := newBench(t)
	for i := range 6000 {
		x.create(fmt.Sprintf(`{"station":"s%d","plan_id":"p%d","command":"c","plan_type":"cron","cron":"%d * * * *"}`, i%3, i, i%59+1))
	}
	for _, each := range []bool{false, true} {
		span := thisHour
		span.Each = each
		groups, plans, queries := x.due(t, command.ListPlans{Span: span})
		of := int64(0)
		for _, g := range groups {
			of += g.Plans
		}
		if plans != 6000 || of != 6000 || queries < 3 {
			t.Errorf("%+v: %d plans in groups of %d, with %d queries; want 6000, 6000, 3 or more", span, plans, of, queries)
		}
	}
}

// A sample has one plan in so many, whatever those have in common that were created by turns, and is
// told in pieces. A station alone is looked at whole, and so are few plans.
func TestASampleOfManyPlans(t *testing.T) {
	x := newBench(t)
	for i := range 40_000 {
		x.create(fmt.Sprintf(`{"station":"s%d","plan_id":"p%d","command":"c","plan_type":"cron","cron":"30 * * * *"}`, i%10, i))
	}
	for i := range 2000 { // they leave gaps
		x.step(event.Ask{From: "user", What: command.RemovePlan{Name: schema.PlanName{Station: "s0", PlanID: fmt.Sprintf("p%d", 10*i)}}})
	}
	span := thisHour
	span.Most = 4000
	of := map[string]int64{}
	groups, plans, queries := x.due(t, command.ListPlans{Span: span})
	for _, g := range groups {
		of[g.Station] += g.Plans
	}
	if plans < 3700 || plans > 3900 || queries < 2 || len(of) != 10 {
		t.Errorf("%d plans of %d stations, with %d queries; want 3,800, 10, 2 or more", plans, len(of), queries)
	}
	for station, n := range of {
		if want := map[bool]int64{true: 200, false: 400}[station == "s0"]; n < want*3/4 || n > want*5/4 {
			t.Errorf("%d plans of %s; want about %d", n, station, want)
		}
	}
	if _, plans, _ := x.due(t, command.ListPlans{Span: span, Filter: schema.ListPlans{Station: "s3"}}); plans != 4000 {
		t.Errorf("%d plans of one station; want all 4,000", plans)
	}
	span.Most = 40_001
	if _, plans, _ := x.due(t, command.ListPlans{Span: span}); plans != 38_000 {
		t.Errorf("%d plans where all were asked for; want 38,000", plans)
	}
}
