package gateway_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
)

// A timeline has the runs that have ended and those under way, each as a bar in a lane, or counted.
func TestTimelineByREST(t *testing.T) {
	s := newSite(t, nil)
	answer := answeredWell
	calls := s.worker(func(*called) string { return answer })
	path := s.create(and(yearly("a"), "http_method", "post"))
	id := cronjob.ID("a")
	s.trigger(path)
	next(t, calls)
	s.ended(cronjob.RunID(id, 1))
	answer = answeredBad
	s.trigger(path)
	next(t, calls)
	s.ended(cronjob.RunID(id, 2))
	answer = `{"state":"running","worker_id":"w2"}`
	s.trigger(path)
	next(t, calls)

	get := func(query string) map[string]any {
		t.Helper()
		return s.do(http.MethodGet, "/api/v1/timeline"+query, nil).want(http.StatusOK).object()
	}
	lanes := func(got map[string]any) (all []map[string]any) {
		for _, l := range got["lanes"].([]any) {
			all = append(all, l.(map[string]any))
		}
		return all
	}
	got := get("")
	if one := lanes(got); len(one) != 1 || one[0]["lane"] != "http/"+id || got["step_ms"] != nil || got["complete"] != nil || len(one[0]["bars"].([]any)) != 3 {
		t.Fatalf("%v", got)
	}
	for i, want := range []map[string]any{{"state": "ok", "n": 1.0}, {"state": "failure", "n": 2.0}, {"state": "running", "n": 3.0}} {
		bar := lanes(got)[0]["bars"].([]any)[i].(map[string]any)
		if bar["state"] != want["state"] || bar["n"] != want["n"] || bar["station"] != "http" || bar["plan_id"] != id || bar["attempt"] != 1.0 ||
			bar["due"] == nil || bar["start"] == nil || (bar["end"] == nil) != (i == 2) {
			t.Errorf("bar %d is %v", i, bar)
		}
	}
	if all := lanes(get("?lanes=worker&station=http")); len(all) != 3 || all[0]["lane"] != "" || all[1]["lane"] != "w1" || all[2]["lane"] != "w2" {
		t.Errorf("by worker: %v", all)
	}
	if all := lanes(get("?lanes=station&station=other.>")); len(all) != 0 {
		t.Errorf("of another station: %v", all)
	}
	counted := get("?max=2")
	total, bad := 0.0, 0.0
	for _, b := range lanes(counted)[0]["buckets"].([]any) {
		total, bad = total+b.(map[string]any)["count"].(float64), bad+b.(map[string]any)["bad"].(float64)
	}
	if counted["step_ms"] != 60_000.0 || len(lanes(counted)[0]["buckets"].([]any)) != 60 || total != 3 || bad != 1 {
		t.Errorf("counted: %v", counted)
	}
	yesterday := time.Now().AddDate(0, 0, -2).UTC().Format(time.RFC3339)
	if all := lanes(get("?until=" + yesterday)); len(all) != 0 {
		t.Errorf("two days ago: %v", all)
	}
	for query, field := range map[string]string{
		"?lanes=tenant": "lanes", "?max=0": "max", "?max=2001": "max", "?max=-1": "max", "?max=1e3": "max", "?max=x": "max", "?from=now": "from", "?until=1": "until",
		"?station=%20": "station", "?station=%3E": "station", "?limit=3": "limit", "?plan_id=a": "plan_id", "?lanes=plan&lanes=worker": "lanes",
		"?from=2100-01-01T00:00:00Z":                            "until",
		"?from=2100-01-02T00:00:00Z&until=2100-01-01T00:00:00Z": "until",
		"?from=2100-01-01T00:00:00Z&until=2100-01-02T00:00:01Z": "until",
	} {
		errors := s.do(http.MethodGet, "/api/v1/timeline"+query, nil).want(http.StatusBadRequest).object()["errors"]
		if list, is := errors.([]any); !is || list[0].(map[string]any)["field"] != field {
			t.Errorf("%s: %v; want field %s", query, errors, field)
		}
	}
}
