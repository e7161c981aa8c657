package console

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// The parameters of lists, in the order of the application's requests. A preload counts only where
// its address is the one that the application asks for, byte for byte.
var (
	ofPlans = []string{
		"text", "prefix", "station", "status", "waits", "plan_type", "labels", "caller", "tenant_id", "category",
		"due_from", "due_before", "order", "cursor", "limit",
	}
	ofRuns = []string{
		"trouble", "failed", "text", "station", "plan_id", "state", "reason", "worker_id", "labels", "longer_than_ms", "from", "until", "to",
		"cursor", "limit",
	}
	ofCalendar = []string{
		"text", "prefix", "station", "status", "waits", "plan_type", "labels", "caller", "tenant_id", "category", "due_from", "due_before",
		"step", "from", "until", "zone",
	}
	ofTimeline  = []string{"lanes", "station", "from", "until", "max"}
	ofStations  = []string{"cursor", "limit"}
	ofWorkers   = []string{"station", "cursor", "limit"}
	ofJobs      = []string{"name", "status", "cursor", "limit"}
	ofPeriodic  = []string{"type", "status", "tenant_id", "category", "creator", "cursor", "limit"}
	ofCallbacks = []string{"text", "cursor", "limit"}
	ofQueues    = []string{"text", "station", "cursor", "limit"}
	ofTasks     = []string{"type", "status", "tenant_id", "category", "creator", "history", "from", "to", "cursor", "limit"}
	ofTypes     = []string{"category", "cursor", "limit"}
)

// soon is what the application adds where it asks for what is found soon, and for the rest behind it.
const soon = "within_ms=100"

// data is the address of the first request that the application makes for a page, below the base
// path; empty: it makes none that can be preloaded.
func (p page) data(query url.Values, lang string) string {
	words, _, _ := strings.Cut(lang, "-")
	switch p.pattern {
	case "":
		return restPath("overview") + "?lang=" + words
	case "plans":
		return restPath("plans") + listQuery(query, ofPlans, "fields=brief&runs=20&words="+words)
	case "runs":
		return restPath("runs") + listQuery(query, ofRuns, "")
	case "calendar":
		if query.Get("zone") != "" || query.Get("tz") != "browser" { // whose zone the application alone knows
			return restPath("calendar") + listQuery(query, ofCalendar, "lang="+words+"&"+soon)
		}
	case "timeline":
		if query.Get("span") == "" || query.Get("from") != "" || query.Get("until") != "" { // else the application computes a time
			return restPath("timeline") + listQuery(query, ofTimeline, soon)
		}
	case "stations":
		return restPath("stations") + listQuery(query, ofStations, "used=true")
	case "stations/*":
		if path := restPath("stations", p.names[0]); path != "" {
			return path + "?used=true"
		}
	case "workers":
		return restPath("workers") + listQuery(query, ofWorkers, "")
	case "workers/*":
		return restPath("workers", p.names...)
	case "jobs":
		return restPath("tasks") + listQuery(query, ofJobs, "words="+words+"&state=true")
	case "jobs/*":
		if path := restPath("tasks", p.names[0]); path != "" {
			return path + "?words=" + words + "&state=true"
		}
	case "periodic":
		return restPath("periodic-tasks") + listQuery(query, ofPeriodic, "")
	case "periodic/*":
		return restPath("periodic-tasks", p.names...)
	case "callbacks":
		return restPath("plans") + listQuery(query, ofCallbacks, "station=callback.%3E&fields=brief")
	case "tasks":
		order := "order=status"
		if query.Get("history") == "true" {
			order = ""
		}
		return restPath("async-tasks") + listQuery(query, ofTasks, order)
	case "tasks/*/*":
		return restPath("async-tasks", p.names...)
	case "task-types":
		return restPath("task-types") + listQuery(query, ofTypes, "")
	case "queues":
		return restPath("queues") + listQuery(query, ofQueues, "")
	case "queues/*":
		if !strings.HasPrefix(p.names[0], "-") { // whose items are queues of their own
			return restPath("queues", p.names...)
		}
	case "cluster":
		return restPath("nodes")
	case "plans/*/*", "plans/*/*/edit":
		return restPath("plans", p.names...)
	case "plans/*/*/runs/*":
		return restPath("plans", p.names[0], p.names[1], "runs", p.names[2])
	case "plans/new":
		if station, id, ok := strings.Cut(query.Get("copy"), "/"); ok && station != "" && id != "" {
			return restPath("plans", station, id)
		}
	}
	return ""
}

// listQuery is the query of a list: those of its parameters that the page has, then more.
func listQuery(query url.Values, names []string, more string) string {
	var all []string
	for _, name := range names {
		for _, value := range query[name] {
			if value != "" {
				all = append(all, name+"="+escape(value, "*-._", "+"))
			}
		}
	}
	if more != "" {
		all = append(all, more)
	}
	if len(all) == 0 {
		return ""
	}
	return "?" + strings.Join(all, "&")
}

// restPath encodes names as encodeURIComponent does.
func restPath(first string, names ...string) string {
	path := "/api/v1/" + first
	for _, name := range names {
		if !utf8.ValidString(name) {
			return "" // the browser reads it otherwise
		}
		path += "/" + escape(name, "-_.!~*'()", "%20")
	}
	return path
}

// escape percent-encodes all but ASCII letters, digits and the bytes in kept; a space becomes space.
func escape(text, kept, space string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(text) {
		c := text[i]
		switch {
		case c == ' ':
			b.WriteString(space)
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(kept, c) >= 0:
			b.WriteByte(c)
		default:
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return b.String()
}
