package machine

import (
	"fmt"
	"strings"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

// claims carries out a command about claimed work; false: it is none.
//
//	work W [STATION…]  worker W claims; [limit=N] [wait=SECONDS] [tenant=T] [category=C]
//	                   [caller=C] [creator=C] [label=V of k] [id=ID] [tasks] [views]
//	stop ID            the wait of a claim ends
//	return P N         a handout that had no subscriber
func (s *story) claims(d *datadriven.TestData) bool {
	switch d.Cmd {
	case "work":
		s.work(d)
	case "stop":
		s.ask(command.StopClaim{ID: d.CmdArgs[0].String()})
	case "return":
		about := s.about(d)
		s.ask(command.ReturnWork{Executions: []command.ClaimedName{
			{Name: schema.PlanName{Station: about.Station, PlanID: about.PlanID}, N: about.N, Nonce: about.Nonce},
		}})
	default:
		return false
	}
	s.until(s.now)
	return true
}

func (s *story) work(d *datadriven.TestData) {
	c := command.ClaimWork{WorkerID: d.CmdArgs[0].Key, Limit: 1}
	for _, arg := range d.CmdArgs[1:] {
		if len(arg.Vals) == 0 && arg.Key != "views" && arg.Key != "tasks" {
			c.Stations = append(c.Stations, arg.Key)
		}
	}
	seconds, label := 0, ""
	d.MaybeScanArgs(s.t, "limit", &c.Limit)
	d.MaybeScanArgs(s.t, "wait", &seconds)
	d.MaybeScanArgs(s.t, "tenant", &c.TenantID)
	d.MaybeScanArgs(s.t, "category", &c.Category)
	d.MaybeScanArgs(s.t, "caller", &c.Caller)
	d.MaybeScanArgs(s.t, "creator", &c.Creator)
	d.MaybeScanArgs(s.t, "id", &c.ID)
	if d.MaybeScanArgs(s.t, "label", &label) {
		c.Labels = map[string]string{"k": label}
	}
	c.Tasks, c.Views = d.HasArg("tasks"), d.HasArg("views")
	c.Wait = time.Duration(seconds) * time.Second
	s.step(event.Ask{From: c.WorkerID, What: c})
}

// traceClaimGranted shows the executions that a claim got.
func (s *story) traceClaimGranted(e event.ClaimGranted) {
	if len(e.Executions) == 0 {
		s.print("%s ← no work", e.To)
	}
	for i, x := range e.Executions {
		due := fmt.Sprintf("due %d", x.Occurrence)
		if x.Trigger != 0 {
			due = fmt.Sprintf("triggered as %d", x.Trigger)
		}
		shown := ""
		if len(e.Views) > i {
			shown = fmt.Sprintf(", %s with %d open", e.Views[i].State.Status, len(e.Views[i].State.Open))
		}
		s.print("%s ← %s  %s → execution %d.%d, priority %d, start by %s, deadline %s%s%s", e.To, x.Name, due, x.N, x.Attempt,
			x.Priority, clock(x.StartBy), clock(x.Deadline), handedOver(x), shown)
	}
}

// open shows where the executions of a plan stand.
func (s *story) open(name schema.PlanName) {
	p := s.m.part.Plans[name]
	if p == nil {
		s.print("%s is gone", name)
		return
	}
	shown := view.Plan(p, unit.MomentOf(s.now))
	s.print("%s is %s", name, shown.State.Status)
	for _, o := range shown.State.Open {
		var list []string
		for _, x := range o.Executions {
			one := fmt.Sprintf("%d.%d %s %s", x.N, x.Attempt, x.WorkerID, x.State)
			if !x.PingExpireTime.IsZero() {
				one += " until " + clock(x.PingExpireTime)
			}
			list = append(list, one)
		}
		s.print("  due %d: %s", o.Occurrence, strings.Join(list, ", "))
	}
}
