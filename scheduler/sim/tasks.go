package sim

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Tasks: plans of a station that a task type made, which agents fetch and report on, and persons
// end.

// jobStation is the station of a task type. Now and then its agents subscribe.
const jobStation = "job"

// task makes the plan of a task, as package task does.
func (u *users) task(name schema.PlanName) *schema.Definition {
	w := u.w
	fields := map[string]any{
		"station": name.Station, "plan_id": name.PlanID, "command": schema.TaskCommand, "creator": "0",
		"messages": []any{"the task"}, "plan_type": "none",
	}
	maybe := u.maybe(fields)
	maybe(3, "on_conflict", one(w, "keep", "error"))
	maybe(3, "category", "somebody's")
	if w.chance(0.3) {
		fields["plan_type"], fields["no_keep"] = "time", true
		fields["plan_time"] = w.now.Add(one(w, w.within(20*time.Second)-10*time.Second, w.within(time.Hour)))
	}
	u.slotsOf(fields)
	return u.parse(fields)
}

// typed makes a task type of a station's record.
func typed(s *schema.Station) *schema.Station {
	s.TaskType = &schema.TaskType{Code: s.Station}
	return s
}

// endTask has a person end a plan that may be a task.
func (u *users) endTask(name schema.PlanName) command.Command {
	u.remarks++
	return command.EndTask{Name: name, Processed: u.w.chance(0.5), Remark: one(u.w, "", fmt.Sprintf("remark %d", u.remarks))}
}

// report sends a reply as a command, and again until it is answered.
func (k *worker) report(e *effort, key *replyKey, times int) {
	w := k.w
	reply := w.replyOf(e, key.state)
	w.users.ask(command.ReportTask{About: e.about, Reply: reply.Reply}, func(body any, _ error, unknown bool) {
		answer, _ := body.(command.TaskReported)
		switch {
		case !unknown:
			e.acked = true
			e.stopped = e.stopped || answer.Ack.Cancel
		case times > 1:
			k.report(e, key, times-1)
		}
	})
}

// reported checks that an accepted report is durable, and that the view shows no more than that.
func (c *checker) reported(what command.ReportTask, answer command.TaskReported) {
	if answer.Task.Plan != nil {
		c.plans.isKnown(schema.PlanName{Station: what.About.Station, PlanID: what.About.PlanID}, answer.Task.Plan.State)
	}
	if incarnation := c.plans.nonces[what.About.Nonce]; answer.Ack.Accepted {
		c.taken(execID{incarnation, what.About.N}, what.Reply.State)
	}
}

// endedByPerson checks that a task ended by a person is gone, with the person's reason.
func (b *planModel) endedByPerson(what command.EndTask) {
	if b.current[what.Name] != nil {
		b.w.fail("%s is ended by a person, and still there", what.Name)
	}
	lives := b.byName[what.Name]
	l := lives[len(lives)-1]
	why := schema.ReasonManual
	if what.Processed {
		why = schema.ReasonProcessed
	}
	for _, r := range l.results {
		remark := ""
		if r.Content.Kind() == wire.KindText {
			remark, _ = r.Content.Text()
		}
		kept := remark == what.Remark || l.plan.Log == schema.LogTrigger
		if r.Final && r.State == schema.StateCancelled && r.Reason == why && kept {
			return
		}
		if r.Final && l.blamed {
			return // it was done, and there only because a person had not looked at its panic
		}
	}
	if l.record.Halt != "" && len(l.record.Open) == 0 {
		return // it was settled before, and waited for a person all the same
	}
	b.w.fail("%s is ended by a person (%s: %q), and no result shows that", what.Name, why, what.Remark)
}
