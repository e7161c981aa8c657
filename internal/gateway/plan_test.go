package gateway_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPlansByREST(t *testing.T) {
	s := newSite(t, nil)
	plan := map[string]any{
		"station": "hello", "plan_id": "office", "command": "greet", "plan_type": "cron", "cron": "0 9 * * 1",
		"labels": map[string]any{"team": "core"}, "messages": []any{1, "two", map[string]any{"three": 3.5}},
	}
	created := s.do(http.MethodPost, "/api/v1/plans", plan).want(http.StatusCreated)
	const path = "/api/v1/plans/hello/office"
	if got := created.header.Get("Location"); got != path {
		t.Errorf("Location %q", got)
	}
	s.do(http.MethodPost, "/api/v1/plans", plan).want(http.StatusConflict)
	s.do(http.MethodPost, "/api/v1/plans", and(plan, "on_conflict", "keep")).want(http.StatusOK)
	bad := s.do(http.MethodPost, "/api/v1/plans", and(plan, "plan_id", "b", "cron", "x", "priority", 12, "overlap", "x")).want(http.StatusBadRequest)
	if diff := cmp.Diff([]string{"overlap", "priority", "cron"}, bad.fields()); diff != "" {
		t.Errorf("%s\n%s", diff, bad.body)
	}

	got := s.do(http.MethodGet, path, nil).want(http.StatusOK)
	if diff := cmp.Diff(any(plan), got.object()["plan"], numbers); diff != "" {
		t.Errorf("the definition is not as it was sent:\n%s", diff)
	}

	tag := got.header.Get("ETag")
	s.do(http.MethodPatch, path, map[string]any{"description": "mondays"}, "If-Match", tag).want(http.StatusOK)
	s.do(http.MethodPatch, path, map[string]any{"description": "late"}, "If-Match", tag).want(http.StatusPreconditionFailed)
	s.do(http.MethodPatch, path, map[string]any{"description": "late", "revision": 1}).want(http.StatusConflict)
	s.do(http.MethodPatch, path, map[string]any{"description": "late", "revision": 2}, "If-Match", tag).want(http.StatusBadRequest)
	s.do(http.MethodPatch, path, map[string]any{"station": "other"}).want(http.StatusBadRequest)
	s.do(http.MethodPatch, path, map[string]any{"plan_id": "other"}).want(http.StatusBadRequest)

	// PUT removes the fields that it leaves out.
	tag = s.do(http.MethodGet, path, nil).header.Get("ETag")
	put := s.do(http.MethodPut, path, map[string]any{"command": "wave", "plan_type": "cron", "cron": "0 9 * * 2"}, "If-Match", tag).want(http.StatusOK).object()
	if diff := cmp.Diff([]any{"description", "labels", "messages"}, put["dropped"]); diff != "" {
		t.Errorf("dropped: %s", diff)
	}
	want := map[string]any{"station": "hello", "plan_id": "office", "command": "wave", "plan_type": "cron", "cron": "0 9 * * 2"}
	if diff := cmp.Diff(any(want), s.do(http.MethodGet, path, nil).object()["plan"]); diff != "" {
		t.Error(diff)
	}
	s.do(http.MethodPut, path, map[string]any{"command": "wave"}, "If-Match", tag).want(http.StatusPreconditionFailed)
	s.do(http.MethodPut, path, map[string]any{"plan_type": "cron", "cron": "x"}).want(http.StatusBadRequest)
	s.do(http.MethodPut, "/api/v1/plans/hello/nobody", want).want(http.StatusNotFound)

	for _, tt := range []struct {
		verb   string
		body   any
		status int
		state  string
	}{
		{"pause", nil, 200, "paused"},
		{"resume", nil, 200, "queued"},
		{"skip", nil, 200, "queued"},
		{"skip", map[string]any{"count": -1}, 200, "queued"},
		{"skip", map[string]any{"count": 0}, 200, "queued"},
		{"skip", map[string]any{"count": "x"}, 400, ""},
		{"reset", nil, 409, ""},
		{"trigger", nil, 202, "executing"},
		{"close", nil, 200, "closed"},
		{"close", nil, 404, ""},
	} {
		got := s.do(http.MethodPost, path+"/"+tt.verb, tt.body).want(tt.status)
		if state := got.text("state"); tt.state != "" && tt.verb != "close" && state != tt.state {
			t.Errorf("after %s it is %s", tt.verb, state)
		}
	}
	s.do(http.MethodGet, path, nil).want(http.StatusNotFound)
	s.do(http.MethodDelete, path, nil).want(http.StatusNotFound)
	if runs := s.do(http.MethodGet, path+"/runs", nil).want(http.StatusOK).object()["runs"].([]any); len(runs) == 0 {
		t.Error("its runs went with it")
	}
}

