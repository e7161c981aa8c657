package front

import (
	"sync/atomic"

	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A service is a group of verbs that share a noun.
type service struct {
	name        string
	description string
	invalid     schema.Code // of a request that is wrong
	verbs       []verb
	// foreseen are the verbs that take dry_run.
	foreseen []string
	// below names the verb whose requests come on subjects below its own; the rest of the
	// subject is a parameter.
	below string
}

// A verb is the behaviour of one endpoint. Act must not wait, because it holds up the requests
// behind it. It refuses the request by returning an error, or ensures that the request is
// answered.
type verb struct {
	name  string
	act   func(*request) error
	limit wire.Limits // of the body
	kind  kind
	metering
}

// of adapts a method of a service's type to a verb's act. The receiver is made for each
// request, because it holds nothing but the front.
func of[S ~struct{ front *Front }](act func(S, *request) error) func(*request) error {
	return func(r *request) error { return act(S{front: r.front}, r) }
}

const (
	// maxItems and maxDepth are those of one definition.
	maxItems = 10_000
	maxDepth = 32
	// maxImport is how many plans one import may have.
	maxImport = 1000
)

// ordinary are the limits of a request that is a definition, or less.
var ordinary = wire.Limits{Bytes: schema.MaxDefinitionBytes, Items: maxItems, Depth: maxDepth}

// manyEntries are the limits of a calendar, each of whose entries has some members.
var manyEntries = wire.Limits{Bytes: schema.MaxCalendarBytes, Items: 20 * schema.MaxCalendarEntries, Depth: maxDepth}

// enclosing are the limits of a request that has a definition and a few more fields; the
// definition is then held to its own.
var enclosing = wire.Limits{Bytes: schema.MaxDefinitionBytes + 4<<10, Items: maxItems + 3, Depth: maxDepth + 1}

// pushed are the limits of a request that holds an item, and perhaps a definition, which
// are then held to their own.
var pushed = wire.Limits{Bytes: schema.MaxDefinitionBytes + schema.MaxItemBytes + 4<<10, Items: 2 * maxItems, Depth: maxDepth + 1}

// manyPlans are the limits of a request with many plans, as large as the server delivers. Each
// plan is then held to its own limits, so that one which exceeds them does not stop the
// others.
var manyPlans = wire.Limits{Items: 2 * maxImport * maxItems, Depth: 8 * maxDepth}

var services = []service{
	{
		name:        "plans",
		description: "what to run, where and when",
		invalid:     schema.CodeInvalidPlan,
		below:       "claim",
		foreseen:    []string{"create", "update", "pause", "resume", "trigger", "skip", "reset", "close", "remove", "cancel", "import", "restore"},
		verbs: []verb{
			{"create", of(plans.create), ordinary, changing, metered},
			{"get", of(plans.get), ordinary, reading, metered},
			{"list", of(plans.list), ordinary, reading, metered},
			{"update", of(plans.update), enclosing, changing, metered},
			{"pause", of(plans.pause), ordinary, changing, unmetered},
			{"resume", of(plans.resume), ordinary, changing, metered},
			{"trigger", of(plans.trigger), ordinary, changing, metered},
			{"skip", of(plans.skip), ordinary, changing, metered},
			{"reset", of(plans.reset), ordinary, changing, metered},
			{"close", of(plans.close), ordinary, changing, unmetered},
			{"remove", of(plans.remove), ordinary, changing, unmetered},
			{"cancel", of(plans.cancel), ordinary, changing, unmetered},
			{"run", of(plans.run), ordinary, reading, metered},
			{"runs", of(plans.runs), ordinary, reading, metered},
			{"push", of(plans.push), pushed, changing, metered},
			{"claim", of(plans.claim), ordinary, changing, unmetered},
			{"preview", of(plans.preview), enclosing, reading, metered},
			{"upcoming", of(plans.upcoming), ordinary, reading, metered},
			{"calendar", of(plans.calendar), ordinary, reading, metered},
			{"timeline", of(plans.timeline), ordinary, reading, metered},
			{"explain", of(plans.explain), ordinary, reading, metered},
			{"overview", of(plans.overview), ordinary, reading, metered},
			{"series", of(plans.series), ordinary, reading, metered},
			{"import", of(plans.importPlans), manyPlans, changing, eachOf("plans")},
			{"export", of(plans.export), ordinary, reading, metered},
			{"items", of(plans.items), ordinary, reading, metered},
			{"restore", of(plans.restore), manyPlans, changing, metered},
		},
	},
	{
		name:        "stations",
		description: "where plans run, and how an execution reaches the workers there",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"put", of(stations.put), ordinary, changing, metered},
			{"get", of(stations.get), ordinary, reading, metered},
			{"list", of(stations.list), ordinary, reading, metered},
			{"stats", of(stations.stats), ordinary, reading, metered},
			{"delete", of(stations.delete), ordinary, changing, metered},
		},
	},
	{
		name:        "calendars",
		description: "days and times of day that plans leave out or keep to",
		invalid:     schema.CodeInvalidRequest,
		foreseen:    []string{"put"},
		verbs: []verb{
			{"put", of(calendars.put), manyEntries, changing, metered},
			{"get", of(calendars.get), ordinary, reading, metered},
			{"list", of(calendars.list), ordinary, reading, metered},
			{"delete", of(calendars.delete), ordinary, changing, metered},
			{"days", of(calendars.days), ordinary, reading, metered},
		},
	},
	{
		name:        "queues",
		description: "items that are merged by key, and handed over together",
		invalid:     schema.CodeInvalidRequest,
		foreseen:    []string{"delete"},
		verbs: []verb{
			{"push", of(queues.push), pushed, changing, metered},
			{"get", of(queues.get), ordinary, changing, unmetered},
			{"peek", of(queues.peek), ordinary, reading, metered},
			{"complete", of(queues.complete), ordinary, changing, unmetered},
			{"release", of(queues.release), ordinary, changing, unmetered},
			{"delete", of(queues.delete), ordinary, changing, unmetered},
			{"info", of(queues.info), ordinary, reading, metered},
			{"list", of(queues.list), ordinary, reading, metered},
			{"retry", of(queues.retry), ordinary, changing, metered},
		},
	},
	{
		name:        "periodic_tasks",
		description: "services that are called by the clock",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"put", of(periodicTasks.put), ordinary, changing, metered},
			{"get", of(periodicTasks.get), ordinary, reading, metered},
			{"list", of(periodicTasks.list), ordinary, reading, metered},
			{"online", of(periodicTasks.online), ordinary, changing, metered},
			{"offline", of(periodicTasks.offline), ordinary, changing, unmetered},
			{"delete", of(periodicTasks.delete), ordinary, changing, unmetered},
			{"logs", of(periodicTasks.logs), ordinary, reading, metered},
		},
	},
	{
		name:        "task_types",
		description: "how tasks of a type are carried out",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"put", of(taskTypes.put), ordinary, changing, metered},
			{"get", of(taskTypes.get), ordinary, reading, metered},
			{"list", of(taskTypes.list), ordinary, reading, metered},
			{"delete", of(taskTypes.delete), ordinary, changing, metered},
		},
	},
	{
		name:        "tasks",
		description: "work to be done once, by an agent or in the end by a person",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"submit", of(tasks.submit), manyPlans, changing, eachOf("tasks")},
			{"get", of(tasks.get), ordinary, reading, metered},
			{"list", of(tasks.list), ordinary, reading, metered},
			{"fetch", of(tasks.fetch), ordinary, changing, unmetered},
			{"report", of(tasks.report), enclosing, changing, unmetered},
			{"cancel", of(tasks.cancel), ordinary, changing, unmetered},
			{"process", of(tasks.process), ordinary, changing, unmetered},
			{"retry", of(tasks.retry), ordinary, changing, metered},
		},
	},
	{
		name:        "secrets",
		description: "values for HTTP calls, which are never shown",
		invalid:     schema.CodeInvalidRequest,
		foreseen:    []string{"delete"},
		verbs: []verb{
			{"put", of(secrets.put), ordinary, changing, metered},
			{"list", of(secrets.list), ordinary, reading, metered},
			{"delete", of(secrets.delete), ordinary, changing, metered},
			{"export", of(secrets.export), ordinary, reading, metered},
		},
	},
	{
		name:        "workers",
		description: "the connected workers",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"list", of(workers.list), ordinary, reading, metered},
			{"get", of(workers.get), ordinary, reading, metered},
		},
	},
}

// An endpoint is a verb that is served.
type endpoint struct {
	verb
	subject string
	invalid schema.Code
	dry     bool  // it takes dry_run
	side    *side // of its kind
	backlog *backlog
	refused *refused
	meter   *metrics.Endpoint
}

// refused counts the answers of an endpoint that were errors. The micro framework counts only
// those given before the handler returns, of requests that were not taken in.
type refused struct{ n atomic.Int64 }

// stats is shown as data of the endpoint by `nats micro stats`.
func (r *refused) stats() any {
	return struct {
		Refused int64 `json:"refused"`
	}{r.n.Load()}
}
