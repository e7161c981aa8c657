package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A scheduler accepts plans that would be gone at once, or would run at once, because their
// fields demand it. A person who writes a time seldom means that, so it is refused here.

// refuseAtOnce refuses a plan of type none with a time to come, because it would run at
// once.
func refuseAtOnce(plan wire.Value) error {
	var p schema.Plan
	if err := wire.DecodeLoose(plan, &p); err != nil {
		return nil //nolint:nilerr // the scheduler reports its errors
	}
	return p.CheckMadeAt(time.Now())
}

// refuseDestroyed refuses a change of a plan that would run it at once, or end it without a
// run, when it names a time or a type. request is the change; the scheduler supplies the
// fields that it leaves as they are.
func (a *asker) refuseDestroyed(cmd *cobra.Command, name schema.PlanName, request wire.Value) error {
	changes := membersOf(request)
	_, newTime := changes["plan_time"]
	_, newType := changes["plan_type"]
	if !newTime && !newType {
		return nil
	}
	view := a.replacing(cmd, "plans", name)
	was := view.Field("plan")
	if was.Kind() != wire.KindMap {
		return nil // there is none, or the scheduler does not answer
	}
	members := membersOf(was)
	for field, value := range changes {
		if members[field] = value; value == nil {
			delete(members, field)
		}
	}
	plan, err := wire.ValueOf(was.Encoding(), members)
	if err != nil {
		return err
	}
	var p schema.Plan
	if wire.DecodeLoose(plan, &p) != nil {
		return nil // the scheduler reports its errors
	}
	now := time.Now()
	due, _ := view.Field("state").Field("plan_time").Time()
	err = p.CheckMadeAt(now)
	if err == nil && p.PlanType == schema.TypeNone && !newTime && due.After(now) {
		err = &schema.Error{
			Code: schema.CodeInvalidPlan, Field: "plan_type",
			Message: fmt.Sprintf("plan_type none runs it once, now, in place of its schedule, which is due %s", when(due)),
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w; if it is to run now, --clear plan_time, too", err)
	case !newTime && p.PlanType != schema.TypeTime:
		return nil // another schedule counts from now on
	}
	return refusePassed(cmd, plan, now)
}

// refusePassed refuses a plan all of whose times have passed and would be skipped, because
// it would be closed without a run.
func refusePassed(cmd *cobra.Command, plan wire.Value, now time.Time) error {
	var p schema.Plan
	if err := wire.DecodeLoose(plan, &p); err != nil || p.NoKeep || p.PlanTime.IsZero() {
		return nil //nolint:nilerr // the scheduler reports its errors
	}
	last, ends := lastOf(&p)
	if !ends || !last.Before(now) {
		return nil
	}
	what := "has passed"
	if p.PlanType != schema.TypeTime {
		what = "is so long ago that all of its occurrences have passed"
	}
	given := p.PlanTime.UTC().Format(time.RFC3339Nano)
	if flag := cmd.Flags().Lookup("time"); flag.Changed {
		given = flag.Value.String() // as it was typed
	}
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: "plan_time",
		Message: fmt.Sprintf("plan_time %s %s, and a passed time is skipped: the plan would be gone; with --no-keep a late occurrence runs, too",
			given, what),
	}
}

// unitOf has the length of a unit of plan_value for the types that count elapsed time.
var unitOf = map[schema.PlanType]time.Duration{
	schema.TypeSecond: time.Second, schema.TypeMinute: time.Minute, schema.TypeHour: time.Hour, schema.TypeDay: 24 * time.Hour,
}

// lastOf returns the last due time of a plan whose plan_time determines it; false: the plan has
// none, or others.
func lastOf(p *schema.Plan) (last time.Time, ends bool) {
	if p.PlanType == schema.TypeTime {
		return p.PlanTime, true
	}
	unit := unitOf[p.PlanType]
	if unit == 0 || !p.StartAt.IsZero() || // then the first one that counts is another
		p.PlanValue == nil || *p.PlanValue <= 0 || p.PlanRepet == nil || *p.PlanRepet <= 0 {
		return time.Time{}, false
	}
	const most = 100 * 365 * 24 * time.Hour // a longer one has not passed, and does not fit a Duration
	if step := time.Duration(*p.PlanValue) * unit; time.Duration(*p.PlanRepet) <= most/step {
		return p.PlanTime.Add(time.Duration(*p.PlanRepet) * step), true
	}
	return time.Time{}, false
}

// explainNone explains why no due time of a previewed plan is shown. A zero from is now.
func explainNone(out io.Writer, plan wire.Value, from time.Time) {
	if !from.IsZero() {
		fmt.Fprintf(out, "note: nothing is due from %s on, because all times of the plan are before that\n", when(from))
		return
	}
	var p schema.Plan
	what := "all of its times have passed"
	if err := wire.DecodeLoose(plan, &p); err == nil && p.PlanType == schema.TypeTime {
		what = "its time, " + when(p.PlanTime) + ", has passed"
	}
	fmt.Fprintf(out, "note: nothing is due, because %s: plan create would refuse that --time, and skip and close such a plan of a file; with --no-keep a late occurrence runs, too\n", what)
}

// explainSkipped explains that a plan is gone because all of its times had passed.
func explainSkipped(out io.Writer, c *schema.Created) {
	if c.State == schema.StatusClosed && string(c.Reason) == string(schema.StateSkipped) {
		fmt.Fprintln(out, "note: all times of the plan have passed and are skipped, so it is gone; one with no_keep runs late occurrences, too")
	}
}
