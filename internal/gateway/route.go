package gateway

import (
	"net/http"
	"regexp"
	"strings"
)

// A route is one operation: its handler, and its description in the OpenAPI document.
type route struct {
	method, path string
	rest         bool // the last name of the path takes all that follows, slashes too
	role         role // the role that a token needs
	id           string
	summary      string
	about        string

	query        []parameter
	body         string // the component of the body; empty: it has no fields
	bodyOptional bool
	bodyAny      bool // it may be any JSON value, with any Content-Type
	ifMatch      bool // the header counts

	status int    // without an error; 0: 200
	also   int    // another such status with the same body; 0: none
	result string // the component of the answer; empty: none

	// admit checks the parts before the body, and may refuse the request. Nil: the role is
	// enough.
	admit func(*Gateway, *request) error
	serve func(*Gateway, *request) (answer, error)
	// atHand: the answer is prepared, the same for all, and takes no slot.
	atHand bool
	// search: it may read all results that are kept, or all plans, and takes one of the slots for that.
	search bool
	// stream answers the caller by itself, for as long as it likes, in place of serve. Where
	// there are both, the header Accept chooses.
	stream func(*Gateway, *request, caller, http.ResponseWriter) error
}

// A parameter of a query.
type parameter struct {
	name   string
	about  string
	kind   kind
	schema string // in JSON
	many   bool   // it may be given several times, or hold several with commas
}

// kind is the type of a parameter in the request of a service.
type kind uint8

const (
	asText kind = iota
	asInt
	asList
	asLabels
	asBool
)

var pathNames = regexp.MustCompile(`\{(\w+)\}`)

// streams reports whether a stream answers a request.
func (r *route) streams(q *http.Request) bool {
	return r.stream != nil && (r.serve == nil || strings.Contains(q.Header.Get("Accept"), "text/event-stream"))
}

// names are the wildcards of the route's path.
func (r *route) names() (names []string) {
	for _, match := range pathNames.FindAllStringSubmatch(r.path, -1) {
		names = append(names, match[1])
	}
	return names
}

// pattern is the route's path in the mux's syntax.
func (r *route) pattern() string {
	if r.rest {
		return strings.TrimSuffix(r.path, "}") + "...}"
	}
	return r.path
}

var (
	limitParameter  = parameter{name: "limit", kind: asInt, schema: `{"type":"integer","minimum":1,"maximum":1000,"default":100}`, about: "How many entries a page has at most. It may have fewer while `next` is there."}
	cursorParameter = parameter{name: "cursor", schema: `{"type":"string"}`, about: "The `next` of the page before."}
	paging          = []parameter{limitParameter, cursorParameter}

	stationParameter = parameter{name: "station", schema: `{"type":"string"}`, about: "This station; where it ends in `.>`, all below it."}
)

func with(more ...parameter) []parameter { return append(append([]parameter{}, more...), paging...) }
