package gateway

import "net/http"

// timelineRoutes have the runs over time.
var timelineRoutes = []route{{
	method: http.MethodGet, path: api + "/timeline", role: reader, id: "plans.timeline", summary: "Show runs over time, in lanes",
	about: "The runs that a span of time meets: those that have ended, also of removed plans, and those under way. Where there are more than `max`, how many began when. `complete` is false when the time to look for them was over.",
	query: []parameter{
		{name: "from", schema: `{"type":"string","format":"date-time"}`, about: "When the time begins; else an hour before `until`."},
		{name: "until", schema: `{"type":"string","format":"date-time"}`, about: "When it ends, at most a day after `from`; else now."},
		{name: "lanes", schema: `{"type":"string","enum":["plan","worker","station"],"default":"plan"}`, about: "What a lane has the runs of."},
		stationParameter,
		{name: "max", kind: asInt, schema: `{"type":"integer","minimum":1,"maximum":2000,"default":2000}`, about: "How many runs are shown one by one."},
		{name: "within_ms", kind: asInt, schema: `{"type":"integer","minimum":1,"maximum":2000,"default":2000}`, about: "How long runs are looked for; ask again when `complete` is false."},
	},
	result: "Timeline", serve: relay("plans", "timeline"), search: true,
}}
