package gateway

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
)

// OpenSlotsEach is how many callbacks of one address are worked on at a time.
const OpenSlotsEach = openSlotsEach

// A RouteInfo is what a test may know of a route.
type RouteInfo struct {
	Method, Path string // of one that could be there
	Role         string
	Names        []string // what the path names
	Body         bool     // it takes one
	BodyOptional bool     // or none
	BodyAny      bool     // whatever it is
}

// Routes are all that is served.
func Routes() (all []RouteInfo) {
	values := strings.NewReplacer("{n}", "1", "{run_id}", "x.1", "{station}", schema.HTTPStation)
	for _, r := range routes {
		path := pathNames.ReplaceAllString(values.Replace(r.path), "x")
		all = append(all, RouteInfo{r.method, path, r.role.String(), r.names(), r.body != "", r.bodyOptional, r.bodyAny})
	}
	return all
}
