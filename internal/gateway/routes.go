package gateway

import (
	"net/http"
	"slices"
)

const api = "/api/v1"

// routes lists all routes; operations on plans, stations and workers are those of the
// services, and named like them.
var routes = attributable(concat(taskRoutes, runRoutes, planRoutes, bulkRoutes, stationRoutes, calendarRoutes, queueRoutes, queueFormRoutes, taskTypeRoutes, asyncRoutes, periodicRoutes, secretRoutes, sessionRoutes, clusterRoutes, statsRoutes, timelineRoutes, liveRoutes))

func concat(tables ...[]route) (all []route) {
	for _, t := range tables {
		all = append(all, t...)
	}
	return all
}

var taskRoutes = []route{
	{
		method: http.MethodPost, path: api + "/tasks", role: operator, id: "createTask",
		summary: "Create a task",
		about:   "A task calls a URL at the times of a cron expression. Its name is its own; `id` follows from it. All errors in the body come at once, in `errors`.",
		body:    "TaskInput", status: http.StatusCreated, result: "Task", serve: createTask,
	},
	{
		method: http.MethodGet, path: api + "/tasks", role: reader, id: "listTasks", summary: "List tasks, by id",
		query: with(
			parameter{name: "status", schema: `{"type":"string"}`, about: "`ENABLED` or `DISABLED`, in any case."},
			parameter{name: "name", schema: `{"type":"string"}`, about: "Exactly this name."},
			taskShown[0], taskShown[1],
		),
		result: "TaskPage", serve: listTasks,
	},
	{
		method: http.MethodGet, path: api + "/tasks/{id}", role: reader, id: "getTask", summary: "Get a task",
		query: taskShown, result: "Task", serve: getTask,
	},
	{
		method: http.MethodPut, path: api + "/tasks/{id}", role: operator, id: "updateTask",
		summary: "Change a task, whole or in part",
		about:   "Fields that are left out stay; null ones go back to their defaults. With `version`, only if it is the present one, else 409; with If-Match, else 412. `name` cannot be changed.",
		body:    "TaskChange", ifMatch: true, result: "Task", serve: updateTask,
	},
	{
		method: http.MethodPatch, path: api + "/tasks/{id}", role: operator, id: "patchTask",
		summary: "Change a task in part", about: "The same as PUT.",
		body: "TaskChange", ifMatch: true, result: "Task", serve: updateTask,
	},
	{
		method: http.MethodDelete, path: api + "/tasks/{id}", role: operator, id: "deleteTask",
		summary: "Delete a task",
		about:   "Its executions under way are cancelled. Its runs stay readable, and its name is free again. With `version`, only if it is the present one, else 409; with If-Match, else 412.",
		body:    "TaskRemoval", bodyOptional: true, ifMatch: true, status: http.StatusNoContent, serve: deleteTask,
	},
	{
		method: http.MethodPost, path: api + "/tasks/{id}/enable", role: operator, id: "enableTask",
		summary: "Enable a task", about: "Occurrences that fell due while it was disabled are not caught up.",
		result: "Task", serve: enableTask,
	},
	{
		method: http.MethodPost, path: api + "/tasks/{id}/disable", role: operator, id: "disableTask",
		summary: "Disable a task", about: "Executions under way may finish.",
		result: "Task", serve: disableTask,
	},
	{
		method: http.MethodPost, path: api + "/tasks/{id}/trigger", role: operator, id: "triggerTask",
		summary: "Run a task now, beside its schedule", about: "Under its policies; a run that they skip is recorded.",
		status: http.StatusAccepted, result: "TaskTriggered", serve: triggerTask,
	},
	{
		method: http.MethodGet, path: api + "/tasks/{id}/runs", role: reader, id: "listTaskRuns",
		summary: "List a task's runs, the newest first", about: "Also of a task that was deleted.",
		query:  with(parameter{name: "status", schema: `{"type":"string"}`, about: "A run's status, such as `FAILED`, in any case."}),
		result: "RunPage", serve: listTaskRuns,
	},
}

