package machine

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/presence"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A worker is shown with the executions that it has, and with how many ended there lately.
func TestAWorkerIsShownWithItsExecutions(t *testing.T) {
	x := newBench(t)
	get := func() command.FoundWorker {
		t.Helper()
		return x.last(x.step(event.Ask{From: "user", What: command.GetWorker{WorkerID: "w1"}})).(event.Answer).Body.(command.FoundWorker)
	}
	if w := get(); w.There || len(w.Executions) > 0 {
		t.Fatalf("before it came: %+v", w)
	}
	build := schema.WorkerBuild{Host: "h", Library: "l 1", Since: x.now}
	x.step(event.StationPresence{Worker: schema.Worker{WorkerID: "w1", Version: "v1", WorkerBuild: build}, Station: "s"})
	first := x.dispatched(`{"station":"s","plan_id":"p","command":"c","plan_type":"none"}`)
	reply := func(r schema.Reply) {
		x.step(event.ReplyReceived{About: aboutOf(first), Reply: r})
	}
	reply(schema.Reply{State: schema.StateRunning, WorkerID: "w1", Progress: new(40.0)})
	w := get()
	if !w.There || w.Version != "v1" || w.WorkerBuild != build || len(w.Executions) != 1 {
		t.Fatalf("it has one: %+v", w)
	}
	if e := w.Executions[0]; e.PlanID != "p" || e.State != schema.StateRunning || e.Since.IsZero() || e.Progress == nil || *e.Progress != 40 {
		t.Errorf("its execution is %+v", e)
	}
	reply(schema.Reply{State: schema.StateOK, WorkerID: "w1"})
	if w = get(); len(w.Executions) != 0 || w.Rate1m != 1 {
		t.Errorf("when it has ended: %+v", w)
	}
	x.now = x.now.Add(presence.AbsentAfter + time.Second)
	if get().There {
		t.Error("it is there, though it is silent")
	}
}
