package gateway

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
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
	who   identity           // who asks
	asker schema.Attribution // who is named as asking for a change, and why
}

// read checks all of a request that comes before its body, the token of a callback
// included, and then reads the body. The caller must free the request.
func (g *Gateway) read(found *route, w http.ResponseWriter, r *http.Request) (*request, error) {
	q := &request{Request: r, route: found}
	if err := refuseConditions(found, r.Header); err != nil {
		return nil, err
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

// refuseConditions refuses the conditions that a route does not look at, because a conditional
// request must not be carried out unconditionally. If-Match takes the place of If-Unmodified-Since
// (RFC 9110, 13.1.4).
func refuseConditions(found *route, given http.Header) error {
	if found.method == http.MethodGet {
		return nil
	}
	match := given.Values("If-Match")
	switch {
	case len(match) > 0 && !slices.Equal(match, []string{"*"}) && !found.ifMatch:
		return refuse(http.StatusPreconditionFailed, codePrecondition, "If-Match is not looked at here; leave it out")
	case len(given.Values("If-None-Match")) > 0:
		return refuse(http.StatusPreconditionFailed, codePrecondition, "If-None-Match counts for GET alone; leave it out")
	case len(given.Values("If-Unmodified-Since")) > 0 && len(match) == 0:
		return refuse(http.StatusPreconditionFailed, codePrecondition, "If-Unmodified-Since is not looked at; leave it out, or give the ETag of a GET in If-Match where that counts")
	}
	return nil
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
			return nil, invalid(name, "is no parameter here%s", knownParameters(found, name))
		case len(query[name]) > 1 && !found.query[i].many:
			return nil, invalid(name, "is given %d times; it takes one value", len(query[name]))
		}
	}
	return query, nil
}

func knownParameters(found *route, given string) string {
	if len(found.query) == 0 {
		return "; there are none"
	}
	names := make([]string, len(found.query))
	for i, p := range found.query {
		names[i] = p.name
	}
	text := "; there are " + strings.Join(names, ", ")
	if near := wire.Nearest(given, slices.Values(names)); near != "" {
		text += fmt.Sprintf("; did you mean %s?", near)
	}
	return text
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

// ifMatch reads the state in an If-Match header, with which the tags of such resources begin.
// The zero value: there is no header, or any state will do. The rest of a tag is a hash of
// members that also change without a change of the resource, as the time of the next run.
func (q *request) ifMatch() (cronjob.Precondition, error) {
	given := strings.TrimSpace(q.Header.Get("If-Match"))
	if len(q.Header.Values("If-Match")) == 0 || given == "*" {
		return cronjob.Precondition{}, nil
	}
	parts := strings.SplitN(strings.TrimPrefix(given, `"`), "-", 3)
	if !strings.HasPrefix(given, `"`) || !strings.HasSuffix(given, `"`) || strings.Contains(given, ",") || len(parts) < 2 {
		return cronjob.Precondition{}, noTag(given)
	}
	var tag cronjob.Precondition
	var err error
	if tag.Version, err = strconv.ParseUint(parts[0], 10, 64); err != nil || tag.Version == 0 {
		return cronjob.Precondition{}, noTag(given)
	}
	if tag.Incarnation, err = strconv.ParseUint(parts[1], incarnationBase, 64); err != nil || len(parts) < 3 {
		tag.Incarnation = 0 // of an earlier release: no plan has it
	}
	return tag, nil
}

func noTag(given string) error {
	return refuse(http.StatusPreconditionFailed, codePrecondition, "If-Match %q is no tag of this; give the ETag of a GET, or leave it out", given)
}

// unmatched turns a conflict about the state in If-Match into status 412.
func unmatched(err error, tag cronjob.Precondition) error {
	var e *schema.Error
	if tag != (cronjob.Precondition{}) && errors.As(err, &e) && e.Code == schema.CodeConflict && (e.Field == "revision" || e.Field == "version") {
		return &httpError{http.StatusPreconditionFailed, &schema.Error{Code: codePrecondition, Message: e.Message, Field: e.Field}}
	}
	return err
}
