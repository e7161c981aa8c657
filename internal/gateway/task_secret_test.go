package gateway_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// A field that a change leaves out stays, and so does a credential that is sent back
// masked, for its own host: the call has it, and no answer.
func TestACredentialOfATaskStays(t *testing.T) {
	s := newSite(t, nil)
	calls := s.worker(always(answeredWell))
	shown := func(r *response) *response {
		t.Helper()
		if strings.Contains(string(r.body), "s3cr3t") {
			t.Errorf("it is shown: %s", r.body)
		}
		return r
	}
	headers := func(members ...any) map[string]any {
		return map[string]any{"headers_json": and(map[string]any{}, members...)}
	}
	created := s.do(http.MethodPost, "/api/v1/tasks", and(yearly("a"), "headers_json", `{"Authorization":"Bearer s3cr3t-1","X-Other":"seen"}`)).want(http.StatusCreated)
	path := created.header.Get("Location")
	if got := shown(created).text("headers_json"); got != `{"Authorization":"(secret)","X-Other":"seen"}` {
		t.Errorf("it is shown as %s", got)
	}
	whole := s.do(http.MethodGet, path, nil).object()
	for _, tt := range []struct {
		change map[string]any
		want   string // the call's credential then
	}{
		{map[string]any{"timeout_seconds": 5}, "Bearer s3cr3t-1"},
		{map[string]any{"description": "changed"}, "Bearer s3cr3t-1"},
		{map[string]any{"status": "DISABLED"}, "Bearer s3cr3t-1"},
		{map[string]any{"status": "ENABLED", "headers_json": whole["headers_json"]}, "Bearer s3cr3t-1"},
		{headers("authorization", "(secret)", "X-Other", "new"), "Bearer s3cr3t-1"},
		{map[string]any{"target_url": "http://svc.internal/elsewhere"}, "Bearer s3cr3t-1"},
		{headers("Authorization", "Bearer s3cr3t-2"), "Bearer s3cr3t-2"},
		{map[string]any{"cron_expr": "0 0 2 1 *"}, "Bearer s3cr3t-2"},
		{map[string]any{"headers_json": nil}, ""},
	} {
		for _, method := range []string{http.MethodPut, http.MethodPatch} {
			shown(s.do(method, path, tt.change).want(http.StatusOK))
			shown(s.do(http.MethodGet, path, nil).want(http.StatusOK))
			s.ended(s.trigger(path))
			got := ""
			for name, value := range next(t, calls).Messages[0].Headers {
				if strings.EqualFold(name, "Authorization") {
					got = value
				}
			}
			if got != tt.want {
				t.Errorf("%s %v: called with %q, want %q", method, tt.change, got, tt.want)
			}
		}
	}
	s.do(http.MethodPut, path, headers("Authorization", "Bearer s3cr3t-3")).want(http.StatusOK)
	for field, change := range map[string]map[string]any{
		"headers_json.Authorization": {"target_url": "http://thief.internal/"}, // it would receive the credential
		"headers_json.X-Api-Key":     headers("X-Api-Key", "(secret)"),         // there is none to keep
	} {
		if got := shown(s.do(http.MethodPut, path, change).want(http.StatusBadRequest)); !slices.Contains(got.fields(), field) {
			t.Errorf("%v: %s", change, got.body)
		}
	}
	s.do(http.MethodPost, "/api/v1/tasks", and(yearly("b"), "headers_json", `{"Authorization":"(secret)"}`)).want(http.StatusBadRequest)
}
