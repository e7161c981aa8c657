package command

import "github.com/stationmaster-io/stationmaster/schema"

// Of plans.
var (
	Create  = verb[schema.CreatePlan, schema.Created]("create", Begins)
	Restore = verb[schema.RestorePlan, schema.Created]("restore", Begins)
	Update  = verb[schema.UpdatePlan, schema.Created]("update", 0)
	Get     = verb[schema.GetPlan, schema.PlanView]("get", Reads)
	Look    = verb[schema.LookPlans, schema.PlanSlice]("look", Reads)
	Pause   = verb[schema.PausePlan, schema.Standing]("pause", 0)
	Resume  = verb[schema.ResumePlan, schema.Standing]("resume", 0)
	Trigger = verb[schema.TriggerPlan, schema.Triggered]("trigger", Begins)
	Skip    = verb[schema.SkipPlan, schema.Standing]("skip", 0)
	Reset   = verb[schema.ResetPlan, schema.Standing]("reset", 0)
	Close   = verb[schema.ClosePlan, schema.Standing]("close", 0)
	Remove  = verb[schema.RemovePlan, schema.Standing]("remove", 0)
	Cancel  = verb[schema.CancelRun, schema.Standing]("cancel", 0)
	Runs    = verb[schema.OpenRuns, []schema.Result]("runs", Reads|AfterResults)
)

// Of the items of a plan with an inbox.
var (
	Push     = verb[schema.PushItem, schema.Pushed]("push", Begins)
	Claim    = verb[schema.ClaimItems, schema.Claimed]("claim", Hands)
	Items    = verb[schema.LookItems, schema.Claimed]("look_items", Reads)
	Complete = verb[schema.CompleteItems, schema.InboxLeft]("complete", 0)
	Release  = verb[schema.ReleaseItems, schema.InboxLeft]("release", 0)
	Drop     = verb[schema.DropItems, schema.InboxLeft]("drop", 0)
)

// Of executions at pull stations.
var (
	ClaimWork  = verb[schema.ClaimWork, schema.ClaimedWork]("claim_work", Hands|ByWorkers)
	StopClaim  = verb[schema.StopClaim, schema.Stopped]("stop_claim", 0)
	ReturnWork = verb[schema.ReturnWork, schema.Returned]("return_work", 0)
)

// Of tasks.
var (
	LookTask   = verb[schema.LookTask, schema.TaskLook]("look_task", Reads|AfterResults)
	ReportTask = verb[schema.ReportTask, schema.TaskWord]("report_task", ByWorkers)
	EndTask    = verb[schema.EndTask, schema.Standing]("end_task", 0)
)

// Of stations and workers.
var (
	PutStation    = verb[schema.PutStation, schema.StationPut]("put_station", 0)
	GetStation    = verb[schema.GetStation, schema.Station]("get_station", Reads)
	DeleteStation = verb[schema.DeleteStation, schema.StationDeleted]("delete_station", 0)
	LookStations  = verb[schema.LookStations, schema.StationSlice]("look_stations", Reads)
	LookWorkers   = verb[schema.LookWorkers, schema.WorkerSlice]("look_workers", Reads)
)
