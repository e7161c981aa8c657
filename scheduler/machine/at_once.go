package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// runsAtOnce refuses a change to type none of a plan whose due occurrence would be skipped by
// it, because the plan would close without a run. p is the plan as it would be.
func (t *turn) runsAtOnce(p *state.Plan) error {
	q := admission.QuestionOf(t.Partition, p, p.Busy())
	do, why := admission.Admit(&q)
	var is, remedy string
	switch {
	case p.NeedsPerson():
		is, remedy = string(p.Status()), "reset it first"
	case p.IsPaused():
		is, remedy = string(p.Status()), "resume it first"
	case p.Skip != nil:
		is, remedy = "to skip what is due next", "say skip 0 first"
	case q.Load == state.Executing && q.Overlap == schema.BusySkip:
		is, remedy = "executing", "change it when that has ended, or say overlap queue"
	case do == admission.Skip:
		is, remedy = fmt.Sprintf("to skip what is due now (%s)", why), "change it later"
	default:
		return nil
	}
	return &schema.Error{
		Code: schema.CodeConflict, Field: "plan_type",
		Message: fmt.Sprintf("%s is %s, and a plan of type none is due once, now: it would be gone without a run; %s", p.Name, is, remedy),
	}
}

// comesAgain refuses another schedule of a plan that recurs, and still has occurrences, under
// which all of them have passed, because the plan would close without a run. Another end alone is
// meant so. fresh is the plan as it would be.
func (t *turn) comesAgain(p, fresh *state.Plan, was, is *schema.Plan) error {
	once := func(d *schema.Plan) bool { return d.PlanType == schema.TypeNone || d.PlanType == schema.TypeTime }
	if times(was) == times(is) || once(was) || once(is) || is.NoKeep || p.Next.K == 0 {
		return nil
	}
	passed, _ := p.Schedule.Passed(p.Prev, (t.Now + 1).Time())
	if _, has := fresh.Schedule.Next(calendar.Due{K: p.Prev.K + passed, At: t.Now.Time()}, (t.Now + 1).Time()); has {
		return nil
	}
	field := "plan_type"
	if !was.PlanTime.Equal(is.PlanTime) {
		field = "plan_time"
	}
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: field,
		Message: fmt.Sprintf("%s has no further occurrence with this %s, because the last one of the schedule has passed: say a later one, or close the plan", p.Name, field),
	}
}

// forgotten refuses a definition without a plan_type over a plan of another type than none,
// because it would run the plan once, at once, and end it, though all that is sure is that the
// type was left out. old is the plan as it is.
func forgotten(old, d *schema.Definition) error {
	if old.Plan.PlanType == schema.TypeNone || !d.Value().Field("plan_type").IsZero() {
		return nil
	}
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: "plan_type",
		Message: fmt.Sprintf("plan_type is missing, and %s/%s is of type %s: say that again to keep it, or plan_type none to run it once, now, and end it",
			old.Plan.Station, old.Plan.PlanID, old.Plan.PlanType),
	}
}
