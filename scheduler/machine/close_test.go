package machine

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A worker's late ok waits for the definition of its plan, which was closed meanwhile. The
// no-responders report of its second attempt does not come before it.
func TestWaitingReplyComesBeforeNoResponders(t *testing.T) {
	s := newStory(t)
	s.m.part.Config.Large, s.m.part.Config.LargeRoom = 200, 1
	s.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none","exec_timeout":5,"messages":["` + strings.Repeat("m", 400) +
		`"],"retry":{"strategy":"fixed_period","interval":1,"jitter":0}}`)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	p := s.m.part.Plans[name]
	raw := bytes.Clone(p.Raw)
	var asked []event.Fetch
	step := func(ev event.Event) {
		s.step(ev)
		for _, e := range s.b.Effects {
			if f, ok := e.(event.Fetch); ok {
				asked = append(asked, f)
			}
		}
	}
	read := func() {
		for len(asked) > 0 {
			f := asked[0]
			asked = asked[1:]
			step(event.Fetched{Fetch: f, Raw: raw})
		}
	}
	for _, later := range []time.Duration{time.Second, 6 * time.Second, 2 * time.Second} { // it times out, and is tried again
		s.now = s.now.Add(later)
		step(event.Flush{Max: 100})
		step(event.Tick{})
		read()
	}
	step(event.Ask{From: "user", What: command.ClosePlan{Name: name}})
	if !p.Evicted {
		transition.Evict(&s.m.part, s.m.part.Definitions.Of[p])
	}
	s.out.Reset()
	step(event.ReplyReceived{From: "worker", About: about(s.m, p, 1), Reply: schema.Reply{State: schema.StateOK}})
	step(event.NoResponders{About: about(s.m, p, 2)})
	if got := s.out.String(); !s.m.part.Definitions.Waits(p) || strings.Contains(got, "result") {
		t.Fatalf("before the definition is read:\n%s", got)
	}
	read()
	s.until(s.now)
	if got := s.out.String(); !strings.Contains(got, "of 1: ok, late, of execution 1") || s.m.part.Plans[name] != nil {
		t.Errorf("when it is:\n%s", got)
	}
}

// A leader dies when a worker has returned one of two runs of a plan that was closed, and
// before it has skipped it.
func TestANewLeaderSkipsWhatWasReturnedAfterAClose(t *testing.T) {
	s := newStory(t)
	s.station(`{"station":"s","kind":"pull"}`)
	s.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"minute","plan_value":5,"plan_repet":-1,"overlap":"parallel","exec_timeout":0}`)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	for range 2 {
		s.ask(command.TriggerPlan{Name: name})
	}
	s.step(event.Ask{From: "w", What: command.ClaimWork{WorkerID: "w", Limit: 2}})
	s.until(s.now)
	s.ask(command.ClosePlan{Name: name})
	nonce := about(s.m, s.m.part.Plans[name], 1).Nonce
	s.ask(command.ReturnWork{Executions: []command.ClaimedName{{Name: name, N: 1, Nonce: nonce}}})
	s.epoch++
	s.lead()
	s.out.Reset()
	s.until(s.now)
	if got := s.out.String(); !strings.Contains(got, "result 1.0 of manual 0.1: skipped (manual)") {
		t.Errorf("the new leader:\n%s", got)
	}
}

// The occurrences that a close has to skip go into as many appends as it takes.
func TestSkippingAfterACloseIsSplit(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1,"overlap":"parallel","exec_timeout":1000}`)
	x.now = x.now.Add(time.Hour)
	x.looks()
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
	for _, o := range p.Open {
		x.step(event.NoResponders{About: about(x.m, p, o.Live[0].N)})
	}
	p.Closing = true
	transition.Set(&x.m.part, p, unit.MomentOf(x.now), partition.Changed)
	results, appends := 0, 0
	for !p.Removed {
		x.b.Seal()
		const room = 20 << 10
		small := batch.New(room)
		small.Reset(x.b.Number + 1)
		x.b = small
		x.m.Step(x.now, event.Tick{}, x.b)
		if size := len(x.b.Seal()); size > room || x.b.Results == 0 {
			t.Fatalf("an append for %d bytes has %d, and %d results", room, size, x.b.Results)
		}
		results, appends = results+x.b.Results, appends+1
	}
	if results != state.MaxOpen || appends < 2 {
		t.Errorf("%d results in %d appends", results, appends)
	}
}
