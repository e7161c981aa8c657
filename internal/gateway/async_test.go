package gateway_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const asyncTasks = "/api/v1/async-tasks"

func TestTaskTypesByREST(t *testing.T) {
	s := newSite(t, nil)
	config := map[string]any{"retry_strategy": "sequence", "retry_sequence": []any{1.0, 5.0}, "max_error_count": 4.0, "timeout": 30.0, "need_manual": true}
	const path = "/api/v1/task-types/transcode.eu"
	record := map[string]any{"code": "transcode.eu", "name": "Transcode", "category": "media", "config": config}
	made := s.do(http.MethodPost, "/api/v1/task-types", record).want(http.StatusCreated)
	if got := made.header.Get("Location"); got != path {
		t.Errorf("Location %q", got)
	}
	s.do(http.MethodPut, path, and(record, "name", "New")).want(http.StatusOK)
	s.do(http.MethodPut, path, map[string]any{"code": "other", "config": config}).want(http.StatusBadRequest)
	got := s.do(http.MethodGet, path, nil).want(http.StatusOK).object()
	if diff := cmp.Diff(and(record, "name", "New"), got); diff != "" {
		t.Error(diff)
	}
	for query, want := range map[string]int{"": 1, "?category=media": 1, "?category=other": 0} {
		page := s.do(http.MethodGet, "/api/v1/task-types"+query, nil).want(http.StatusOK).object()
		if n := len(page["task_types"].([]any)); n != want {
			t.Errorf("%q lists %d", query, n)
		}
	}
	bad := s.do(http.MethodPut, path, map[string]any{"config": map[string]any{"retry_strategy": "often"}}).want(http.StatusBadRequest)
	if diff := cmp.Diff([]string{"config.retry_strategy"}, bad.fields()); diff != "" {
		t.Error(diff)
	}
	s.do(http.MethodDelete, path, nil).want(http.StatusOK)
	s.do(http.MethodGet, path, nil).want(http.StatusNotFound)
}

// The secret that signs callbacks is accepted, and never returned.
func TestASecretIsInNoAnswer(t *testing.T) {
	s := newSite(t, nil)
	const secret, path = "sk-that-nobody-may-see", "/api/v1/task-types/signed"
	target := map[string]any{"url": "https://svc.example.org/done", "method": "POST"}
	with := func(security map[string]any) map[string]any {
		return map[string]any{"config": map[string]any{"callback": map[string]any{"success": target, "security": security}}}
	}
	answers := []*response{
		s.do(http.MethodPut, path, with(map[string]any{"type": "aksk", "ak": "me", "sk": secret})).want(http.StatusCreated),
		s.do(http.MethodPut, path, with(map[string]any{"type": "aksk", "ak": "you"})).want(http.StatusOK), // it stays
		s.do(http.MethodPut, path, with(map[string]any{"type": "none", "ak": "you", "sk": secret, "x": 1})),
		s.do(http.MethodGet, path, nil).want(http.StatusOK),
		s.do(http.MethodGet, "/api/v1/task-types", nil).want(http.StatusOK),
		s.do(http.MethodGet, "/api/v1/stations/signed", nil).want(http.StatusOK),
		s.do(http.MethodGet, "/api/v1/stations", nil).want(http.StatusOK),
	}
	for _, a := range answers {
		if strings.Contains(string(a.body), secret) {
			t.Errorf("an answer holds the secret: %s", a.body)
		}
	}
	if !strings.Contains(string(answers[3].body), `"ak":"you"`) {
		t.Errorf("%s", answers[3].body)
	}
}

