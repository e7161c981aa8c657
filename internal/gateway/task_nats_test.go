package gateway_test

import (
	"net/http"
	"testing"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// One task, read and changed from both sides.
func TestATaskIsAPlanOverNATS(t *testing.T) {
	s := newSite(t, nil)
	ctx := t.Context()
	path := s.create(yearly("both"))
	name := schema.PlanName{Station: schema.HTTPStation, PlanID: cronjob.ID("both")}

	view, err := s.client.PlanNamed(name).Get(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var plan schema.Plan
	if err := wire.DecodeLoose(view.Plan, &plan); err != nil {
		t.Fatal(err)
	}
	if plan.PlanType != schema.TypeCron || plan.Cron != "0 0 0 1 1 *" || plan.Retry.Strategy != schema.RetryNone {
		t.Errorf("plan %+v", plan)
	}
	if _, err := s.client.PlanNamed(name).Pause(ctx); err != nil {
		t.Fatal(err)
	}
	if got := s.do(http.MethodGet, path, nil).text("status"); got != "DISABLED" {
		t.Errorf("a paused plan is %s", got)
	}
	if got := s.do(http.MethodPost, path+"/enable", nil).want(http.StatusOK).text("status"); got != "ENABLED" {
		t.Errorf("enabled: %s", got)
	}
	if view, err = s.client.PlanNamed(name).Get(ctx); err != nil || view.State.Status != schema.StatusQueued {
		t.Errorf("the plan is %v, %v", view, err)
	}
	if got := s.do(http.MethodPost, path+"/disable", nil).want(http.StatusOK).text("status"); got != "DISABLED" {
		t.Errorf("disabled: %s", got)
	}
	if view, err = s.client.PlanNamed(name).Get(ctx); err != nil || view.State.Status != schema.StatusPaused {
		t.Errorf("the plan is %v, %v", view, err)
	}
	// A change over NATS counts as one, and a caller that read the task before it does not
	// overwrite it.
	updated, err := s.client.PlanNamed(name).Update(ctx, client.Update{Set: schema.Plan{Schedule: schema.Schedule{Cron: "30 6 * * *"}, Policy: schema.Policy{Overlap: schema.BusyQueue}}})
	if err != nil {
		t.Fatal(err)
	}
	got := s.do(http.MethodGet, path, nil).object()
	if got["version"] != float64(updated.Revision) || got["cron_expr"] != "0 30 6 * * *" || got["overlap_action"] != "QUEUE" {
		t.Errorf("%v", got)
	}
	s.do(http.MethodPut, path, map[string]any{"description": "late", "version": 1}).want(http.StatusConflict)
	// A change by REST leaves the rest of the plan as it is.
	if got := s.do(http.MethodPut, path, map[string]any{"description": "new"}).want(http.StatusOK).text("overlap_action"); got != "QUEUE" {
		t.Errorf("overlap_action %s", got)
	}
	if _, err := s.client.PlanNamed(name).Remove(ctx); err != nil {
		t.Fatal(err)
	}
	s.do(http.MethodGet, path, nil).want(http.StatusNotFound)
}

func TestATaskMadeOverNATSIsATask(t *testing.T) {
	s := newSite(t, nil)
	message, err := wire.ValueOf(wire.MsgPack, map[string]any{"name": "made elsewhere", "target_url": "http://svc.internal/", "exec_type": "async"})
	if err != nil {
		t.Fatal(err)
	}
	id := cronjob.ID("made elsewhere")
	if _, err := s.client.Plans().Create(t.Context(), schema.Plan{
		PlanID: id, Station: schema.HTTPStation, Command: schema.HTTPCommand, Schedule: schema.Schedule{PlanType: schema.TypeCron, Cron: "@daily"},
		Messages: []wire.Value{message},
	}); err != nil {
		t.Fatal(err)
	}
	got := s.do(http.MethodGet, "/api/v1/tasks/"+id, nil).want(http.StatusOK).object()
	for field, want := range map[string]any{
		"cron_expr": "0 0 0 * * *", "exec_type": "ASYNC", "overlap_action": "SKIP", "timezone": "UTC", "timeout_seconds": 15.0, "version": 1.0,
	} {
		if got[field] != want {
			t.Errorf("%s is %v, want %v", field, got[field], want)
		}
	}
	s.do(http.MethodPost, "/api/v1/tasks", yearly("made elsewhere")).want(http.StatusConflict)
}