// Failures, over all plans.
func TestRunsOfAllPlansByREST(t *testing.T) {
	s := newSite(t, nil)
	for _, station := range []string{"eu.hello", "us.hello"} {
		s.do(http.MethodPost, "/api/v1/plans", map[string]any{
			"station": station, "plan_id": "past", "command": "greet", "plan_type": "time", "plan_time": "2020-01-01T00:00:00Z",
			"labels": map[string]any{"team": station},
		}).want(http.StatusCreated)
	}
	for query, want := range map[string]int{
		"": 2, "?state=skipped": 2, "?failed=true": 0, "?failed=false": 2, "?station=eu.>": 1, "?station=us.hello": 1, "?station=eu": 0,
		"?labels=team=us.hello": 1, "?to=2020-01-01T00:00:00Z": 0, "?from=2020-01-01T00:00:00Z": 2, "?limit=1": 1,
	} {
		got := s.do(http.MethodGet, "/api/v1/runs"+query, nil).want(http.StatusOK).object()["runs"].([]any)
		if len(got) != want {
			t.Errorf("%q: %d runs, want %d", query, len(got), want)
		}
	}
	s.do(http.MethodGet, "/api/v1/plans/eu.hello/past/runs?state=skipped&failed=false", nil).want(http.StatusOK)
	for _, query := range []string{"?failed=x", "?state=x", "?state=running", "?state=ok&failed=true", "?station=*", "?from=x", "?plan_id=past", "?reason=x", "?longer_than_ms=x", "?trouble=x"} {
		s.do(http.MethodGet, "/api/v1/runs"+query, nil).want(http.StatusBadRequest)
	}
}

// numbers compares JSON's floats with the test's ints.
var numbers = cmp.FilterValues(func(a, b any) bool {
	_, one := a.(int)
	_, other := b.(float64)
	return one && other
}, cmp.Comparer(func(a, b any) bool {
	return equalNumbers(a, b) || equalNumbers(b, a)
}))

func equalNumbers(a, b any) bool {
	i, one := a.(int)
	f, other := b.(float64)
	return one && other && float64(i) == f
}

func TestPlansAreFilteredAndRunsCancelledByREST(t *testing.T) {
	s := newSite(t, nil)
	for _, id := range []string{"a", "b", "c"} {
		s.do(http.MethodPost, "/api/v1/plans", map[string]any{
			"station": "eu.hello", "plan_id": id, "command": "greet", "plan_type": "cron", "cron": "0 0 1 1 *",
			"labels": map[string]any{"team": id, "all": "yes"}, "paused": id == "c",
		}).want(http.StatusCreated)
	}
	for query, want := range map[string]int{
		"": 3, "?station=eu.>": 3, "?station=eu": 0, "?labels=team=a": 1, "?labels=all=yes&labels=team=b": 1, "?labels=all=yes,team=a": 1,
		"?status=paused": 1, "?status=queued,paused": 3, "?text=nothing": 0, "?plan_type=cron": 3, "?due_before=2020-01-01T00:00:00Z": 0,
	} {
		got := s.do(http.MethodGet, "/api/v1/plans"+query, nil).want(http.StatusOK).object()["plans"].([]any)
		if len(got) != want {
			t.Errorf("%q: %d plans, want %d", query, len(got), want)
		}
	}
	for _, query := range []string{"?limit=x", "?limit=0", "?labels=x", "?labels=a=1,a=2", "?status=x", "?due_from=x", "?tag=x"} {
		s.do(http.MethodGet, "/api/v1/plans"+query, nil).want(http.StatusBadRequest)
	}
	n := s.do(http.MethodPost, "/api/v1/plans/eu.hello/a/trigger", nil).want(http.StatusAccepted).object()["n"]
	if n != 1.0 {
		t.Fatalf("run %v", n)
	}
	const run = "/api/v1/plans/eu.hello/a/runs/1"
	s.do(http.MethodGet, run, nil).want(http.StatusOK)
	s.do(http.MethodPost, run+"/cancel", nil).want(http.StatusOK)
	s.do(http.MethodPost, run+"/cancel", nil).want(http.StatusConflict)
	if got := s.do(http.MethodGet, run, nil).object()["run"].(map[string]any)["state"]; got != "cancelled" {
		t.Errorf("the run is %v", got)
	}
	s.do(http.MethodGet, "/api/v1/plans/eu.hello/a/runs/x", nil).want(http.StatusNotFound)
	s.do(http.MethodGet, "/api/v1/plans/eu.hello/a/runs?state=nope", nil).want(http.StatusBadRequest)
	s.do(http.MethodDelete, "/api/v1/plans/eu.hello/a", nil).want(http.StatusOK)
	s.do(http.MethodGet, "/api/v1/plans/eu..hello/a", nil).want(http.StatusBadRequest)
}

