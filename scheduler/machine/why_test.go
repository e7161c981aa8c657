package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// holds returns for each open occurrence of a plan the reason that it waits, and the plan or
// number that it waits for.
func (x *bench) holds(name schema.PlanName) (all []string) {
	p := x.m.part.Plans[name]
	for _, o := range p.Open {
		h := admission.HoldOf(&x.m.part, p, o, unit.MomentOf(x.now))
		all = append(all, fmt.Sprintf("%d: %s by %d.%d%s", o.K, h.For, h.By.Occurrence, h.By.N, h.By.Station))
	}
	return all
}

// The reason that holds up an occurrence is shown with the thing that it waits for.
func TestHoldNamesItsReason(t *testing.T) {
	const open = `{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1`
	p := schema.PlanName{Station: "s", PlanID: "p"}
	ask := func(c command.Command) func(*bench) {
		return func(x *bench) { x.step(event.Ask{From: "user", What: c}) }
	}
	reply := func(reply schema.Reply) func(*bench) {
		return func(x *bench) { x.step(event.ReplyReceived{About: about(x.m, x.m.part.Plans[p], 1), Reply: reply}) }
	}
	for _, c := range []struct {
		name, plan string
		then       func(*bench)
		want       string
	}{
		{"under way", open + `}`, nil, "[1: running by 1.1]"},
		{"no worker", open + `}`, func(x *bench) { x.step(event.NoResponders{About: about(x.m, x.m.part.Plans[p], 1)}) }, "[1: worker by 1.1]"},
		{"an error", open + `}`, reply(schema.Reply{State: schema.StateError}), "[1: retry by 0.0]"},
		{"a failure", open + `}`, reply(schema.Reply{State: schema.StateFailure}), "[1: person by 0.0]"},
		{"a closed plan", open + `}`, ask(command.ClosePlan{Name: p}), "[1: close by 0.0]"},
		{"its turn", open + `,"overlap":"queue"}`, ask(command.TriggerPlan{Name: p}), "[1: running by 1.1 0: turn by 1.1]"},
		{"its plan's limit", open + `,"overlap":"allow","max_concurrency":1}`, ask(command.TriggerPlan{Name: p}), "[1: running by 1.1 0: room by 1.1]"},
		{"a pause", open + `}`, func(x *bench) {
			reply(schema.Reply{State: schema.StateError})(x)
			ask(command.PausePlan{Name: p})(x)
		}, "[1: resume by 0.0]"},
		{"a claim", `{"plan_id":"p","station":"pull","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1}`, nil, "[1: claim by 0.0pull]"},
		{"the station's limit", `{"plan_id":"p","station":"one","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1}`, nil, "[1: room by 0.0one]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newBench(t)
			x.station(`{"station":"pull","kind":"pull"}`)
			x.station(`{"station":"one","max_concurrency":1}`)
			x.create(`{"plan_id":"first","station":"one","command":"c","plan_type":"none"}`)
			x.create(c.plan)
			x.now = x.now.Add(1100 * time.Millisecond)
			x.looks()
			if c.then != nil {
				c.then(x)
			}
			name := p
			for n := range x.m.part.Plans {
				if n.PlanID == "p" {
					name = n
				}
			}
			if got := fmt.Sprint(x.holds(name)); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

// A verdict refers to the occurrence that the due one ran into.
func TestVerdictNamesItsReason(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1,"overlap":"queue"}`)
	x.now = x.now.Add(1100 * time.Millisecond)
	x.looks()
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
	want := admission.Verdict{Do: admission.Wait, By: admission.Ref{
		Occurrence: 1, N: 1, State: schema.StateDispatched, Since: unit.MomentOf(x.now),
	}}
	if got := admission.VerdictOn(&x.m.part, p); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
