package task

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// PeriodicPlanID is the id of the plan of a periodic task.
func PeriodicPlanID(id string) string { return command.PeriodicPrefix + id }

// PeriodicIDs is the range of the ids of all periodic tasks' plans.
var PeriodicIDs = command.IDRange{From: command.PeriodicPrefix, To: "periodic" + string('_'+1)}

// Labels of the plan have the task's fields that a plan lacks. Results repeat them, so that
// each shows the log mode of its time.
const (
	labelLog    = "log"                // the log mode, as the task has it
	labelStatus = command.PeriodicMark // "new" until the task is online for the first time, "offline" since it was taken off line
)

// NewPeriodic checks a periodic_tasks.put and makes the task of it, as a new one. The error is
// [schema.Errors]; errors of the times show when its plan is made, see [PeriodicError].
func NewPeriodic(q schema.PeriodicPut, newID func() string, now time.Time) (schema.PeriodicTask, error) {
	now = now.UTC().Truncate(time.Millisecond)
	t := schema.PeriodicTask{
		ID: q.ID, TenantID: q.TenantID, Type: q.Type, Creator: q.Creator,
		CronExpressions: q.CronExpressions, Timezone: q.Timezone, Status: schema.PeriodicNew,
		Exclude: q.Exclude, Only: q.Only, Excluded: q.Excluded,
		Log: q.Log, Category: q.Category, Ext: q.Ext, CreateDate: now, UpdateDate: now,
	}
	if t.ID == "" {
		t.ID = newID()
	}
	if t.Creator == "" {
		t.Creator = noCreator
	}
	if t.Log == "" {
		t.Log = schema.PeriodicLogNone
	}
	var c checker
	if err := CheckPeriodicID(t.ID); err != nil {
		c.add(err)
	}
	if err := schema.CheckStation(t.Type); err != nil {
		c.fail("type", "type %v; it names the station that is triggered", err)
	}
	c.text("tenant_id", t.TenantID)
	c.text("creator", t.Creator)
	c.text("category", t.Category)
	if t.CronExpressions == "" {
		c.fail("cron_expressions", "cron_expressions is missing; it is when the task is triggered, such as */5 * * * *")
	}
	switch t.Log {
	case schema.PeriodicLogNone, schema.PeriodicLogTrigger, schema.PeriodicLogTrans:
	default:
		c.fail("log", "log is %q; it takes none, trigger_log or trans_log", clip(string(t.Log)))
	}
	return t, c.err()
}

// CheckPeriodicID refuses an invalid id of a periodic task.
func CheckPeriodicID(id string) *schema.Error {
	err := schema.CheckID(id)
	if most := schema.MaxName - len(command.PeriodicPrefix); err == nil && len(id) > most {
		err = fmt.Errorf("has %d bytes; at most %d are allowed", len(id), most)
	}
	if err == nil {
		return nil
	}
	return &schema.Error{Code: schema.CodeInvalidRequest, Field: "id", Message: "id " + err.Error()}
}

// periodicPlan is the definition of a periodic task's plan.
type periodicPlan struct {
	PlanID    string                `json:"plan_id"`
	Station   string                `json:"station"`
	Command   string                `json:"command"`
	TenantID  string                `json:"tenant_id,omitempty"`
	Creator   string                `json:"creator,omitempty"`
	Category  string                `json:"category,omitempty"`
	Labels    map[string]string     `json:"labels"`
	Messages  []schema.PeriodicTask `json:"messages"`
	PlanType  schema.PlanType       `json:"plan_type"`
	Cron      string                `json:"cron"`
	Timezone  string                `json:"timezone,omitempty"`
	Exclude   []string              `json:"exclude,omitempty"`
	Only      []string              `json:"only,omitempty"`
	Excluded  schema.WhenExcluded   `json:"excluded,omitempty"`
	Retry     schema.Retry          `json:"retry"`
	OnFailure schema.WhenFailure    `json:"on_failure"`
	Log       schema.LogMode        `json:"log"`
	Paused    bool                  `json:"paused"`
}

