package gateway

import (
	"net/http"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	aTaskType = api + "/task-types/{code}"
	anAsync   = api + "/async-tasks/{type}/{id}"
)

var taskTypeRoutes = []route{
	{
		method: http.MethodGet, path: api + "/task-types", role: reader, id: "task_types.list", summary: "List the types of asynchronous tasks, by code",
		query:  with(parameter{name: "category", schema: `{"type":"string"}`}),
		result: "TaskTypePage", serve: relay("task_types", "list"),
	},
	{
		method: http.MethodPost, path: api + "/task-types", role: operator, id: "createTaskType", summary: "Make a type of asynchronous tasks",
		about: "The same as PUT; the body names the code.",
		body:  "TaskType", status: http.StatusCreated, also: http.StatusOK, result: "TaskTypePut", serve: putTaskType,
	},
	{
		method: http.MethodGet, path: aTaskType, role: reader, id: "task_types.get", summary: "Get a type of asynchronous tasks",
		about: "The secret of its callbacks is never shown.", result: "TaskType", serve: relay("task_types", "get"),
	},
	{
		method: http.MethodPut, path: aTaskType, role: operator, id: "task_types.put", summary: "Create or replace a type of asynchronous tasks",
		about: "The whole record is replaced, but for the `sk` of its callbacks, which stays when none is given.",
		body:  "TaskTypeInput", status: http.StatusCreated, also: http.StatusOK, result: "TaskTypePut", serve: putTaskType,
	},
	{
		method: http.MethodDelete, path: aTaskType, role: operator, id: "task_types.delete", summary: "Delete a type of asynchronous tasks",
		about: "One that has tasks which are not finished is a conflict.", result: "TaskTypeDeleted", serve: relay("task_types", "delete"),
	},
}

var asyncRoutes = []route{
	{
		method: http.MethodGet, path: api + "/async-tasks", role: reader, id: "tasks.list",
		summary: "List asynchronous tasks",
		about:   "Those that are not over, by type, then id; with `history` those that are finished, the newest first. One that is Completed is in both. A page may be short while `next` is there.",
		query: with(
			parameter{name: "type", schema: `{"type":"string"}`},
			parameter{name: "status", kind: asList, many: true, schema: `{"type":"array","items":{"type":"string"}}`, about: "`New Executing Error Pending Success Completed Failure ManuallyProcessed Cancelled`."},
			parameter{name: "tenant_id", schema: `{"type":"string"}`},
			parameter{name: "category", schema: `{"type":"string"}`},
			parameter{name: "creator", schema: `{"type":"string"}`},
			parameter{name: "history", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "The finished ones."},
			parameter{name: "from", schema: `{"type":"string","format":"date-time"}`, about: "Of history: those that ended then or later."},
			parameter{name: "to", schema: `{"type":"string","format":"date-time"}`, about: "Of history: those that ended before."},
			parameter{name: "order", schema: `{"type":"string","enum":["status"]}`, about: "`status`: Pending first, then Error, Failure, Executing, New, Completed. A task whose status changes meanwhile may be on two pages, or on none. Not of history."},
		),
		result: "AsyncTaskPage", serve: relay("tasks", "list"),
	},
	{
		method: http.MethodPost, path: api + "/async-tasks", role: operator, id: "tasks.submit",
		summary: "Submit an asynchronous task, or many",
		about:   "Many are 200; each refused one has its error, and stops no other.",
		body:    "AsyncTaskInput", status: http.StatusCreated, also: http.StatusOK, result: "AsyncTaskAnswer", serve: submitAsync,
	},
	{
		method: http.MethodPost, path: api + "/async-tasks/fetch", role: worker, id: "tasks.fetch",
		summary: "Take asynchronous tasks to execute",
		about: "At most `limit` of those that wait for a worker of a `pull` type, by priority, then time; each is the worker's from then on, and reported with its `exec_id`. " +
			"A caller that hangs up while it waits may hold tasks all the same: they come back at their deadline.",
		body: "AsyncTaskFetch", result: "AsyncTaskPage", serve: fetchAsync,
	},
	{
		method: http.MethodGet, path: anAsync, role: reader, id: "tasks.get", summary: "Get an asynchronous task",
		about: "Also one that is finished, as long as it is kept.", result: "AsyncTask", serve: relay("tasks", "get"),
	},
	asyncVerb("cancel", "Cancel an asynchronous task", "Its agent is asked to stop.", "AsyncTaskEnd", "AsyncTaskStanding"),
	asyncVerb("process", "Record that a person has done a task", "Of one that is Pending.", "AsyncTaskEnd", "AsyncTaskStanding"),
	asyncVerb("retry", "Try a task again", "Of one that is Pending or a Failure. Its errors are forgotten.", "", "AsyncTaskStanding"),
	ofWorker(asyncVerb("report", "Report the outcome of an execution of a task", "", "AsyncTaskReport", "AsyncTaskReported")),
}

// ofWorker is a route that workers may take, too.
func ofWorker(r route) route {
	r.role = worker
	return r
}

func asyncVerb(verb, summary, about, body, result string) route {
	return route{
		method: http.MethodPost, path: anAsync + "/" + verb, role: operator, id: "tasks." + verb,
		summary: summary, about: about, body: body, bodyOptional: body == "AsyncTaskEnd", result: result, serve: relay("tasks", verb),
	}
}

func putTaskType(g *Gateway, q *request) (answer, error) {
	request, err := q.asked(q.body)
	if err != nil {
		return answer{}, err
	}
	v, err := g.ask(q, "task_types", "put", request)
	if err != nil {
		return answer{}, err
	}
	code, _ := v.Field("code").Text()
	a := answer{raw: v.Raw(), location: api + "/task-types/" + code, status: http.StatusOK}
	if created, _ := v.Field("created").Bool(); created {
		a.status = http.StatusCreated
	}
	return a, nil
}

// longestWait bounds how long a fetch waits for tasks, in milliseconds, because it holds
// one of the slots that all requests share.
const longestWait = 3000

func fetchAsync(g *Gateway, q *request) (answer, error) {
	if wait, ok := q.body.Field("wait_ms").Int(); ok && wait > longestWait {
		return answer{}, invalid("wait_ms", "is %d; over HTTP a fetch waits for %d at most, so fetch again, or over NATS", wait, longestWait)
	}
	v, err := g.ask(q, "tasks", "fetch", q.body)
	return answer{raw: v.Raw()}, err
}

func submitAsync(g *Gateway, q *request) (answer, error) {
	v, err := g.ask(q, "tasks", "submit", q.body)
	if err != nil {
		return answer{}, err
	}
	if v.Field("tasks").Kind() == wire.KindList {
		return answer{raw: v.Raw(), status: http.StatusOK}, nil
	}
	kind, _ := v.Field("type").Text()
	id, _ := v.Field("id").Text()
	return answer{raw: v.Raw(), status: http.StatusCreated, location: api + "/async-tasks/" + kind + "/" + id}, nil
}
