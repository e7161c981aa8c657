package gateway

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A request is what came in, read as its route says.
type request struct {
	*http.Request
	route *route
	query url.Values // only what the route knows
	body  wire.Value // a map, unless the route takes any value; absent when it takes none, or it was left out
}

// read checks the query and reads the body.
func (g *Gateway) read(found *route, w http.ResponseWriter, r *http.Request) (*request, error) {
	q := &request{Request: r, route: found}
	if given := r.Header.Get("If-Match"); given != "" && given != "*" && !found.ifMatch && found.method != http.MethodGet {
		// Whoever asks for something only if it is unchanged must not be given it anyhow.
		return nil, refuse(http.StatusPreconditionFailed, codePrecondition, "If-Match is not looked at here; leave it out")
	}
	var err error
	if q.query, err = readQuery(found, r); err != nil {
		return nil, err
	}
	if found.body == "" {
		return q, nil
	}
	if q.body, err = readBody(w, r, found.bodyAny); err != nil {
		return nil, err
	}
	switch {
	case q.body.IsZero() && !found.bodyOptional && found.bodyAny:
		return nil, invalid("body", "is missing; it takes a JSON value")
	case q.body.IsZero() && !found.bodyOptional:
		return nil, invalid("body", "is missing; it takes a JSON object")
	case !q.body.IsZero() && q.body.Kind() != wire.KindMap && !found.bodyAny:
		return nil, invalid("body", "is %s; it takes a JSON object", q.body.Kind())
	}
	return q, nil
}

// readQuery refuses parameters that nobody would look at, since a filter that is
// misspelt would show everything.
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

// readBody reads a JSON value; absent when the body is empty. It has to be called JSON,
// if anything, unless it may have any name.
func readBody(w http.ResponseWriter, r *http.Request, anyName bool) (wire.Value, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return wire.Value{}, &schema.Error{Code: schema.CodeTooLarge, Message: fmt.Sprintf("the body has more than the %d bytes that are taken", maxBody)}
	case err != nil:
		return wire.Value{}, invalid("body", "broke off: %v", err)
	case strings.TrimSpace(string(data)) == "":
		return wire.Value{}, nil
	}
	if given := r.Header.Get("Content-Type"); given != "" && !anyName {
		kind, _, err := mime.ParseMediaType(given)
		if err != nil || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
			return wire.Value{}, refuse(http.StatusUnsupportedMediaType, codeMediaType, "the body is called %q; it takes Content-Type: application/json", given)
		}
	}
	v, err := wire.ScanAs(wire.JSON, data, wire.Limits{Items: 100_000})
	if err != nil {
		return wire.Value{}, schema.WireErrors(schema.CodeInvalidRequest, err)
	}
	return v, nil
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

// name is the plan that the path names.
func (q *request) name() schema.PlanName {
	return schema.PlanName{Station: q.PathValue("station"), PlanID: q.PathValue("plan_id")}
}

// ifMatch reads the revision that an If-Match header is about: the tags of what can be
// changed begin with it. 0: there is no header, or any revision will do.
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

// unmatched makes of a conflict about the revision that If-Match gave the status that
// says so.
func unmatched(err error, revision uint64) error {
	var e *schema.Error
	if revision != 0 && errors.As(err, &e) && e.Code == schema.CodeConflict && (e.Field == "revision" || e.Field == "version") {
		return &httpError{http.StatusPreconditionFailed, &schema.Error{Code: codePrecondition, Message: e.Message, Field: e.Field}}
	}
	return err
}
