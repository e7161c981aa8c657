package gateway

import "net/http"

const aQueue = api + "/queues/{key}"

var queueRoutes = []route{
	{
		method: http.MethodGet, path: api + "/queues", role: reader, id: "queues.list",
		summary: "List the merge queues that have items, by station, then plan id",
		query:   with(stationParameter, parameter{name: "text", schema: `{"type":"string"}`, about: "In the key."}),
		result:  "QueuePage", serve: relay("queues", "list"),
	},
	{
		method: http.MethodGet, path: aQueue, role: reader, id: "queues.info", summary: "Get the state of a merge queue",
		about:  "One without items is not found. The outcomes of its deliveries are the runs of its plan.",
		result: "Queue", serve: relay("queues", "info"),
	},
	{
		method: http.MethodDelete, path: aQueue, role: operator, id: "queues.delete", summary: "Delete a merge queue with all its items",
		about: "Also the items of a delivery under way. No error when there is none. For a key that begins with `-`, all items that were pushed under it.",
		query: foreseen, result: "QueueDeleted", serve: relay("queues", "delete"),
	},
	{
		method: http.MethodGet, path: aQueue + "/tasks", role: reader, id: "queues.peek", summary: "Look at the first tasks of a merge queue",
		query:  []parameter{{name: "number", kind: asInt, schema: `{"type":"integer","minimum":1,"default":1}`, about: "How many, within 512 KiB."}},
		result: "QueueGot", serve: relay("queues", "peek"),
	},
	{
		method: http.MethodPost, path: aQueue + "/retry", role: operator, id: "queues.retry", summary: "Deliver the items of a merge queue now",
		about: "Whether or not it is due, and also when it was stopped.", result: "QueueRetried", serve: relay("queues", "retry"),
	},
	queueVerb("push", "Put a task into a merge queue", "It is on disk when this is answered.", "QueuePush", "QueueTaken"),
	ofWorker(queueVerb("get", "Lock the first tasks of a merge queue", "The same `random` again gives the same; another one is 409 while the lock lasts.", "QueueGet", "QueueGot")),
	ofWorker(queueVerb("complete", "Remove tasks that are locked, and end the lock", "", "QueueComplete", "QueueCompleted")),
	ofWorker(queueVerb("release", "End a lock; the tasks stay", "", "QueueRelease", "QueueReleased")),
}

func queueVerb(verb, summary, about, body, result string) route {
	return route{
		method: http.MethodPost, path: aQueue + "/" + verb, role: operator, id: "queues." + verb,
		summary: summary, about: about, body: body, result: result, serve: relay("queues", verb),
	}
}

var queueFormRoutes = []route{
	{
		method: http.MethodPost, path: httpQueue, rest: true, role: operator, id: "pushToQueue",
		summary: "Put a value into a merge queue",
		about: "Items with the same merge_key, method and service are sent there together, as a JSON array in the order of the pushes, when they are due. " +
			"A merge_key that begins with `-` is never merged. `service` is the URL in base64, standard or URL alphabet, with or without padding. " +
			"The body is any JSON value, with any Content-Type. It is on disk when this is answered.",
		query: []parameter{
			{name: "ontime", schema: `{"type":"integer"}`, about: "When it is sent, in Unix seconds; absent or past: now."},
			{name: "update", schema: `{"type":"string","enum":["always","once"],"default":"once"}`, about: "`always`: `ontime` becomes the time of the whole queue; `once`: only of one that is new."},
		},
		body: "QueueItem", bodyAny: true, result: "QueuePushed", serve: pushToQueue,
	},
	{
		method: http.MethodDelete, path: httpQueue, rest: true, role: operator, id: "clearQueue",
		summary: "Delete the items of a merge queue", about: "Also the items that are being sent. No error when there is none.",
		result: "QueueCleared", serve: clearQueue,
	},
}