func TestPreviewAndImportByREST(t *testing.T) {
	s := newSite(t, nil)
	got := s.do(http.MethodPost, "/api/v1/plans/preview", map[string]any{
		"plan": map[string]any{"plan_type": "cron", "cron": "0 9 * * *"}, "from": "2026-01-01T00:00:00Z", "count": 2,
	}).want(http.StatusOK).object()["occurrences"].([]any)
	if len(got) != 2 || got[0].(map[string]any)["plan_time"] != "2026-01-01T09:00:00Z" {
		t.Errorf("%v", got)
	}
	imported := s.do(http.MethodPost, "/api/v1/plans/import", map[string]any{"plans": []any{
		map[string]any{"station": "hello", "command": "greet", "plan_type": "cron", "cron": "0 0 1 1 *"},
		map[string]any{"station": "hello"},
	}}).want(http.StatusOK).object()
	if imported["created"] != 1.0 || len(imported["errors"].([]any)) != 1 {
		t.Errorf("%v", imported)
	}
}

func TestUpcomingByREST(t *testing.T) {
	s := newSite(t, nil)
	s.do(http.MethodPost, "/api/v1/plans", map[string]any{"station": "hello", "plan_id": "a", "command": "greet", "plan_type": "cron", "cron": "0 9 * * *"}).want(http.StatusCreated)
	s.do(http.MethodPost, "/api/v1/plans/hello/a/skip", map[string]any{"count": 1}).want(http.StatusOK)
	query := "?from=2100-01-01T00:00:00Z&until=2100-01-03T00:00:00Z&zone=Asia/Tokyo&lang=zh&with_skipped=true"
	got := s.do(http.MethodGet, "/api/v1/plans/hello/a/upcoming"+query, nil).want(http.StatusOK).object()
	all := got["occurrences"].([]any)
	if len(all) != 2 || all[0].(map[string]any)["local"] != "2100-01-01T18:00:00+09:00" || got["words"] != "每天 09:00（UTC 时间）" {
		t.Errorf("%v", got)
	}
	if got := s.do(http.MethodGet, "/api/v1/plans/hello/a/upcoming?count=3", nil).want(http.StatusOK).object()["occurrences"].([]any); len(got) != 3 || got[0].(map[string]any)["occurrence"] != 2.0 {
		t.Errorf("%v", got)
	}
	s.do(http.MethodGet, "/api/v1/plans/hello/a/upcoming?lang=fr", nil).want(http.StatusBadRequest)
	s.do(http.MethodGet, "/api/v1/plans/hello/b/upcoming", nil).want(http.StatusNotFound)
}

