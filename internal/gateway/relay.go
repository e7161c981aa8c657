package gateway

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// relay serves a route by a request to a service. The names in the path, the parameters and the
// members of the body make the request, and its answer is the answer.
func relay(group, endpoint string) func(*Gateway, *request) (answer, error) {
	return func(g *Gateway, q *request) (answer, error) {
		request, err := q.asked(q.body)
		if err != nil {
			return answer{}, err
		}
		v, err := g.ask(q, group, endpoint, request)
		return answer{raw: v.Raw()}, err
	}
}

// ask sends a request to a service.
func (g *Gateway) ask(q *request, group, endpoint string, request wire.Value) (wire.Value, error) {
	var v wire.Value
	if err := g.client.Do(q.Context(), group, endpoint, request, &v); err != nil {
		return wire.Value{}, err
	}
	return v.In(wire.JSON), nil
}

// asked builds the request to a service. The path does not override the body, because a
// body that contradicts it is refused.
func (q *request) asked(body wire.Value) (wire.Value, error) {
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	names := q.route.names()
	for _, name := range names {
		if err := q.pathMember(w, name, body); err != nil {
			return wire.Value{}, err
		}
	}
	for _, p := range q.route.query {
		if values := q.query[p.name]; len(values) > 0 {
			if !body.Field(p.name).IsZero() {
				return wire.Value{}, invalid(p.name, "is in the body and in the query; give one of them")
			}
			w.KeyText(p.name)
			if err := p.write(w, values); err != nil {
				return wire.Value{}, err
			}
		}
	}
	for name, v := range body.Map() {
		if !slices.Contains(names, name) {
			w.KeyText(name)
			w.Value(v)
		}
	}
	w.EndMap()
	return w.Whole(), nil
}

// pathMember writes the path's value of a name.
func (q *request) pathMember(w *wire.Writer, name string, body wire.Value) error {
	if err := q.agrees(name, body); err != nil {
		return err
	}
	value := q.PathValue(name)
	w.KeyText(name)
	if name != "n" {
		w.Text(value)
		return nil
	}
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return &schema.Error{Code: schema.CodeNotFound, Field: "n", Message: "there is no run " + strconv.Quote(value) + ": runs are numbered from 1"}
	}
	w.Int(n)
	return nil
}

// write puts the values of a parameter into a request.
func (p *parameter) write(w *wire.Writer, values []string) error {
	switch p.kind {
	case asInt:
		n, err := strconv.ParseInt(values[0], 10, 64)
		if err != nil {
			return invalid(p.name, "is %q; it takes a whole number", values[0])
		}
		w.Int(n)
	case asList:
		w.BeginList()
		for _, value := range split(values) {
			w.Text(value)
		}
		w.EndList()
	case asBool:
		is, err := strconv.ParseBool(values[0])
		if err != nil {
			return invalid(p.name, "is %q; it takes true or false", values[0])
		}
		w.Bool(is)
	case asLabels:
		w.BeginMap()
		seen := map[string]bool{}
		for _, pair := range split(values) {
			name, value, ok := strings.Cut(pair, "=")
			if !ok || name == "" || seen[name] {
				return invalid(p.name, "holds %q; it takes name=value pairs, each name once", pair)
			}
			seen[name] = true
			w.KeyText(name)
			w.Text(value)
		}
		w.EndMap()
	default:
		w.Text(values[0])
	}
	return nil
}

// split splits the values of a parameter at commas.
func split(values []string) (all []string) {
	for _, value := range values {
		for one := range strings.SplitSeq(value, ",") {
			if one != "" {
				all = append(all, one)
			}
		}
	}
	return all
}

func createPlan(g *Gateway, q *request) (answer, error) {
	request, err := q.asked(q.body)
	if err != nil {
		return answer{}, err
	}
	if replaces, _ := request.Field("on_conflict").Text(); replaces == string(schema.ConflictUpdate) {
		if err := g.refuseEnding(q, "create", request); err != nil {
			return answer{}, err
		}
	}
	v, err := g.ask(q, "plans", "create", request)
	if err != nil {
		return answer{}, err
	}
	if isDry(v) {
		return answer{raw: v.Raw()}, nil
	}
	a := answer{raw: v.Raw(), status: http.StatusOK, location: planPath(v)}
	if created, _ := v.Field("created").Bool(); created {
		a.status = http.StatusCreated
	}
	return a, nil
}

// isDry reports that an answer is that of a dry run.
func isDry(v wire.Value) bool {
	dry, _ := v.Field("dry_run").Bool()
	return dry
}

// planPath is the path of the plan that an answer names.
func planPath(v wire.Value) string {
	station, _ := v.Field("station").Text()
	id, _ := v.Field("plan_id").Text()
	return api + "/plans/" + station + "/" + id
}

func getPlan(g *Gateway, q *request) (answer, error) {
	request, err := q.asked(q.body)
	if err != nil {
		return answer{}, err
	}
	v, err := g.ask(q, "plans", "get", request)
	if err != nil {
		return answer{}, err
	}
	var state cronjob.Precondition
	state.Version, _ = v.Field("state").Field("revision").Uint()
	state.Incarnation, _ = v.Field("state").Field("incarnation").Uint()
	return answer{raw: v.Raw(), state: state}, nil
}

func updatePlan(g *Gateway, q *request) (answer, error) { return g.changePlan(q, "update", q.body) }

func removePlan(g *Gateway, q *request) (answer, error) { return g.changePlan(q, "remove", q.body) }

