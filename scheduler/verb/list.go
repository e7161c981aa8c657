package verb

import (
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Of plans.
var (
	Create  = list[command.CreatePlan, schema.Created]("create", Begins|Adds)
	Restore = list[command.RestorePlan, schema.Created]("restore", Begins|Adds)
	Update  = list[command.UpdatePlan, schema.Created]("update", 0)
	Get     = list[command.GetPlan, command.PlanView]("get", Reads)
	List    = list[command.ListPlans, command.PlanSlice]("look", Reads)
	Pause   = list[command.PausePlan, schema.Standing]("pause", 0)
	Resume  = list[command.ResumePlan, schema.Standing]("resume", 0)
	Trigger = list[command.TriggerPlan, schema.Triggered]("trigger", Begins)
	Skip    = list[command.SkipPlan, schema.Standing]("skip", 0)
	Reset   = list[command.ResetPlan, schema.Standing]("reset", 0)
	Close   = list[command.ClosePlan, schema.Standing]("close", 0)
	Remove  = list[command.RemovePlan, schema.Standing]("remove", 0)
	Cancel  = list[command.CancelRun, schema.Standing]("cancel", 0)
	Runs    = list[command.OpenRuns, []schema.Result]("runs", Reads|AfterResults)
	// ListOpen: what has ended before is found among the results.
	ListOpen = list[command.ListOpen, command.OpenSlice]("look_open", Reads|AfterResults)
	Explain  = list[command.ExplainPlan, command.Explained]("explain", Reads|AfterResults)
)

// Of the items of a plan with an inbox.
var (
	Push     = list[command.PushItem, schema.Pushed]("push", Begins|Adds)
	Claim    = list[command.ClaimItems, command.Claimed]("claim", Hands)
	Items    = list[command.ListItems, command.Claimed]("look_items", Reads)
	Complete = list[command.CompleteItems, command.InboxLeft]("complete", 0)
	Release  = list[command.ReleaseItems, command.InboxLeft]("release", 0)
	Drop     = list[command.DropItems, command.InboxLeft]("drop", 0)
)

// Of executions at pull stations.
var (
	ClaimWork  = list[command.ClaimWork, command.ClaimedWork]("claim_work", Hands|ByWorkers)
	StopClaim  = list[command.StopClaim, command.Stopped]("stop_claim", 0)
	ReturnWork = list[command.ReturnWork, command.Returned]("return_work", 0)
)

// Of tasks.
var (
	GetTask    = list[command.GetTask, command.TaskView]("look_task", Reads|AfterResults)
	ReportTask = list[command.ReportTask, command.TaskReported]("report_task", ByWorkers)
	EndTask    = list[command.EndTask, schema.Standing]("end_task", 0)
)

// Of stations, calendars and workers.
var (
	PutStation     = list[command.PutStation, schema.StationPut]("put_station", 0)
	GetStation     = list[command.GetStation, schema.Station]("get_station", Reads)
	DeleteStation  = list[command.DeleteStation, schema.StationDeleted]("delete_station", 0)
	ListStations   = list[command.ListStations, command.StationSlice]("look_stations", Reads)
	PutCalendar    = list[command.PutCalendar, schema.CalendarPut]("put_calendar", 0)
	GetCalendar    = list[command.GetCalendar, schema.Calendar]("get_calendar", Reads)
	DeleteCalendar = list[command.DeleteCalendar, schema.CalendarDeleted]("delete_calendar", 0)
	ListCalendars  = list[command.ListCalendars, command.CalendarSlice]("list_calendars", Reads)
	ReadCounters   = list[command.ReadCounters, command.Counters]("look_counters", Reads)
	ListWorkers    = list[command.ListWorkers, command.WorkerSlice]("look_workers", Reads)
	GetWorker      = list[command.GetWorker, command.FoundWorker]("look_worker", Reads)
)
