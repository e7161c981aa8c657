package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/gateway"
	"github.com/stationmaster-io/stationmaster/schema"
)

// plans creates so many plans of a station that are due in a year.
func (s *site) plans(station string, n int) {
	s.t.Helper()
	all := make([]schema.Plan, n)
	for i := range all {
		all[i] = schema.Plan{Station: station, PlanID: fmt.Sprintf("p%04d", i), Command: "x", Schedule: schema.Every(1000 * time.Hour), Labels: map[string]string{"team": []string{"core", "blue"}[i%2]}}
	}
	if done, err := s.client.Plans().Import(s.t.Context(), all, schema.ConflictError); err != nil || len(done.Errors) > 0 {
		s.t.Fatal(err, done)
	}
}

// bulk begins a job, and returns it as it has ended.
func (s *site) bulk(body map[string]any) *response {
	s.t.Helper()
	begun := s.do(http.MethodPost, "/api/v1/bulk", body).want(http.StatusAccepted)
	if want := "/api/v1/bulk/" + begun.text("id"); begun.header.Get("Location") != want {
		s.t.Errorf("Location %q, want %q", begun.header.Get("Location"), want)
	}
	return s.bulkEnd(begun.text("id"))
}

// bulkEnd follows the stream of a job until it ends.
func (s *site) bulkEnd(id string) *response {
	s.t.Helper()
	r, data := s.follow(id, func() {})
	if got := r.Header.Get("Content-Type"); got != "text/event-stream" {
		s.t.Errorf("Content-Type %q", got)
	}
	streamed := &response{s.t, r.StatusCode, r.Header, data}
	shown := s.do(http.MethodGet, "/api/v1/bulk/"+id, nil).want(http.StatusOK)
	if !bytes.Equal(streamed.body, shown.body) {
		s.t.Errorf("the stream ends with %s, and GET shows %s", streamed.body, shown.body)
	}
	return shown
}

// follow returns the last event of the stream of a job; began is called at each.
func (s *site) follow(id string, began func()) (r *http.Response, last []byte) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.URL+"/api/v1/bulk/"+id, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	q.Header.Set("Accept", "text/event-stream")
	if s.token != "" {
		q.Header.Set("Authorization", "Bearer "+s.token)
	}
	if r, err = s.server.Client().Do(q); err != nil {
		s.t.Fatal(err)
	}
	defer r.Body.Close()
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if data, is := bytes.CutPrefix(lines.Bytes(), []byte("data: ")); is {
			last = slices.Clone(data)
			began()
		}
	}
	if err := lines.Err(); err != nil {
		s.t.Fatal(err)
	}
	return r, last
}

// counts are those of a job.
func (r *response) counts() string {
	r.t.Helper()
	var v struct {
		State                        string
		Matched, Done, Refused, Left int64
	}
	if err := json.Unmarshal(r.body, &v); err != nil {
		r.t.Fatalf("%s: %v", r.body, err)
	}
	return fmt.Sprintf("%s: %d matched, %d done, %d refused, %d left", v.State, v.Matched, v.Done, v.Refused, v.Left)
}

func (r *response) wantCounts(want string) {
	r.t.Helper()
	if got := r.counts(); got != want {
		r.t.Errorf("%s\nwant %s\n%s", got, want, r.body)
	}
}