func TestExplainByREST(t *testing.T) {
	s := newSite(t, nil)
	s.do(http.MethodPost, "/api/v1/plans", map[string]any{
		"station": "hello", "plan_id": "a", "command": "greet", "plan_type": "cron", "cron": "0 9 * * *", "start_at": "2100-01-01T00:00:00Z",
	}).want(http.StatusCreated)
	for query, want := range map[string]string{
		"": "not_due", "?occurrence=3&lang=zh": "not_due", "?at=2100-01-02T09:00:30Z": "not_due", "?at=2099-01-01T09:00:00Z": "never",
	} {
		got := s.do(http.MethodGet, "/api/v1/plans/hello/a/explain"+query, nil).want(http.StatusOK).object()
		if got["verdict"] != want || got["sentence"] == "" || got["station"] != "hello" || got["plan_id"] != "a" {
			t.Errorf("%s: %v", query, got)
		}
	}
	for query, status := range map[string]int{
		"?lang=fr": http.StatusBadRequest, "?occurrence=0": http.StatusBadRequest, "?occurrence=1&n=1": http.StatusBadRequest,
		"?at=noon": http.StatusBadRequest, "?occurence=1": http.StatusBadRequest, "?n=7": http.StatusNotFound,
	} {
		s.do(http.MethodGet, "/api/v1/plans/hello/a/explain"+query, nil).want(status)
	}
	s.do(http.MethodGet, "/api/v1/plans/hello/b/explain", nil).want(http.StatusNotFound)
}

