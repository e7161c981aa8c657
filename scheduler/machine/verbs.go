package machine

import (
	"reflect"

	"github.com/stationmaster-io/stationmaster/scheduler/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// verbs says of each command what it is about, what of that plan's definition it needs, what
// it adds to a batch at most, and how it is carried out.
var verbs = byCommand(
	on(command.Create, aboutCreate, wholeToUpdate, costOfCreate, create),
	on(command.Restore, aboutRestore, part, costOfRestore, restore),
	// A change of the definition needs all of it, so that it comes behind what is heard of
	// the old one.
	on(command.Update, aboutUpdate, whole, costOfUpdate, update),

	onPlan(command.Pause, named, part, stock, pause),
	onPlan(command.Resume, named, part, stock, resume),
	onPlan(command.Reset, named, part, stock, reset),
	onPlan(command.Skip, aboutSkip, part, stock, skip),
	onPlan(command.Cancel, aboutCancel, part, end, cancelRun),
	onPlan(command.Close, named, part, costOfClose, closePlan),
	on(command.Remove, aboutRemove, part, end, removePlan),
	on(command.Trigger, named, part, end, trigger),

	on(command.Get, aboutGet, toShow, small, get),
	handing(command.Look, nothing, wholeInBackups, small, listPlans),
	on(command.Runs, named, part, small, openRuns),

	on(command.Push, aboutPush, part, costOfPush, push),
	handing(command.Claim, aboutClaim, part, end, claimItems),
	handing(command.Items, aboutItems, part, small, lookItems),
	on(command.Complete, aboutComplete, part, end, completeItems),
	on(command.Release, aboutRelease, part, end, releaseItems),
	on(command.Drop, aboutDrop, part, end, dropItems),

	handing(command.ClaimWork, nothing, part, costOfClaimWork, claimWork),
	on(command.StopClaim, nothing, part, small, stopClaim),
	on(command.ReturnWork, nothing, part, costOfReturn, returnWork),

	on(command.LookTask, named, toShow, small, showTask),
	on(command.ReportTask, aboutReport, whole, costOfReport, reportTask),
	onPlan(command.EndTask, aboutEnd, whole, costOfEndTask, endTask),

	on(command.PutStation, nothing, part, small, putStation),
	on(command.GetStation, nothing, part, small, getStation),
	on(command.DeleteStation, nothing, part, small, deleteStation),
	on(command.LookStations, nothing, part, small, listStations),
	on(command.LookWorkers, nothing, part, small, lookWorkers),
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

// nothing is about no plan, or about as many as there are.
func nothing[C any](C) schema.PlanName { return schema.PlanName{} }

func named[C ~struct{ Name schema.PlanName }](c C) schema.PlanName {
	return struct{ Name schema.PlanName }(c).Name
}

func aboutCreate(c schema.CreatePlan) schema.PlanName   { return defined(c.Definition) }
func aboutRestore(c schema.RestorePlan) schema.PlanName { return defined(c.Definition) }
func aboutUpdate(c schema.UpdatePlan) schema.PlanName   { return defined(c.Definition) }
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

// defined is the plan that has the name of a definition.
func defined(d *schema.Definition) schema.PlanName {
	return schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
}

// What a command needs of its plan's definition.

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

// wholeInBackups: a list shows what there is of each plan; a backup would be none.
func wholeInBackups(c schema.LookPlans) need {
	if c.Records {
		return forShow
	}
	return inPart
}

// What a command adds to a batch at most, in bytes.

func small[C any](*Machine, *state.Plan, C) int       { return state.SmallEvent }
func stock[C any](_ *Machine, p *state.Plan, _ C) int { return p.CostOfStock() }
func end[C any](_ *Machine, p *state.Plan, _ C) int   { return p.CostOfEnd() }

func costOfCreate(_ *Machine, p *state.Plan, c schema.CreatePlan) int {
	return len(c.Definition.Raw) + len(c.Trace) + p.CostOfStock()
}

func costOfUpdate(_ *Machine, p *state.Plan, c schema.UpdatePlan) int {
	return len(c.Definition.Raw) + p.CostOfStock()
}

func costOfClose(_ *Machine, p *state.Plan, _ schema.ClosePlan) int {
	return p.CostOfEnd() + p.CostOfSkip()
}

func costOfEndTask(_ *Machine, p *state.Plan, c schema.EndTask) int { return p.CostOfEndTask(&c) }

func costOfReport(m *Machine, _ *state.Plan, c schema.ReportTask) int {
	return m.costOfHeard(c.About, &c.Reply)
}
