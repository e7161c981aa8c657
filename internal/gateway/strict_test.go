package gateway_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// atWork is a site with a task and a plan that the paths of gateway.Routes name.
func atWork(t *testing.T) *site {
	t.Helper()
	s := newSite(t, nil)
	s.create(yearly("x"))
	s.do(http.MethodPost, "/api/v1/plans", map[string]any{
		"station": "http", "plan_id": "x", "command": "http", "plan_type": "cron", "cron": "0 0 1 1 *",
		"messages": []any{map[string]any{"target_url": "http://svc.internal/"}},
	}).want(http.StatusCreated)
	return s
}

// Every member of a body is checked, on every route that has an effect. Unknown members and a
// body that is no JSON are refused, without an effect.
func TestNoRouteIgnoresABody(t *testing.T) {
	s := atWork(t)
	for _, r := range gateway.Routes() {
		if r.Role == "anyone" && r.Method == http.MethodPost {
			continue // a callback: its token comes first, then the same (TestACallbackEndsARun)
		}
		if r.Method == http.MethodGet {
			continue // its body means nothing
		}
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			s := *s
			s.t = t
			s.do(r.Method, r.Path, "garbage{{{").want(http.StatusBadRequest)
			if r.BodyAny {
				return // an item of a queue, which may be any value
			}
			for _, body := range []string{"[]", "7", "null", `"x"`} {
				s.do(r.Method, r.Path, body).want(http.StatusBadRequest)
			}
			got := s.do(r.Method, r.Path, `{"nonsense":99}`).want(http.StatusBadRequest)
			if !slices.Contains(got.fields(), "nonsense") {
				t.Errorf("the field is not named: %s", got.body)
			}
			for _, name := range r.Names {
				other := `{"` + name + `":"other"}`
				if name == "n" {
					other = `{"n":7}`
				}
				got := s.do(r.Method, r.Path, other).want(http.StatusBadRequest)
				if !slices.Contains(got.fields(), name) {
					t.Errorf("another %s than in the path: %s", name, got.body)
				}
			}
		})
	}
	for _, path := range []string{"/api/v1/tasks/x", "/api/v1/plans/http/x"} {
		if got := s.do(http.MethodGet, path, nil).want(http.StatusOK); !strings.HasPrefix(got.header.Get("ETag"), `"1-`) {
			t.Errorf("%s was changed: %s", path, got.body)
		}
	}
}

// A body of a GET means nothing, and is not read.
func TestABodyOfAGetMeansNothing(t *testing.T) {
	s := atWork(t)
	for _, r := range gateway.Routes() {
		if r.Method != http.MethodGet || strings.HasSuffix(r.Path, "/events") {
			continue // it has no end
		}
		want := s.do(r.Method, r.Path, nil).status
		s.do(r.Method, r.Path, `{"nonsense":99}`).want(want)
	}
}

// If no body is needed an empty object counts as none, with any Content-Type.
func TestAnEmptyObjectIsNoBody(t *testing.T) {
	s := newSite(t, nil)
	for _, r := range gateway.Routes() {
		if r.Body && !r.BodyOptional || strings.HasSuffix(r.Path, "/events") {
			continue // it needs one, or has no end
		}
		want := s.do(r.Method, r.Path, nil).status
		s.do(r.Method, r.Path, "").want(want)
		s.do(r.Method, r.Path, " {} ").want(want)
		if !r.Body {
			s.do(r.Method, r.Path, "{}", "Content-Type", "application/x-www-form-urlencoded").want(want)
		}
	}
}

// A revision counts wherever it is given, in the body or in If-Match, and so does each of
// two that differ.
func TestADeleteChecksTheGivenRevision(t *testing.T) {
	for path, member := range map[string]string{"/api/v1/tasks/x": "version", "/api/v1/plans/http/x": "revision"} {
		t.Run(member, func(t *testing.T) {
			s := atWork(t)
			tag := s.do(http.MethodGet, path, nil).header.Get("ETag")
			stale := s.do(http.MethodDelete, path, map[string]any{member: 99}).want(http.StatusConflict)
			if diff := cmp.Diff([]string{member}, stale.fields()); diff != "" {
				t.Error(diff)
			}
			s.do(http.MethodDelete, path, map[string]any{member: "1"}).want(http.StatusBadRequest)
			for given, match := range map[int]string{1: `"99-x"`, 99: tag} {
				if got := s.do(http.MethodDelete, path, map[string]any{member: given}, "If-Match", match); got.status/100 != 4 {
					t.Errorf("%s %d with If-Match %s: %d", member, given, match, got.status)
				}
			}
			s.do(http.MethodGet, path, nil).want(http.StatusOK)
			if got := s.do(http.MethodDelete, path, map[string]any{member: 1}, "If-Match", tag); got.status/100 != 2 {
				t.Errorf("%d %s", got.status, got.body)
			}
			s.do(http.MethodGet, path, nil).want(http.StatusNotFound)
		})
	}
}

// An error about a number that is too large names its member, on each route.
func TestATooLargeNumberIsReportedWithItsMember(t *testing.T) {
	s := newSite(t, nil)
	for _, path := range []string{"/api/v1/plans", "/api/v1/tasks"} {
		problem := s.do(http.MethodPost, path, `{"retry":{"interval":1e400}}`).want(http.StatusBadRequest).object()["error"].(map[string]any)
		if problem["field"] != "retry.interval" || !strings.HasPrefix(problem["message"].(string), "retry.interval: 1e400 is too large a number") {
			t.Errorf("%s: %v", path, problem)
		}
	}
}
