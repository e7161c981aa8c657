package gateway_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
)

const (
	ofMail  = "a-token-of-the-station-mail"
	ofMany  = "a-token-of-several-stations"
	takes   = "a-token-of-one-that-takes-work"
	reports = "a-token-of-a-worker-of-mail"
)

// scopedSite is a site whose tokens have stations, with a plan at each of some stations.
func scopedSite(t *testing.T) *site {
	t.Helper()
	tokens, err := gateway.ReadTokens(strings.NewReader(changes + " operator\n" + ofMail + " operator ann mail\n" +
		ofMany + " operator bob mail,eu.*\n" + takes + " worker w1\n" + reports + " worker w2 mail\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(c *gateway.Config) { c.Tokens = tokens })
	s.token = changes
	for _, station := range []string{"mail", "mail.big", "eu.mail", "eu.mail.big", "abroad"} {
		s.do(http.MethodPost, "/api/v1/plans", eachYear(station)).want(http.StatusCreated)
		s.do(http.MethodPut, "/api/v1/stations/"+station, map[string]any{}).want(http.StatusCreated)
	}
	return s
}

func eachYear(station string) map[string]any {
	return map[string]any{"station": station, "plan_id": "p", "command": "c", "plan_type": "cron", "cron": "0 0 1 1 *"}
}

// A token of some stations is refused elsewhere on every route. The routes that are not refused show
// nothing of another station.
func TestNoRouteReachesBeyondATokensStations(t *testing.T) {
	s := scopedSite(t)
	shared := []string{"GET /api/v1/session", "POST /api/v1/plans/preview", "GET /api/v1/calendars", "GET /api/v1/calendars/x", "GET /api/v1/calendars/x/days"}
	lists := []string{"GET /api/v1/plans", "GET /api/v1/runs", "GET /api/v1/stations", "GET /api/v1/workers"}
	for _, token := range []string{ofMail, ofMany} {
		s.token = token
		for _, r := range gateway.Routes() {
			name := r.Method + " " + r.Path
			if r.Role == "anyone" || slices.Contains(shared, name) || strings.HasSuffix(r.Path, "/events") {
				continue
			}
			var body any
			if r.Body {
				body = map[string]any{}
			}
			switch got := s.do(r.Method, r.Path, body); {
			case slices.Contains(lists, name):
				if text := string(got.want(http.StatusOK).body); strings.Contains(text, "abroad") || strings.Contains(text, "big") {
					t.Errorf("%s shows %s", name, text)
				}
			case token == ofMail && (name == "GET /api/v1/calendar" || name == "GET /api/v1/stats/series" || name == "GET /api/v1/async-tasks" || name == "GET /api/v1/timeline"):
				// The station is the token's where none is named.
			case name == "POST /api/v1/plans/import":
				got.want(http.StatusBadRequest) // there are no plans in it
			case got.status != http.StatusForbidden:
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		}
		for _, path := range []string{"/api/v1/plans?station=abroad", "/api/v1/plans?station=mail.>", "/api/v1/runs?station=abroad", "/api/v1/workers?station=abroad",
			"/api/v1/events?station=abroad", "/api/v1/calendar?station=abroad", "/api/v1/stats/series?of=results&step=1s&station=abroad", "/api/v1/async-tasks?type=abroad"} {
			s.do(http.MethodGet, path, nil).want(http.StatusForbidden)
		}
		for path, body := range map[string]any{
			"/api/v1/plans":             eachYear("abroad"),
			"/api/v1/plans/import":      map[string]any{"plans": []any{eachYear("mail"), eachYear("abroad")}},
			"/api/v1/stations":          map[string]any{"station": "abroad"},
			"/api/v1/task-types":        map[string]any{"code": "abroad"},
			"/api/v1/async-tasks":       map[string]any{"tasks": []any{map[string]any{"type": "mail"}, map[string]any{"type": "abroad"}}},
			"/api/v1/async-tasks/fetch": map[string]any{"types": []any{"mail", "abroad"}},
		} {
			s.do(http.MethodPost, path, body).want(http.StatusForbidden)
		}
	}
	s.token = changes
	for _, station := range []string{"mail", "abroad"} {
		if n := s.do(http.MethodGet, "/api/v1/plans?total=true&station="+station, nil).want(http.StatusOK).object()["total"]; n != 1.0 {
			t.Errorf("%v plans of %s", n, station)
		}
	}
}

// A token of some stations reads and changes those, as its role permits.
func TestATokenServesItsStations(t *testing.T) {
	s := scopedSite(t)
	names := func(path, list string) (all []string) {
		entries, _ := s.do(http.MethodGet, path, nil).want(http.StatusOK).object()[list].([]any)
		for _, e := range entries {
			entry, _ := e.(map[string]any)
			if plan, is := entry["plan"].(map[string]any); is {
				entry = plan
			}
			all = append(all, fmt.Sprint(entry["station"]))
		}
		return all
	}
	for token, want := range map[string][]string{ofMail: {"mail"}, ofMany: {"eu.mail", "mail"}} {
		s.token = token
		if got := names("/api/v1/plans", "plans"); !slices.Equal(got, want) {
			t.Errorf("plans of %v, want %v", got, want)
		}
		if got := names("/api/v1/stations", "stations"); !slices.Equal(got, want) {
			t.Errorf("stations %v, want %v", got, want)
		}
		session := s.do(http.MethodGet, "/api/v1/session", nil).want(http.StatusOK).object()
		if stations, _ := session["stations"].([]any); len(stations) != len(want) {
			t.Errorf("the session is %v", session)
		}
		s.do(http.MethodPost, "/api/v1/plans/mail/p/pause", nil).want(http.StatusOK)
		s.do(http.MethodPost, "/api/v1/plans/mail/p/resume", nil).want(http.StatusOK)
		s.do(http.MethodGet, "/api/v1/plans?total=true&station=mail", nil).want(http.StatusOK)
	}
	s.token = ofMany
	s.do(http.MethodGet, "/api/v1/plans?total=true", nil).want(http.StatusForbidden)
	s.do(http.MethodGet, "/api/v1/plans/eu.mail/p", nil).want(http.StatusOK)
	s.do(http.MethodGet, "/api/v1/plans/eu.mail.big/p", nil).want(http.StatusForbidden)
}

// A worker's token takes tasks and reports them, and does nothing else; with stations, of those.
func TestAWorkersTokenTakesWork(t *testing.T) {
	s := scopedSite(t)
	for _, code := range []string{"scan", "print"} {
		s.do(http.MethodPut, "/api/v1/task-types/"+code, map[string]any{}).want(http.StatusCreated)
	}
	s.do(http.MethodPost, "/api/v1/async-tasks", map[string]any{"type": "scan", "id": "1"}).want(http.StatusCreated)
	for _, token := range []string{takes, reports} {
		s.token = token
		if got := s.do(http.MethodGet, "/api/v1/session", nil).want(http.StatusOK).object(); got["role"] != "worker" {
			t.Errorf("the session is %v", got)
		}
		for _, r := range gateway.Routes() {
			if r.Role == "reader" || r.Role == "operator" {
				if status := s.asked(r.Method, r.Path, "Authorization", "Bearer "+token); status != http.StatusForbidden {
					t.Errorf("%s %s: %d", r.Method, r.Path, status)
				}
			}
		}
	}
	fetch := map[string]any{"worker_id": "w", "types": []any{"scan"}, "wait_ms": 3000}
	s.do(http.MethodPost, "/api/v1/async-tasks/fetch", fetch).want(http.StatusForbidden)
	for _, more := range []map[string]any{{}, {"types": []any{}}, {"type": "scan"}, {"type": ""}, {"type": "mail", "types": []any{"scan"}}} {
		more["worker_id"] = "w"
		s.do(http.MethodPost, "/api/v1/async-tasks/fetch", more).want(http.StatusForbidden)
	}
	s.do(http.MethodPost, "/api/v1/async-tasks/scan/1/report", map[string]any{}).want(http.StatusForbidden)
	s.token = takes
	got, _ := s.do(http.MethodPost, "/api/v1/async-tasks/fetch", fetch).want(http.StatusOK).object()["tasks"].([]any)
	if len(got) != 1 {
		t.Fatalf("it took %v", got)
	}
	task, _ := got[0].(map[string]any)
	s.do(http.MethodPost, "/api/v1/async-tasks/scan/1/report", map[string]any{"worker_id": "w", "exec_id": task["exec_id"], "status": "Success"}).want(http.StatusOK)
}
