package machine

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// open asks for open runs, in as many queries as it takes.
func (x *bench) open(ask command.ListOpen) (all []command.OpenRun, queries int) {
	x.Helper()
	for {
		queries++
		slice := x.last(x.step(event.Ask{From: "user", What: ask})).(event.Answer).Body.(command.OpenSlice)
		all = append(all, slice.Open...)
		if ask.After = slice.Last; !slice.More {
			return all, queries
		}
	}
}

// What is under way is shown whatever the status of its plan, and what waits for its first execution; what
// waits for a retry is not.
func TestOpenRunsOfAllPlans(t *testing.T) {
	x := newBench(t)
	reply := func(plan string, r schema.Reply) {
		about := aboutOf(x.dispatched(plan))
		x.step(event.ReplyReceived{About: about, Reply: r})
	}
	begun := x.now
	reply(`{"station":"a","plan_id":"runs","command":"c","plan_type":"none"}`, schema.Reply{State: schema.StateRunning, WorkerID: "w1"})
	reply(`{"station":"a.b","plan_id":"paused","command":"c","plan_type":"none"}`, schema.Reply{State: schema.StateRunning, WorkerID: "w2"})
	reply(`{"station":"a.b","plan_id":"closed","command":"c","plan_type":"none"}`, schema.Reply{State: schema.StateWaiting, WorkerID: "w2"})
	reply(`{"station":"a","plan_id":"failed","command":"c","plan_type":"none","retry":{"strategy":"fixed_period","interval":600}}`, schema.Reply{State: schema.StateError})
	x.create(`{"station":"z","plan_id":"idle","command":"c","plan_type":"cron","cron":"0 9 * * *"}`)
	x.dispatched(`{"station":"z","plan_id":"turn","command":"c","plan_type":"none","overlap":"queue"}`)
	for _, c := range []command.Command{
		command.PausePlan{Name: schema.PlanName{Station: "a.b", PlanID: "paused"}}, command.ClosePlan{Name: schema.PlanName{Station: "a.b", PlanID: "closed"}},
		command.TriggerPlan{Name: schema.PlanName{Station: "z", PlanID: "turn"}},
	} {
		x.step(event.Ask{From: "user", What: c})
	}
	for _, tt := range []struct {
		ask  command.ListOpen
		want string
	}{
		{command.ListOpen{}, "a.b/closed 1 waiting w2 true, a.b/paused 1 running w2 true, a/runs 1 running w1 true, z/turn 1 dispatched  true, z/turn 2 waiting  false"},
		{command.ListOpen{Station: "a"}, "a/runs 1 running w1 true"},
		{command.ListOpen{Station: "a.>"}, "a.b/closed 1 waiting w2 true, a.b/paused 1 running w2 true"},
		{command.ListOpen{Before: begun}, ""},
		{command.ListOpen{Before: begun.Add(time.Second), Station: "a"}, "a/runs 1 running w1 true"},
		{command.ListOpen{After: 1 << 40}, ""},
	} {
		all, _ := x.open(tt.ask)
		slices.SortFunc(all, func(a, b command.OpenRun) int {
			return cmp.Or(cmp.Compare(a.Station+"/"+a.PlanID, b.Station+"/"+b.PlanID), cmp.Compare(a.N, b.N))
		})
		got := ""
		for i, o := range all {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s/%s %d %s %s %v", o.Station, o.PlanID, o.N, o.State, o.WorkerID, o.Start.Equal(begun))
		}
		if got != tt.want {
			t.Errorf("%+v:\ngot  %s\nwant %s", tt.ask, got, tt.want)
		}
	}
}

// A look goes through some plans, and the next one goes on behind them.
func TestOpenRunsComeInSlices(t *testing.T) {
	x := newBench(t)
	for i := range 2*openSlice + 10 {
		x.create(fmt.Sprintf(`{"station":"s","plan_id":"p%d","command":"c","plan_type":"none"}`, i))
		x.create(fmt.Sprintf(`{"station":"s","plan_id":"idle%d","command":"c","plan_type":"cron","cron":"0 9 * * *"}`, i))
	}
	all, queries := x.open(command.ListOpen{})
	seen := map[string]bool{}
	for _, o := range all {
		seen[o.PlanID] = true
	}
	if len(all) != 2*openSlice+10 || len(seen) != len(all) || queries != 3 {
		t.Errorf("%d executions of %d plans in %d queries", len(all), len(seen), queries)
	}
}
