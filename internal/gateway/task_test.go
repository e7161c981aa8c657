package gateway_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// yearly is the smallest task; it is not due while a test runs.
func yearly(name string) map[string]any {
	return map[string]any{"name": name, "cron_expr": "0 0 1 1 *", "target_url": "http://svc.internal/api/sync"}
}

// and is a body with more members, or other values.
func and(body map[string]any, members ...any) map[string]any {
	body = maps.Clone(body)
	for i := 0; i < len(members); i += 2 {
		body[members[i].(string)] = members[i+1]
	}
	return body
}

// create makes a task and returns its path.
func (s *site) create(body map[string]any) string {
	s.t.Helper()
	return s.do(http.MethodPost, "/api/v1/tasks", body).want(http.StatusCreated).header.Get("Location")
}

func TestATaskHasItsDefaults(t *testing.T) {
	s := newSite(t, nil)
	created := s.do(http.MethodPost, "/api/v1/tasks", yearly("sync_stats")).want(http.StatusCreated)
	id := cronjob.ID("sync_stats")
	if got := created.header.Get("Location"); got != "/api/v1/tasks/"+id {
		t.Errorf("Location %q", got)
	}
	got := s.do(http.MethodGet, created.header.Get("Location"), nil).want(http.StatusOK).object()
	if diff := cmp.Diff(created.object(), got); diff != "" {
		t.Errorf("the answer at creation is another task than later:\n%s", diff)
	}
	if got["created_at"] == nil || got["created_at"] != got["updated_at"] {
		t.Errorf("created at %v, updated at %v", got["created_at"], got["updated_at"])
	}
	delete(got, "created_at")
	delete(got, "updated_at")
	want := map[string]any{
		"id": id, "name": "sync_stats", "description": "", "cron_expr": "0 0 0 1 1 *", "timezone": "UTC",
		"exec_type": "SYNC", "http_method": "GET", "target_url": "http://svc.internal/api/sync", "headers_json": "{}",
		"body_template": "", "timeout_seconds": 15.0, "success_status": []any{"2xx"}, "max_concurrency": 0.0,
		"concurrency_policy": "QUEUE", "callback_method": "POST", "callback_timeout_sec": 300.0,
		"overlap_action": "ALLOW", "failure_action": "RUN_NEW", "catch_up_mode": "NONE", "status": "ENABLED", "version": 1.0,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The seed's own example, 10, in all its fields.
func TestTheSeedsExampleIsATask(t *testing.T) {
	s := newSite(t, nil)
	body := `{
		"name":"sync_stats",
		"description":"统计同步",
		"cron_expr":"*/15 * * * * *",
		"exec_type":"SYNC",
		"http_method":"POST",
		"target_url":"http://svc.internal/api/sync",
		"headers_json":"{\"Content-Type\":\"application/json\"}",
		"body_template":"{\"run_id\":\"{{run_id}}\"}",
		"timeout_seconds":10,
		"max_concurrency":1,
		"concurrency_policy":"QUEUE",
		"overlap_action":"SKIP",
		"failure_action":"RUN_NEW"
	}`
	got := s.do(http.MethodPost, "/api/v1/tasks", body).want(http.StatusCreated).object()
	for field, want := range map[string]any{
		"description": "统计同步", "cron_expr": "*/15 * * * * *", "http_method": "POST", "overlap_action": "SKIP",
		"headers_json": `{"Content-Type":"application/json"}`, "body_template": `{"run_id":"{{run_id}}"}`,
		"timeout_seconds": 10.0, "max_concurrency": 1.0, "concurrency_policy": "QUEUE", "status": "ENABLED",
	} {
		if got[field] != want {
			t.Errorf("%s is %v, want %v", field, got[field], want)
		}
	}
}

func TestErrorsOfATaskAreNamedByField(t *testing.T) {
	s := newSite(t, nil)
	base := yearly("bad")
	for _, tt := range []struct {
		field string
		value any
		want  string // if it is another field
	}{
		{"name", nil, ""},
		{"name", " ", ""},
		{"name", strings.Repeat("名", 129), ""},
		{"name", "two\nlines", ""},
		{"name", 7, ""},
		{"description", strings.Repeat("x", 513), ""},
		{"cron_expr", nil, ""},
		{"cron_expr", "", ""},
		{"cron_expr", "* * *", ""},
		{"cron_expr", "61 * * * * *", ""},
		{"cron_expr", "0 0 30 2 *", ""}, // never comes
		{"cron_expr", "*/5 * * * " + strings.Repeat("1,", 40) + "1", ""},
		{"cron_expr", 5, ""},
		{"timezone", "Mars/Olympus", ""},
		{"timezone", "Local", ""},
		{"timezone", strings.Repeat("x", 65), ""},
		{"exec_type", "LATER", ""},
		{"exec_type", true, ""},
		{"http_method", "TRACE", ""},
		{"target_url", nil, ""},
		{"target_url", "svc.internal/api", ""},
		{"target_url", "ftp://svc.internal", ""},
		{"target_url", "http://", ""},
		{"target_url", "http://{{name}}/", ""},
		{"target_url", "http://svc/{{nope}}", ""},
		{"target_url", "http://svc/" + strings.Repeat("x", 512), ""},
		{"headers_json", "{", ""},
		{"headers_json", "[]", ""},
		{"headers_json", 5, ""},
		{"headers_json", map[string]any{"X A": "1"}, ""},
		{"headers_json", map[string]any{"X-A": []int{1}}, "headers_json.X-A"},
		{"headers_json", map[string]any{"X-A": "a\r\nb"}, "headers_json.X-A"},
		{"headers_json", map[string]any{"X-A": "{{nope}}"}, "headers_json.X-A"},
		{"headers_json", map[string]any{"Content-Length": "3"}, "headers_json.Content-Length"},
		{"body_template", "{{run_id", ""},
		{"body_template", "{{nope}}", ""},
		{"body_template", map[string]any{}, ""},
		{"timeout_seconds", 0, ""},
		{"timeout_seconds", -1, ""},
		{"timeout_seconds", 1e9, ""},
		{"timeout_seconds", "10", ""},
		{"success_status", []any{"9xx"}, ""},
		{"success_status", "2xx", ""},
		{"retry_policy_json", "no", ""},
		{"retry_policy_json", map[string]any{"strategy": "often"}, "retry_policy_json.strategy"},
		{"retry_policy_json", `{"strategy":"fixed_period","interval":0}`, "retry_policy_json.interval"},
		{"retry_policy_json", map[string]any{"max_error_count": -1}, "retry_policy_json.max_error_count"},
		{"retry_policy_json", map[string]any{"jitter": "x"}, "retry_policy_json.jitter"},
		{"retry_policy_json", map[string]any{"backoff": 1}, "retry_policy_json.backoff"},
		{"max_concurrency", -1, ""},
		{"max_concurrency", 1.5, ""},
		{"concurrency_policy", "WAIT", ""},
		{"callback_method", "SHOUT", ""},
		{"callback_timeout_sec", 0, ""},
		{"overlap_action", "WAIT", ""},
		{"failure_action", "GIVE_UP", ""},
		{"catch_up_mode", "SOME", ""},
		{"status", "MAYBE", ""},
		{"id", "x", ""},
		{"version", -1, ""},
		{"cron", "* * * * *", ""}, // no field of a task
		{"Name", "bad", ""},
	} {
		t.Run(fmt.Sprintf("%s %.20v", tt.field, tt.value), func(t *testing.T) {
			s := *s
			s.t = t
			want := tt.want
			if want == "" {
				want = tt.field
			}
			got := s.do(http.MethodPost, "/api/v1/tasks", and(base, tt.field, tt.value)).want(http.StatusBadRequest)
			if diff := cmp.Diff([]string{want}, got.fields()); diff != "" {
				t.Errorf("fields (-want +got):\n%s\n%s", diff, got.body)
			}
		})
	}
	if tasks := s.do(http.MethodGet, "/api/v1/tasks", nil).want(http.StatusOK).object()["tasks"].([]any); len(tasks) != 0 {
		t.Errorf("%d tasks were made", len(tasks))
	}
}

func TestAllErrorsOfATaskAreReportedTogether(t *testing.T) {
	s := newSite(t, nil)
	got := s.do(http.MethodPost, "/api/v1/tasks", map[string]any{
		"cron_expr": "0 0 0 30 2 *", "timezone": "Mars/Olympus", "target_url": "x", "overlap_action": "x",
		"retry_policy_json": `{"strategy":"x","jitter":7}`, "surprise": 1,
	}).want(http.StatusBadRequest).fields()
	want := []string{"surprise", "name", "overlap_action", "timezone", "retry_policy_json.strategy", "retry_policy_json.jitter", "target_url", "cron_expr"}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got = s.do(http.MethodPost, "/api/v1/tasks", map[string]any{"name": "a", "cron_expr": "0 0 0 30 2 *", "target_url": "x"}).want(http.StatusBadRequest).fields()
	slices.Sort(got)
	if diff := cmp.Diff([]string{"cron_expr", "target_url"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAChangeOfATask(t *testing.T) {
	s := newSite(t, nil)
	path := s.create(and(yearly("a"), "description", "first", "timezone", "Europe/Berlin"))

	t.Run("leaves fields that it does not name", func(t *testing.T) {
		got := s.do(http.MethodPut, path, map[string]any{"timeout_seconds": 3, "version": 1}).want(http.StatusOK).object()
		if got["version"] != 2.0 || got["timeout_seconds"] != 3.0 || got["description"] != "first" || got["timezone"] != "Europe/Berlin" {
			t.Errorf("%v", got)
		}
	})
	t.Run("of another version is a conflict", func(t *testing.T) {
		got := s.do(http.MethodPut, path, map[string]any{"description": "late", "version": 1}).want(http.StatusConflict)
		if diff := cmp.Diff([]string{"version"}, got.fields()); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("of an invalid version is refused as that", func(t *testing.T) {
		for _, wrong := range []any{"2", -1, 2.5} {
			got := s.do(http.MethodPut, path, map[string]any{"description": "late", "version": wrong}).want(http.StatusBadRequest)
			if diff := cmp.Diff([]string{"version"}, got.fields()); diff != "" || !strings.Contains(string(got.body), "version takes a whole number") && wrong != -1 {
				t.Errorf("%v: %s", wrong, got.body)
			}
		}
	})
	t.Run("accepts the task as it was read, and null for a default", func(t *testing.T) {
		whole := s.do(http.MethodGet, path, nil).object()
		whole["timezone"], whole["timeout_seconds"], whole["description"] = nil, nil, nil
		got := s.do(http.MethodPut, path, whole).want(http.StatusOK).object()
		if got["version"] != 3.0 || got["timezone"] != "UTC" || got["timeout_seconds"] != 15.0 || got["description"] != "" {
			t.Errorf("%v", got)
		}
		if later := s.do(http.MethodGet, path, nil).object(); !cmp.Equal(got, later) {
			t.Error(cmp.Diff(got, later))
		}
		// As times, not as texts, because trailing zeros are left out, and Z sorts behind
		// all digits.
		if got["created_at"] != whole["created_at"] || moment(t, got["updated_at"]).Before(moment(t, whole["updated_at"])) {
			t.Errorf("times %v, %v", got["created_at"], got["updated_at"])
		}
	})
	t.Run("by If-Match", func(t *testing.T) {
		tag := s.do(http.MethodGet, path, nil).header.Get("ETag")
		done := s.do(http.MethodPut, path, map[string]any{"description": "tagged"}, "If-Match", tag).want(http.StatusOK)
		s.do(http.MethodPut, path, map[string]any{"description": "again"}, "If-Match", tag).want(http.StatusPreconditionFailed)
		s.do(http.MethodPut, path, map[string]any{"description": "again"}, "If-Match", done.header.Get("ETag")).want(http.StatusOK)
		s.do(http.MethodPut, path, map[string]any{}, "If-Match", "yesterday").want(http.StatusPreconditionFailed)
	})
	t.Run("may enable and disable", func(t *testing.T) {
		got := s.do(http.MethodPut, path, map[string]any{"status": "Disabled"}).want(http.StatusOK)
		if got.text("status") != "DISABLED" || s.do(http.MethodGet, path, nil).text("status") != "DISABLED" {
			t.Errorf("%s", got.body)
		}
		s.do(http.MethodPatch, path, map[string]any{"status": "ENABLED"}).want(http.StatusOK)
	})
	t.Run("that changes nothing, or the status alone, makes no other version", func(t *testing.T) {
		before := s.do(http.MethodGet, path, nil).object()
		for _, body := range []map[string]any{before, {}, {"description": before["description"]}, {"status": "DISABLED"}, {"status": "ENABLED"}} {
			s.do(http.MethodPut, path, body).want(http.StatusOK)
		}
		if after := s.do(http.MethodGet, path, nil).object(); !cmp.Equal(before, after) {
			t.Error(cmp.Diff(before, after))
		}
	})
	t.Run("keeps the name", func(t *testing.T) {
		if got := s.do(http.MethodPut, path, map[string]any{"name": "b"}).want(http.StatusBadRequest); got.fields()[0] != "name" {
			t.Errorf("%s", got.body)
		}
	})
	t.Run("is checked as a whole", func(t *testing.T) {
		got := s.do(http.MethodPut, path, map[string]any{"cron_expr": "0 0 30 2 *", "target_url": nil}).want(http.StatusBadRequest).fields()
		slices.Sort(got)
		if diff := cmp.Diff([]string{"cron_expr", "target_url"}, got); diff != "" {
			t.Error(diff)
		}
	})
	s.do(http.MethodPut, "/api/v1/tasks/nobody", map[string]any{}).want(http.StatusNotFound)
}

// Of several changes at once with the same version, one wins.
func TestOfSeveralChangesOfOneVersionOneWins(t *testing.T) {
	s := newSite(t, nil)
	path := s.create(yearly("a"))
	statuses := make(chan int)
	const askers = 8
	for i := range askers {
		go func() {
			q, _ := http.NewRequestWithContext(t.Context(), http.MethodPut, s.server.URL+path,
				strings.NewReader(fmt.Sprintf(`{"version":1,"description":"%d"}`, i)))
			r, err := s.server.Client().Do(q)
			if err != nil {
				t.Error(err)
				statuses <- 0
				return
			}
			defer r.Body.Close()
			statuses <- r.StatusCode
		}()
	}
	count := map[int]int{}
	for range askers {
		count[<-statuses]++
	}
	if diff := cmp.Diff(map[int]int{200: 1, 409: askers - 1}, count); diff != "" {
		t.Error(diff)
	}
	if v := s.do(http.MethodGet, path, nil).object()["version"]; v != 2.0 {
		t.Errorf("version %v", v)
	}
}

func TestTasksAreListedInPages(t *testing.T) {
	s := newSite(t, nil)
	want := map[string]bool{}
	for i := range 7 {
		body := yearly(fmt.Sprintf("task %d", i))
		if i%3 == 0 {
			body["status"] = "DISABLED"
		}
		s.create(body)
		want[body["name"].(string)] = true
	}
	// Plans of the station that are no tasks are skipped.
	message, err := wire.ValueOf(wire.JSON, map[string]any{"target_url": "http://svc.internal/"})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"0", "zz"} {
		if _, err := s.client.Plans().Create(t.Context(), schema.Plan{
			PlanID: id, Station: schema.HTTPStation, Command: schema.HTTPCommand, Schedule: schema.Schedule{PlanType: schema.TypeCron, Cron: "0 0 1 1 *"},
			Messages: []wire.Value{message},
		}); err != nil {
			t.Fatal(err)
		}
	}
	list := func(query string) (names []string) {
		path := "/api/v1/tasks?limit=2" + query
		for cursor := ""; ; {
			page := s.do(http.MethodGet, path+cursor, nil).want(http.StatusOK).object()
			for _, task := range page["tasks"].([]any) {
				names = append(names, task.(map[string]any)["name"].(string))
			}
			next, _ := page["next"].(string)
			if next == "" {
				return names
			}
			cursor = "&cursor=" + next
		}
	}
	got := map[string]bool{}
	for _, name := range list("") {
		got[name] = true
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	if n := len(list("&status=disabled")); n != 3 {
		t.Errorf("%d disabled tasks", n)
	}
	if n := len(list("&status=ENABLED")); n != 4 {
		t.Errorf("%d enabled tasks", n)
	}
	if diff := cmp.Diff([]string{"task 3"}, list("&name=task+3")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string(nil), list("&name=task+3&status=ENABLED")); diff != "" {
		t.Error(diff)
	}
	for _, query := range []string{"limit=0", "limit=1001", "limit=x", "status=on", "cursor=x", "colour=red", "limit=1&limit=2"} {
		s.do(http.MethodGet, "/api/v1/tasks?"+query, nil).want(http.StatusBadRequest)
	}
	s.do(http.MethodGet, "/api/v1/tasks/zz", nil).want(http.StatusNotFound)
	s.do(http.MethodDelete, "/api/v1/tasks/zz", nil).want(http.StatusNotFound)
}

func TestANameIsTakenOnceAndFreeAgainWhenItsTaskIsDeleted(t *testing.T) {
	s := newSite(t, nil)
	path := s.create(yearly("a"))
	if got := s.do(http.MethodPost, "/api/v1/tasks", yearly("a")).want(http.StatusConflict); got.fields()[0] != "name" {
		t.Errorf("%s", got.body)
	}
	s.do(http.MethodDelete, path, nil).want(http.StatusNoContent)
	s.do(http.MethodGet, path, nil).want(http.StatusNotFound)
	s.do(http.MethodDelete, path, nil).want(http.StatusNotFound)
	s.do(http.MethodPost, path+"/trigger", nil).want(http.StatusNotFound)
	s.do(http.MethodPost, path+"/enable", nil).want(http.StatusNotFound)
	s.create(yearly("a"))
}

// moment reads a time of an answer.
func moment(t *testing.T, v any) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, v.(string))
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// A task is found by its name, too, and the error about a missing one names the requested
// name.
func TestTasksByTheirNames(t *testing.T) {
	s := newSite(t, nil)
	if r := s.do(http.MethodGet, "/api/v1/tasks/sync%20stats", nil).want(http.StatusNotFound); !strings.Contains(string(r.body), `there is no task \"sync stats\"`) {
		t.Errorf("%s", r.body)
	}
	s.do(http.MethodPost, "/api/v1/tasks", map[string]any{"name": "sync stats", "cron_expr": "0 3 * * *", "target_url": "http://svc.internal/sync"}).want(http.StatusCreated)
	if r := s.do(http.MethodGet, "/api/v1/tasks/sync%20stats", nil).want(http.StatusOK); !strings.Contains(string(r.body), `"name":"sync stats"`) {
		t.Errorf("%s", r.body)
	}
	if r := s.do(http.MethodPost, "/api/v1/tasks/sync%20stats/disable", nil).want(http.StatusOK); !strings.Contains(string(r.body), `"status":"DISABLED"`) {
		t.Errorf("%s", r.body)
	}
	s.do(http.MethodPost, "/api/v1/tasks/sync%20stats/enable", nil).want(http.StatusOK)
	s.worker(always(answeredWell))
	id := s.trigger("/api/v1/tasks/sync%20stats")
	s.ended(id)
	if r := s.do(http.MethodGet, "/api/v1/tasks/sync%20stats/runs", nil).want(http.StatusOK); !strings.Contains(string(r.body), id) {
		t.Errorf("%s is not in %s", id, r.body)
	}
	s.do(http.MethodDelete, "/api/v1/tasks/sync%20stats", nil).want(http.StatusNoContent)
	// The runs stay, by the task's name, too.
	if r := s.do(http.MethodGet, "/api/v1/tasks/sync%20stats/runs", nil).want(http.StatusOK); !strings.Contains(string(r.body), id) {
		t.Errorf("%s is not in %s", id, r.body)
	}
	s.do(http.MethodGet, "/api/v1/tasks/sync%20stats", nil).want(http.StatusNotFound)
}