var runRoutes = []route{
	{
		method: http.MethodGet, path: api + "/runs", role: reader, id: "listRuns",
		summary: "List runs of all plans that have ended, the newest first",
		about:   "Of tasks, plans and everything else, as results of their plans, also of removed ones. The search goes from the newest back, for two seconds a page; `from` limits it.",
		query:   append([]parameter{stationParameter, {name: "plan_id", schema: `{"type":"string"}`, about: "Of this plan of `station`, also those under way."}}, runFilters...),
		result:  "ResultPage", serve: relay("plans", "runs"), search: true,
	},
	{
		method: http.MethodGet, path: api + "/runs/{run_id}", role: reader, id: "getRun", summary: "Get a run",
		result: "Run", serve: getRun,
	},
	{
		method: http.MethodPost, path: api + "/runs/{run_id}/cancel", role: operator, id: "cancelRun",
		summary: "Cancel a run that is under way or waits", result: "Run", serve: cancelRun,
	},
	{
		method: http.MethodPost, path: api + "/callbacks/{run_id}", role: anyone, id: "answerRun",
		summary: "End a run of an ASYNC task",
		about:   "With the token that its call was given, in X-Callback-Token or the query, in place of a bearer token.",
		query:   []parameter{{name: "token", schema: `{"type":"string"}`, about: "The token, when it is not in the header."}},
		body:    "Callback", result: "CallbackTaken", admit: openCallback, serve: answerRun,
	},
}

// Parameters of plans.list and plans.calendar, which choose plans.
var planCriteria = []parameter{
	stationParameter,
	{name: "status", kind: asList, many: true, schema: `{"type":"array","items":{"type":"string"}}`, about: "`queued executing retrying paused pending plan_error`."},
	{name: "waits", kind: asList, many: true, schema: `{"type":"array","items":{"type":"string"}}`, about: "Due occurrences that wait for one of `worker claim room turn retry jitter lock person resume`."},
	{name: "plan_type", schema: `{"type":"string"}`, about: "Such as `cron`."},
	{name: "caller", schema: `{"type":"string"}`},
	{name: "tenant_id", schema: `{"type":"string"}`},
	{name: "category", schema: `{"type":"string"}`},
	{name: "labels", kind: asLabels, many: true, schema: `{"type":"array","items":{"type":"string"}}`, about: "`name=value` pairs, all of which must be there."},
	{name: "text", schema: `{"type":"string"}`, about: "In plan_id, description, command or request_id."},
	{name: "due_from", schema: `{"type":"string","format":"date-time"}`},
	{name: "due_before", schema: `{"type":"string","format":"date-time"}`},
	{name: "prefix", schema: `{"type":"string"}`, about: "What `station/plan_id` begins with."},
}

// Parameters of plans.list.
var planFilters = with(slices.Concat(planCriteria, []parameter{
	{name: "order", schema: `{"type":"string","enum":["due"]}`, about: "`due`: the soonest first, then those that are not due, paused or stopped. A plan that becomes due meanwhile may be on two pages, or on none."},
	{name: "fields", schema: `{"type":"string","enum":["brief"]}`, about: "`brief`: definitions without `messages` and `ext`."},
	{name: "runs", kind: asInt, schema: `{"type":"integer","minimum":1,"maximum":20}`, about: "With `runs`, the states of so many last runs."},
	{name: "words", schema: `{"type":"string","enum":["en","zh"]}`, about: "With `words`, the schedule as a sentence in this language."},
	{name: "total", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "With `total`, how many match on all pages together. Counting stops after two seconds; then `total_complete` is false."},
})...)

// Parameters of plans.calendar.
var dueFilters = slices.Concat([]parameter{
	{name: "from", schema: `{"type":"string","format":"date-time"}`, about: "In the first cell; else now."},
	{name: "until", schema: `{"type":"string","format":"date-time"}`, about: "Behind the last cell, at most 31 days after `from`; else 7 days after it, or 31 with `step=1d`."},
	{name: "step", schema: `{"type":"string","enum":["1h","1d"],"default":"1h"}`, about: "How long a cell is. A change of clocks makes it shorter or longer."},
	{name: "zone", schema: `{"type":"string","default":"UTC"}`, about: "IANA name of the zone whose hours and days are counted."},
	{name: "cell", schema: `{"type":"string","format":"date-time"}`, about: "The cell that holds it alone, with its plans; in place of `from` and `until`."},
	{name: "lang", schema: `{"type":"string","enum":["en","zh"],"default":"en"}`, about: "Of notes."},
	{name: "within_ms", kind: asInt, schema: `{"type":"integer","minimum":1,"maximum":2000}`, about: "How long plans are looked at where an estimate from a sample will do; else all are."},
}, planCriteria)