func TestStationsAndWorkersByREST(t *testing.T) {
	s := newSite(t, nil)
	s.do(http.MethodGet, "/api/v1/stations/hello", nil).want(http.StatusNotFound)
	s.do(http.MethodPut, "/api/v1/stations/hello", map[string]any{"kind": "pub"}).want(http.StatusCreated)
	s.do(http.MethodPut, "/api/v1/stations/hello", map[string]any{"kind": "api", "exec_timeout": 5}).want(http.StatusOK)
	s.do(http.MethodPost, "/api/v1/stations", map[string]any{"station": "world", "kind": "api"}).want(http.StatusCreated)
	s.do(http.MethodPut, "/api/v1/stations/hello", map[string]any{"kind": "club"}).want(http.StatusBadRequest)
	s.do(http.MethodPut, "/api/v1/stations/hello", map[string]any{"station": "world"}).want(http.StatusBadRequest)
	if got := s.do(http.MethodGet, "/api/v1/stations/hello", nil).want(http.StatusOK).object()["exec_timeout"]; got != 5.0 {
		t.Errorf("exec_timeout %v", got)
	}
	if got := s.do(http.MethodGet, "/api/v1/stations?limit=1", nil).want(http.StatusOK).object(); got["next"] == nil || len(got["stations"].([]any)) != 1 {
		t.Errorf("%v", got)
	}
	// The second of two changes of the same revision is refused.
	tag := s.do(http.MethodGet, "/api/v1/stations/hello", nil).header.Get("ETag")
	s.do(http.MethodPut, "/api/v1/stations/hello", map[string]any{"kind": "api", "exec_timeout": 6}, "If-Match", tag).want(http.StatusOK)
	s.do(http.MethodPut, "/api/v1/stations/hello", map[string]any{"kind": "api", "exec_timeout": 7}, "If-Match", tag).want(http.StatusPreconditionFailed)
	s.do(http.MethodPut, "/api/v1/stations/hello", map[string]any{"kind": "api", "exec_timeout": 7, "revision": 2}).want(http.StatusConflict)
	s.do(http.MethodPut, "/api/v1/stations/hello", map[string]any{"kind": "api", "revision": 2}, "If-Match", tag+"x").want(http.StatusPreconditionFailed)
	would := s.do(http.MethodDelete, "/api/v1/stations/hello?dry_run=true", nil).want(http.StatusOK).object()
	if diff := cmp.Diff(map[string]any{"station": "hello", "deleted": false, "dry_run": true, "dropped": []any{"exec_timeout"}}, would, numbers); diff != "" {
		t.Error(diff)
	}
	if got := s.do(http.MethodGet, "/api/v1/stations/hello", nil).want(http.StatusOK).object(); got["exec_timeout"] != 6.0 || got["revision"] != 3.0 {
		t.Errorf("after refused changes and a dry run the record is %v", got)
	}
	if diff := cmp.Diff(map[string]any{"station": "hello", "deleted": true}, s.do(http.MethodDelete, "/api/v1/stations/hello", nil).want(http.StatusOK).object()); diff != "" {
		t.Errorf("a station that nobody uses: %s", diff)
	}

	s.do(http.MethodPost, "/api/v1/plans", map[string]any{"station": "http", "plan_id": "a", "command": "http",
		"messages": []any{map[string]any{"target_url": "http://svc.internal/"}}}).want(http.StatusCreated)
	next(t, s.worker(always(answeredWell)))
	if got := s.do(http.MethodGet, "/api/v1/workers?station=world", nil).want(http.StatusOK).object()["workers"].([]any); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// A member that a request leaves out does not end a plan, or take a station's workers from its
// plans.
func TestWhatIsLeftOutDestroysNothing(t *testing.T) {
	s := newSite(t, nil)
	const station, path = "/api/v1/stations/jury", "/api/v1/plans/jury/series"
	s.do(http.MethodPut, station, map[string]any{"kind": "vote", "voters": 3}).want(http.StatusCreated)
	s.do(http.MethodPost, "/api/v1/plans", map[string]any{
		"station": "jury", "plan_id": "series", "command": "c", "plan_type": "minute", "plan_value": 500, "plan_repet": 10,
	}).want(http.StatusCreated)

	for _, change := range []map[string]any{
		{"plan_time": "2020-01-01T00:00:00Z"}, {"plan_type": nil, "plan_value": nil, "plan_repet": nil},
	} {
		if got := s.do(http.MethodPatch, path, change).want(http.StatusBadRequest); len(got.fields()) != 1 {
			t.Errorf("%v: %s", change, got.body)
		}
	}
	s.do(http.MethodPut, path, map[string]any{"command": "c", "description": "d"}).want(http.StatusBadRequest)
	s.do(http.MethodGet, path, nil).want(http.StatusOK)

	if diff := cmp.Diff([]string{"kind"}, s.do(http.MethodPut, station, map[string]any{}).want(http.StatusConflict).fields()); diff != "" {
		t.Error(diff)
	}
	put := s.do(http.MethodPut, station, map[string]any{"kind": "vote"}).want(http.StatusOK)
	if diff := cmp.Diff(any([]any{"voters"}), put.object()["dropped"]); diff != "" {
		t.Error(diff)
	}
	gone := s.do(http.MethodDelete, station, nil).want(http.StatusOK)
	if diff := cmp.Diff(map[string]any{"station": "jury", "deleted": true, "kind": "vote", "has_plans": true, "plans": 1, "dropped": []any{"kind"}}, gone.object(), numbers); diff != "" {
		t.Error(diff)
	}

	const kind = "/api/v1/task-types/tc"
	s.do(http.MethodPut, kind, map[string]any{"category": "films", "config": map[string]any{"kind": "api", "timeout_seconds": 60}}).want(http.StatusCreated)
	put = s.do(http.MethodPut, kind, map[string]any{}).want(http.StatusOK)
	if dropped, _ := put.object()["dropped"].([]any); len(dropped) < 2 {
		t.Errorf("%s", put.body)
	}
}

// A PUT keeps the label by which an apply finds its plans, and its answer names what else it leaves
// out; labels that are null go with it.
func TestAPutKeepsTheSet(t *testing.T) {
	s := newSite(t, nil)
	const path = "/api/v1/plans/hello/office"
	s.do(http.MethodPost, "/api/v1/plans", `{"station":"hello","plan_id":"office","command":"greet","plan_type":"cron","cron":"0 9 * * 1",`+
		`"labels":{"a":"1","stationmaster.set":"x"},"retry":{"interval":1,"jitter":0}}`).want(http.StatusCreated)
	for _, tt := range []struct{ body, labels, dropped string }{
		{`,"retry":{"interval":1}`, `{"stationmaster.set":"x"}`, `["labels.a","retry.jitter"]`},
		{`,"labels":{"b":"2"}`, `{"b":"2","stationmaster.set":"x"}`, `["retry"]`},
		{`,"labels":{"b":"2"}`, `{"b":"2","stationmaster.set":"x"}`, `null`},
		{`,"labels":null`, `null`, `null`},
	} {
		put := s.do(http.MethodPut, path, `{"command":"greet","plan_type":"cron","cron":"0 9 * * 1"`+tt.body+`}`).want(http.StatusOK).object()
		plan := s.do(http.MethodGet, path, nil).want(http.StatusOK).object()["plan"].(map[string]any)
		labels, _ := json.Marshal(plan["labels"])
		dropped, _ := json.Marshal(put["dropped"])
		if string(labels) != tt.labels || string(dropped) != tt.dropped {
			t.Errorf("PUT %s: labels %s, dropped %s, want %s and %s", tt.body, labels, dropped, tt.labels, tt.dropped)
		}
	}
}
