package e2e

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Lists show an HTTP job and a merge queue by the names that people gave them, because the ids of
// their plans are derived from these.
func TestListsHaveTheNamesOfPeople(t *testing.T) {
	t.Parallel()
	s := start(t)
	v := visitor{t, "http://" + s.http}
	v.wants(201, "POST", "/api/v1/tasks", `{"name":"nightly sync","cron_expr":"*/2 * * * * *","target_url":"http://`+s.http+`/healthz"}`)
	v.wants(200, "POST", "/api/v1/queues/digest/push", `{"task":"hello","ontime":"2100-01-01T00:00:00Z","method":"POST","service":"http://127.0.0.1:9/hook"}`)
	v.wants(201, "POST", "/api/v1/plans", `{"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"0 0 1 1 *"}`)
	all := map[string]any{"http": "nightly sync", "queue": "digest", "s": nil}
	known := func(list []any, named func(map[string]any) map[string]any) map[string]any {
		out := map[string]any{}
		for _, one := range list {
			o := one.(map[string]any)
			out[named(o)["station"].(string)] = o["known_as"]
		}
		return out
	}
	itself := func(o map[string]any) map[string]any { return o }
	plan := func(o map[string]any) map[string]any { return o["plan"].(map[string]any) }
	is := func(what string, got, want map[string]any) {
		t.Helper()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	is("the list of plans", known(v.object("/api/v1/plans?fields=brief")["plans"].([]any), plan), all)
	is("the list with definitions", known(v.object("/api/v1/plans")["plans"].([]any), plan), map[string]any{"http": nil, "queue": nil, "s": nil})
	is("the overview", known(v.object("/api/v1/overview")["next_due"].([]any), itself), all)

	var bars []any
	await(t, "a run of the job", func() bool {
		now := time.Now().UTC()
		address := "/api/v1/timeline?from=" + now.Add(-time.Minute).Format(time.RFC3339) + "&until=" + now.Add(time.Second).Format(time.RFC3339)
		for _, lane := range v.object(address)["lanes"].([]any) {
			bars = append(bars, lane.(map[string]any)["bars"].([]any)...)
		}
		return len(bars) > 0
	})
	is("the timeline", known(bars, itself), map[string]any{"http": "nightly sync"})
}
