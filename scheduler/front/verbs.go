package front

import (
	"sync/atomic"

	"github.com/stationmaster-io/stationmaster/metrics"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A service is a group of verbs that share a noun.
type service struct {
	name        string
	description string
	invalid     schema.Code // of a request that is wrong
	verbs       []verb
	// below names the verb whose requests come on subjects below its own, which say more.
	below string
}

// A verb is what one endpoint does. Act runs in the endpoint's handler and must
// not wait: it refuses the request by returning an error, or sees to it that the
// request is answered.
type verb struct {
	name  string
	act   func(*Front, *request) error
	limit wire.Limits // of the body
}

const (
	// maxItems and maxDepth are those of one definition (DESIGN section 2,
	// "Untrusted bytes").
	maxItems = 10_000
	maxDepth = 32
	// maxImport is how many plans one import may have.
	maxImport = 1000
)

// ordinary are the limits of a request that is a definition, or less.
var ordinary = wire.Limits{Bytes: schema.MaxDefinitionBytes, Items: maxItems, Depth: maxDepth}

// enclosing are the limits of a request that says some words about a definition,
// which is then held to its own.
var enclosing = wire.Limits{Bytes: schema.MaxDefinitionBytes + 4<<10, Items: maxItems + 3, Depth: maxDepth + 1}

// pushed are the limits of a request that holds an item, and perhaps a definition, which
// are then held to their own.
var pushed = wire.Limits{Bytes: schema.MaxDefinitionBytes + schema.MaxItemBytes + 4<<10, Items: 2 * maxItems, Depth: maxDepth + 1}

// manyPlans are the limits of a request with many plans, as much as the server
// delivers: each plan is then held to its own limits, so that one which goes beyond
// them does not stop the others.
var manyPlans = wire.Limits{Items: 2 * maxImport * maxItems, Depth: 8 * maxDepth}

var services = []service{
	{
		name:        "plans",
		description: "what to run, where and when",
		invalid:     schema.CodeInvalidPlan,
		below:       "claim",
		verbs: []verb{
			{"create", (*Front).create, ordinary},
			{"get", (*Front).get, ordinary},
			{"list", (*Front).list, ordinary},
			{"update", (*Front).update, enclosing},
			{"pause", (*Front).pause, ordinary},
			{"resume", (*Front).resume, ordinary},
			{"trigger", (*Front).trigger, ordinary},
			{"skip", (*Front).skip, ordinary},
			{"reset", (*Front).reset, ordinary},
			{"close", (*Front).closePlan, ordinary},
			{"remove", (*Front).remove, ordinary},
			{"cancel", (*Front).cancel, ordinary},
			{"run", (*Front).run, ordinary},
			{"runs", (*Front).runs, ordinary},
			{"push", (*Front).push, pushed},
			{"claim", (*Front).claim, ordinary},
			{"preview", (*Front).preview, enclosing},
			{"import", (*Front).importPlans, manyPlans},
			{"export", (*Front).export, ordinary},
			{"items", (*Front).inboxItems, ordinary},
			{"restore", (*Front).restore, manyPlans},
		},
	},
	{
		name:        "stations",
		description: "where plans run, and how an execution reaches the workers there",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"put", (*Front).putStation, ordinary},
			{"get", (*Front).getStation, ordinary},
			{"list", (*Front).listStations, ordinary},
			{"delete", (*Front).deleteStation, ordinary},
		},
	},
	{
		name:        "queues",
		description: "what is merged by key, and handed over together",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"push", (*Front).queuePush, pushed},
			{"get", (*Front).queueGet, ordinary},
			{"peek", (*Front).queuePeek, ordinary},
			{"complete", (*Front).queueComplete, ordinary},
			{"release", (*Front).queueRelease, ordinary},
			{"delete", (*Front).queueDelete, ordinary},
			{"info", (*Front).queueInfo, ordinary},
			{"list", (*Front).listQueues, ordinary},
			{"retry", (*Front).queueRetry, ordinary},
		},
	},
	{
		name:        "periodic_tasks",
		description: "services that are called by the clock",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"put", (*Front).putPeriodic, ordinary},
			{"get", (*Front).getPeriodic, ordinary},
			{"list", (*Front).listPeriodic, ordinary},
			{"online", (*Front).periodicOnline, ordinary},
			{"offline", (*Front).periodicOffline, ordinary},
			{"delete", (*Front).deletePeriodic, ordinary},
			{"logs", (*Front).periodicLogs, ordinary},
		},
	},
	{
		name:        "task_types",
		description: "how tasks of a type are carried out",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"put", (*Front).putTaskType, ordinary},
			{"get", (*Front).getTaskType, ordinary},
			{"list", (*Front).listTaskTypes, ordinary},
			{"delete", (*Front).deleteTaskType, ordinary},
		},
	},
	{
		name:        "tasks",
		description: "what is to be done once, by an agent or in the end by a person",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"submit", (*Front).submitTasks, manyPlans},
			{"get", (*Front).getTask, ordinary},
			{"list", (*Front).listTasks, ordinary},
			{"fetch", (*Front).fetchTasks, ordinary},
			{"report", (*Front).reportTask, enclosing},
			{"cancel", (*Front).cancelTask, ordinary},
			{"process", (*Front).processTask, ordinary},
			{"retry", (*Front).retryTask, ordinary},
		},
	},
	{
		name:        "secrets",
		description: "values that HTTP calls are made with, and that nobody is shown",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"put", (*Front).putSecret, ordinary},
			{"list", (*Front).listSecrets, ordinary},
			{"delete", (*Front).deleteSecret, ordinary},
			{"export", (*Front).exportSecrets, ordinary},
		},
	},
	{
		name:        "workers",
		description: "who works where",
		invalid:     schema.CodeInvalidRequest,
		verbs: []verb{
			{"list", (*Front).listWorkers, ordinary},
		},
	},
}

// An endpoint is a verb that is served.
type endpoint struct {
	verb
	subject string
	invalid schema.Code
	refused *refused
	meter   *metrics.Endpoint
	metering
}

// refused counts the answers of an endpoint that were errors. The micro framework
// counts only those that are given before the handler returns.
type refused struct{ n atomic.Int64 }

// stats is shown as data of the endpoint by `nats micro stats`.
func (r *refused) stats() any {
	return struct {
		Refused int64 `json:"refused"`
	}{r.n.Load()}
}
