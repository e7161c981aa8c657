package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// A change has the by and the note of its request, in the body or as parameters.
func TestAChangeSaysWhoAsks(t *testing.T) {
	s := newSite(t, nil)
	plan := map[string]any{"station": "s", "plan_id": "p", "command": "c", "plan_type": "hour", "plan_value": 1, "plan_repet": -1, "paused": true, "by": "ada", "note": "not yet"}
	s.do(http.MethodPost, "/api/v1/plans", plan).want(http.StatusCreated)
	paused := func(by, note string) {
		t.Helper()
		view := s.do(http.MethodGet, "/api/v1/plans/s/p", nil).want(http.StatusOK).object()
		got, _ := view["state"].(map[string]any)["paused"].(map[string]any)
		if got["by"] != by || got["note"] != note || got["since"] == nil {
			t.Errorf("paused: %v, want by %s, %s", got, by, note)
		}
		if _, kept := view["plan"].(map[string]any)["by"]; kept {
			t.Errorf("the definition is %v", view["plan"])
		}
	}
	paused("ada", "not yet")
	s.do(http.MethodPost, "/api/v1/plans/s/p/resume?by=bob", nil).want(http.StatusOK)
	s.do(http.MethodPost, "/api/v1/plans/s/p/pause?note=stock-taking", map[string]any{"by": "bob"}).want(http.StatusOK)
	paused("bob", "stock-taking")
	for path, body := range map[string]map[string]any{
		"/api/v1/plans/s/p/pause?by=ada":                                  {"by": "bob"},
		"/api/v1/plans/s/p/pause?by=" + strings.Repeat("b", 129):          nil,
		"/api/v1/plans/s/p/skip":                                          {"note": strings.Repeat("n", 513)},
		"/api/v1/plans/s/p/close?by=a%0Ab":                                nil,
		"/api/v1/plans/s/p/close":                                         {"by": 7},
		"/api/v1/stations":                                                {"station": "s", "by": "a\tb"},
		"/api/v1/async-tasks/s/p/cancel?note=" + strings.Repeat("n", 513): nil,
	} {
		var sent any
		if body != nil {
			sent = body
		}
		answer := s.do(http.MethodPost, path, sent)
		if answer.status != http.StatusBadRequest && answer.status != http.StatusRequestEntityTooLarge {
			t.Errorf("%.60s, %.60v: %d", path, body, answer.status)
		}
	}
	s.do(http.MethodPut, "/api/v1/stations/s?by=ada", map[string]any{"kind": "api", "note": "why"}).want(http.StatusCreated)
	s.do(http.MethodPost, "/api/v1/tasks?by=ada", map[string]any{"name": "n", "target_url": "http://127.0.0.1:1/", "cron_expr": "0 0 * * * *", "note": "why"}).want(http.StatusCreated)
}

// With tokens the by of a change is the name of its token, and never the request's own.
func TestAChangeIsByTheNameOfItsToken(t *testing.T) {
	tokens, err := gateway.ReadTokens(strings.NewReader(changes + " operator\n" + reads + " operator ops-team\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(c *gateway.Config) { c.Tokens = tokens })
	by := func() any {
		view := s.do(http.MethodGet, "/api/v1/plans/s/p", nil).want(http.StatusOK).object()
		return view["state"].(map[string]any)["paused"].(map[string]any)["by"]
	}
	plan := map[string]any{"station": "s", "plan_id": "p", "command": "c", "plan_type": "hour", "plan_value": 1, "plan_repet": -1, "paused": true, "by": "ada"}
	s.token = changes
	s.do(http.MethodPost, "/api/v1/plans/import", map[string]any{"plans": []any{plan}}).want(http.StatusOK)
	if got := by(); got != "token-39e09a" {
		t.Errorf("by %v", got)
	}
	s.token = reads
	s.do(http.MethodPost, "/api/v1/plans/s/p/resume", nil).want(http.StatusOK)
	s.do(http.MethodPost, "/api/v1/plans/s/p/pause?by=ada", nil).want(http.StatusOK)
	if got := by(); got != "ops-team" {
		t.Errorf("by %v", got)
	}
}
