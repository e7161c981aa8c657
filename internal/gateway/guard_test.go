package gateway_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

// No route that changes something is carried out without a guard that its caller has given: one
// that is not looked at, or has no value, is refused, and so is a body that is not read as it is.
func TestNoRouteIgnoresAGuard(t *testing.T) {
	s := atWork(t)
	const passed = "Mon, 01 Jan 2024 00:00:00 GMT"
	for _, r := range gateway.Routes() {
		if r.Role == "anyone" || r.Method == http.MethodGet {
			continue // a callback, whose token comes first; a read
		}
		t.Run(r.Method+" "+r.Path, func(t *testing.T) {
			s := *s
			s.t = t
			s.do(r.Method, r.Path, nil, "If-Unmodified-Since", passed).want(http.StatusPreconditionFailed)
			s.do(r.Method, r.Path, nil, "If-None-Match", "*").want(http.StatusPreconditionFailed)
			got := s.do(r.Method, r.Path, `{}`, "Content-Encoding", "gzip").want(http.StatusUnsupportedMediaType)
			if !strings.Contains(string(got.body), "Content-Encoding: gzip") {
				t.Errorf("the encoding is not named: %s", got.body)
			}
			if r.BodyAny {
				return // an item of a queue, which may be any value
			}
			for _, guard := range []string{"dry_run", "revision", "incarnation", "version"} {
				got := s.do(r.Method, r.Path, `{"`+guard+`":null}`).want(http.StatusBadRequest)
				if !slices.Contains(got.fields(), guard) {
					t.Errorf("%s is null, and is not named: %s", guard, got.body)
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

// If-Match takes the place of If-Unmodified-Since, and a body may say that it is not encoded.
func TestGuardsThatCount(t *testing.T) {
	s := atWork(t)
	const path = "/api/v1/plans/http/x"
	tag := s.do(http.MethodGet, path, nil).want(http.StatusOK).header.Get("ETag")
	s.do(http.MethodPatch, path, `{"description":"d","revision":1}`, "Content-Encoding", "identity").want(http.StatusOK)
	s.do(http.MethodDelete, path, nil, "If-Match", tag, "If-Unmodified-Since", "Mon, 01 Jan 2024 00:00:00 GMT").want(http.StatusPreconditionFailed)
	tag = s.do(http.MethodGet, path, nil).want(http.StatusOK).header.Get("ETag")
	s.do(http.MethodDelete, path, nil, "If-Match", tag, "If-Unmodified-Since", "Mon, 01 Jan 2024 00:00:00 GMT").want(http.StatusOK)
}
