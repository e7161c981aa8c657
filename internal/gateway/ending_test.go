package gateway_test

import (
	"net/http"
	"strings"
	"testing"
)

// A time that has passed does not end a plan by REST, also not when it is only foreseen, and the
// refusal has the ways to ask for it. Where it has other effects it is taken.
func TestAPassedTimeEndsNoPlan(t *testing.T) {
	s := newSite(t, nil)
	const plans, path, passed = "/api/v1/plans", "/api/v1/plans/w/once", "2020-01-01T00:00:00Z"
	once := map[string]any{"station": "w", "plan_id": "once", "command": "c", "plan_type": "time", "plan_time": "2030-03-01T12:00:00Z"}
	s.do(http.MethodPost, plans, once).want(http.StatusCreated)
	before := s.do(http.MethodGet, path, nil).want(http.StatusOK)
	tag := before.header.Get("ETag")
	for _, try := range []struct {
		method, path string
		body         map[string]any
	}{
		{http.MethodPatch, path, map[string]any{"plan_time": passed}},
		{http.MethodPatch, path + "?dry_run=true", map[string]any{"plan_time": passed}},
		{http.MethodPut, path, map[string]any{"command": "c", "plan_type": "time", "plan_time": passed}},
		{http.MethodPost, plans, and(once, "plan_time", passed, "on_conflict", "update")},
	} {
		got := s.do(try.method, try.path, try.body).want(http.StatusBadRequest)
		if fields := got.fields(); len(fields) != 1 || fields[0] != "plan_time" || !strings.Contains(string(got.body), "w/once would end without a run, because its plan_time has passed: say a later one, or no_keep true to run it late; to end it, close the plan") {
			t.Errorf("%s %s: %s", try.method, try.path, got.body)
		}
	}
	s.do(http.MethodPatch, path, map[string]any{"plan_time": passed}, "If-Match", `"7-1"`).want(http.StatusPreconditionFailed)
	if after := s.do(http.MethodGet, path, nil).want(http.StatusOK); string(after.body) != string(before.body) {
		t.Errorf("the plan is %s\nand was %s", after.body, before.body)
	}
	s.do(http.MethodPost, plans, and(once, "plan_time", passed, "on_conflict", "keep")).want(http.StatusOK)
	if got := s.do(http.MethodPatch, path, map[string]any{"plan_time": passed, "no_keep": true}, "If-Match", tag).want(http.StatusOK).object(); got["reason"] != nil {
		t.Errorf("with no_keep it did not run late: %v", got)
	}
	if got := s.do(http.MethodPost, plans, and(once, "plan_id", "new", "plan_time", passed)).want(http.StatusCreated).object(); got["reason"] != "skipped" {
		t.Errorf("a new one is answered as of services: %v", got)
	}
}

// A calendar that has no entry takes those of the one before away by REST only where that is said.
func TestAnEmptyCalendarIsAskedFor(t *testing.T) {
	s := newSite(t, nil)
	const path = "/api/v1/calendars/off"
	s.do(http.MethodPut, path, map[string]any{"days": []any{map[string]any{"weekday": "sat"}}}).want(http.StatusCreated)
	for _, body := range []map[string]any{
		{}, {"days": []any{}}, {"days": nil, "except": []any{}, "windows": []any{}, "description": "none"},
	} {
		for _, query := range []string{"", "?dry_run=true", "?allow_empty=false"} {
			got := s.do(http.MethodPut, path+query, body).want(http.StatusBadRequest)
			if fields := got.fields(); len(fields) != 1 || fields[0] != "days" || !strings.Contains(string(got.body), "allow_empty=true") {
				t.Errorf("%v%s: %s", body, query, got.body)
			}
		}
	}
	s.do(http.MethodPost, "/api/v1/calendars", map[string]any{"calendar_id": "off"}).want(http.StatusBadRequest)
	s.do(http.MethodPut, path+"?allow_empty=x", map[string]any{}).want(http.StatusBadRequest)
	if got := s.do(http.MethodPut, path, map[string]any{"days": "sat"}).want(http.StatusBadRequest); strings.Contains(string(got.body), "is empty") {
		t.Errorf("a text is no list: %s", got.body)
	}
	if days := s.do(http.MethodGet, path, nil).want(http.StatusOK).object()["days"].([]any); len(days) != 1 {
		t.Errorf("it has %v", days)
	}
	s.do(http.MethodPut, path, map[string]any{"except": []any{map[string]any{"weekday": "sat"}}}).want(http.StatusOK)
	s.do(http.MethodPut, path+"?allow_empty=true", map[string]any{}).want(http.StatusOK)
}
