package gateway_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A dry run of each verb by REST answers with the changes that the verb would make, and changes
// nothing.
func TestDryRuns(t *testing.T) {
	s := newSite(t, nil)
	plan := map[string]any{"station": "w", "plan_id": "p", "command": "c", "plan_type": "time", "plan_time": "2030-03-01T12:00:00Z"}
	dry := s.do(http.MethodPost, "/api/v1/plans?dry_run=true", plan).want(200).object()
	if dry["created"] != true || dry["dry_run"] != true || dry["state"] != "queued" {
		t.Errorf("create: %v", dry)
	}
	s.do(http.MethodGet, "/api/v1/plans/w/p", nil).want(404)
	s.do(http.MethodPost, "/api/v1/plans", plan).want(201)
	before := s.do(http.MethodGet, "/api/v1/plans/w/p", nil).want(200)

	for _, tt := range []struct{ method, path, body, changes string }{
		{"PATCH", "", `{"command":"d"}`, `[{"field":"command","before":"c","after":"d"}]`},
		{"PUT", "", `{"command":"c","plan_type":"time","plan_time":"2030-03-01T13:00:00Z","labels":{"a":"b"}}`,
			`[{"field":"labels","after":{"a":"b"}},{"field":"plan_time","before":"2030-03-01T12:00:00Z","after":"2030-03-01T13:00:00Z"}]`},
		{"POST", "/pause", ``, `[{"field":"status","before":"queued","after":"paused"}]`},
		{"POST", "/skip", `{"count":1}`, `[{"field":"skip_next","before":0,"after":1}]`},
		{"DELETE", "", ``, `[{"field":"status","before":"queued","after":"closed"}]`},
		{"POST", "/trigger", ``, `[{"field":"status","before":"queued","after":"executing"}]`},
		{"POST", "/close", ``, `[{"field":"status","before":"queued","after":"closed"}]`},
	} {
		var body any
		if tt.body != "" {
			body = tt.body
		}
		got := s.do(tt.method, "/api/v1/plans/w/p"+tt.path+"?dry_run=true", body).want(200).object()
		var want any
		if err := json.Unmarshal([]byte(tt.changes), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got["changes"]); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.method, tt.path, diff)
		}
		if diff := cmp.Diff([]any{"2030-03-01T12:00:00Z"}, got["before"]); diff != "" {
			t.Errorf("%s %s, due before:\n%s", tt.method, tt.path, diff)
		}
		if after, _ := got["after"].([]any); len(after) > 0 && (tt.path == "/pause" || tt.path == "/close") {
			t.Errorf("after %s it is due at %v", tt.path, after)
		}
	}
	s.do(http.MethodPatch, "/api/v1/plans/w/p?dry_run=true", map[string]any{"plan_type": "nonsense"}).want(400)
	s.do(http.MethodPost, "/api/v1/plans/w/p/reset?dry_run=true", nil).want(409)
	s.do(http.MethodPost, "/api/v1/plans/w/p/pause?dry_run=true", map[string]any{"dry_run": true}).want(400)
	s.do(http.MethodPost, "/api/v1/plans/w/p/runs/1/cancel?dry_run=true", nil).want(404)
	if after := s.do(http.MethodGet, "/api/v1/plans/w/p", nil).want(200); string(after.body) != string(before.body) {
		t.Errorf("the plan is %s\nand was %s", after.body, before.body)
	}
}
