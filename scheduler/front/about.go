package front

// abouts has the metadata of each endpoint, by subject: a description and an example request.
// `nats micro info` shows them and programs may read them; members in brackets are optional.
// All fields are described in /openapi.json.
var abouts = map[string]about{
	"plans.create":   {"make a plan", "the fields of a plan"},
	"plans.get":      {"show a plan and its state", "station, plan_id, [in_force]"},
	"plans.list":     {"list plans that have not closed", "[station, status, plan_type, caller, tenant_id, category, creator, labels, text, due_from, due_before, limit, cursor]"},
	"plans.update":   {"change fields of a plan; null is the default again", "station, plan_id, [revision], fields"},
	"plans.pause":    {"let nothing of a plan be due until it is resumed", "station, plan_id"},
	"plans.resume":   {"end a pause", "station, plan_id"},
	"plans.trigger":  {"run a plan once more, now", "station, plan_id"},
	"plans.skip":     {"skip the next occurrences of a plan", "station, plan_id, count"},
	"plans.reset":    {"let a plan go on that stopped in plan_error or pending", "station, plan_id"},
	"plans.close":    {"end a plan; executions under way may finish", "station, plan_id"},
	"plans.remove":   {"end a plan at once; executions under way are cancelled", "station, plan_id, [revision]"},
	"plans.cancel":   {"cancel one run", "station, plan_id, n"},
	"plans.run":      {"show one run", "station, plan_id, n"},
	"plans.runs":     {"list the runs of a plan, or those that have ended of many, the newest first", "[station, plan_id, state, failed, labels, from, to, limit, cursor]"},
	"plans.push":     {"put an item into a plan's inbox", "station, plan_id, item, [plan_time, retime, plan]"},
	"plans.claim":    {"take executions of stations of kind pull; the station may stand in the subject", "[stations, worker_id, limit, wait_ms, filters]"},
	"plans.preview":  {"show when a plan would be due", "plan, [from, count, zone, lang, with_skipped]"},
	"plans.upcoming": {"show the next occurrences of a plan", "station, plan_id, [from, count, until, zone, lang, with_skipped]"},
	"plans.calendar": {"count how many occurrences fall due in which hour or day", "[from, until, step, zone, cell, lang, within_ms, and the filters of plans.list]"},
	"plans.timeline": {"show the runs that a span of time meets, in lanes", "[from, until, lanes, station, max, within_ms]"},
	"plans.explain":  {"say why an occurrence ran, why it did not, or when it will", "station, plan_id, [occurrence, n, at, lang]"},
	"plans.overview": {"show the counters of all plans, what is due next, and trouble", "[lang]"},
	"plans.series":   {"show results, skips or lateness over time", "of, step, [station, from]"},
	"plans.import":   {"make many plans", "plans, [on_conflict]"},
	"plans.export":   {"read plans with all that is kept of them", "[limit, cursor]"},
	"plans.items":    {"read the items of an inbox", "station, plan_id, [from, limit]"},
	"plans.restore":  {"enter plans as plans.export gave them", "plans, [on_conflict]"},

	"stations.put":    {"put a station's record in place of the one it had", "the fields of a station"},
	"stations.get":    {"show a station's record", "station"},
	"stations.list":   {"list the stations that have a record", "[used, limit, cursor]"},
	"stations.stats":  {"show the counters of a station", "station"},
	"stations.delete": {"delete a station's record", "station, [dry_run]"},

	"calendars.put":    {"put a calendar in place of the one that there is", "calendar_id, [description, timezone, days, except, windows, revision]"},
	"calendars.get":    {"show a calendar", "calendar_id"},
	"calendars.list":   {"list calendars", "[limit, cursor]"},
	"calendars.delete": {"delete a calendar that no plan names", "calendar_id"},
	"calendars.days":   {"show the days that a calendar holds", "calendar_id, from, until"},

	"queues.push":     {"put a task into a merge queue", "key, task, [ontime, update, method, service, station, data, abandon_after]"},
	"queues.get":      {"lock the first tasks of a queue", "key, random, [number, timeout]"},
	"queues.peek":     {"show the first tasks of a queue", "key, [number]"},
	"queues.complete": {"remove locked tasks", "key, random, [number]"},
	"queues.release":  {"end a lock; the tasks stay", "key, random, [ontime]"},
	"queues.delete":   {"delete a queue", "key"},
	"queues.info":     {"show the state of a queue", "key"},
	"queues.list":     {"list queues", "[station, text, limit, cursor]"},
	"queues.retry":    {"hand a queue over now", "key"},

	"periodic_tasks.put":     {"make a periodic task, or change one", "id, type, cron_expressions, [timezone, log, tenant_id, creator, category, ext]"},
	"periodic_tasks.get":     {"show a periodic task", "id"},
	"periodic_tasks.list":    {"list periodic tasks", "[type, status, tenant_id, category, creator, limit, cursor]"},
	"periodic_tasks.online":  {"let a periodic task be triggered", "id"},
	"periodic_tasks.offline": {"let a periodic task rest", "id"},
	"periodic_tasks.delete":  {"delete a periodic task", "id"},
	"periodic_tasks.logs":    {"list the outcomes of its triggers, the newest first", "id, [limit, cursor]"},

	"task_types.put":    {"make a task type, or replace one", "the fields of a task type"},
	"task_types.get":    {"show a task type", "code"},
	"task_types.list":   {"list task types", "[category, limit, cursor]"},
	"task_types.delete": {"delete a task type", "code"},

	"tasks.submit":  {"have a task done, or several", "type, [id, ext, start_time, priority, worker_count, …], or tasks"},
	"tasks.get":     {"show a task", "type, id"},
	"tasks.list":    {"list tasks that are not finished, or with history those that are", "[type, status, tenant_id, category, creator, history, from, to, limit, cursor]"},
	"tasks.fetch":   {"take tasks to execute", "worker_id, [type, tenant_id, category, creator, limit, wait_ms]"},
	"tasks.report":  {"report the state or the outcome of an execution", "type, id, exec_id, [status, result, error_info, worker_id]"},
	"tasks.cancel":  {"end a task without executing it", "type, id, [remark]"},
	"tasks.process": {"say that a person has done a task", "type, id, [remark]"},
	"tasks.retry":   {"have a task executed again that is pending or a failure", "type, id"},

	"secrets.put":    {"keep a value that HTTP calls are made with", "name, value, hosts, [tenant_id]"},
	"secrets.list":   {"list secrets, without their values", "[limit, cursor]"},
	"secrets.delete": {"delete a secret", "name, [dry_run]"},
	"secrets.export": {"plans.export with nothing hidden", "[limit, cursor]"},

	"workers.list": {"list the connected workers", "[station, limit, cursor]"},
	"workers.get":  {"show a connected worker and the executions that it has", "worker_id"},
}

// An about describes an endpoint.
type about struct{ description, request string }

func (a about) metadata() map[string]string {
	return map[string]string{"description": a.description, "request": a.request}
}
