package gateway

import (
	"net/http"
	"strings"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// By and note of a change are members of a body or parameters, of every route that
// changes plans, queues, stations, tasks or their types. They travel on in the context, so that
// no route handles them.

var attributionParameters = []parameter{
	{name: "by", schema: `{"type":"string","maxLength":128}`, about: "Who asks, as states, events and results repeat; with a token its name. Also in the body."},
	{name: "note", schema: `{"type":"string","maxLength":512}`, about: "Why, as states, events and results repeat. Also in the body."},
}

// attributable reports that a route takes an attribution.
func (r *route) attributable() bool {
	return (r.role == operator || r.role == worker) && r.method != http.MethodGet && r.path != httpQueue && !strings.HasPrefix(r.path, api+"/secrets")
}

// attributable adds the parameters to the routes that take them.
func attributable(all []route) []route {
	for i := range all {
		if r := &all[i]; r.attributable() {
			r.query = append(r.query[:len(r.query):len(r.query)], attributionParameters...)
		}
	}
	return all
}

// takeAttribution takes the attribution off the body and the parameters.
func (q *request) takeAttribution() (err error) {
	if !q.route.attributable() {
		return nil
	}
	if q.asker, q.body, err = schema.TakeAttribution(q.body, schema.CodeInvalidRequest); err != nil {
		return err
	}
	given := schema.Attribution{By: q.query.Get("by"), Note: q.query.Get("note")}
	for _, both := range []struct {
		name, query string
		body        *string
	}{{"by", given.By, &q.asker.By}, {"note", given.Note, &q.asker.Note}} {
		q.query.Del(both.name)
		switch {
		case both.query == "":
		case *both.body != "" && *both.body != both.query:
			return invalid(both.name, "is %q in the body, and %q in the query; give one of them", *both.body, both.query)
		default:
			*both.body = both.query
		}
	}
	return q.asker.Check(schema.CodeInvalidRequest)
}

// attribute gives the requests that q makes their requester. The name of the token comes first,
// because that is proved.
func (q *request) attribute(token string) {
	if !q.route.attributable() {
		return
	}
	if token != "" {
		q.asker.By = token
		q.body = anonymous(q.body)
	}
	q.Request = q.WithContext(client.WithAttribution(q.Context(), q.asker))
}

// anonymous returns an import without the creators that its plans name.
func anonymous(body wire.Value) wire.Value {
	plans := body.Field("plans")
	if plans.Kind() != wire.KindList {
		return body
	}
	w := wire.NewWriter(wire.JSON, make([]byte, 0, len(body.Raw())))
	w.BeginMap()
	for name, member := range body.Map() {
		w.KeyText(name)
		if name != "plans" {
			w.Value(member)
			continue
		}
		w.BeginList()
		for _, plan := range plans.List() {
			if plan.Kind() != wire.KindMap || plan.Field("by").IsZero() {
				w.Value(plan)
				continue
			}
			w.BeginMap()
			for field, v := range plan.Map() {
				if field != "by" {
					w.KeyText(field)
					w.Value(v)
				}
			}
			w.EndMap()
		}
		w.EndList()
	}
	w.EndMap()
	return w.Whole()
}
