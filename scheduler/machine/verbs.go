package machine

import (
	"reflect"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/verb"
	"github.com/stationmaster-io/stationmaster/schema"
)

// verbs has for each command the plan that it is about, the part of that plan's definition that
// it needs, and the function that carries it out.
var verbs = byCommand(
	on(verb.Create, aboutCreate, wholeToUpdate, create),
	on(verb.Restore, aboutRestore, part, restore),
	// A change of the definition needs all of it, so that it comes after the replies to the old
	// one.
	on(verb.Update, aboutUpdate, whole, update),

	onPlan(verb.Pause, aboutPause, part, pause),
	onPlan(verb.Resume, named, part, resume),
	onPlan(verb.Reset, named, part, reset),
	onPlan(verb.Skip, aboutSkip, part, skip),
	onPlan(verb.Cancel, aboutCancel, part, cancelRun),
	onPlan(verb.Close, named, part, closePlan),
	on(verb.Remove, aboutRemove, part, removePlan),
	on(verb.Trigger, named, part, trigger),

	on(verb.Get, aboutGet, toShow, get),
	handing(verb.List, nothing, wholeInBackups, listPlans),
	on(verb.Runs, named, part, openRuns),
	on(verb.ListOpen, nothing, part, listOpen),
	on(verb.Explain, aboutExplain, toShow, explainPlan),

	on(verb.Push, aboutPush, part, push),
	handing(verb.Claim, aboutClaim, part, claimItems),
	handing(verb.Items, aboutItems, part, listItems),
	on(verb.Complete, aboutComplete, part, completeItems),
	on(verb.Release, aboutRelease, part, releaseItems),
	on(verb.Drop, aboutDrop, part, dropItems),

	handing(verb.ClaimWork, nothing, part, claimWork),
	on(verb.StopClaim, nothing, part, stopClaim),
	on(verb.ReturnWork, nothing, part, returnWork),

	on(verb.GetTask, named, toShow, showTask),
	on(verb.ReportTask, aboutReport, whole, reportTask),
	onPlan(verb.EndTask, aboutEnd, whole, endTask),

	on(verb.PutStation, nothing, part, putStation),
	on(verb.GetStation, nothing, part, getStation),
	on(verb.DeleteStation, nothing, part, deleteStation),
	on(verb.ListStations, nothing, part, listStations),
	on(verb.PutCalendar, nothing, part, putCalendar),
	on(verb.GetCalendar, nothing, part, getCalendar),
	on(verb.DeleteCalendar, nothing, part, deleteCalendar),
	on(verb.ListCalendars, nothing, part, listCalendars),
	on(verb.ReadCounters, nothing, part, readCounters),
	on(verb.ListWorkers, nothing, part, listWorkers),
	on(verb.GetWorker, nothing, part, getWorker),
)

func byCommand(rows ...*row) map[reflect.Type]*row {
	table := make(map[reflect.Type]*row, len(rows))
	for _, r := range rows {
		table[r.Command] = r
	}
	return table
}

// The plan that a command is about. One without a station is found by its id alone, as merge
// queues are.

// nothing is for a command about no plan, or about any number of plans.
func nothing[C any](C) schema.PlanName { return schema.PlanName{} }

func named[C ~struct{ Name schema.PlanName }](c C) schema.PlanName {
	return struct{ Name schema.PlanName }(c).Name
}

func aboutCreate(c command.CreatePlan) schema.PlanName   { return defined(c.Definition) }
func aboutRestore(c command.RestorePlan) schema.PlanName { return defined(c.Definition) }
func aboutUpdate(c command.UpdatePlan) schema.PlanName   { return defined(c.Definition) }
func aboutPause(c command.PausePlan) schema.PlanName     { return c.Name }
func aboutSkip(c command.SkipPlan) schema.PlanName       { return c.Name }
func aboutCancel(c command.CancelRun) schema.PlanName    { return c.Name }
func aboutRemove(c command.RemovePlan) schema.PlanName   { return c.Name }
func aboutExplain(c command.ExplainPlan) schema.PlanName { return c.Name }
func aboutGet(c command.GetPlan) schema.PlanName         { return c.Name }
func aboutPush(c command.PushItem) schema.PlanName       { return c.Name }
func aboutEnd(c command.EndTask) schema.PlanName         { return c.Name }

func aboutClaim(c command.ClaimItems) schema.PlanName       { return schema.PlanName{PlanID: c.PlanID} }
func aboutComplete(c command.CompleteItems) schema.PlanName { return schema.PlanName{PlanID: c.PlanID} }
func aboutRelease(c command.ReleaseItems) schema.PlanName   { return schema.PlanName{PlanID: c.PlanID} }
func aboutDrop(c command.DropItems) schema.PlanName         { return schema.PlanName{PlanID: c.PlanID} }

func aboutItems(c command.ListItems) schema.PlanName {
	return schema.PlanName{Station: c.Station, PlanID: c.PlanID}
}

func aboutReport(c command.ReportTask) schema.PlanName {
	return schema.PlanName{Station: c.About.Station, PlanID: c.About.PlanID}
}

// defined is the name of the plan in a definition.
func defined(d *schema.Definition) schema.PlanName {
	return schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
}

// The part of its plan's definition that a command needs.

func part[C any](C) need   { return inPart }
func whole[C any](C) need  { return inWhole }
func toShow[C any](C) need { return forShow }

// wholeToUpdate: only a plan that is created over another changes its definition.
func wholeToUpdate(c command.CreatePlan) need {
	if c.Definition.Plan.OnConflict == schema.ConflictUpdate {
		return inWhole
	}
	return inPart
}

// wholeInBackups: a list shows the part that is left of a lost definition; a backup of a part
// would be of no use.
func wholeInBackups(c command.ListPlans) need {
	if c.Records {
		return forShow
	}
	return inPart
}
