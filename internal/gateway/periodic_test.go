package gateway_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
)

func TestPeriodicTasksByREST(t *testing.T) {
	s := newSite(t, nil)
	work, err := s.nats.QueueSubscribe("station.bills", "bills", func(m *nats.Msg) {
		_ = m.Respond([]byte(`{"state":"error","error":"no disk"}`))
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = work.Unsubscribe() })
	results, err := s.nats.SubscribeSync("plan.result.bills.periodic_5")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.nats.Flush(); err != nil {
		t.Fatal(err)
	}
	const path = "/api/v1/periodic-tasks/5"
	task := map[string]any{
		"type": "bills", "tenant_id": "7", "creator": "3", "cron_expressions": "* * * * * *", "log": "trans_log", "category": "c",
		"timezone": "Europe/Berlin", "ext": map[string]any{"a": "b"},
	}
	made := s.do(http.MethodPost, "/api/v1/periodic-tasks", and(task, "id", 5)).want(http.StatusCreated)
	if got := made.header.Get("Location"); got != path || made.text("status") != "new" {
		t.Errorf("made at %q, %s", got, made.body)
	}
	s.do(http.MethodPost, "/api/v1/periodic-tasks", and(task, "type", "other")).want(http.StatusCreated) // an id is made
	got := s.do(http.MethodGet, path, nil).want(http.StatusOK).object()
	delete(got, "create_date")
	delete(got, "update_date")
	if diff := cmp.Diff(and(task, "id", "5", "status", "new"), got); diff != "" {
		t.Error(diff)
	}
	for _, verb := range []string{"online", "offline", "online"} {
		if got := s.do(http.MethodPost, path+"/"+verb, nil).want(http.StatusOK).text("status"); got != verb {
			t.Errorf("%s: it is %s", verb, got)
		}
	}
	for failed := false; !failed; { // an occurrence that fell due while it was offline is a result, too
		m, err := results.NextMsg(patience)
		if err != nil {
			t.Fatal(err)
		}
		var result struct {
			State string `json:"state"`
		}
		if err := json.Unmarshal(m.Data, &result); err != nil {
			t.Fatal(err)
		}
		failed = result.State == "failure"
	}
	logs := s.do(http.MethodGet, path+"/logs", nil).want(http.StatusOK).object()["logs"].([]any)
	ran := slices.IndexFunc(logs, func(l any) bool { return l.(map[string]any)["result"] == "failure" })
	if ran < 0 { // others may have been skipped, on a machine that stalled
		t.Errorf("logged is %v", logs)
	} else if first := logs[ran].(map[string]any); first["error_info"] != "no disk" || first["tenant_id"] != "7" {
		t.Errorf("logged is %v", first)
	}
	if got := s.do(http.MethodPut, path, task).want(http.StatusOK).text("status"); got != "online" {
		t.Errorf("replaced, it is %s", got)
	}
	for query, want := range map[string]int{
		"": 2, "?type=bills": 1, "?status=online&tenant_id=7": 1, "?status=new": 1, "?status=offline": 0, "?creator=3&category=c&limit=1": 1,
	} {
		page := s.do(http.MethodGet, "/api/v1/periodic-tasks"+query, nil).want(http.StatusOK).object()
		if n := len(page["periodic_tasks"].([]any)); n != want {
			t.Errorf("%q lists %d, want %d", query, n, want)
		}
	}
	bad := s.do(http.MethodPut, path, map[string]any{"type": "bills", "cron_expressions": "often", "log": "trans_log"}).want(http.StatusBadRequest)
	if diff := cmp.Diff([]string{"cron_expressions"}, bad.fields()); diff != "" {
		t.Error(diff)
	}
	s.do(http.MethodPut, path, and(task, "id", "6")).want(http.StatusBadRequest)
	s.do(http.MethodDelete, path, nil).want(http.StatusOK)
	s.do(http.MethodGet, path, nil).want(http.StatusNotFound)
	s.do(http.MethodPost, path+"/online", nil).want(http.StatusNotFound)
}
