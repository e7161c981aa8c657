package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A scope is the stations that a token is for, as patterns in which * stands for a part of a name
// and a last > for all further parts; nil: all stations.
type scope []string

// readScope reads patterns with commas between them.
func readScope(text string) (scope, error) {
	patterns := strings.Split(text, ",")
	for _, pattern := range patterns {
		parts := strings.Split(pattern, ".")
		for i, part := range parts {
			if part == "*" || part == ">" && i == len(parts)-1 {
				parts[i] = "x"
			}
		}
		if err := schema.CheckStation(strings.Join(parts, ".")); err != nil {
			// The word is not repeated, because it may be a token.
			return nil, errors.New("the fourth word is no list of stations, or patterns of them, such as mail,eu.*,us.>")
		}
	}
	return patterns, nil
}

// covers reports whether a station, or each station of a pattern, is in the scope.
func (s scope) covers(station string) bool {
	return s == nil || slices.ContainsFunc(s, func(pattern string) bool { return isWithin(station, pattern) })
}

// isWithin reports whether another pattern covers a name, or each name of a pattern.
func isWithin(narrow, wide string) bool {
	narrows, wides := strings.Split(narrow, "."), strings.Split(wide, ".")
	for i, part := range wides {
		switch {
		case i == len(narrows):
			return false
		case part == ">":
			return true
		case narrows[i] == ">", part != "*" && part != narrows[i]:
			return false
		}
	}
	return len(narrows) == len(wides)
}

// alone is the one station that a request can name in place of the scope; empty: there is none.
func (s scope) alone() string {
	if len(s) != 1 || strings.Contains(strings.TrimSuffix(s[0], ".>"), "*") || s[0] == ">" {
		return ""
	}
	return s[0]
}

// check refuses a station that is not in the scope.
func (s scope) check(station string) error {
	if s.covers(station) {
		return nil
	}
	if station == "" {
		return refuse(http.StatusForbidden, codeForbidden, "this token is for the stations %s; name one of them", strings.Join(s, ", "))
	}
	return refuse(http.StatusForbidden, codeForbidden, "this token is for the stations %s, and station %q is none of them", strings.Join(s, ", "), station)
}

// sharedRoutes show nothing of a station, and change nothing.
var sharedRoutes = []string{"getSession", "plans.preview", "calendars.list", "calendars.get", "calendars.days"}

// ownLists are the lists whose entries the scope of a token selects, with the member that has them.
var ownLists = map[string]string{"plans.list": "plans", "listRuns": "runs", "stations.list": "stations", "workers.list": "workers"}

// checkScope refuses a request that reaches beyond the stations of its token. A route that it does
// not know is refused, too, because one that is added later would else be open.
func (q *request) checkScope() error {
	s := q.who.stations
	if s == nil || slices.Contains(sharedRoutes, q.route.id) {
		return nil
	}
	for _, name := range q.route.names() {
		// A type of asynchronous tasks is the station of its name.
		if name == "station" || name == "type" || name == "code" {
			return s.check(q.PathValue(name))
		}
	}
	switch q.route.id {
	case "plans.create", "putStation":
		return s.checkMember(q.body, "station")
	case "createTaskType":
		return s.checkMember(q.body, "code")
	case "plans.import":
		return s.checkEach(q.body, "plans", "station")
	case "tasks.submit":
		if !q.body.Field("tasks").IsZero() {
			return s.checkEach(q.body, "tasks", "type")
		}
		return s.checkMember(q.body, "type")
	case "tasks.fetch":
		return s.checkTypes(q.body)
	case "plans.list", "listRuns", "workers.list", "stations.list", "plans.calendar", "plans.series", "streamEvents":
		return q.checkQuery("station")
	case "tasks.list":
		return q.checkQuery("type")
	}
	return refuse(http.StatusForbidden, codeForbidden, "this token is for the stations %s, and this is of all stations", strings.Join(s, ", "))
}

// checkQuery checks the station that a parameter names. Where it is left out it becomes the token's,
// if the token has one; a list of many selects its entries by ownEntries.
func (q *request) checkQuery(name string) error {
	s := q.who.stations
	takes := slices.ContainsFunc(q.route.query, func(p parameter) bool { return p.name == name })
	if given := q.query.Get(name); given != "" {
		return s.check(given)
	}
	switch one := s.alone(); {
	case takes && one != "":
		q.query.Set(name, one)
		return nil
	case ownLists[q.route.id] == "":
		return refuse(http.StatusForbidden, codeForbidden, "this token is for the stations %s; give %s, one of them", strings.Join(s, ", "), name)
	case q.query.Has("total"):
		return refuse(http.StatusForbidden, codeForbidden, "this token is for the stations %s; a total is of one, so give station, too", strings.Join(s, ", "))
	}
	return nil
}

func (s scope) checkMember(body wire.Value, name string) error {
	station, _ := body.Field(name).Text()
	return s.check(station)
}

// checkEach checks the station of each element of a list of the body.
func (s scope) checkEach(body wire.Value, list, name string) error {
	for _, one := range body.Field(list).List() {
		if err := s.checkMember(one, name); err != nil {
			return err
		}
	}
	return nil
}

// checkTypes checks the types whose tasks are fetched, because none stands for all.
func (s scope) checkTypes(body wire.Value) error {
	some := false
	for _, one := range body.Field("types").List() {
		name, _ := one.Text()
		if err := s.check(name); err != nil {
			return err
		}
		some = true
	}
	if some && body.Field("type").IsZero() {
		return nil
	}
	return s.checkMember(body, "type")
}

// ownEntries returns the answer without the entries of other stations.
func (q *request) ownEntries(a answer) (answer, error) {
	list := ownLists[q.route.id]
	if q.who.stations == nil || list == "" {
		return a, nil
	}
	v, err := wire.ScanAs(wire.JSON, a.raw, wire.Limits{})
	if err != nil {
		return answer{}, fmt.Errorf("select the entries of a token's stations: %w", err)
	}
	w := wire.NewWriter(wire.JSON, nil)
	w.BeginMap()
	for name, member := range v.Map() {
		w.KeyText(name)
		if name != list {
			w.Value(member)
			continue
		}
		w.BeginList()
		for _, entry := range member.List() {
			if q.owns(entry) {
				w.Value(entry)
			}
		}
		w.EndList()
	}
	w.EndMap()
	a.raw = w.Bytes()
	return a, nil
}

// owns reports whether an entry of a list is of a station of the token: a plan, a run or a station,
// or a worker all of whose stations are.
func (q *request) owns(entry wire.Value) bool {
	if served := entry.Field("stations"); !served.IsZero() {
		for _, one := range served.List() {
			if name, _ := one.Text(); !q.who.stations.covers(name) {
				return false
			}
		}
		return true
	}
	of := entry
	if plan := entry.Field("plan"); !plan.IsZero() {
		of = plan
	}
	name, _ := of.Field("station").Text()
	return q.who.stations.covers(name)
}
