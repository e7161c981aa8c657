package node_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Headers that are secrets by nature reach their target, and appear nowhere else, such as in
// results, lists, runs, exports or by REST. A user who sends back the masked headers, for the
// same target, keeps them.
func TestCredentialsInHeadersAreNotShown(t *testing.T) {
	const value = "Bearer s3cr3t-value"
	c, log := sealing(t)
	s := open(t, c)
	asked := make(chan string, 10)
	target := web(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Authorization")
		_, _ = w.Write([]byte(r.Header.Get("Authorization"))) // some targets repeat it
	})
	thief := web(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("called with %v", r.Header) })
	name := schema.PlanName{Station: schema.HTTPStation, PlanID: "p"}
	s.create(t, "p", `{"target_url":"`+target.URL+`","headers":{"AUTHORIZATION":"`+value+`","Accept":"text/plain"}}`, func(p *schema.Plan) {
		p.PlanType, p.PlanRepet, p.Cron = schema.TypeCron, new(int64(-1)), "0 0 0 1 1 *"
	})
	all := s.listen(t)
	run := func() {
		t.Helper()
		if _, err := s.client.PlanNamed(name).Trigger(t.Context()); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-asked:
			if got != value {
				t.Errorf("the target received %q", got)
			}
		case <-time.After(patience):
			t.Fatal("the target was not called")
		}
		if r := s.result(t); r.State != schema.StateOK || !strings.Contains(r.Messages[0].String(), `"AUTHORIZATION":"(secret)","Accept":"text/plain"`) {
			t.Errorf("the result is %+v", r)
		}
	}
	run()
	view, err := s.client.PlanNamed(name).Get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.client.Plans().List(t.Context(), schema.ListPlans{}); err != nil {
		t.Error(err)
	}
	if _, err := s.client.Runs().List(t.Context(), schema.ListRuns{Station: name.Station, PlanID: name.PlanID}); err != nil {
		t.Error(err)
	}
	var backup []schema.PlanCopy
	for plan, err := range s.client.Plans().Export(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		backup = append(backup, plan)
	}
	for _, path := range []string{"/api/v1/plans", "/api/v1/plans/http/p", "/api/v1/plans/http/p/runs"} {
		if code, page := status(t, "http://"+s.HTTPAddr()+path); code != http.StatusOK || strings.Contains(page, "s3cr3t") || !strings.Contains(page, "(secret)") {
			t.Errorf("%s: %d %s", path, code, page)
		}
	}
	// Rows and executions are left out, because a user who may read those may call the
	// target, too.
	for line := range strings.Lines(all.since(t, s.nc)) {
		of, _, _ := strings.Cut(line, " ")
		ours := strings.HasPrefix(of, "$KV.plans.") || strings.HasPrefix(of, "scheduler.") || strings.HasPrefix(of, "station.http")
		if !ours && strings.Contains(line, "s3cr3t") {
			t.Errorf("the secret is on %s", line)
		}
	}
	if strings.Contains(log.String(), "s3cr3t") {
		t.Error("the log has the secret")
	}

	update := func(messages string) error {
		return s.client.Do(t.Context(), "plans", "update", map[string]any{
			"station": name.Station, "plan_id": name.PlanID, "messages": wire.Trust(wire.JSON, []byte(messages)),
		}, nil)
	}
	if err := update(view.Plan.Field("messages").String()); err != nil {
		t.Errorf("a masked header, sent back: %v", err)
	}
	run()
	stolen := strings.Replace(view.Plan.Field("messages").String(), target.URL, thief.URL, 1)
	if err := update(stolen); err == nil || !strings.Contains(err.Error(), "leads elsewhere") {
		t.Errorf("a masked header, sent to another target: %v", err)
	}
	run()

	// A backup is complete when it is asked for with secrets; otherwise it is refused, with
	// an explanation.
	var whole []schema.PlanCopy
	for plan, err := range s.client.Plans().ExportWithSecrets(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		whole = append(whole, plan)
	}
	if _, err := s.client.PlanNamed(name).Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	if in, err := s.client.Plans().Restore(t.Context(), backup, ""); err != nil || len(in.Errors) != 1 || !strings.Contains(in.Errors[0].Error.Message, "not shown") {
		t.Errorf("a masked header was restored: %+v, error %v", in, err)
	}
	if in, err := s.client.Plans().Restore(t.Context(), whole, ""); err != nil || len(in.Errors) != 0 {
		t.Errorf("restore: %+v, error %v", in, err)
	}
	run()
}
