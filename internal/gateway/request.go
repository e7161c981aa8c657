package gateway

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A request is an HTTP request, read as its route demands.
type request struct {
	*http.Request
	route *route
	query url.Values         // only parameters that the route knows
	body  wire.Value         // a map, unless the route takes any value; absent when it was left out
	held  *body              // the counted body; nil: none
	reply string             // the reply subject in a callback's token
	asker schema.Attribution // who asks for a change, and why
}

// read checks all of a request that comes before its body, the token of a callback
// included, and then reads the body. The caller must free the request.
func (g *Gateway) read(found *route, w http.ResponseWriter, r *http.Request) (*request, error) {
	q := &request{Request: r, route: found}
	if given := r.Header.Get("If-Match"); given != "" && given != "*" && !found.ifMatch && found.method != http.MethodGet {
		// A conditional request must not be carried out unconditionally.
		return nil, refuse(http.StatusPreconditionFailed, codePrecondition, "If-Match is not looked at here; leave it out")
	}
	if r.Header.Get("If-None-Match") != "" && found.method != http.MethodGet {
		return nil, refuse(http.StatusPreconditionFailed, codePrecondition, "If-None-Match counts for GET alone; leave it out")
	}
	var err error
	if q.query, err = readQuery(found, r); err != nil {
		return nil, err
	}
	if found.admit != nil {
		if err := found.admit(g, q); err != nil {
			return nil, err
		}
	}
	if err := g.readBody(q, w); err != nil {
		q.free()
		return nil, err
	}
	return q, nil
}

// free releases the bytes of the body.
func (q *request) free() {
	if q.held != nil {
		q.held.free()
	}
}

// readQuery refuses unknown parameters, because with a misspelt filter the answer would
// have everything.
func readQuery(found *route, r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, invalid("query", "cannot be read: %v", err)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		i := slices.IndexFunc(found.query, func(p parameter) bool { return p.name == name })
		switch {
		case i < 0:
			return nil, invalid(name, "is no parameter here%s", knownParameters(found))
		case len(query[name]) > 1 && !found.query[i].many:
			return nil, invalid(name, "is given %d times; it takes one value", len(query[name]))
		}
	}
	return query, nil
}

func knownParameters(found *route) string {
	if len(found.query) == 0 {
		return "; there are none"
	}
	names := make([]string, len(found.query))
	for i, p := range found.query {
		names[i] = p.name
	}
	return "; there are " + strings.Join(names, ", ")
}

// limit is the parameter limit, 1 to 1,000.
func (q *request) limit() (int64, error) {
	text := q.query.Get("limit")
	if text == "" {
		return 100, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || n > 1000 {
		return 0, invalid("limit", "is %q; it takes 1 to 1000", text)
	}
	return n, nil
}

// agrees checks that a member of the body that the path has, too, has the same value.
func (q *request) agrees(name string, body wire.Value) error {
	given := body.Field(name)
	if given.IsZero() {
		return nil
	}
	text, ok := given.Text()
	if !ok {
		text = given.String() // an id may be a number
	}
	if value := q.PathValue(name); text != value {
		return invalid(name, "is %s in the body, and %q in the path", given, value)
	}
	return nil
}

// name is the plan that the path names.
func (q *request) name() schema.PlanName {
	return schema.PlanName{Station: q.PathValue("station"), PlanID: q.PathValue("plan_id")}
}

// ifMatch reads the revision in an If-Match header, with which the tags of such resources
// begin. 0: there is no header, or any revision will do.
func (q *request) ifMatch() (uint64, error) {
	given := strings.TrimSpace(q.Header.Get("If-Match"))
	if given == "" || given == "*" {
		return 0, nil
	}
	tag, ok := strings.CutPrefix(given, `"`)
	number, _, _ := strings.Cut(strings.TrimSuffix(tag, `"`), "-")
	revision, err := strconv.ParseUint(number, 10, 64)
	if !ok || err != nil || revision == 0 {
		return 0, refuse(http.StatusPreconditionFailed, codePrecondition, "If-Match %s is no tag of this; give the ETag of a GET, or leave it out", given)
	}
	return revision, nil
}

// unmatched turns a conflict about the revision of If-Match into status 412.
func unmatched(err error, revision uint64) error {
	var e *schema.Error
	if revision != 0 && errors.As(err, &e) && e.Code == schema.CodeConflict && (e.Field == "revision" || e.Field == "version") {
		return &httpError{http.StatusPreconditionFailed, &schema.Error{Code: codePrecondition, Message: e.Message, Field: e.Field}}
	}
	return err
}
