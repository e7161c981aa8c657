package gateway

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// OpenSlotsEach is how many callbacks of one address are served at a time.
const OpenSlotsEach = openSlotsEach

// A RouteInfo is the part of a route that tests see.
type RouteInfo struct {
	Method, Path string // an example of the path
	Role         string
	Names        []string // the wildcards of the path
	Body         bool     // it takes a body
	BodyOptional bool     // which may be missing
	BodyAny      bool     // any JSON value
}

// Routes are all routes.
func Routes() (all []RouteInfo) {
	values := strings.NewReplacer("{n}", "1", "{run_id}", "x.1", "{station}", schema.HTTPStation)
	for _, r := range routes {
		path := pathNames.ReplaceAllString(values.Replace(r.path), "x")
		all = append(all, RouteInfo{r.method, path, r.role.String(), r.names(), r.body != "", r.bodyOptional, r.bodyAny})
	}
	return all
}
