package gateway

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// components are the shapes that routes name, as JSON Schema.
//
//go:embed components.json
var components []byte

// A document is the encoded OpenAPI document.
type document []byte

func getDocument(g *Gateway, _ *request) (answer, error) { return answer{raw: g.spec}, nil }

// newDocument writes the document of the routes.
func newDocument(version, publicURL string) document {
	paths := map[string]map[string]any{}
	for i := range routes {
		r := &routes[i]
		if paths[r.path] == nil {
			paths[r.path] = map[string]any{}
		}
		paths[r.path][strings.ToLower(r.method)] = r.operation()
	}
	all := map[string]any{
		"openapi": "3.1.0",
		"info": map[string]any{
			"title": "Stationmaster", "version": version,
			"description": "A scheduler on NATS JetStream, by REST. Tasks are HTTP cron jobs; plans, stations and workers are those of the services of the same names.",
			"license":     map[string]any{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"tags":  tags,
		"paths": paths,
		"components": map[string]any{
			"schemas": json.RawMessage(components),
			"securitySchemes": map[string]any{
				"bearer":  map[string]any{"type": "http", "scheme": "bearer", "description": "A token of --http-token-file. Without such a file none is needed on the same machine."},
				"session": map[string]any{"type": "apiKey", "in": "cookie", "name": "sm_session", "description": "A browser's session; by TLS the name is __Host-sm_session. It counts with Sec-Fetch-Site: same-origin alone."},
			},
			"responses": map[string]any{"Problem": map[string]any{
				"description": "An error (RFC 9457). `error` is the first one, `errors` are all.",
				"content":     map[string]any{"application/problem+json": map[string]any{"schema": ref("Problem")}},
			}},
		},
	}
	if publicURL != "" {
		all["servers"] = []any{map[string]any{"url": publicURL}}
	}
	out, err := json.Marshal(all)
	if err != nil {
		panic(err) // cannot happen, because a test checks that components.json is JSON
	}
	return out
}

var tags = []any{
	map[string]any{"name": "tasks", "description": "HTTP cron jobs"},
	map[string]any{"name": "runs", "description": "Runs of tasks, and their outcomes"},
	map[string]any{"name": "callbacks", "description": "How ASYNC runs end"},
	map[string]any{"name": "plans", "description": "Plans: where they run, and when"},
	map[string]any{"name": "bulk", "description": "One verb for all plans that match"},
	map[string]any{"name": "stations", "description": "Stations, and their settings"},
	map[string]any{"name": "calendars", "description": "Days and times of day that plans leave out or keep to"},
	map[string]any{"name": "workers", "description": "Workers that are present"},
	map[string]any{"name": "queues", "description": "Items that are merged by key, and delivered together"},
	map[string]any{"name": "task-types", "description": "How asynchronous tasks are carried out"},
	map[string]any{"name": "async-tasks", "description": "Tasks that an agent does once"},
	map[string]any{"name": "periodic-tasks", "description": "Services that are called by the clock"},
	map[string]any{"name": "secrets", "description": "Secrets of calls, which are never shown"},
	map[string]any{"name": "session", "description": "Who asks, and sessions of browsers"},
	map[string]any{"name": "nodes", "description": "The processes of the scheduler"},
	map[string]any{"name": "partitions", "description": "Who leads which plans, and how far"},
	map[string]any{"name": "streams", "description": "What is stored"},
	map[string]any{"name": "overview", "description": "Counters of all plans, and trouble"},
	map[string]any{"name": "calendar", "description": "Occurrences to come, by the hour or day"},
	map[string]any{"name": "timeline", "description": "Runs over time"},
	map[string]any{"name": "stats", "description": "Counters over time"},
	map[string]any{"name": "events", "description": "Results and events, live"},
	map[string]any{"name": "openapi.json", "description": "This document"},
}

func ref(name string) map[string]any {
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

// operation is the document's description of a route.
func (r *route) operation() map[string]any {
	op := map[string]any{
		"operationId": strings.ReplaceAll(r.id, ".", "_"), "summary": r.summary, "tags": []string{r.tag()},
		"parameters": r.parameters(), "responses": r.responses(),
		"security": []any{map[string]any{"bearer": []string{}}, map[string]any{"session": []string{}}},
	}
	if r.role == anyone {
		op["security"] = []any{}
	}
	if r.about != "" {
		op["description"] = r.about
	}
	if r.body != "" {
		op["requestBody"] = map[string]any{
			"required": !r.bodyOptional,
			"content":  map[string]any{"application/json": map[string]any{"schema": ref(r.body)}},
		}
	}
	return op
}

// tag is the group of the route: the first word of its path.
func (r *route) tag() string {
	if r.path == httpQueue {
		return "queues"
	}
	tag, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(r.path, api), "/"), "/")
	return tag
}

func (r *route) parameters() []any {
	all := []any{}
	add := func(in, name, about, schema string, required bool, more map[string]any) {
		p := map[string]any{"in": in, "name": name, "schema": json.RawMessage(schema)}
		if required {
			p["required"] = true
		}
		if about != "" {
			p["description"] = about
		}
		for k, v := range more {
			p[k] = v
		}
		all = append(all, p)
	}
	for _, name := range r.names() {
		schema := `{"type":"string"}`
		if name == "n" {
			schema = `{"type":"integer","minimum":1}`
		}
		add("path", name, "", schema, true, nil)
	}
	for _, p := range r.query {
		var more map[string]any
		if p.many {
			more = map[string]any{"style": "form", "explode": false}
		}
		add("query", p.name, p.about, p.schema, false, more)
	}
	switch {
	case r.ifMatch:
		add("header", "If-Match", "The ETag of the resource to change: 412 when it has another by now.", `{"type":"string"}`, false, nil)
	case r.stream != nil && r.serve == nil:
		add("header", "Last-Event-ID", "The id of the last result that was seen.", `{"type":"string"}`, false, nil)
	case r.method == http.MethodGet:
		add("header", "If-None-Match", "The ETag that the caller has: 304 when it still is that.", `{"type":"string"}`, false, nil)
	case strings.HasPrefix(r.path, api+"/callbacks"):
		add("header", "X-Callback-Token", "The token that the call was given.", `{"type":"string"}`, false, nil)
	}
	return all
}

func (r *route) responses() map[string]any {
	good := map[string]any{"description": "It is done."}
	switch {
	case r.stream != nil && r.serve != nil:
		good["content"] = map[string]any{
			"application/json":  map[string]any{"schema": ref(r.result)},
			"text/event-stream": map[string]any{"schema": map[string]any{"type": "string"}},
		}
	case r.stream != nil:
		good["description"] = "The stream, until either side ends it."
		good["content"] = map[string]any{"text/event-stream": map[string]any{"schema": map[string]any{"type": "string"}}}
	case r.result != "":
		good["content"] = map[string]any{"application/json": map[string]any{"schema": ref(r.result)}}
	}
	status := r.status
	if status == 0 {
		status = http.StatusOK
	}
	all := map[string]any{strconv.Itoa(status): good}
	if r.also != 0 {
		all[strconv.Itoa(r.also)] = good
	}
	if ok := strconv.Itoa(http.StatusOK); all[ok] == nil && r.hasDryRun() {
		all[ok] = map[string]any{
			"description": "Nothing is done; it would be so.",
			"content":     map[string]any{"application/json": map[string]any{"schema": ref("DryRun")}},
		}
	}
	if r.method == http.MethodGet && r.serve != nil {
		all["304"] = map[string]any{"description": "The ETag is one of If-None-Match."}
	}
	for _, status := range r.problems() {
		all[strconv.Itoa(status)] = map[string]any{"$ref": "#/components/responses/Problem"}
	}
	all["default"] = map[string]any{"$ref": "#/components/responses/Problem"}
	return all
}

// hasDryRun reports that a request may be a dry run.
func (r *route) hasDryRun() bool {
	return slices.ContainsFunc(r.query, func(p parameter) bool { return p.name == "dry_run" })
}

// problems are the statuses of a route's own errors, beside those that every route has.
func (r *route) problems() []int {
	all := []int{http.StatusBadRequest, http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusForbidden, http.StatusTooManyRequests, http.StatusRequestEntityTooLarge}
	if r.role != anyone || strings.HasPrefix(r.path, api+"/callbacks") || r.path == sessionPath {
		all = append(all, http.StatusUnauthorized)
	}
	if len(r.names()) > 0 {
		all = append(all, http.StatusNotFound)
	}
	if r.body != "" && !r.bodyAny {
		all = append(all, http.StatusUnsupportedMediaType)
	}
	if r.method != http.MethodGet {
		all = append(all, http.StatusConflict)
	}
	if r.ifMatch {
		all = append(all, http.StatusPreconditionFailed)
	}
	if strings.HasPrefix(r.path, api+"/callbacks") {
		all = append(all, http.StatusGone)
	}
	return all
}
