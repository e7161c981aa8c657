package task_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/internal/task"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func made() string { return "made" }

// periodic is a task that was put with the defaults, except for the changes of change.
func periodic(t *testing.T, change func(*schema.PeriodicTask)) schema.PeriodicTask {
	t.Helper()
	p, err := task.NewPeriodic(schema.PeriodicPut{ID: "5", Type: "bills", CronExpressions: "*/5 * * * *"}, made, noon.Add(time.Microsecond))
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&p)
	}
	return p
}

// A periodic task is a cron plan without retries, paused unless it is online.
func TestPeriodicPlan(t *testing.T) {
	full := func(p *schema.PeriodicTask) {
		p.TenantID, p.Creator, p.Category, p.Timezone = "7", "3", "night", "Europe/Berlin"
		p.Ext = wire.Text(wire.JSON, "x")
		p.Status, p.Log = schema.PeriodicOnline, schema.PeriodicLogTrans
	}
	const dates = `"create_date":"2026-03-01T12:00:00Z","update_date":"2026-03-01T12:00:00Z"`
	const steady = `"retry":{"strategy":"none"},"on_failure":"settle"`
	for _, c := range []struct {
		change func(*schema.PeriodicTask)
		want   string
	}{
		{nil, `{"plan_id":"periodic_5","station":"bills","command":"periodic_task","labels":{"log":"none","status":"new"},` +
			`"messages":[{"id":"5","type":"bills","creator":"0","cron_expressions":"*/5 * * * *","status":"online","log":"none",` + dates + `}],"creator":"0",` +
			`"plan_type":"cron","cron":"*/5 * * * *",` + steady + `,"log":"none","paused":true}`},
		{func(p *schema.PeriodicTask) { p.Status, p.Log = schema.PeriodicOffline, schema.PeriodicLogTrigger },
			`{"plan_id":"periodic_5","station":"bills","command":"periodic_task","labels":{"log":"trigger_log","status":"offline"},` +
				`"messages":[{"id":"5","type":"bills","creator":"0","cron_expressions":"*/5 * * * *","status":"online","log":"trigger_log",` + dates + `}],"creator":"0",` +
				`"plan_type":"cron","cron":"*/5 * * * *",` + steady + `,"log":"trigger","paused":true}`},
		{full, `{"plan_id":"periodic_5","station":"bills","command":"periodic_task","tenant_id":"7","category":"night","labels":{"log":"trans_log"},` +
			`"messages":[{"id":"5","tenant_id":"7","type":"bills","creator":"3","cron_expressions":"*/5 * * * *","timezone":"Europe/Berlin",` +
			`"status":"online","log":"trans_log","category":"night","ext":"x",` + dates + `}],"creator":"3",` +
			`"plan_type":"cron","cron":"*/5 * * * *","timezone":"Europe/Berlin",` + steady + `,"log":"trigger","paused":false}`},
	} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			p := periodic(t, c.change)
			d, err := task.PeriodicPlan(p, true, enc)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, d.Value().In(wire.JSON).String()); diff != "" || d.Enc != enc {
				t.Errorf("%s %s", d.Enc, diff)
			}
			// And back.
			state := schema.PlanState{Status: schema.StatusPaused}
			if p.Status == schema.PeriodicOnline {
				state.Status = schema.StatusExecuting
			}
			got, ok := task.PeriodicOf(command.PlanView{PlanView: schema.PlanView{Plan: d.Value(), State: state}})
			got.Ext, p.Ext = got.Ext.In(wire.JSON), p.Ext.In(wire.JSON)
			if !ok || got.Ext.String() != p.Ext.String() {
				t.Errorf("read back %v, ext %s", ok, got.Ext)
			}
			got.Ext, p.Ext = wire.Value{}, wire.Value{}
			if diff := cmp.Diff(p, got, cmp.AllowUnexported(wire.Value{})); diff != "" {
				t.Errorf("read back: %s", diff)
			}
		}
	}
}

func TestNewPeriodic(t *testing.T) {
	p, err := task.NewPeriodic(schema.PeriodicPut{Type: "s", CronExpressions: "@daily", Log: "trans_log"}, made, noon)
	if err != nil || p.ID != "made" || p.Status != schema.PeriodicNew {
		t.Errorf("%+v, %v", p, err)
	}
	_, err = task.NewPeriodic(schema.PeriodicPut{ID: "a/b", Log: "some"}, made, noon)
	var all schema.Errors
	if !errors.As(err, &all) || len(all) != 4 {
		t.Fatalf("%v", err)
	}
	var fields []string
	for _, e := range all {
		fields = append(fields, e.Field)
	}
	if got := strings.Join(fields, " "); got != "id type cron_expressions log" {
		t.Errorf("at fault are %s", got)
	}
}