// PeriodicPlan makes the plan of a task, in encoding enc. Its message has the task as online,
// because no other is triggered. A paused plan with marked belongs to a task that is new or
// offline; without it a person has paused the plan, see [Marked]. The error has the reasons why
// the plan is invalid, in the terms of a periodic task.
func PeriodicPlan(t schema.PeriodicTask, marked bool, enc wire.Encoding) (*schema.Definition, error) {
	plan := periodicPlan{
		PlanID: PeriodicPlanID(t.ID), Station: t.Type, Command: schema.PeriodicCommand,
		TenantID: t.TenantID, Creator: t.Creator, Category: t.Category,
		Labels:   map[string]string{labelLog: string(t.Log)},
		PlanType: schema.TypeCron, Cron: t.CronExpressions, Timezone: t.Timezone,
		Exclude: t.Exclude, Only: t.Only, Excluded: t.Excluded,
		// The outcome of one trigger has no effect on the next.
		Retry: schema.Retry{Strategy: schema.RetryNone}, OnFailure: schema.FailureSettle,
		Log: schema.LogTrigger, Paused: t.Status != schema.PeriodicOnline,
	}
	if t.Log == schema.PeriodicLogNone {
		plan.Log = schema.LogNone
	}
	if plan.Paused && marked {
		plan.Labels[labelStatus] = string(t.Status)
	}
	t.Status = schema.PeriodicOnline
	plan.Messages = []schema.PeriodicTask{t}
	v, err := wire.ValueOf(enc, plan)
	if err != nil {
		return nil, fmt.Errorf("encode the plan of a periodic task: %w", err)
	}
	d, err := schema.ParsePlan(v, schema.ParseOptions{})
	return d, PeriodicError(err)
}

// Marked reports that the plan of a periodic task has the mark of one that is new or offline. A
// paused plan without it was paused by plans.pause, or taken off line by a build that did not
// mark it, and plans.resume ends that.
func Marked(plan wire.Value) bool { return markOf(plan) != "" }

func markOf(plan wire.Value) string {
	mark, _ := plan.Field("labels").Field(labelStatus).Text()
	return mark
}

// PeriodicOf reads a task back from its plan; false for a plan that is none.
func PeriodicOf(v command.PlanView) (schema.PeriodicTask, bool) {
	var plan struct {
		PlanID   string                `json:"plan_id"`
		Station  string                `json:"station"`
		Command  string                `json:"command"`
		Messages []schema.PeriodicTask `json:"messages"`
	}
	if err := wire.DecodeLoose(v.Plan, &plan); err != nil || plan.Command != schema.PeriodicCommand || len(plan.Messages) != 1 {
		return schema.PeriodicTask{}, false
	}
	t := plan.Messages[0]
	if plan.PlanID != PeriodicPlanID(t.ID) || plan.Station != t.Type {
		return schema.PeriodicTask{}, false // a user's plan, made by plans.create
	}
	switch mark := markOf(v.Plan); {
	case v.State.Status != schema.StatusPaused:
		t.Status = schema.PeriodicOnline
	case mark == "", mark == string(schema.PeriodicOffline):
		t.Status = schema.PeriodicOffline
	default:
		t.Status = schema.PeriodicNew
	}
	return t, true
}

// periodicFields maps fields of a plan to those of a periodic task.
var periodicFields = map[string]string{
	"plan_id": "id", "station": "type", "cron": "cron_expressions", "messages": "ext",
}

// PeriodicError translates the errors of a plan into those of its periodic task.
func PeriodicError(err error) error {
	var c checker
	c.addAll(err, func(e *schema.Error) *schema.Error { return asked(renamed(e, periodicFields[e.Field])) })
	if len(c.errs) == 0 {
		return err
	}
	return c.errs
}