// Parameters of plans.runs, of one plan and of many.
var runFilters = with(
	parameter{name: "state", schema: `{"type":"string"}`, about: "Such as `error`."},
	parameter{name: "failed", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "`error`, `failure` and `timeout` together, and occurrences that were skipped after a failure."},
	parameter{name: "trouble", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "What somebody should look at: `failure`, final `error` and `timeout`, and occurrences that were skipped because they were `missed`."},
	parameter{name: "reason", schema: `{"type":"string"}`, about: "Such as `overlap`."},
	parameter{name: "worker_id", schema: `{"type":"string"}`, about: "The worker that had it."},
	parameter{name: "text", schema: `{"type":"string"}`, about: "In plan_id, command, request_id, description, content or error, in any case."},
	parameter{name: "longer_than_ms", kind: asInt, schema: `{"type":"integer","minimum":1}`, about: "Those that took longer, from dispatch to end."},
	parameter{name: "labels", kind: asLabels, many: true, schema: `{"type":"array","items":{"type":"string"}}`, about: "`name=value` pairs, all of which must be there."},
	parameter{name: "from", schema: `{"type":"string","format":"date-time"}`, about: "Those that ended then or later."},
	parameter{name: "to", schema: `{"type":"string","format":"date-time"}`, about: "Those that ended before."},
	parameter{name: "until", schema: `{"type":"string","format":"date-time"}`, about: "The same as `to`, of which one is given."},
)

// Parameters of plans.upcoming.
var upcomingFilters = []parameter{
	{name: "from", schema: `{"type":"string","format":"date-time"}`, about: "Due times from then on; else from now on, with those that wait their turn."},
	{name: "count", kind: asInt, schema: `{"type":"integer","minimum":1,"maximum":1000,"default":6}`, about: "How many at most; with `until`, 1000 by default."},
	{name: "until", schema: `{"type":"string","format":"date-time"}`, about: "No due time after it."},
	{name: "zone", schema: `{"type":"string"}`, about: "IANA name of the zone of `local`; else the plan's."},
	{name: "lang", schema: `{"type":"string","enum":["en","zh"],"default":"en"}`, about: "Of `words` and notes."},
	{name: "with_skipped", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "With occurrences that will not run, in their place."},
}

// Parameters of plans.explain.
var explainFilters = []parameter{
	{name: "occurrence", kind: asInt, schema: `{"type":"integer","minimum":1}`, about: "About the occurrence of this number. At most one of `occurrence`, `n` and `at`."},
	{name: "n", kind: asInt, schema: `{"type":"integer","minimum":1}`, about: "About this execution, or this skip."},
	{name: "at", schema: `{"type":"string","format":"date-time"}`, about: "About what was due at this time, at most a minute away. Without any of the three: what is next or under way."},
	{name: "lang", schema: `{"type":"string","enum":["en","zh"],"default":"en"}`, about: "Of `sentence` and `remedy`."},
}

const aPlan = api + "/plans/{station}/{plan_id}"

// dryRun is of changes of one plan; foreseen of other changes, whose answer is then their own.
var (
	dryRun   = dryRunAs("the answer is a `DryRun`, with status 200.")
	foreseen = dryRunAs("the answer is what would be, with `dry_run` true and status 200.")
)

func dryRunAs(about string) []parameter {
	return []parameter{{name: "dry_run", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "Nothing is done: " + about}}
}