// Errors of the plan name the fields that the user gave.
func TestPeriodicError(t *testing.T) {
	p := periodic(t, func(p *schema.PeriodicTask) { p.Category = strings.Repeat("k", 1<<20) })
	if _, err := task.PeriodicPlan(p, true, wire.JSON); !errors.Is(err, schema.CodeTooLarge) {
		t.Errorf("%v", err)
	}
	for field, want := range map[string]string{"cron": "cron_expressions", "plan_id": "id", "station": "type", "timezone": "timezone"} {
		var e *schema.Error
		if err := task.PeriodicError(&schema.Error{Code: schema.CodeInvalidPlan, Field: field}); !errors.As(err, &e) || e.Field != want {
			t.Errorf("%s became %v", field, err)
		}
	}
	if err := task.PeriodicError(errors.ErrUnsupported); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v", err)
	}
}

// A plan of another kind is no periodic task, even under such an id.
func TestPeriodicOfOthers(t *testing.T) {
	for _, plan := range []string{
		`{"plan_id":"periodic_5","station":"s","command":"c"}`,
		`{"plan_id":"periodic_5","station":"s","command":"periodic_task"}`,
		`{"plan_id":"periodic_5","station":"s","command":"periodic_task","messages":["x"]}`,
		`{"plan_id":"periodic_5","station":"s","command":"periodic_task","messages":[{"id":"6","type":"s"}]}`,
		`{"plan_id":"periodic_5","station":"s","command":"periodic_task","messages":[{"id":"5","type":"t"}]}`,
	} {
		if p, ok := task.PeriodicOf(command.PlanView{PlanView: schema.PlanView{Plan: wire.Trust(wire.JSON, []byte(plan))}}); ok {
			t.Errorf("%s is %+v", plan, p)
		}
	}
}

func TestPeriodicLog(t *testing.T) {
	began, ended := noon, noon.Add(3*time.Second)
	of := func(mode string, state schema.State, change func(*schema.Result)) *schema.Result {
		r := &schema.Result{
			Key: "bills/periodic_5/77/2", N: 4, Attempt: 1, State: state, ExecTime: began, EndTime: ended, PlanTime: noon.Add(-time.Minute),
			Labels: map[string]string{"log": mode},
		}
		if mode == "" {
			r.Labels = nil
		}
		if change != nil {
			change(r)
		}
		return r
	}
	content := func(v wire.Value) func(*schema.Result) { return func(r *schema.Result) { r.Error = v } }
	because := func(why schema.Reason) func(*schema.Result) { return func(r *schema.Result) { r.Reason = why } }
	for _, c := range []struct {
		what   string
		run    *schema.Result
		result schema.PeriodicResult // empty: nothing is logged
		info   string
	}{
		{"none", of("none", schema.StateOK, nil), "", ""},
		{"none, under way", of("none", schema.StateRunning, nil), "", ""},
		{"trigger_log", of("trigger_log", schema.StateRunning, nil), schema.PeriodicSuccess, ""},
		{"trigger_log, failed", of("trigger_log", schema.StateFailure, nil), schema.PeriodicSuccess, ""},
		{"sent", of("trans_log", schema.StateDispatched, nil), schema.PeriodicExecuting, ""},
		{"running", of("trans_log", schema.StateRunning, nil), schema.PeriodicExecuting, ""},
		{"ok", of("trans_log", schema.StateOK, nil), schema.PeriodicSuccess, ""},
		{"error", of("trans_log", schema.StateFailure, content(wire.Text(wire.JSON, "no disk"))), schema.PeriodicFailure, "no disk"},
		{"error with a map", of("trans_log", schema.StateFailure, content(wire.Trust(wire.JSON, []byte(`{"a":1}`)))), schema.PeriodicFailure, `{"a":1}`},
		{"timeout", of("trans_log", schema.StateFailure, func(r *schema.Result) { r.Reason, r.Cause = schema.ReasonRetries, schema.ReasonStart }), schema.PeriodicFailure, "no agent began in time"},
		{"error without a word", of("trans_log", schema.StateFailure, because(schema.ReasonRetries)), schema.PeriodicFailure, "gave no reason"},
		{"failure", of("trans_log", schema.StateFailure, because(schema.ReasonWorker)), schema.PeriodicFailure, "gave no reason"},
		{"unknown", of("trans_log", schema.StateFailure, because(schema.ReasonUnknownState)), schema.PeriodicFailure, "unknown state"},
		{"deleted", of("trans_log", schema.StateCancelled, nil), schema.PeriodicFailure, "cancelled"},
		{"no agent there", of("trans_log", schema.StateSkipped, nil), schema.PeriodicFailure, "no agent"},
		{"never triggered", of("trans_log", schema.StateSkipped, func(r *schema.Result) { r.Attempt = 0 }), "", ""},
		{"no labels", of("", schema.StateOK, nil), schema.PeriodicSuccess, ""},
		{"no run", of("trans_log", schema.StateOK, func(r *schema.Result) { r.N = 0 }), "", ""},
	} {
		p := periodic(t, func(p *schema.PeriodicTask) { p.TenantID, p.Log = "7", schema.PeriodicLogTrans })
		l, ok := task.PeriodicLog(p, c.run)
		if ok != (c.result != "") || l.Result != c.result || !strings.Contains(l.ErrorInfo, c.info) || c.info == "" && l.ErrorInfo != "" {
			t.Errorf("%s: %v %+v", c.what, ok, l)
		}
		if !ok {
			continue
		}
		over := c.run.Labels["log"] != "trigger_log" && c.result != schema.PeriodicExecuting
		if l.ID != "5.77.4" || l.PeriodicTaskID != "5" || l.TenantID != "7" || !l.CreateDate.Equal(began) || l.UpdateDate.Equal(ended) != over {
			t.Errorf("%s: %+v", c.what, l)
		}
	}
	l, _ := task.PeriodicLog(periodic(t, nil), of("trans_log", schema.StateSkipped, func(r *schema.Result) { r.ExecTime = time.Time{} }))
	if !l.CreateDate.Equal(noon.Add(-time.Minute)) {
		t.Errorf("one that no agent had is dated %v", l.CreateDate)
	}
}