// statusOf returns how many plans of a station have a status.
func (s *site) statusOf(station, status string) int64 {
	s.t.Helper()
	page, err := s.client.Plans().List(s.t.Context(), schema.ListPlans{Station: station, Status: schema.OneOrMany{status}, Total: true, Limit: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	return *page.Total
}

// A verb is done to all that match, on more pages than one, and to no others; each says who
// asked, and why.
func TestBulkDoesAVerbToAllThatMatch(t *testing.T) {
	s := newSite(t, nil)
	s.plans("mail", 1200)
	s.plans("other", 3)
	s.bulk(map[string]any{
		"verb": "pause", "filter": map[string]any{"station": "mail", "status": "queued", "labels": map[string]any{"team": "core"}},
		"expect": 600, "by": "ann", "note": "migration",
	}).wantCounts("done: 600 matched, 600 done, 0 refused, 0 left")
	if mail, other := s.statusOf("mail", "paused"), s.statusOf("other", "paused"); mail != 600 || other != 0 {
		t.Errorf("%d of mail and %d of others are paused, want 600 and none", mail, other)
	}
	view, err := s.client.Plan("mail", "p0000").Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if p := view.State.Paused; p == nil || p.By != "ann" || p.Note != "migration" {
		t.Errorf("paused %+v", p)
	}
	// A job does not chase its own changes: a resume of those that are paused is done once to each.
	s.bulk(map[string]any{"verb": "resume", "filter": map[string]any{"status": []string{"paused"}}, "expect": 600}).
		wantCounts("done: 600 matched, 600 done, 0 refused, 0 left")
	s.bulk(map[string]any{"verb": "skip", "count": 2, "filter": map[string]any{"prefix": "mail/p000"}, "expect": 10}).
		wantCounts("done: 10 matched, 10 done, 0 refused, 0 left")
	if view, err = s.client.Plan("mail", "p0000").Get(t.Context()); err != nil || view.State.Skips == nil || view.State.Skips.Left != 2 {
		t.Errorf("skips %+v, %v", view.State.Skips, err)
	}
	s.bulk(map[string]any{"verb": "remove", "filter": map[string]any{"station": "other"}, "expect": 3}).
		wantCounts("done: 3 matched, 3 done, 0 refused, 0 left")
	s.bulk(map[string]any{"verb": "close", "filter": map[string]any{"station": "other"}, "expect": 0}).
		wantCounts("done: 0 matched, 0 done, 0 refused, 0 left")
}

// Plans are selected by their runs, each once, and a dry run only counts them.
func TestBulkDoesAVerbToThePlansOfRuns(t *testing.T) {
	s := newSite(t, nil)
	for station, answer := range map[string]string{"good": `{"state":"ok"}`, "bad": `{"state":"failure","error":"disk full"}`} {
		if _, err := s.nats.Subscribe("station."+station, func(m *nats.Msg) { _ = m.Respond([]byte(answer)) }); err != nil {
			t.Fatal(err)
		}
		var all []schema.Plan
		for i := range 4 {
			all = append(all, schema.Plan{Station: station, PlanID: strconv.Itoa(i), Command: "x", Schedule: schema.Every(1000 * time.Hour), OnFailure: schema.FailureSettle})
		}
		if done, err := s.client.Plans().Import(t.Context(), all, schema.ConflictError); err != nil || len(done.Errors) > 0 {
			t.Fatal(err, done)
		}
	}
	results, err := s.nats.SubscribeSync(schema.Space{}.AllResults())
	if err != nil {
		t.Fatal(err)
	}
	ended := func(n int) {
		t.Helper()
		for range n {
			if _, err := results.NextMsg(patience); err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 2 { // two runs of each
		s.bulk(map[string]any{"verb": "trigger", "filter": map[string]any{}, "expect": 8})
		ended(8)
	}
	failed := map[string]any{"run": map[string]any{"state": "failure", "text": "disk", "from": time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)}}
	dry := s.bulk(map[string]any{"verb": "trigger", "filter": failed, "dry_run": true})
	dry.wantCounts("counted: 4 matched, 0 done, 0 refused, 0 left")
	s.bulk(map[string]any{"verb": "trigger", "filter": failed, "expect": 4}).wantCounts("done: 4 matched, 4 done, 0 refused, 0 left")
	ended(4)
	failed["prefix"] = "bad/3" // and the plan itself fits, too
	s.bulk(map[string]any{"verb": "trigger", "filter": failed, "expect": 1}).wantCounts("done: 1 matched, 1 done, 0 refused, 0 left")
	s.do(http.MethodDelete, "/api/v1/plans/bad/3", nil).want(http.StatusOK)
	delete(failed, "prefix")
	s.bulk(map[string]any{"verb": "trigger", "filter": failed, "expect": 4}).wantCounts("done: 4 matched, 3 done, 1 refused, 0 left")
	for body, field := range map[string]string{
		`{"verb":"trigger","filter":{"run":{"stat":"failure"}},"expect":1}`:        "filter.run.stat",
		`{"verb":"trigger","filter":{"run":{"state":"broken"}},"expect":1}`:        "filter.run.state",
		`{"verb":"trigger","filter":{"run":{"cursor":"x"}},"expect":1}`:            "filter.run.cursor",
		`{"verb":"trigger","filter":{"run":7},"expect":1}`:                         "filter.run",
		`{"verb":"tasks.retry","filter":{"run":{"state":"ok"}},"expect":1}`:        "filter.run",
		`{"verb":"trigger","filter":{"run":{"longer_than_ms":-1}},"dry_run":true}`: "filter.run.longer_than_ms",
	} {
		if got := s.do(http.MethodPost, "/api/v1/bulk", body); got.status != http.StatusBadRequest && got.status != http.StatusUnprocessableEntity || !slices.Equal(got.fields(), []string{field}) {
			t.Errorf("%s: %d %s, want field %s", body, got.status, got.body, field)
		}
	}
}

// Each refusal is counted, and the first hundred say to whom and why.
func TestBulkShowsRefusals(t *testing.T) {
	s := newSite(t, nil)
	s.plans("mail", 130)
	got := s.bulk(map[string]any{"verb": "reset", "filter": map[string]any{"station": "mail"}, "expect": 130})
	got.wantCounts("done: 130 matched, 0 done, 130 refused, 0 left")
	var v struct {
		Refusals []struct {
			Station, PlanID string
			Error           schema.Error
		}
		LeftOut int64 `json:"left_out"`
	}
	if err := json.Unmarshal(got.body, &v); err != nil {
		t.Fatal(err)
	}
	if len(v.Refusals) != 100 || v.LeftOut != 30 || v.Refusals[0].Station != "mail" || v.Refusals[0].Error.Code != schema.CodeConflict {
		t.Errorf("%d refusals and %d left out: %s", len(v.Refusals), v.LeftOut, got.body)
	}
	s.bulk(map[string]any{"verb": "cancel", "filter": map[string]any{"station": "mail"}, "expect": 130}).
		wantCounts("done: 130 matched, 0 done, 130 refused, 0 left")
}

// Cancel ends the executions of each plan.
func TestBulkCancelsWhatIsUnderWay(t *testing.T) {
	s := newSite(t, nil)
	sub, err := s.nats.SubscribeSync("station.slow")
	if err != nil {
		t.Fatal(err)
	}
	s.plans("slow", 5)
	s.bulk(map[string]any{"verb": "trigger", "filter": map[string]any{"station": "slow"}, "expect": 5}).
		wantCounts("done: 5 matched, 5 done, 0 refused, 0 left")
	for range 5 {
		if _, err := sub.NextMsg(patience); err != nil {
			t.Fatal(err)
		}
	}
	s.bulk(map[string]any{"verb": "cancel", "filter": map[string]any{"station": "slow", "status": "executing"}, "expect": 5}).
		wantCounts("done: 5 matched, 5 done, 0 refused, 0 left")
	if n := s.statusOf("slow", "executing"); n != 0 {
		t.Errorf("%d execute still", n)
	}
}

// Nothing is done when more than a tenth more or fewer match than were expected.
func TestBulkRefusesAnotherNumber(t *testing.T) {
	s := newSite(t, nil)
	s.plans("mail", 20)
	for expect, status := range map[int]int{0: 409, 17: 409, 18: 409, 19: 202, 21: 202, 22: 202, 23: 409, 1000: 409} {
		got := s.do(http.MethodPost, "/api/v1/bulk", map[string]any{"verb": "resume", "filter": map[string]any{"station": "mail"}, "expect": expect})
		if got.status != status {
			t.Errorf("expect %d is %d, want %d: %s", expect, got.status, status, got.body)
		}
		if status == 202 {
			s.bulkEnd(got.text("id"))
		} else if !slices.Equal(got.fields(), []string{"expect"}) || !strings.Contains(string(got.body), "20 match") {
			t.Errorf("expect %d: %s", expect, got.body)
		}
	}
	if n := s.statusOf("mail", "queued"); n != 20 {
		t.Errorf("%d are queued, want 20", n)
	}
}

// Each fault of an order is named, and nothing is done.
func TestBulkNamesWhatIsWrong(t *testing.T) {
	s := newSite(t, nil)
	s.plans("mail", 1)
	for body, field := range map[string]string{
		`{"verb":"pause","filter":{}}`:                                                                            "expect",
		`{"verb":"pause","expect":1}`:                                                                             "filter",
		`{"verb":"pause","filter":[],"expect":1}`:                                                                 "filter",
		`{"verb":"pause","filter":null,"expect":1}`:                                                               "filter",
		`{"filter":{},"expect":1}`:                                                                                "verb",
		`{"verb":"create","filter":{},"expect":1}`:                                                                "verb",
		`{"verb":"pause","filter":{"statoin":"mail"},"expect":1}`:                                                 "filter.statoin",
		`{"verb":"pause","filter":{"station":""},"expect":1}`:                                                     "filter.station",
		`{"verb":"pause","filter":{"limit":1},"expect":1}`:                                                        "filter.limit",
		`{"verb":"pause","filter":{"status":7},"expect":1}`:                                                       "filter.status",
		`{"verb":"pause","filter":{"status":"asleep"},"expect":1}`:                                                "filter.status",
		`{"verb":"pause","filter":{"station":".."},"expect":1}`:                                                   "filter.station",
		`{"verb":"pause","filter":{"due_from":"soon"},"expect":1}`:                                                "filter.due_from",
		`{"verb":"pause","filter":{},"expect":-1}`:                                                                "expect",
		`{"verb":"pause","filter":{},"expect":1,"count":1}`:                                                       "count",
		`{"verb":"skip","filter":{},"expect":1,"count":-2}`:                                                       "count",
		`{"verb":"pause","filter":{},"expect":1,"verbs":1}`:                                                       "verbs",
		`{"verb":"tasks.retry","filter":{"station":"mail"},"expect":1}`:                                           "filter.station",
		`{"verb":"tasks.retry","filter":{"to":"2026-01-01T00:00:00Z","until":"2026-01-01T00:00:00Z"},"expect":0}`: "filter.until",
		`{"verb":"pause","filter":{"text":"` + strings.Repeat("x", 70_000) + `"},"expect":1}`:                     "filter",
	} {
		got := s.do(http.MethodPost, "/api/v1/bulk", body)
		if got.status != 400 && got.status != 413 || !slices.Equal(got.fields(), []string{field}) {
			t.Errorf("%.90s: %d, want the field %s: %.300s", body, got.status, field, got.body)
		}
	}
	if got := s.do(http.MethodPost, "/api/v1/bulk", `{"verb":"pause","filter":{"statoin":"mail"},"expect":1}`); !strings.Contains(string(got.body), `did you mean \"station\"`) {
		t.Errorf("the nearest filter is not named: %s", got.body)
	}
	if n := s.statusOf("mail", "paused"); n != 0 {
		t.Errorf("%d are paused", n)
	}
	s.do(http.MethodGet, "/api/v1/bulk/none", nil).want(http.StatusNotFound)
	s.do(http.MethodDelete, "/api/v1/bulk/none", nil).want(http.StatusNotFound)
}

// At most 500 are asked for a second, two jobs are under way at a time, and one that is stopped
// says how far it came.
func TestBulkIsPacedAndStops(t *testing.T) {
	s := newSite(t, nil)
	s.plans("mail", 1500)
	began := time.Now()
	order := map[string]any{"verb": "pause", "filter": map[string]any{"station": "mail"}, "expect": 1500}
	first := s.do(http.MethodPost, "/api/v1/bulk", order).want(http.StatusAccepted).text("id")
	second := s.do(http.MethodPost, "/api/v1/bulk", order).want(http.StatusAccepted).text("id")
	s.do(http.MethodPost, "/api/v1/bulk", order).want(http.StatusServiceUnavailable)
	stopped := s.do(http.MethodDelete, "/api/v1/bulk/"+second, nil).want(http.StatusOK)
	var v struct {
		State               string
		Matched, Done, Left int64
	}
	if err := json.Unmarshal(stopped.body, &v); err != nil || v.State != "stopped" || v.Left == 0 || v.Done+v.Left != 1500 {
		t.Errorf("stopped: %v %s", err, stopped.body)
	}
	again := s.do(http.MethodDelete, "/api/v1/bulk/"+second, nil).want(http.StatusOK)
	if !bytes.Equal(again.body, stopped.body) {
		t.Errorf("stopped again: %s, and before %s", again.body, stopped.body)
	}
	s.bulkEnd(first).wantCounts("done: 1500 matched, 1500 done, 0 refused, 0 left")
	if took, least := time.Since(began), 1499*time.Second/500; took < least {
		t.Errorf("1,500 took %v, which is faster than 500 a second", took)
	}
	if n := s.statusOf("mail", "paused"); n != 1500 {
		t.Errorf("%d are paused", n)
	}
}

// The end of its gateway ends a job, and its reader is told how far it came.
func TestBulkEndsWithItsNode(t *testing.T) {
	s := newSite(t, nil)
	s.plans("mail", 1500)
	id := s.do(http.MethodPost, "/api/v1/bulk", map[string]any{"verb": "pause", "filter": map[string]any{}, "expect": 1500}).want(http.StatusAccepted).text("id")
	last, following := make(chan []byte), make(chan struct{})
	go func() {
		_, data := s.follow(id, sync.OnceFunc(func() { close(following) }))
		last <- data
	}()
	<-following
	if err := s.gateway.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	done := s.statusOf("mail", "paused")
	shown := &response{t: t, body: <-last}
	shown.wantCounts(fmt.Sprintf("stopped: 1500 matched, %d done, 0 refused, %d left", done, 1500-done))
	if !strings.Contains(string(shown.body), "the node that had it was stopped") {
		t.Errorf("%s", shown.body)
	}
	s.do(http.MethodPost, "/api/v1/bulk", map[string]any{"verb": "pause", "filter": map[string]any{}, "expect": 1500}).want(http.StatusServiceUnavailable)
}

// A reader's token begins and stops nothing, and an operator's name stands at each change, also
// where the body names another.
func TestBulkIsAnOperators(t *testing.T) {
	tokens, err := gateway.ReadTokens(strings.NewReader("reader-reader-reader reader\noperator-operator-op operator ann\n"))
	if err != nil {
		t.Fatal(err)
	}
	s := newSite(t, func(c *gateway.Config) { c.Tokens = tokens })
	s.plans("mail", 1500)
	order := map[string]any{"verb": "pause", "filter": map[string]any{}, "expect": 1500, "by": "eve"}
	s.do(http.MethodPost, "/api/v1/bulk", order).want(http.StatusUnauthorized)
	s.token = "reader-reader-reader"
	s.do(http.MethodPost, "/api/v1/bulk", order).want(http.StatusForbidden)
	s.token = "operator-operator-op"
	id := s.do(http.MethodPost, "/api/v1/bulk", order).want(http.StatusAccepted).text("id")
	s.token = "reader-reader-reader"
	s.do(http.MethodDelete, "/api/v1/bulk/"+id, nil).want(http.StatusForbidden)
	// Without its token a job goes no further.
	fewer, err := gateway.ReadTokens(strings.NewReader("reader-reader-reader reader\n"))
	if err != nil {
		t.Fatal(err)
	}
	for s.statusOf("mail", "paused") == 0 {
		if t.Context().Err() != nil {
			t.Fatal("nothing is paused")
		}
	}
	tokens.Replace(fewer)
	s.gateway.TokensReplaced()
	got := s.bulkEnd(id)
	if got.text("state") != "stopped" || got.text("by") != "ann" || !strings.Contains(string(got.body), "the token that it was asked for with") {
		t.Errorf("%s", got.body)
	}
	paused, err := s.client.Plans().List(t.Context(), schema.ListPlans{Status: schema.OneOrMany{string(schema.StatusPaused)}})
	if err != nil || len(paused.Plans) == 0 || paused.Plans[0].State.Paused == nil || paused.Plans[0].State.Paused.By != "ann" {
		t.Errorf("paused %+v, %v", paused, err)
	}
}

// Failed tasks are retried, those that wait for a person and those that failed for good, by type,
// tenant, time and the text of the error.
func TestBulkRetriesFailedTasks(t *testing.T) {
	s := newSite(t, nil)
	for code, manual := range map[string]bool{"wait": true, "end": false} {
		s.do(http.MethodPut, "/api/v1/task-types/"+code, map[string]any{"code": code, "name": code, "config": map[string]any{"max_error_count": 0, "need_manual": manual}}).want(http.StatusCreated)
		for i, tenant := range []string{"a", "a", "b"} {
			if _, err := s.client.Tasks().Submit(t.Context(), schema.TaskSubmit{ID: fmt.Sprint("t", i), Type: code, TenantID: tenant}); err != nil {
				t.Fatal(err)
			}
		}
		tasks, err := s.client.Tasks().Fetch(t.Context(), schema.TaskFetch{WorkerID: "w", Type: code, Limit: 10, WaitMS: 5000})
		if err != nil || len(tasks) != 3 {
			t.Fatalf("%v: %d tasks", err, len(tasks))
		}
		for _, task := range tasks {
			report := schema.TaskReport{Type: code, ID: task.ID, ExecID: task.ExecID, WorkerID: "w", Status: schema.TaskError, ErrorInfo: "Disk full of " + task.ID}
			if _, err := s.client.Tasks().Report(t.Context(), report); err != nil {
				t.Fatal(err)
			}
		}
	}
	retry := func(filter map[string]any, expect int) *response {
		t.Helper()
		return s.bulk(map[string]any{"verb": "tasks.retry", "filter": filter, "expect": expect, "by": "ann"})
	}
	later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	retry(map[string]any{"from": later}, 0).wantCounts("done: 0 matched, 0 done, 0 refused, 0 left")
	retry(map[string]any{"text": "network"}, 0).wantCounts("done: 0 matched, 0 done, 0 refused, 0 left")
	retry(map[string]any{"type": "wait", "tenant_id": "a", "until": later, "text": "disk FULL"}, 2).wantCounts("done: 2 matched, 2 done, 0 refused, 0 left")
	retry(map[string]any{"type": "end", "text": "of t1"}, 1).wantCounts("done: 1 matched, 1 done, 0 refused, 0 left")
	retry(map[string]any{}, 3).wantCounts("done: 3 matched, 3 done, 0 refused, 0 left")
	for task, err := range s.client.Tasks().All(t.Context(), schema.ListTasks{Status: schema.OneOrMany{"New"}}) {
		if err != nil || task.ErrorCount != 0 {
			t.Errorf("%s/%s has %d errors, %v", task.Type, task.ID, task.ErrorCount, err)
		}
	}
}
