package machine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A person's decision about a large task fits in one append, wherever the task stands, and
// history has the task whole.
func TestTheEndOfALargeTaskRepeatsItWhole(t *testing.T) {
	name := schema.PlanName{Station: "t", PlanID: "p"}
	remark := strings.Repeat("\x01", 4<<10) // six bytes each in JSON
	for _, stands := range []string{"waiting", "executing", "pending"} {
		x := newBench(t)
		zero := int64(0)
		x.step(event.Ask{From: "", What: command.PutStation{Station: &schema.Station{
			Station: "t", TaskType: &schema.TaskType{Code: "t"},
			Policy: schema.Policy{Retry: &schema.Retry{MaxErrorCount: &zero, NeedManual: true}},
		}}})
		start := x.now
		if stands == "waiting" {
			start = start.Add(time.Hour)
		}
		x.create(fmt.Sprintf(`{"plan_id":"p","station":"t","command":"task","messages":["%s"],"plan_type":"time","no_keep":true,"plan_time":%q}`,
			strings.Repeat("m", 500<<10), start.Format(time.RFC3339)))
		x.step(event.Tick{})
		if stands == "pending" {
			x.step(event.Ask{From: "agent", What: command.ReportTask{
				About: about(x.m, x.m.part.Plans[name], 1),
				Reply: schema.Reply{State: schema.StateError},
			}})
		}
		ended := false
		for _, e := range x.step(event.Ask{From: "user", What: command.EndTask{Name: name, Processed: stands == "pending", Remark: remark}}) {
			if p, ok := e.(event.Publish); ok {
				ended = len(p.Body) > 500<<10
			}
		}
		if x.m.part.Plans[name] != nil || !ended {
			t.Errorf("%s: the task is there: %v, its end is reported whole: %v", stands, x.m.part.Plans[name] != nil, ended)
		}
	}
}

// A task that waits for its time costs no more than any plan.
func TestAnIdleTaskHasNoOptions(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"t","command":"task","plan_type":"time","no_keep":true,"plan_time":"2100-01-01T00:00:00Z"}`)
	if p := x.m.part.Plans[schema.PlanName{Station: "t", PlanID: "p"}]; p.Opts != nil || p.Marks != nil || p.Open != nil {
		t.Errorf("it is kept as %+v", p)
	}
}

// Work whose result is too large to be kept was done. Doing it again brings the same, so a task is
// not; a plan that is no task is tried again under its policy.
func TestATaskWhoseResultIsTooLargeIsNotDoneAgain(t *testing.T) {
	large := wire.Text(wire.JSON, strings.Repeat("x", schema.MaxReplyBytes))
	for _, c := range []struct {
		command string
		manual  bool
		reply   schema.Reply
		want    string
	}{
		{"task", false, schema.Reply{State: schema.StateOK, Content: large}, "failure retries too_large final=true"},
		{"task", true, schema.Reply{State: schema.StateOK, Content: large}, "error too_large  final=false pending"},
		{"task", false, schema.Reply{State: schema.StateError, Error: large}, "error too_large  final=false retrying"},
		{"sweep", false, schema.Reply{State: schema.StateOK, Content: large}, "error too_large  final=false retrying"},
	} {
		x := newBench(t)
		name := schema.PlanName{Station: "t", PlanID: "p"}
		x.step(event.Ask{From: "", What: command.PutStation{Station: &schema.Station{
			Station: "t", TaskType: &schema.TaskType{Code: "t"},
			Policy: schema.Policy{Retry: &schema.Retry{NeedManual: c.manual}},
		}}})
		x.create(fmt.Sprintf(`{"plan_id":"p","station":"t","command":%q,"plan_type":"none"}`, c.command))
		x.step(event.Tick{})
		got := ""
		for _, e := range x.step(event.ReplyReceived{About: about(x.m, x.m.part.Plans[name], 1), Reply: c.reply}) {
			if p, ok := e.(event.Publish); ok {
				var r schema.Result
				if err := wire.DecodeLoose(wire.Trust(p.Enc, p.Body), &r); err != nil {
					t.Fatal(err)
				}
				got = fmt.Sprintf("%s %s %s final=%t", r.State, r.Reason, r.Cause, r.Final)
			}
		}
		if p := x.m.part.Plans[name]; p != nil {
			got += " " + string(p.Status())
		}
		if got != c.want {
			t.Errorf("%s, need_manual %t: answered %s: %q, want %q", c.command, c.manual, c.reply.State, got, c.want)
		}
	}
}

// The last error of a task is bounded, also when it comes in an encoding that makes it larger,
// and so is the cost of an event.
func TestTheLastErrorOfATaskIsBounded(t *testing.T) {
	for name, reply := range map[string]string{
		"short": "no such codec", "long": strings.Repeat("é", 2<<10), "escaped": strings.Repeat("\x01", schema.MaxErrorInfo),
	} {
		x := newBench(t)
		plan := schema.PlanName{Station: "t", PlanID: "p"}
		x.step(event.Ask{From: "", What: command.PutStation{Station: &schema.Station{
			Station: "t", TaskType: &schema.TaskType{Code: "t"},
			Policy: schema.Policy{Retry: &schema.Retry{NeedManual: true, MaxErrorCount: new(int64)}},
		}}})
		x.create(`{"plan_id":"p","station":"t","command":"task","plan_type":"none"}`)
		x.step(event.Tick{})
		x.step(event.ReplyReceived{
			About: about(x.m, x.m.part.Plans[plan], 1),
			Reply: schema.Reply{State: schema.StateError, Error: wire.Text(wire.MsgPack, reply)},
		})
		e := x.m.turn(unit.MomentOf(x.now), nil).viewTask(plan).Plan.Trace.LastError
		if e == nil || len(e.Info) > schema.MaxErrorInfo || !strings.HasPrefix(reply, e.Info) || e.Cut != (len(e.Info) < len(reply)) {
			t.Errorf("%s: it keeps %+v", name, e)
		}
		x.step(event.Ask{From: "user", What: command.EndTask{Name: plan, Processed: true}})
		if x.m.part.Plans[plan] != nil {
			t.Errorf("%s: it was not ended", name)
		}
	}
}
