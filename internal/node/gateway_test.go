package node_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stationmaster-io/stationmaster/internal/node"
)

// rest sends a request to a node's REST, and checks the status of the answer.
func rest(t *testing.T, n *node.Node, method, path, body string, want int, headers ...string) map[string]any {
	t.Helper()
	if !strings.HasPrefix(path, "http://") {
		path = "http://" + n.HTTPAddr() + path
	}
	q, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if r.StatusCode != want {
		t.Fatalf("%s %s: %d, want %d: %s", method, path, r.StatusCode, want, data)
	}
	var v map[string]any
	if len(bytes.TrimSpace(data)) > 0 && strings.Contains(r.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(data, &v); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
	}
	return v
}

// ended waits until a run has a result.
func (s *site) ended(t *testing.T, id string) map[string]any {
	t.Helper()
	for {
		run := rest(t, s.Node, http.MethodGet, "/api/v1/runs/"+id, "", 200)
		if run["end_time"] != nil {
			return run
		}
		s.result(t)
	}
}

// An HTTP cron job is created by REST and called by the built-in worker, and an ASYNC one is
// ended by its callback.
func TestATaskFromRESTToTheCallAndBack(t *testing.T) {
	type call struct{ body, url, token, run, key, trace string }
	calls := make(chan call, 10)
	target := web(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		calls <- call{string(body), r.Header.Get("X-Callback-Url"), r.Header.Get("X-Callback-Token"), r.Header.Get("X-Run-Id"), r.Header.Get("Idempotency-Key"), r.Header.Get("Traceparent")}
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, "on it")
	})
	s := open(t, local(t))
	defer http.DefaultClient.CloseIdleConnections()

	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	made := rest(t, s.Node, http.MethodPost, "/api/v1/tasks", `{"name":"sync","cron_expr":"0 0 1 1 *","target_url":"`+target.URL+`","http_method":"POST","body_template":"{\"run_id\":\"{{run_id}}\"}"}`, 201, "Traceparent", trace)
	run := rest(t, s.Node, http.MethodPost, "/api/v1/tasks/"+made["id"].(string)+"/trigger", "", 202)["run_id"].(string)
	if c := <-calls; c.run != run || c.body != `{"run_id":"`+run+`"}` || c.key == "" || c.token != "" || c.trace != trace {
		t.Errorf("called %+v of run %s", c, run)
	}
	if got := s.ended(t, run); got["status"] != "SUCCESS" || got["response_code"] != 202.0 || got["response_body"] != "on it" || got["trigger"] != "manual" {
		t.Errorf("%v", got)
	}

	made = rest(t, s.Node, http.MethodPost, "/api/v1/tasks", `{"name":"async","exec_type":"ASYNC","cron_expr":"0 0 1 1 *","target_url":"`+target.URL+`"}`, 201)
	for _, tt := range []struct{ body, status, shown string }{
		{`{"status":"SUCCESS","result":{"rows":3}}`, "SUCCESS", `{"rows":3}`},
		{`{"status":"FAILED","message":"no disk"}`, "FAILED", ""},
	} {
		run = rest(t, s.Node, http.MethodPost, "/api/v1/tasks/"+made["id"].(string)+"/trigger", "", 202)["run_id"].(string)
		c := <-calls
		if !strings.HasSuffix(c.url, "/api/v1/callbacks/"+run) {
			t.Fatalf("the callback of run %s goes to %q", run, c.url)
		}
		rest(t, s.Node, http.MethodPost, c.url, tt.body, 403, "X-Callback-Token", "wrong")
		rest(t, s.Node, http.MethodPost, c.url, tt.body, 200, "X-Callback-Token", c.token)
		got := s.ended(t, run)
		if body, _ := got["response_body"].(string); got["status"] != tt.status || body != tt.shown {
			t.Errorf("%v", got)
		}
		rest(t, s.Node, http.MethodPost, c.url, tt.body, 409, "X-Callback-Token", c.token)
	}
}

func TestAnAsyncRunWithoutACallback(t *testing.T) {
	target := web(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	s := open(t, local(t))
	defer http.DefaultClient.CloseIdleConnections()
	made := rest(t, s.Node, http.MethodPost, "/api/v1/tasks", `{"name":"async","exec_type":"ASYNC","callback_timeout_sec":0.2,"cron_expr":"0 0 1 1 *","target_url":"`+target.URL+`"}`, 201)
	run := rest(t, s.Node, http.MethodPost, "/api/v1/tasks/"+made["id"].(string)+"/trigger", "", 202)["run_id"].(string)
	if got := s.ended(t, run); got["status"] != "FAILED_TIMEOUT" || got["error"] != "no callback came in time" {
		t.Errorf("%v", got)
	}
}

func TestASyncRunWithoutAnAnswer(t *testing.T) {
	hold := make(chan struct{})
	target := web(t, func(http.ResponseWriter, *http.Request) { <-hold })
	defer close(hold)
	s := open(t, local(t))
	defer http.DefaultClient.CloseIdleConnections()
	made := rest(t, s.Node, http.MethodPost, "/api/v1/tasks", `{"name":"sync","timeout_seconds":0.2,"cron_expr":"0 0 1 1 *","target_url":"`+target.URL+`"}`, 201)
	run := rest(t, s.Node, http.MethodPost, "/api/v1/tasks/"+made["id"].(string)+"/trigger", "", 202)["run_id"].(string)
	if got := s.ended(t, run); got["status"] != "TIMEOUT" {
		t.Errorf("%v", got)
	}
}

func TestTheTokenFile(t *testing.T) {
	c := config(t)
	c.HTTPTokenFile = filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(c.HTTPTokenFile, []byte("a-token-that-looks reader\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := start(t, c)
	defer http.DefaultClient.CloseIdleConnections()
	rest(t, n, http.MethodGet, "/api/v1/tasks", "", 401)
	rest(t, n, http.MethodGet, "/api/v1/tasks", "", 200, "Authorization", "Bearer a-token-that-looks")
	rest(t, n, http.MethodDelete, "/api/v1/tasks/x", "", 403, "Authorization", "Bearer a-token-that-looks")
	rest(t, n, http.MethodGet, "/healthz", "", 200)

	for _, wrong := range []string{"", "x reader\n"} {
		if err := os.WriteFile(c.HTTPTokenFile, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		other := config(t)
		other.HTTPTokenFile = c.HTTPTokenFile
		if _, err := node.Start(context.WithoutCancel(t.Context()), other); err == nil || !strings.Contains(err.Error(), "http-token-file") {
			t.Errorf("with %q: %v", wrong, err)
		}
	}
}
