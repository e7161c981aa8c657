package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Tick with nothing else to do finds a plan whose queue was not set, whichever queue that is,
// counts it and puts it right; as long as nothing differs it counts nothing.
func TestAnIdleTickPutsRightWhatDiffers(t *testing.T) {
	for name, plant := range map[string]func(*Machine, *state.Plan){
		"timer queue": func(m *Machine, p *state.Plan) { m.part.TimerQueue.Set(p.Handle, 0) },
		"too late":    func(m *Machine, p *state.Plan) { m.part.TimerQueue.Set(p.Handle, m.part.TimerQueue.At(p.Handle)+1) },
		"undelivered": func(m *Machine, p *state.Plan) { m.part.Undelivered.Set(p.Handle, []waiting.Awaited{{Name: "s"}}) },
		"counted": func(m *Machine, p *state.Plan) {
			p.Tallied++
			p.Station.UnderWay++
		},
		"counts": func(m *Machine, p *state.Plan) {
			m.part.Book.Set(p.Handle, m.part.CountsOf(p.Station), tally.ShapeOf(schema.StatusPaused, p.Type, "", false))
		},
		"line": func(_ *Machine, p *state.Plan) { p.Station.Line.Enter(p.Handle, 1) },
		"offer": func(m *Machine, p *state.Plan) {
			q := m.part.Plans[schema.PlanName{Station: "pull", PlanID: "q"}]
			q.WithdrawAll()
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := newBench(t)
			x.station(`{"station":"pull","kind":"pull"}`)
			x.create(`{"plan_id":"q","station":"pull","command":"c","plan_type":"none"}`)
			x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":3600,"plan_repet":-1}`)
			p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
			idle := func(want uint64) {
				t.Helper()
				x.now = x.now.Add(time.Second)
				x.step(event.Tick{})
				x.looks()
				if got := x.m.part.Counts.Differences; got != want {
					t.Errorf("%d plans were put right, want %d", got, want)
				}
				if differ := x.m.Audit(x.now); differ != nil {
					t.Errorf("left is %v", differ)
				}
			}
			idle(0)
			plant(x.m, p)
			if differ := x.m.Audit(x.now); len(differ) != 1 {
				t.Errorf("what differs is %v", differ)
			}
			idle(1)
			idle(1)
			if p.Tallied != 0 || p.IsInLine() || x.m.part.TimerQueue.At(p.Handle) <= unit.MomentOf(x.now) {
				t.Errorf("%+v is not put right", p)
			}
		})
	}
}

// All plans come by, a slice at a time, and not more often than so many a second.
func TestAuditsGoRound(t *testing.T) {
	const plans = 3*auditSlice + 1
	x := newBench(t)
	for i := range plans {
		x.create(fmt.Sprintf(`{"plan_id":"p%d","station":"s","command":"c","plan_type":"second","plan_value":3600,"plan_repet":-1}`, i))
	}
	x.now = x.now.Add(time.Second)
	for _, p := range x.m.part.Plans {
		x.m.part.TimerQueue.Set(p.Handle, x.m.part.TimerQueue.At(p.Handle)+1)
	}
	for want := uint64(auditSlice); ; want += auditSlice {
		for range 3 {
			x.step(event.Tick{})
		}
		if got := x.m.part.Counts.Differences; got != min(want, plans) {
			t.Fatalf("%d plans were put right, want %d", got, min(want, plans))
		}
		if want >= plans {
			return
		}
		x.now = x.now.Add(time.Duration(auditRest) * time.Microsecond)
	}
}

// An execution that had no responders is given to a worker that its plan names now and that
// appears, though others were named when it was published.
func TestAwaitedWorkersFollowTheDefinition(t *testing.T) {
	const plan = `{"plan_id":"p","station":"s","command":"c","plan_type":"none","worker_ids":[%q],"on_conflict":"update"}`
	x := newBench(t)
	x.create(fmt.Sprintf(plan, "w1"))
	x.looks()
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
	x.step(event.NoResponders{About: about(x.m, p, 1)})
	x.create(fmt.Sprintf(plan, "w2"))
	x.step(event.WorkerSeen{Worker: schema.Worker{WorkerID: "w2", Stations: []string{"t"}}})
	for _, e := range x.step(event.Tick{}) {
		if d, is := e.(event.Dispatch); is && d.Execution.N == 1 {
			return
		}
	}
	t.Error("nothing is sent when the worker appears")
}
