package gateway

import "net/http"

const aPeriodic = api + "/periodic-tasks/{id}"

var periodicRoutes = []route{
	{
		method: http.MethodGet, path: api + "/periodic-tasks", role: reader, id: "periodic_tasks.list",
		summary: "List periodic tasks, by type, then id",
		query: with(
			parameter{name: "type", schema: `{"type":"string"}`, about: "Of this station."},
			parameter{name: "status", schema: `{"type":"string","enum":["new","online","offline"]}`},
			parameter{name: "tenant_id", schema: `{"type":"string"}`},
			parameter{name: "category", schema: `{"type":"string"}`},
			parameter{name: "creator", schema: `{"type":"string"}`},
		),
		result: "PeriodicPage", serve: relay("periodic_tasks", "list"),
	},
	{
		method: http.MethodPost, path: api + "/periodic-tasks", role: operator, id: "createPeriodicTask",
		summary: "Make a periodic task",
		about:   "The same as PUT; an `id` is made when the body names none. A new one is triggered when it is put online.",
		body:    "PeriodicPut", status: http.StatusCreated, result: "PeriodicStanding", serve: createPeriodic,
	},
	{
		method: http.MethodGet, path: aPeriodic, role: reader, id: "periodic_tasks.get", summary: "Get a periodic task",
		result: "PeriodicTask", serve: relay("periodic_tasks", "get"),
	},
	{
		method: http.MethodPut, path: aPeriodic, role: operator, id: "periodic_tasks.put",
		summary: "Make a periodic task, or replace one", about: "The whole task is replaced, and keeps its status; `dropped` names the fields that are left out.",
		body: "PeriodicPut", result: "PeriodicStanding", serve: relay("periodic_tasks", "put"),
	},
	{
		method: http.MethodDelete, path: aPeriodic, role: operator, id: "periodic_tasks.delete",
		summary: "Delete a periodic task", about: "Its executions under way are cancelled.",
		result: "PeriodicDeleted", serve: relay("periodic_tasks", "delete"),
	},
	{
		method: http.MethodPost, path: aPeriodic + "/online", role: operator, id: "periodic_tasks.online",
		summary: "Trigger a periodic task at its times", result: "PeriodicStanding", serve: relay("periodic_tasks", "online"),
	},
	{
		method: http.MethodPost, path: aPeriodic + "/offline", role: operator, id: "periodic_tasks.offline",
		summary: "Trigger a periodic task no more", about: "At once. Executions under way may finish; missed ones are not caught up.",
		result: "PeriodicStanding", serve: relay("periodic_tasks", "offline"),
	},
	{
		method: http.MethodGet, path: aPeriodic + "/logs", role: reader, id: "periodic_tasks.logs",
		summary: "List the log of a periodic task, the newest first",
		query:   paging, result: "PeriodicLogPage", serve: relay("periodic_tasks", "logs"),
	},
}

func createPeriodic(g *Gateway, q *request) (answer, error) {
	v, err := g.ask(q, "periodic_tasks", "put", q.body)
	if err != nil {
		return answer{}, err
	}
	id, _ := v.Field("id").Text()
	return answer{raw: v.Raw(), status: http.StatusCreated, location: api + "/periodic-tasks/" + id}, nil
}
