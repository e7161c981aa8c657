package machine

import (
	"reflect"

	"github.com/stationmaster-io/stationmaster/scheduler/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// verbs has for each command the plan that it is about, the part of that plan's definition that
// it needs, and the function that carries it out.
var verbs = byCommand(
	on(command.Create, aboutCreate, wholeToUpdate, create),
	on(command.Restore, aboutRestore, part, restore),
	// A change of the definition needs all of it, so that it comes after the replies to the old
	// one.
	on(command.Update, aboutUpdate, whole, update),

	onPlan(command.Pause, aboutPause, part, pause),
	onPlan(command.Resume, named, part, resume),
	onPlan(command.Reset, named, part, reset),
	onPlan(command.Skip, aboutSkip, part, skip),
	onPlan(command.Cancel, aboutCancel, part, cancelRun),
	onPlan(command.Close, named, part, closePlan),
	on(command.Remove, aboutRemove, part, removePlan),
	on(command.Trigger, named, part, trigger),

	on(command.Get, aboutGet, toShow, get),
	handing(command.Look, nothing, wholeInBackups, listPlans),
	on(command.Runs, named, part, openRuns),

	on(command.Push, aboutPush, part, push),
	handing(command.Claim, aboutClaim, part, claimItems),
	handing(command.Items, aboutItems, part, lookItems),
	on(command.Complete, aboutComplete, part, completeItems),
	on(command.Release, aboutRelease, part, releaseItems),
	on(command.Drop, aboutDrop, part, dropItems),

	handing(command.ClaimWork, nothing, part, claimWork),
	on(command.StopClaim, nothing, part, stopClaim),
	on(command.ReturnWork, nothing, part, returnWork),

	on(command.LookTask, named, toShow, showTask),
	on(command.ReportTask, aboutReport, whole, reportTask),
	onPlan(command.EndTask, aboutEnd, whole, endTask),

	on(command.PutStation, nothing, part, putStation),
	on(command.GetStation, nothing, part, getStation),
	on(command.DeleteStation, nothing, part, deleteStation),
	on(command.LookStations, nothing, part, listStations),
	on(command.LookWorkers, nothing, part, lookWorkers),
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

func aboutCreate(c schema.CreatePlan) schema.PlanName   { return defined(c.Definition) }
func aboutRestore(c schema.RestorePlan) schema.PlanName { return defined(c.Definition) }
func aboutUpdate(c schema.UpdatePlan) schema.PlanName   { return defined(c.Definition) }
func aboutPause(c schema.PausePlan) schema.PlanName     { return c.Name }
func aboutSkip(c schema.SkipPlan) schema.PlanName       { return c.Name }
func aboutCancel(c schema.CancelRun) schema.PlanName    { return c.Name }
func aboutRemove(c schema.RemovePlan) schema.PlanName   { return c.Name }
func aboutGet(c schema.GetPlan) schema.PlanName         { return c.Name }
func aboutPush(c schema.PushItem) schema.PlanName       { return c.Name }
func aboutEnd(c schema.EndTask) schema.PlanName         { return c.Name }

func aboutClaim(c schema.ClaimItems) schema.PlanName       { return schema.PlanName{PlanID: c.PlanID} }
func aboutComplete(c schema.CompleteItems) schema.PlanName { return schema.PlanName{PlanID: c.PlanID} }
func aboutRelease(c schema.ReleaseItems) schema.PlanName   { return schema.PlanName{PlanID: c.PlanID} }
func aboutDrop(c schema.DropItems) schema.PlanName         { return schema.PlanName{PlanID: c.PlanID} }

func aboutItems(c schema.LookItems) schema.PlanName {
	return schema.PlanName{Station: c.Station, PlanID: c.PlanID}
}

func aboutReport(c schema.ReportTask) schema.PlanName {
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
func wholeToUpdate(c schema.CreatePlan) need {
	if c.Definition.Plan.OnConflict == schema.ConflictUpdate {
		return inWhole
	}
	return inPart
}

// wholeInBackups: a list shows the part that is left of a lost definition; a backup of a part
// would be of no use.
func wholeInBackups(c schema.LookPlans) need {
	if c.Records {
		return forShow
	}
	return inPart
}
