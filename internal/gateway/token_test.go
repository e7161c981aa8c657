package gateway_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

const (
	reads   = "a-token-of-who-reads"
	changes = "a-token-of-who-changes"
)

// guardedSite is a site with tokens.
func guardedSite(t *testing.T) *site {
	t.Helper()
	tokens, err := gateway.ReadTokens(strings.NewReader(reads + " reader\n" + changes + " operator\n"))
	if err != nil {
		t.Fatal(err)
	}
	return newSite(t, func(c *gateway.Config) { c.Tokens = tokens })
}

// asked is the status of a request with nothing but its headers, in pairs; one that is
// named twice is sent twice.
func (s *site) asked(method, path string, headers ...string) int {
	s.t.Helper()
	q, err := http.NewRequestWithContext(s.t.Context(), method, s.server.URL+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Add(headers[i], headers[i+1])
	}
	r, err := s.server.Client().Do(q)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = r.Body.Close()
	return r.StatusCode
}

// Each route that needs a token accepts one that is known, whole, in its own header, and nothing
// else; after some wrong ones the status is that of too many requests.
func TestNoRouteTakesAWrongToken(t *testing.T) {
	s := guardedSite(t)
	for _, headers := range [][]string{
		nil,
		{"Authorization", ""},
		{"Authorization", "Bearer"},
		{"Authorization", "Bearer another-token-of-this-length"},
		{"Authorization", changes},
		{"Authorization", "Basic " + changes},
		{"Authorization", "Basic " + base64.StdEncoding.EncodeToString([]byte("operator:"+changes))},
		{"Authorization", "Digest " + changes},
		{"Authorization", "Bearer " + changes[:len(changes)-1]},
		{"Authorization", "Bearer " + changes + "x"},
		{"Authorization", "Bearer " + changes + "\xff"},
		{"Authorization", "Bearer x" + changes},
		{"Authorization", "Bearer " + strings.ToUpper(changes)},
		{"Authorization", "Bearer \"" + changes + "\""},
		{"Authorization", "Bearer:" + changes},
		{"Authorization", "Bearer " + reads + " " + changes},
		{"Authorization", "Bearer " + reads + ", Bearer " + changes},
		{"Authorization", "Bearer " + strings.Repeat(changes, 1000)},
		{"Authorization", "Basic x", "Authorization", "Bearer " + changes},
		{"Proxy-Authorization", "Bearer " + changes},
		{"X-Api-Key", changes},
		{"Cookie", "token=" + changes},
		{"X-Callback-Token", changes},
	} {
		for _, r := range gateway.Routes() {
			if r.Role == "anyone" {
				continue
			}
			methods := []string{r.Method}
			if r.Method == http.MethodGet {
				methods = append(methods, http.MethodHead)
			}
			for _, method := range methods {
				path := r.Path + "?token=" + changes + "&access_token=" + changes
				if status := s.asked(method, path, headers...); status != http.StatusUnauthorized && status != http.StatusTooManyRequests {
					t.Errorf("%s %s with %q: %d", method, r.Path, headers, status)
				}
			}
		}
	}
}

// Routes without a bearer token are the document, which is the same for all, callbacks, whose
// token is of one run, and those that begin a session, with a token in the body, and end it.
func TestRoutesWithoutTokenAreListed(t *testing.T) {
	want := map[string]bool{"GET /openapi.json": true, "POST /api/v1/callbacks/x.1": true, "POST /api/v1/session": true, "DELETE /api/v1/session": true}
	for _, r := range gateway.Routes() {
		if name := r.Method + " " + r.Path; (r.Role == "anyone") != want[name] {
			t.Errorf("%s is for %s", name, r.Role)
		}
	}
}

// With a reader's token nothing changes, even if a request claims another method.
func TestAReadersTokenChangesNothing(t *testing.T) {
	s := guardedSite(t)
	s.token = changes
	plan := map[string]any{"station": "http", "plan_id": "x", "command": "http", "plan_type": "cron", "cron": "0 0 1 1 *", "messages": []any{map[string]any{"target_url": "http://example.org/"}}}
	s.do(http.MethodPost, "/api/v1/plans", plan).want(http.StatusCreated)
	before := s.do(http.MethodGet, "/api/v1/plans/http/x", nil).want(http.StatusOK)

	for _, r := range gateway.Routes() {
		if r.Role != "operator" && r.Role != "worker" {
			continue
		}
		if status := s.asked(r.Method, r.Path, "Authorization", "Bearer "+reads); status != http.StatusForbidden {
			t.Errorf("%s %s: %d", r.Method, r.Path, status)
		}
		// A GET that claims to be another method is a GET.
		for _, name := range []string{"X-Http-Method-Override", "X-Http-Method", "X-Method-Override"} {
			s.asked(http.MethodGet, r.Path+"?_method="+r.Method, "Authorization", "Bearer "+reads, name, r.Method)
		}
	}
	if after := s.do(http.MethodGet, "/api/v1/plans/http/x", nil).want(http.StatusOK); string(after.body) != string(before.body) {
		t.Errorf("the plan is %s\nand was %s", after.body, before.body)
	}
	for path, list := range map[string]string{"/api/v1/plans": "plans", "/api/v1/stations": "stations"} {
		found, _ := s.do(http.MethodGet, path, nil).want(http.StatusOK).object()[list].([]any)
		if list == "plans" && len(found) != 1 || list == "stations" && len(found) != 0 {
			t.Errorf("%s: %v", path, found)
		}
	}
}

// An error in a file of tokens never contains a token, in any position.
func TestATokenIsNotShownInErrors(t *testing.T) {
	for _, text := range []string{changes, "operator " + changes, changes + " admin", changes + " " + changes, changes + " reader ops mail too", "0123456789abcdef reader ops " + changes + "/",
		changes + " operator\n" + changes + " reader", changes + " reader\n" + changes + " operator", changes + " reader\n" + changes + " reader"} {
		if _, err := gateway.ReadTokens(strings.NewReader(text)); err == nil || strings.Contains(err.Error(), changes) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
