package cronjob

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

func scanned(t testing.TB, text string) wire.Value {
	t.Helper()
	v, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSixFields(t *testing.T) {
	for expr, want := range map[string]string{
		"*/5 * * * *": "0 */5 * * * *", " 1  2 3 4 5 ": "0 1 2 3 4 5", "*/15 * * * * *": "*/15 * * * * *",
		"@daily": "0 0 0 * * *", "@Hourly": "0 0 * * * *", "@every 90s": "@every 90s", "* * *": "* * *", "": "",
	} {
		if got := sixFields(expr); got != want {
			t.Errorf("%q becomes %q, want %q", expr, got, want)
		}
	}
}

// Every word of the seed's policies is one of plans, and back.
func TestPoliciesAreThePlans(t *testing.T) {
	plan, err := PlanOf(scanned(t, `{"name":"a","cron_expr":"* * * * *","target_url":"http://x/",
		"overlap_action":"cancel_prev","failure_action":"Retry","concurrency_policy":"SKIP","catch_up_mode":"full","max_concurrency":3,
		"retry_policy_json":"{\"strategy\":\"fixed_period\",\"interval\":5,\"max_error_count\":2}","timeout_seconds":10,"status":"DISABLED"}`))
	if err != nil {
		t.Fatal(err)
	}
	got := plan.Policy
	interval, count, most, exec := schema.Seconds(5), int64(2), int64(3), schema.Seconds(20)
	want := schema.Policy{
		Overlap: schema.BusyCancelPrev, Failure: schema.FailedRetry, Concurrency: schema.FullSkip, CatchUp: schema.MissedFull,
		MaxConcurrency: &most, ExecTimeout: &exec,
		Retry: &schema.Retry{Strategy: schema.RetryFixed, Interval: &interval, MaxErrorCount: &count},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !plan.Paused || plan.PlanType != schema.TypeCron || plan.Station != schema.HTTPStation {
		t.Errorf("plan %+v", plan)
	}
}

func TestTheSeedsExampleIsTakenWhole(t *testing.T) {
	plan, err := PlanOf(scanned(t, `{"name":"sync_stats","description":"统计同步","cron_expr":"*/15 * * * * *","exec_type":"SYNC",
		"http_method":"POST","target_url":"http://svc.internal/api/sync","headers_json":"{\"Content-Type\":\"application/json\"}",
		"body_template":"{\"run_id\":\"{{run_id}}\"}","timeout_seconds":10,"max_concurrency":1,"concurrency_policy":"QUEUE",
		"overlap_action":"SKIP","failure_action":"RUN_NEW"}`))
	if err != nil {
		t.Fatal(err)
	}
	if *plan.MaxConcurrency != 1 || plan.Concurrency != schema.FullQueue || plan.Overlap != schema.BusySkip || plan.Failure != schema.FailedRunNew {
		t.Errorf("%+v", plan.Policy)
	}
}

// The plan of a task shows the same task, for any body.
func TestATaskIsInItsPlanWhole(t *testing.T) {
	word := func(t *rapid.T, name string, words ...string) string { return rapid.SampledFrom(words).Draw(t, name) }
	rapid.Check(t, func(t *rapid.T) {
		body := map[string]any{
			"name":        rapid.StringMatching(`[a-zä名 ]{0,20}x`).Draw(t, "name"),
			"cron_expr":   word(t, "cron", "* * * * *", "*/15 * * * * *", "@weekly", "0 0 L * ?"),
			"description": rapid.StringMatching(`[a-z\n{}"]{0,30}`).Draw(t, "description"),
			"target_url":  "https://svc/" + word(t, "path", "", "a?b={{run_id}}", "{{name}}"),
			"timezone":    word(t, "zone", "", "UTC", "Europe/Berlin"),
			"exec_type":   word(t, "exec", "", "sync", "ASYNC"), "http_method": word(t, "method", "", "get", "PATCH"),
			"headers_json":         map[string]any{"X-A": word(t, "header", "", "1", "{{attempt}}")},
			"body_template":        word(t, "body", "", "{}", `{"a":"{{ occurrence }}"}`),
			"timeout_seconds":      rapid.Float64Range(0.1, 86400).Draw(t, "timeout"),
			"callback_timeout_sec": rapid.IntRange(1, 1000).Draw(t, "callback"),
			"success_status":       rapid.SliceOfN(rapid.SampledFrom([]any{"2xx", 409, "404"}), 0, 3).Draw(t, "success"),
			"max_concurrency":      rapid.IntRange(0, 3).Draw(t, "max"),
			"concurrency_policy":   word(t, "full", "", "queue", "skip", "parallel"),
			"overlap_action":       word(t, "busy", "", "allow", "skip", "cancel_prev", "parallel", "queue"),
			"failure_action":       word(t, "failed", "", "run_new", "skip", "retry"),
			"catch_up_mode":        word(t, "missed", "", "none", "compact", "full"),
			"status":               word(t, "status", "", "enabled", "disabled"),
		}
		if rapid.Bool().Draw(t, "retries") {
			body["retry_policy_json"] = map[string]any{"strategy": "exponential", "interval": 0.5, "max_error_count": 3, "jitter": 0}
		}
		v, err := wire.ValueOf(wire.JSON, body)
		if err != nil {
			t.Fatal(err)
		}
		r := read(v)
		if len(r.errs) > 0 {
			t.Fatalf("%s: %v", v, r.errs)
		}
		at := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
		r.stamp(at, at.Add(time.Hour))
		r.task.Version = 7
		view := &schema.PlanView{State: schema.PlanState{Status: schema.StatusQueued, Revision: 7}}
		if r.plan.Paused {
			view.State.Status = schema.StatusPaused
		}
		if view.Plan, err = wire.ValueOf(wire.JSON, r.plan); err != nil {
			t.Fatal(err)
		}
		got, ok := taskOf(view)
		if !ok {
			t.Fatalf("%s is no task", view.Plan)
		}
		if diff := cmp.Diff(r.task, got, sameValue); diff != "" {
			t.Fatalf("(-task +its plan's):\n%s", diff)
		}
		// The shown task makes the same plan again.
		whole, err := wire.ValueOf(wire.JSON, got)
		if err != nil {
			t.Fatal(err)
		}
		again := read(whole)
		again.stamp(got.CreatedAt, got.UpdatedAt)
		if diff := cmp.Diff(r.plan, again.plan, sameValue); len(again.errs) > 0 || diff != "" {
			t.Fatalf("%v (-plan +plan of what it shows):\n%s", again.errs, diff)
		}
	})
}

var sameValue = cmp.Comparer(func(a, b wire.Value) bool { return a.String() == b.String() })

func TestRunOfAResult(t *testing.T) {
	due := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	asked := []wire.Value{scanned(t, `{"exec_type":"ASYNC"}`)}
	timeout := scanned(t, `{"class":"timeout","message":"slow","duration_ms":1}`)
	for _, tt := range []struct {
		name   string
		result schema.Result
		status RunStatus
		skip   SkipReason
	}{
		{"published", schema.Result{State: schema.StateDispatched, ExecTime: due}, Scheduled, ""},
		{"waits its turn", schema.Result{State: schema.StateWaiting}, Scheduled, ""},
		{"waits for a callback", schema.Result{State: schema.StateWaiting, ExecTime: due}, Running, ""},
		{"under way", schema.Result{State: schema.StateRunning, ExecTime: due}, Running, ""},
		{"done", schema.Result{State: schema.StateOK}, Success, ""},
		{"an error", schema.Result{State: schema.StateError, Error: scanned(t, `"no"`)}, Failed, ""},
		{"its last error", schema.Result{State: schema.StateFailure, Reason: schema.ReasonRetries, Error: scanned(t, `"no"`)}, Failed, ""},
		{"a failure", schema.Result{State: schema.StateFailure, Reason: schema.ReasonWorker}, Failed, ""},
		{"no response in time", schema.Result{State: schema.StateError, Error: timeout}, Timeout, ""},
		{"no response to an ASYNC call in time", schema.Result{State: schema.StateFailure, Reason: schema.ReasonRetries, Error: timeout, Messages: asked}, Timeout, ""},
		{"no answer", schema.Result{State: schema.StateTimeout, Reason: schema.ReasonExec}, Timeout, ""},
		{"no answer, and no retry is left", schema.Result{State: schema.StateFailure, Reason: schema.ReasonRetries, Cause: schema.ReasonExec}, Timeout, ""},
		{"unknown outcome", schema.Result{State: schema.StateFailure, Reason: schema.ReasonUnknown, Cause: schema.ReasonStart}, Timeout, ""},
		{"an error without words, and no retry is left", schema.Result{State: schema.StateFailure, Reason: schema.ReasonRetries}, Failed, ""},
		{"no callback", schema.Result{State: schema.StateTimeout, Reason: schema.ReasonExec, Messages: asked}, FailedTimeout, ""},
		{"no callback, and no retry is left", schema.Result{State: schema.StateFailure, Reason: schema.ReasonRetries, Cause: schema.ReasonExec, Messages: asked}, FailedTimeout, ""},
		{"an error of an ASYNC call, and no retry is left", schema.Result{State: schema.StateFailure, Reason: schema.ReasonRetries, Messages: asked}, Failed, ""},
		{"an ASYNC call that no worker took, and no retry is left", schema.Result{State: schema.StateFailure, Reason: schema.ReasonRetries, Cause: schema.ReasonStart, Messages: asked}, Timeout, ""},
		{"an ASYNC call that no worker took", schema.Result{State: schema.StateTimeout, Reason: schema.ReasonStart, Messages: asked}, Timeout, ""},
		{"cancelled", schema.Result{State: schema.StateCancelled}, Canceled, ""},
		{"skipped: overlap", schema.Result{State: schema.StateSkipped, Reason: schema.ReasonOverlap}, Skipped, SkippedOverlap},
		{"skipped: concurrency", schema.Result{State: schema.StateSkipped, Reason: schema.ReasonConcurrency}, Skipped, SkippedConcurrency},
		{"skipped: failure", schema.Result{State: schema.StateSkipped, Reason: schema.ReasonFailure}, Skipped, SkippedFailure},
		{"skipped: missed", schema.Result{State: schema.StateSkipped, Reason: schema.ReasonMissed, Count: 60}, Skipped, SkippedMissed},
		{"skipped: past", schema.Result{State: schema.StateSkipped, Reason: schema.ReasonPast}, Skipped, SkippedMissed},
		{"skipped: disabled", schema.Result{State: schema.StateSkipped, Reason: schema.ReasonPaused}, Skipped, SkippedPaused},
		{"skipped: asked for", schema.Result{State: schema.StateSkipped, Reason: schema.ReasonManual}, Skipped, SkippedManual},
	} {
		tt.result.PlanID, tt.result.N, tt.result.PlanTime, tt.result.EndTime = "p", 3, due, due.Add(1500*time.Millisecond)
		got := RunOf(&tt.result)
		if got.Status != tt.status || got.SkipReason != tt.skip || got.ID != "p.3" || got.Trigger != ByCron || got.Count != tt.result.Count {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	took := RunOf(&schema.Result{State: schema.StateOK, Trigger: schema.TriggerManual, ExecTime: due, EndTime: due.Add(1500 * time.Millisecond),
		Content: scanned(t, `{"class":"ok","status":200,"body":"`+strings.Repeat("x", maxResponse+1)+`","duration_ms":1}`)})
	if *took.DurationMS != 1500 || took.Trigger != ByHand || len(took.ResponseBody) != maxResponse {
		t.Errorf("%d ms by %s, %d bytes", *took.DurationMS, took.Trigger, len(took.ResponseBody))
	}
	raw := RunOf(&schema.Result{State: schema.StateOK, Content: scanned(t, `{"class":"ok","status":200,"body_base64":"AAE=","duration_ms":1}`)})
	if raw.ResponseBody != "AAE=" {
		t.Errorf("bytes that are no text are shown as %q", raw.ResponseBody)
	}
}

func TestRunIDs(t *testing.T) {
	if id, n, ok := ParseRunID(RunID("a-b", 17)); !ok || id != "a-b" || n != 17 {
		t.Errorf("%s, %d, %v", id, n, ok)
	}
	for _, wrong := range []string{"", "a", "a.", ".1", "a.0", "a.-1", "a.01", "a.1.2", "a b.1", "a.1x"} {
		if _, _, ok := ParseRunID(wrong); ok {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func FuzzPlanOf(f *testing.F) {
	f.Add(`{"name":"a","cron_expr":"* * * * *","target_url":"http://x/"}`)
	f.Add(`{"retry_policy_json":"{}","headers_json":"","success_status":[null]}`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := wire.ScanAs(wire.JSON, []byte(text), wire.Limits{})
		if err != nil {
			return
		}
		plan, err := PlanOf(v)
		var errs schema.Errors
		if (err == nil) != (plan != nil) || err != nil && !errors.As(err, &errs) {
			t.Fatalf("%v, %v", plan, err)
		}
	})
}
