package gateway

import (
	"strconv"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// emptied is the parameter with which a calendar may be put that has no entry.
var emptied = parameter{name: "allow_empty", kind: asBool, schema: `{"type":"boolean","default":false}`, about: "Take a calendar without entries, which leaves no day out."}

// putCalendar puts a calendar. One without entries is refused unless it is asked for, because a list
// that a program could not fill would have all plans run on the days that they leave out.
func putCalendar(g *Gateway, q *request) (answer, error) {
	allowed := false
	if text := q.query.Get(emptied.name); text != "" {
		var err error
		if allowed, err = strconv.ParseBool(text); err != nil {
			return answer{}, invalid(emptied.name, "is %q; it takes true or false", text)
		}
	}
	q.query.Del(emptied.name) // the service does not know it
	empty := isEmpty(q.body.Field("days")) && isEmpty(q.body.Field("except")) && isEmpty(q.body.Field("windows"))
	if allowed || !empty {
		return putNamed(g, q, "calendars", "calendar_id")
	}
	if q.body.Field("dry_run").IsZero() {
		q.query.Set("dry_run", "true") // for the errors of all else
	}
	if _, err := putNamed(g, q, "calendars", "calendar_id"); err != nil {
		return answer{}, err
	}
	return answer{}, invalid("days", "is empty, and so are except and windows: the calendar would leave no day out, and keep plans that have it in only from any time; if that is meant, add ?allow_empty=true")
}

// isEmpty reports that a member is a list without entries, or absent. The service refuses others.
func isEmpty(v wire.Value) bool {
	return v.IsZero() || v.Kind() == wire.KindNull || v.Kind() == wire.KindList && v.Len() == 0
}