// At a type whose agents fetch, a trigger that gave way to an unclaimed one is a failure of
// the log, and an occurrence that was no trigger is none.
func TestClaimedLog(t *testing.T) {
	of := func(mode string, reason schema.Reason, n int64) *schema.Result {
		return &schema.Result{
			Key: "bills/periodic_5/77/2", N: n, State: schema.StateSkipped, Reason: reason,
			PlanTime: noon, EndTime: noon.Add(time.Second), Labels: map[string]string{"log": mode},
		}
	}
	p := periodic(t, func(p *schema.PeriodicTask) { p.Log = schema.PeriodicLogTrans })
	for _, c := range []struct {
		what string
		run  *schema.Result
		row  bool
	}{
		{"gave way", of("trans_log", schema.ReasonOverlap, 4), true},
		{"gave way, by the mode of the task", of("", schema.ReasonOverlap, 4), true},
		{"gave way, trigger_log", of("trigger_log", schema.ReasonOverlap, 4), false},
		{"gave way, none", of("none", schema.ReasonOverlap, 4), false},
		{"fell due while offline", of("trans_log", schema.ReasonPaused, 4), false},
		{"no run", of("trans_log", schema.ReasonOverlap, 0), false},
	} {
		l, ok := task.ClaimedLog(p, c.run)
		if ok != c.row || ok && (l.ID != "5.77.4" || l.Result != schema.PeriodicFailure || !strings.Contains(l.ErrorInfo, "no agent claimed it") ||
			!l.CreateDate.Equal(noon) || !l.UpdateDate.Equal(noon.Add(time.Second))) {
			t.Errorf("%s: %v %+v", c.what, ok, l)
		}
	}
	ended := of("trans_log", "", 4)
	ended.State, ended.Attempt = schema.StateOK, 1
	if l, ok := task.ClaimedLog(p, ended); !ok || l.Result != schema.PeriodicSuccess {
		t.Errorf("one that was claimed: %v %+v", ok, l)
	}
}

// The ids of plans are part of the store.
func TestPeriodicPlanIDIsFrozen(t *testing.T) {
	if got := task.PeriodicPlanID("5"); got != "periodic_5" {
		t.Errorf("%s", got)
	}
	for id, in := range map[string]bool{"periodic_": true, "periodic_zz": true, "periodicX": false, "periodid": false, "periodic`": false} {
		if r := task.PeriodicIDs; (id >= r.From && id < r.To) != in {
			t.Errorf("%s is in %v: %v", id, r, !in)
		}
	}
}