// replacePlan is an update that also removes the fields that the body leaves out. It does
// not replace a plan's name, or whether it was created paused.
func replacePlan(g *Gateway, q *request) (answer, error) {
	if err := q.name().Check(); err != nil {
		return answer{}, err
	}
	present, err := g.client.PlanNamed(q.name()).Get(q.Context())
	if err != nil {
		return answer{}, err
	}
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	for name, v := range q.body.Map() {
		if had := present.Plan.Field(name); name == "paused" && had.String() == v.String() {
			continue
		}
		w.KeyText(name)
		w.Value(v)
	}
	var leftOut []string
	for name, had := range present.Plan.Map() {
		if slices.Contains([]string{"station", "plan_id", "paused"}, name) || !q.body.Field(name).IsZero() {
			continue
		}
		w.KeyText(name)
		if set := had.Field(schema.LabelOfSet); name == "labels" && !set.IsZero() {
			w.BeginMap() // the update keeps that one
			w.EndMap()
			continue
		}
		w.Null()
		leftOut = append(leftOut, name)
	}
	if q.body.Field("revision").IsZero() && len(q.Header.Values("If-Match")) == 0 {
		w.Key("revision") // the removed fields are those of this very revision
		w.Uint(present.State.Revision)
		w.Key("incarnation")
		w.Uint(present.State.Incarnation)
	}
	w.EndMap()
	a, err := g.changePlan(q, "update", w.Whole())
	if err != nil || len(leftOut) == 0 {
		return a, err
	}
	return a.withDropped(leftOut)
}

// withDropped is the answer to an update with the fields that the update has taken away because the
// request has left them out, beside those that it names.
func (a answer) withDropped(leftOut []string) (answer, error) {
	v, err := wire.ScanAs(wire.JSON, a.raw, wire.Limits{})
	if err != nil || isDry(v) {
		return a, err
	}
	var created schema.Created
	if err := wire.DecodeLoose(v, &created); err != nil {
		return a, err
	}
	created.Dropped = append(created.Dropped, leftOut...)
	return answer{body: created}, nil
}

// changePlan calls a verb that takes a revision, with that of If-Match, if there is one.
func (g *Gateway) changePlan(q *request, verb string, body wire.Value) (answer, error) {
	tag, err := q.ifMatch()
	if err != nil {
		return answer{}, err
	}
	if given, ok := body.Field("revision").Uint(); ok && tag != (cronjob.Precondition{}) && given != tag.Version {
		return answer{}, invalid("revision", "is %d, and %d in If-Match; give one of them", given, tag.Version)
	}
	request, err := q.asked(body)
	if err != nil {
		return answer{}, err
	}
	if tag != (cronjob.Precondition{}) {
		request = withCounters(request, counter{"revision", tag.Version}, counter{"incarnation", tag.Incarnation})
	}
	if verb == "update" {
		if err := g.refuseEnding(q, verb, request); err != nil {
			return answer{}, unmatched(err, tag)
		}
	}
	v, err := g.ask(q, "plans", verb, request)
	if err != nil {
		return answer{}, unmatched(err, tag)
	}
	return answer{raw: v.Raw()}, nil
}

// A counter is a member of a request that names the state for which it is meant.
type counter struct {
	name  string
	value uint64
}

// withCounters is a request in which these members have these values.
func withCounters(request wire.Value, counters ...counter) wire.Value {
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	for name, v := range request.Map() {
		if !slices.ContainsFunc(counters, func(c counter) bool { return c.name == name }) {
			w.KeyText(name)
			w.Value(v)
		}
	}
	for _, c := range counters {
		w.KeyText(c.name)
		w.Uint(c.value)
	}
	w.EndMap()
	return w.Whole()
}

func triggerPlan(g *Gateway, q *request) (answer, error) {
	request, err := q.asked(q.body)
	if err != nil {
		return answer{}, err
	}
	v, err := g.ask(q, "plans", "trigger", request)
	if err != nil {
		return answer{}, err
	}
	if isDry(v) {
		return answer{raw: v.Raw()}, nil
	}
	n, _ := v.Field("n").Int()
	location := planPath(v) + "/runs/" + strconv.FormatInt(n, 10)
	return answer{status: http.StatusAccepted, raw: v.Raw(), location: location}, nil
}

func putStation(g *Gateway, q *request) (answer, error) { return putNamed(g, q, "stations", "station") }

// getStation shows a station, with its revision in its tag.
func getStation(g *Gateway, q *request) (answer, error) {
	a, err := relay("stations", "get")(g, q)
	if err != nil {
		return a, err
	}
	record, err := wire.ScanAs(wire.JSON, a.raw, wire.Limits{})
	a.state.Version, _ = record.Field("revision").Uint()
	return a, err
}

// putNamed puts an object of a service, which a field names.
func putNamed(g *Gateway, q *request, service, field string) (answer, error) {
	tag, err := q.ifMatch()
	if err != nil {
		return answer{}, err
	}
	if given, ok := q.body.Field("revision").Uint(); ok && tag != (cronjob.Precondition{}) && given != tag.Version {
		return answer{}, invalid("revision", "is %d, and %d in If-Match; give one of them", given, tag.Version)
	}
	request, err := q.asked(q.body)
	if err != nil {
		return answer{}, err
	}
	if tag != (cronjob.Precondition{}) {
		request = withCounters(request, counter{"revision", tag.Version})
	}
	v, err := g.ask(q, service, "put", request)
	if err != nil {
		return answer{}, unmatched(err, tag)
	}
	if isDry(v) {
		return answer{raw: v.Raw()}, nil
	}
	name, _ := v.Field(field).Text()
	a := answer{raw: v.Raw(), location: api + "/" + service + "/" + name}
	if created, _ := v.Field("created").Bool(); created {
		a.status = http.StatusCreated
	}
	return a, nil
}
