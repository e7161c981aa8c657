package machine

import (
	"fmt"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Tasks, periodic tasks, HTTP jobs and merge queues are plans whose definitions their own services write and
// read back. Another definition in their place would hide them from those services, or have their
// executions carry content that no worker of theirs can read.

// keptBy refuses a definition in place of old that the service which keeps p would not write.
func keptBy(p *state.Plan, old, d *schema.Definition) error {
	var is, remedy string
	switch {
	case p.Inbox != nil && p.Inbox.Key != "":
		if p.MadeOf(d) && times(&old.Plan) == times(&d.Plan) {
			return nil
		}
		is = "a merge queue"
		remedy = "queues.push with update always sets its time, queues.retry hands it over now, and queues.delete drops it"
	case isPeriodic(&old.Plan):
		if isPeriodic(&d.Plan) && saysAsItsTask(&d.Plan, &old.Plan) {
			return nil
		}
		is, remedy = "a periodic task", "periodic_tasks.put changes it"
	case isTask(&old.Plan):
		if isTask(&d.Plan) && isDueAsItsTask(&d.Plan, &old.Plan) {
			return nil
		}
		is, remedy = "a task", "tasks.submit with on_conflict update changes it, and tasks.cancel ends it"
	case isJob(&old.Plan):
		if isJob(&d.Plan) && textOf(old.Plan.Messages[0], "name") == textOf(d.Plan.Messages[0], "name") {
			return nil
		}
		is, remedy = "an HTTP job", "keep its name in the message and its type cron, or change it with PUT /api/v1/tasks/"+p.Name.PlanID
	case p.Inbox != nil && d.Plan.PlanType == schema.TypeTime && times(&old.Plan) != times(&d.Plan):
		return &schema.Error{
			Code: schema.CodeConflict, Field: "plan_time",
			Message: fmt.Sprintf("%s is due when its pushes say, so plan_time has no effect: plans.push with retime always sets it, and plans.trigger hands its items over now", p.Name),
		}
	default:
		return nil
	}
	return &schema.Error{
		Code: schema.CodeConflict, Field: "plan_id",
		Message: fmt.Sprintf("%s is %s, and this definition contradicts it: %s", p.Name, is, remedy),
	}
}

// isTask reports that a plan is a task as tasks.submit makes it.
func isTask(p *schema.Plan) bool {
	m, one := onlyMessage(p, schema.TaskCommand)
	return one && textOf(m, "id") == p.PlanID && textOf(m, "type") == p.Station
}

// isJob reports that a plan is an HTTP job of /api/v1/tasks.
func isJob(p *schema.Plan) bool {
	return p.Station == schema.HTTPStation && p.PlanType == schema.TypeCron && command.IsJobID(p.PlanID) &&
		len(p.Messages) == 1 && textOf(p.Messages[0], "name") != ""
}

// isPeriodic reports that a plan is the trigger of a periodic task.
func isPeriodic(p *schema.Plan) bool {
	m, one := onlyMessage(p, schema.PeriodicCommand)
	return one && command.PeriodicPrefix+textOf(m, "id") == p.PlanID && textOf(m, "type") == p.Station
}

// saysAsItsTask reports that the plan of a periodic task has the times and the owner of its task,
// or that old, in its place, had others, too. Without the check the next put would undo a change
// in silence.
func saysAsItsTask(p, old *schema.Plan) bool {
	m, _ := onlyMessage(p, schema.PeriodicCommand)
	var t schema.PeriodicTask
	if wire.DecodeLoose(m, &t) != nil {
		return false
	}
	return p.PlanType == schema.TypeCron && t.CronExpressions == p.Cron && t.Timezone == p.Timezone &&
		slices.Equal(t.Exclude, p.Exclude) && slices.Equal(t.Only, p.Only) && t.Excluded == p.Excluded &&
		isOf(p, old, t.TenantID, t.Category, t.Creator)
}

// isDueAsItsTask is saysAsItsTask of a task, which would show another start_time than its plan has.
func isDueAsItsTask(p, old *schema.Plan) bool {
	m, _ := onlyMessage(p, schema.TaskCommand)
	var t schema.TaskSubmit
	if wire.DecodeLoose(m, &t) != nil {
		return false
	}
	due := p.PlanType == schema.TypeTime && p.PlanTime.Equal(t.StartTime) || p.PlanType == schema.TypeNone && t.StartTime.IsZero()
	return (due || times(p) == times(old)) && isOf(p, old, t.TenantID, t.Category, t.Creator)
}

// isOf reports that a plan has the owner of its task, or that of old, in its place.
func isOf(p, old *schema.Plan, tenant, category, creator string) bool {
	return (p.TenantID == tenant || p.TenantID == old.TenantID) && (p.Category == category || p.Category == old.Category) &&
		(p.Creator == creator || p.Creator == old.Creator)
}

func onlyMessage(p *schema.Plan, command string) (wire.Value, bool) {
	if p.Command != command || len(p.Messages) != 1 {
		return wire.Value{}, false
	}
	return p.Messages[0], true
}

func textOf(m wire.Value, name string) string {
	text, _ := m.Field(name).Text()
	return text
}