// An asynchronous task is ended by an agent that fetches it and reports, or by a person.
func TestAsyncTasksByREST(t *testing.T) {
	s := newSite(t, nil)
	s.do(http.MethodPut, "/api/v1/task-types/job", map[string]any{"category": "media", "config": map[string]any{"need_manual": true}}).want(http.StatusCreated)
	made := s.do(http.MethodPost, asyncTasks, map[string]any{"type": "job", "id": 42, "tenant_id": 7, "creator": "ann", "ext": map[string]any{"a": "b"}}).want(http.StatusCreated)
	if got := made.header.Get("Location"); got != asyncTasks+"/job/42" || made.text("status") != "New" {
		t.Errorf("at %q, %s", got, made.body)
	}
	s.do(http.MethodPost, asyncTasks, map[string]any{"type": "nobody", "id": 1}).want(http.StatusNotFound)
	s.do(http.MethodPost, asyncTasks, map[string]any{"type": "job", "id": 42}).want(http.StatusConflict)
	many := s.do(http.MethodPost, asyncTasks, map[string]any{"tasks": []any{
		map[string]any{"type": "job", "id": "43"}, map[string]any{"type": "job", "priority": 10},
	}}).want(http.StatusOK).object()["tasks"].([]any)
	if many[0].(map[string]any)["id"] != "43" || many[1].(map[string]any)["error"] == nil {
		t.Errorf("many: %v", many)
	}

	fetch := func(wait int) []any {
		t.Helper()
		return s.do(http.MethodPost, asyncTasks+"/fetch", map[string]any{"worker_id": "w1", "type": "job", "wait_ms": wait}).want(http.StatusOK).object()["tasks"].([]any)
	}
	// Waiting tasks come at once, except to a claim that a stall has cut short.
	fetchOne := func() map[string]any {
		t.Helper()
		for began := time.Now(); time.Since(began) < patience; {
			if got := fetch(3000); len(got) > 0 {
				return got[0].(map[string]any)
			}
		}
		t.Fatal("nothing is fetched")
		panic("unreachable")
	}
	report := func(task map[string]any, more map[string]any) *response {
		t.Helper()
		body := map[string]any{"exec_id": task["exec_id"], "worker_id": "w1"}
		for k, v := range more {
			body[k] = v
		}
		return s.do(http.MethodPost, asyncTasks+"/job/"+task["id"].(string)+"/report", body).want(http.StatusOK)
	}
	first := fetchOne()
	if first["id"] != "42" || first["status"] != "Executing" || first["tenant_id"] != "7" {
		t.Errorf("fetched %v", first)
	}
	if ping := report(first, map[string]any{"status": "Executing"}).object(); ping["accepted"] != true || ping["cancel"] != false {
		t.Errorf("a ping is answered %v", ping)
	}
	if done := report(first, map[string]any{"status": "Success", "result": map[string]any{"frames": 9}}).object(); done["accepted"] != true || done["status"] != "Success" {
		t.Errorf("a report is answered %v", done)
	}
	got := s.do(http.MethodGet, asyncTasks+"/job/42", nil).want(http.StatusOK).object()
	if diff := cmp.Diff(map[string]any{"frames": 9.0}, got["result"]); diff != "" || got["status"] != "Success" || got["category"] != "media" {
		t.Errorf("%v %s", got, diff)
	}
	second := fetchOne()
	report(second, map[string]any{"error_info": "no disk"})
	if got := s.do(http.MethodGet, asyncTasks+"/job/43", nil).want(http.StatusOK).text("status"); got != "Pending" {
		t.Errorf("43 is %s", got)
	}
	if got := fetch(0); len(got) != 0 {
		t.Errorf("of nothing %v is fetched", got)
	}
	s.do(http.MethodPost, asyncTasks+"/fetch", map[string]any{"worker_id": "w1", "wait_ms": 3001}).want(http.StatusBadRequest)
	s.do(http.MethodPost, asyncTasks+"/job/42/process", nil).want(http.StatusConflict)
	if got := s.do(http.MethodPost, asyncTasks+"/job/43/retry", nil).want(http.StatusOK).text("status"); got != "New" && got != "Error" {
		t.Errorf("retried, it is %s", got)
	}
	report(fetchOne(), map[string]any{"error_info": "no disk"})
	processed := s.do(http.MethodPost, asyncTasks+"/job/43/process", map[string]any{"remark": "by hand"}).want(http.StatusOK)
	if processed.text("status") != "ManuallyProcessed" {
		t.Errorf("%s", processed.body)
	}
	s.do(http.MethodPost, asyncTasks, map[string]any{"type": "job", "id": 44, "start_time": time.Now().Add(time.Hour)}).want(http.StatusCreated)
	for query, want := range map[string]string{
		"": "44", "?type=job&status=New,Error": "44", "?history=true": "43 42", "?history=true&status=Success&tenant_id=7&creator=ann": "42",
		"?history=true&limit=1&to=2020-01-01T00:00:00Z": "",
	} {
		var ids []string
		for _, task := range s.do(http.MethodGet, asyncTasks+query, nil).want(http.StatusOK).object()["tasks"].([]any) {
			ids = append(ids, task.(map[string]any)["id"].(string))
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%q lists %s, want %s", query, got, want)
		}
	}
	s.do(http.MethodGet, asyncTasks+"?history=perhaps", nil).want(http.StatusBadRequest)
	s.do(http.MethodDelete, "/api/v1/task-types/job", nil).want(http.StatusConflict)
	if got := s.do(http.MethodPost, asyncTasks+"/job/44/cancel", map[string]any{"remark": "no"}).want(http.StatusOK).text("status"); got != "Cancelled" {
		t.Errorf("cancelled, it is %s", got)
	}
	s.do(http.MethodPost, asyncTasks+"/job/44/cancel", nil).want(http.StatusConflict)
	s.do(http.MethodGet, asyncTasks+"/job/45", nil).want(http.StatusNotFound)
	s.do(http.MethodDelete, "/api/v1/task-types/job", nil).want(http.StatusOK)
}
