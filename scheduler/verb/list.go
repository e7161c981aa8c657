package verb

import "github.com/stationmaster-io/stationmaster/schema"

// Of plans.
var (
	Create  = list[schema.CreatePlan, schema.Created]("create", Begins)
	Restore = list[schema.RestorePlan, schema.Created]("restore", Begins)
	Update  = list[schema.UpdatePlan, schema.Created]("update", 0)
	Get     = list[schema.GetPlan, schema.PlanView]("get", Reads)
	Look    = list[schema.LookPlans, schema.PlanSlice]("look", Reads)
	Pause   = list[schema.PausePlan, schema.Standing]("pause", 0)
	Resume  = list[schema.ResumePlan, schema.Standing]("resume", 0)
	Trigger = list[schema.TriggerPlan, schema.Triggered]("trigger", Begins)
	Skip    = list[schema.SkipPlan, schema.Standing]("skip", 0)
	Reset   = list[schema.ResetPlan, schema.Standing]("reset", 0)
	Close   = list[schema.ClosePlan, schema.Standing]("close", 0)
	Remove  = list[schema.RemovePlan, schema.Standing]("remove", 0)
	Cancel  = list[schema.CancelRun, schema.Standing]("cancel", 0)
	Runs    = list[schema.OpenRuns, []schema.Result]("runs", Reads|AfterResults)
)

// Of the items of a plan with an inbox.
var (
	Push     = list[schema.PushItem, schema.Pushed]("push", Begins)
	Claim    = list[schema.ClaimItems, schema.Claimed]("claim", Hands)
	Items    = list[schema.LookItems, schema.Claimed]("look_items", Reads)
	Complete = list[schema.CompleteItems, schema.InboxLeft]("complete", 0)
	Release  = list[schema.ReleaseItems, schema.InboxLeft]("release", 0)
	Drop     = list[schema.DropItems, schema.InboxLeft]("drop", 0)
)

// Of executions at pull stations.
var (
	ClaimWork  = list[schema.ClaimWork, schema.ClaimedWork]("claim_work", Hands|ByWorkers)
	StopClaim  = list[schema.StopClaim, schema.Stopped]("stop_claim", 0)
	ReturnWork = list[schema.ReturnWork, schema.Returned]("return_work", 0)
)

// Of tasks.
var (
	LookTask   = list[schema.LookTask, schema.TaskLook]("look_task", Reads|AfterResults)
	ReportTask = list[schema.ReportTask, schema.TaskWord]("report_task", ByWorkers)
	EndTask    = list[schema.EndTask, schema.Standing]("end_task", 0)
)

// Of stations and workers.
var (
	PutStation    = list[schema.PutStation, schema.StationPut]("put_station", 0)
	GetStation    = list[schema.GetStation, schema.Station]("get_station", Reads)
	DeleteStation = list[schema.DeleteStation, schema.StationDeleted]("delete_station", 0)
	LookStations  = list[schema.LookStations, schema.StationSlice]("look_stations", Reads)
	LookWorkers   = list[schema.LookWorkers, schema.WorkerSlice]("look_workers", Reads)
)
