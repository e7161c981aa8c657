package console

import (
	"net/url"
	"strings"
)

// pages are the paths below /ui/ that the application has a page for; a * is one name, which
// may be any. The others are answered 404, within the shell.
var pages = []string{
	"", "login", "plans", "plans/new", "plans/*/*", "plans/*/*/edit", "plans/*/*/runs/*",
	"runs", "timeline", "calendar", "stations", "stations/*", "workers", "workers/*", "jobs", "jobs/*", "tasks", "tasks/*/*", "task-types", "periodic", "periodic/*", "queues", "queues/*",
	"callbacks", "cluster", "live",
}

// A page is the one that a path names.
type page struct {
	pattern string   // one of pages
	names   []string // the path's names for the *s, not percent-encoded
}

// findPage returns the page of a path below /ui/, as it is in the address, percent-encoded. A slash
// at its end counts for nothing, in the application, too.
func findPage(escaped string) (found page, ok bool) {
	given := strings.Split(strings.TrimSuffix(escaped, "/"), "/")
	for _, pattern := range pages {
		if names, ok := match(strings.Split(pattern, "/"), given); ok {
			return page{pattern, names}, true
		}
	}
	return page{}, false
}

// match returns the names that are given for the *s of a pattern.
func match(pattern, given []string) (names []string, ok bool) {
	if len(pattern) != len(given) {
		return nil, false
	}
	for i, part := range pattern {
		name, err := url.PathUnescape(given[i])
		switch {
		case err != nil, part != "*" && part != name, part == "*" && name == "":
			return nil, false
		case part == "*":
			names = append(names, name)
		}
	}
	return names, true
}