var planRoutes = []route{
	{
		method: http.MethodGet, path: api + "/plans", role: reader, id: "plans.list", summary: "List plans, by station, then id",
		query: planFilters, result: "PlanPage", serve: relay("plans", "list"),
	},
	{
		method: http.MethodGet, path: api + "/calendar", role: reader, id: "plans.calendar", summary: "Count what falls due in each hour or day",
		about: "Occurrences that will run, as plans and their calendars stand; what is due already is not counted.",
		query: dueFilters, result: "DueCalendar", serve: relay("plans", "calendar"), search: true,
	},
	{
		method: http.MethodPost, path: api + "/plans", role: operator, id: "plans.create", summary: "Create a plan",
		about: "200 in place of 201 when `on_conflict` kept or updated one that was there.",
		query: dryRun,
		body:  "Plan", status: http.StatusCreated, also: http.StatusOK, result: "PlanCreated", serve: createPlan,
	},
	{
		method: http.MethodPost, path: api + "/plans/preview", role: reader, id: "plans.preview",
		summary: "Show when a plan would run", about: "Nothing is created.",
		body: "Preview", result: "Previewed", serve: relay("plans", "preview"),
	},
	{
		method: http.MethodPost, path: api + "/plans/import", role: operator, id: "plans.import",
		summary: "Create many plans", about: "One that is refused does not stop the others.",
		query: foreseen,
		body:  "Import", result: "Imported", serve: relay("plans", "import"),
	},
	{
		method: http.MethodGet, path: aPlan, role: reader, id: "plans.get", summary: "Get a plan and its state",
		query:  []parameter{{name: "in_force", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "With the policy that holds, of plan, station and configuration together."}},
		result: "PlanView", serve: getPlan,
	},
	{
		method: http.MethodPut, path: aPlan, role: operator, id: "replacePlan", summary: "Replace a plan's definition",
		about: "Fields that are left out go back to their defaults. `revision`, or If-Match, names the revision to replace.",
		query: dryRun,
		body:  "PlanChange", ifMatch: true, result: "PlanCreated", serve: replacePlan,
	},
	{
		method: http.MethodPatch, path: aPlan, role: operator, id: "plans.update", summary: "Change fields of a plan",
		about: "Fields that are left out stay; null ones go back to their defaults. `revision`, or If-Match, names the revision to change.",
		query: dryRun,
		body:  "PlanChange", ifMatch: true, result: "PlanCreated", serve: updatePlan,
	},
	{
		method: http.MethodDelete, path: aPlan, role: operator, id: "plans.remove", summary: "End a plan at once",
		about: "Executions under way are cancelled. Its runs stay. `revision`, or If-Match, names the revision to remove.",
		query: dryRun,
		body:  "PlanRemoval", bodyOptional: true, ifMatch: true, result: "PlanStanding", serve: removePlan,
	},
	planVerb("pause", "Stop a plan from being due", "Occurrences that fall due meanwhile are skipped."),
	planVerb("resume", "End a pause", ""),
	{
		method: http.MethodPost, path: aPlan + "/trigger", role: operator, id: "plans.trigger",
		summary: "Run a plan now, beside its schedule", query: dryRun, status: http.StatusAccepted, result: "PlanTriggered", serve: triggerPlan,
	},
	{
		method: http.MethodPost, path: aPlan + "/skip", role: operator, id: "plans.skip", summary: "Skip the next occurrences",
		query: dryRun,
		body:  "Skip", bodyOptional: true, result: "PlanStanding", serve: relay("plans", "skip"),
	},
	planVerb("reset", "Take a plan out of plan_error or pending", "The occurrence that it stopped at is tried again at once."),
	planVerb("close", "End a plan when its executions under way have finished", ""),
	{
		method: http.MethodGet, path: aPlan + "/upcoming", role: reader, id: "plans.upcoming", summary: "Show the next occurrences of a plan, as it stands",
		query: upcomingFilters, result: "Previewed", serve: relay("plans", "upcoming"),
	},
	{
		method: http.MethodGet, path: aPlan + "/explain", role: reader, id: "plans.explain", summary: "Explain why an occurrence ran, why it did not, or when it will",
		about: "Also of a plan that is gone, while its results are kept.",
		query: explainFilters, result: "Explanation", serve: relay("plans", "explain"),
	},
	{
		method: http.MethodGet, path: aPlan + "/runs", role: reader, id: "plans.runs", summary: "List a plan's runs, the newest first",
		query:  runFilters,
		result: "ResultPage", serve: relay("plans", "runs"),
	},
	{
		method: http.MethodGet, path: aPlan + "/runs/{n}", role: reader, id: "plans.run", summary: "Get a run of a plan",
		result: "ResultView", serve: relay("plans", "run"),
	},
	{
		method: http.MethodPost, path: aPlan + "/runs/{n}/cancel", role: operator, id: "plans.cancel",
		summary: "Cancel a run that is under way or waits", query: dryRun, result: "PlanStanding", serve: relay("plans", "cancel"),
	},
}

func planVerb(verb, summary, about string) route {
	return route{
		method: http.MethodPost, path: aPlan + "/" + verb, role: operator, id: "plans." + verb,
		summary: summary, about: about, query: dryRun, result: "PlanStanding", serve: relay("plans", verb),
	}
}

