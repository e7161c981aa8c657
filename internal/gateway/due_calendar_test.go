package gateway_test

import (
	"net/http"
	"strconv"
	"testing"
)

// The calendar of all plans has the hours and days of its zone, and the plans of one of them.
func TestCalendarOfWhatFallsDueByREST(t *testing.T) {
	s := newSite(t, nil)
	for id, schedule := range map[string]map[string]any{
		"night":  {"plan_type": "cron", "cron": "30 2 * * *", "timezone": "Europe/Berlin"},
		"hourly": {"plan_type": "cron", "cron": "0 * * * *", "labels": map[string]any{"team": "blue"}},
		"often":  {"plan_type": "minute", "plan_value": 20, "plan_repet": -1, "plan_time": "2026-01-01T00:10:00Z"},
		"paused": {"plan_type": "cron", "cron": "0 * * * *", "paused": true},
	} {
		schedule["station"], schedule["plan_id"], schedule["command"] = "hello", id, "c"
		s.do(http.MethodPost, "/api/v1/plans", schedule).want(http.StatusCreated)
	}
	const calendar = "/api/v1/calendar"
	get := func(query string) map[string]any {
		t.Helper()
		return s.do(http.MethodGet, calendar+query, nil).want(http.StatusOK).object()
	}
	cell := func(got map[string]any, i int) map[string]any { return got["cells"].([]any)[i].(map[string]any) }

	got := get("?from=2100-03-28T00:00:00%2B01:00&until=2100-03-29T00:00:00%2B02:00&zone=Europe/Berlin&lang=en")
	if got["zone"] != "Europe/Berlin" || got["step"] != "1h" || got["plans"] != 4.0 || got["sampled"] != false || len(got["cells"].([]any)) != 23 {
		t.Errorf("%v", got)
	}
	gap := cell(got, 2) // from 03:00, because 02:00 is left out
	notes := gap["notes"].([]any)
	if gap["from"] != "2100-03-28T03:00:00+02:00" || gap["count"] != 5.0 || len(notes) != 1 || notes[0].(map[string]any)["plans"] != 1.0 {
		t.Errorf("%v", gap)
	}
	if top := gap["top"].([]any)[0].(map[string]any); top["station"] != "hello" || top["count"] != 5.0 {
		t.Errorf("%v", top)
	}
	day := get("?from=2100-01-01T00:00:00Z&until=2100-01-03T00:00:00Z&step=1d&station=hello")
	if len(day["cells"].([]any)) != 2 || cell(day, 0)["count"] != 24.0+72+1 {
		t.Errorf("%v", day)
	}
	if got := get("?from=2100-01-01T00:00:00Z&until=2100-01-01T01:00:00Z&labels=team%3Dblue"); got["plans"] != 1.0 || cell(got, 0)["count"] != 1.0 {
		t.Errorf("%v", got)
	}
	if got := get(""); len(got["cells"].([]any)) < 168 {
		t.Errorf("%d cells are the next seven days", len(got["cells"].([]any)))
	}

	hour := get("?cell=2100-01-01T01:30:00Z&prefix=hello/")
	items := hour["items"].([]any)
	if len(hour["cells"].([]any)) != 1 || cell(hour, 0)["from"] != "2100-01-01T01:00:00Z" || len(items) != 3 {
		t.Fatalf("%v", hour)
	}
	for i, want := range []map[string]any{
		{"station": "hello", "plan_id": "hourly", "count": 1.0, "first": "2100-01-01T01:00:00Z"},
		{"station": "hello", "plan_id": "often", "count": 3.0, "first": "2100-01-01T01:10:00Z"},
		{"station": "hello", "plan_id": "night", "count": 1.0, "first": "2100-01-01T01:30:00Z"},
	} {
		for name, value := range want {
			if got := items[i].(map[string]any)[name]; got != value {
				t.Errorf("item %d has %s %v; want %v", i, name, got, value)
			}
		}
	}
	for query, field := range map[string]string{
		"?step=2h": "step", "?zone=berlin": "zone", "?lang=fr": "lang", "?status=asleep": "status", "?limit=3": "limit", "?from=now": "from",
		"?from=2100-01-01T00:00:00Z&until=2100-02-01T00:00:01Z": "until", "?from=2100-01-02T00:00:00Z&until=2100-01-01T00:00:00Z": "until",
		"?cell=2100-01-01T00:00:00Z&from=2100-01-01T00:00:00Z": "cell",
	} {
		if got := s.do(http.MethodGet, calendar+query, nil).want(http.StatusBadRequest).object()["errors"].([]any)[0].(map[string]any); got["field"] != field {
			t.Errorf("%s: %v; want field %s", query, got, field)
		}
	}
}

// A cell lists a hundred plans, and tells how many more there are.
func TestACellListsAHundredPlans(t *testing.T) {
	s := newSite(t, nil)
	var plans []any
	for i := range 130 {
		plans = append(plans, map[string]any{"station": "hello", "plan_id": strconv.Itoa(1000 + i), "command": "c", "plan_type": "cron", "cron": strconv.Itoa(i%60) + " 4 * * *"})
	}
	s.do(http.MethodPost, "/api/v1/plans/import", map[string]any{"plans": plans}).want(http.StatusOK)
	got := s.do(http.MethodGet, "/api/v1/calendar?step=1d&cell=2100-01-01T00:00:00Z", nil).want(http.StatusOK).object()
	items := got["items"].([]any)
	if len(items) != 100 || got["left_out"] != 30.0 || items[0].(map[string]any)["plan_id"] != "1000" || items[2].(map[string]any)["plan_id"] != "1120" {
		t.Errorf("%d items, %v left out, first %v", len(items), got["left_out"], items[:3])
	}
}
