package main

import (
	"regexp"
	"strings"
)

// The scheduler's messages name requests, as programs make them. Users of the command line
// see the commands that make them.

// commandOf is the command that makes a request.
var commandOf = map[string]string{
	"plans.create": "plan create", "plans.get": "plan get", "plans.list": "plan ls", "plans.remove": "plan rm", "plans.runs": "plan runs", "plans.explain": "plan why",
	"plans.update": "plan update", "plans.pause": "plan pause", "plans.resume": "plan resume", "plans.trigger": "plan trigger", "plans.skip": "plan skip", "plans.reset": "plan reset",
	"calendars.delete": "calendar rm", "calendars.get": "calendar get", "calendars.list": "calendar ls", "calendars.put": "calendar put",
	"stations.delete": "station rm", "stations.get": "station get", "stations.list": "station ls", "stations.put": "station put",
	"task_types.delete": "task type rm", "task_types.list": "task type ls", "task_types.put": "task type put",
	"tasks.cancel": "task cancel", "tasks.fetch": "task fetch", "tasks.get": "task get", "tasks.list": "task ls", "tasks.process": "task process", "tasks.retry": "task retry", "tasks.submit": "task submit",
	"queues.delete": "queue rm", "queues.list": "queue ls", "queues.push": "queue push", "queues.retry": "queue retry",
	"secrets.delete": "secret rm", "secrets.list": "secret ls", "secrets.put": "secret put",
	"periodic_tasks.delete": "periodic rm", "periodic_tasks.list": "periodic ls", "periodic_tasks.online": "periodic online", "periodic_tasks.offline": "periodic offline", "periodic_tasks.put": "periodic put",
}

// request is a word that may name a request, and its station.
var request = regexp.MustCompile(`(^|[ (])([a-z_]+\.[a-z]+)(?: of station ([^ ,;:)]+))?($|[ ,;:)])`)

// inCommands replaces requests in a text by commands.
func inCommands(text string) string {
	return withFlags.Replace(request.ReplaceAllStringFunc(text, func(found string) string {
		part := request.FindStringSubmatch(found)
		command, known := commandOf[part[2]]
		if !known {
			return found
		}
		if part[3] != "" {
			command += " " + part[3]
		}
		return part[1] + "`stationmaster " + command + "`" + part[4]
	}))
}

// withFlags are the fields of a request behind its command.
var withFlags = strings.NewReplacer("` with on_conflict ", "` with --on-conflict ", "` with update ", "` with --update ")
