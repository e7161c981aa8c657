package machine

import (
	"fmt"

	"github.com/cockroachdb/datadriven"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// tasks carries out a command about tasks; false: it is none.
//
//	type CODE           a task type, whose station is the record in the input
//	task CODE/ID        a task; more of its plan as JSON in the input
//	trace CODE/ID       how it stands
//	report CODE/ID N STATE
//	                    a worker's reply that came as a command; more as JSON in the input
//	end CODE/ID         a person cancels it; [processed] has done it; [remark=WORD]
func (s *story) tasks(d *datadriven.TestData) bool {
	switch d.Cmd {
	case "type":
		code := d.CmdArgs[0].String()
		record := schema.Station{Station: code, TaskType: &schema.TaskType{Code: code}}
		s.decode(d.Input, &record)
		s.ask(command.PutStation{Station: &record})
	case "rm": // "rm t type": as a task type
		s.ask(command.DeleteStation{Station: d.CmdArgs[0].String(), TaskType: d.HasArg("type")})
	case "task":
		name := s.name(d)
		plan := schema.Plan{
			Station: name.Station, PlanID: name.PlanID, Command: schema.TaskCommand, Schedule: schema.Schedule{PlanType: schema.TypeNone},
			Messages: []wire.Value{wire.Text(wire.JSON, "the task")},
		}
		s.decode(d.Input, &plan)
		v, err := wire.ValueOf(wire.JSON, plan)
		if err != nil {
			s.t.Fatal(err)
		}
		s.createAs(v.String(), true)
	case "trace":
		s.print("%s", taskText(s.m.turn(unit.MomentOf(s.now), nil).viewTask(s.name(d))))
	case "report":
		c := command.ReportTask{About: s.about(d), Reply: schema.Reply{State: schema.State(d.CmdArgs[2].String())}}
		s.decode(d.Input, &c.Reply)
		s.step(event.Ask{From: "agent", What: c})
	case "end":
		c := command.EndTask{Name: s.name(d), Processed: d.HasArg("processed")}
		d.MaybeScanArgs(s.t, "remark", &c.Remark)
		s.ask(c)
	default:
		return false
	}
	s.until(s.now)
	return true
}

func (s *story) decode(input string, dst any) {
	if input == "" {
		return
	}
	v, err := wire.Scan([]byte(input), wire.Limits{})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := wire.Decode(v, dst); err != nil {
		s.t.Fatal(err)
	}
}

// taskText shows how a task stands, without the nonce.
func taskText(task command.TaskView) string {
	delivering := ""
	if task.Delivering {
		delivering = ", a callback is under way"
	}
	if task.Plan == nil {
		return "it is over" + delivering
	}
	t := task.Plan.Trace
	n, _, _ := schema.ParseExec(t.Exec)
	return fmt.Sprintf("%s, accepted %s, %s, execution %d sent %s, deadline %s%s", task.Plan.State.Status,
		clock(t.Accepted), taskErrors(t), n, clock(t.Sent), clock(t.Deadline), delivering)
}

// taskErrors shows the failures of a task so far.
func taskErrors(t *command.TaskTrace) string {
	out := fmt.Sprintf("%d errors", t.Errors)
	if t.Lost > 0 {
		out += fmt.Sprintf(", %d lost", t.Lost)
	}
	if e := t.LastError; e != nil {
		out += fmt.Sprintf(" (%.40q at %s)", e.Info, clock(e.EndTime))
	}
	return out
}

// reportText shows the answer to a report.
func reportText(w command.TaskReported) string {
	effect := "taken, of no effect"
	if w.Ack.Accepted {
		effect = "accepted"
	}
	if w.Ack.Cancel {
		effect += ", stop"
	}
	return effect + "; " + taskText(w.Task)
}