var calendarRoutes = []route{
	{
		method: http.MethodGet, path: api + "/calendars", role: reader, id: "calendars.list", summary: "List calendars, by id",
		query: paging, result: "CalendarPage", serve: relay("calendars", "list"),
	},
	{
		method: http.MethodPost, path: api + "/calendars", role: operator, id: "putCalendar", summary: "Put a calendar",
		about: "The same as PUT; the body names the calendar.",
		query: append(foreseen[:1:1], emptied),
		body:  "Calendar", status: http.StatusCreated, also: http.StatusOK, result: "CalendarPut", serve: putCalendar,
	},
	{
		method: http.MethodGet, path: api + "/calendars/{calendar_id}", role: reader, id: "calendars.get", summary: "Get a calendar",
		result: "Calendar", serve: relay("calendars", "get"),
	},
	{
		method: http.MethodPut, path: api + "/calendars/{calendar_id}", role: operator, id: "calendars.put", summary: "Create or replace a calendar",
		about: "The whole calendar is replaced, which counts for all that falls due from then on. With `revision`, only if it is the present one, else 409.",
		query: append(foreseen[:1:1], emptied),
		body:  "Calendar", status: http.StatusCreated, also: http.StatusOK, result: "CalendarPut", serve: putCalendar,
	},
	{
		method: http.MethodDelete, path: api + "/calendars/{calendar_id}", role: operator, id: "calendars.delete",
		summary: "Delete a calendar", about: "One that plans name is a conflict, which names some of them.", result: "CalendarDeleted", serve: relay("calendars", "delete"),
	},
	{
		method: http.MethodGet, path: api + "/calendars/{calendar_id}/days", role: reader, id: "calendars.days", summary: "List the days that a calendar holds",
		query: []parameter{
			{name: "from", schema: `{"type":"string","format":"date"}`, about: "The first day."},
			{name: "until", schema: `{"type":"string","format":"date"}`, about: "The last day, at most a year later."},
		},
		result: "CalendarDays", serve: relay("calendars", "days"),
	},
}

var stationRoutes = []route{
	{
		method: http.MethodGet, path: api + "/stations", role: reader, id: "stations.list", summary: "List the stations that were put, by name",
		query:  with(parameter{name: "used", kind: asBool, schema: `{"type":"boolean"}`, about: "Those that have plans, too; each with `put` and `stats`."}),
		result: "StationPage", serve: relay("stations", "list"),
	},
	{
		method: http.MethodPost, path: api + "/stations", role: operator, id: "putStation", summary: "Register a station",
		about: "The same as PUT; the body names the station.",
		body:  "Station", status: http.StatusCreated, also: http.StatusOK, result: "StationPut", serve: putStation,
	},
	{
		method: http.MethodGet, path: api + "/stations/{station}", role: reader, id: "stations.get", summary: "Get a station",
		about:  "One that was never put is not found; it is `api` with the defaults.",
		query:  []parameter{{name: "used", kind: asBool, schema: `{"type":"boolean"}`, about: "With `put` and `stats`; also one that was never put."}},
		result: "StationGot", serve: getStation,
	},
	{
		method: http.MethodGet, path: api + "/stations/{station}/stats", role: reader, id: "stations.stats", summary: "Show the counters of a station",
		about: "All of them are 0 where it was never used.", result: "StationStats", serve: relay("stations", "stats"),
	},
	{
		method: http.MethodPut, path: api + "/stations/{station}", role: operator, id: "stations.put", summary: "Create or replace a station",
		about: "The whole record is replaced. `revision`, or If-Match, names the revision to replace.",
		body:  "Station", ifMatch: true, status: http.StatusCreated, also: http.StatusOK, result: "StationPut", serve: putStation,
	},
	{
		method: http.MethodDelete, path: api + "/stations/{station}", role: operator, id: "stations.delete",
		query:   []parameter{{name: "dry_run", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "Nothing is done, and `deleted` is false: the answer shows what would be dropped."}},
		summary: "Delete a station's record", result: "StationDeleted", serve: relay("stations", "delete"),
	},
	{
		method: http.MethodGet, path: api + "/workers", role: reader, id: "workers.list", summary: "List the workers that are there, by id",
		query:  with(parameter{name: "station", schema: `{"type":"string"}`, about: "Those that serve it."}),
		result: "WorkerPage", serve: relay("workers", "list"),
	},
	{
		method: http.MethodGet, path: api + "/workers/{worker_id}", role: reader, id: "workers.get", summary: "Get a worker that is there, and the executions that it has",
		result: "WorkerView", serve: relay("workers", "get"),
	},
}
