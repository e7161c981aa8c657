package e2e

import "testing"

// The overview of a program of two partitions, and its counters over time.
func TestTheOverviewOfAProgram(t *testing.T) {
	t.Parallel()
	s := start(t, "--partitions", "2")
	c, v := connect(t, s, inJSON), visitor{t, "http://" + s.http}
	for _, id := range []string{"a", "b", "c"} {
		c.create(once("lonely").with(body{"plan_id": id}))
		c.create(once("mail").with(body{"plan_id": id, "plan_type": "cron", "cron": "0 0 0 1 1 *"}))
	}
	work := c.worker("busy")
	c.create(once("busy").with(body{"plan_id": "p"}))
	work.take().request(body{"state": "ok"})
	c.runs("busy", "p")
	at := func(o any, names ...string) any {
		for _, name := range names {
			o = o.(map[string]any)[name]
		}
		return o
	}
	await(t, "three plans wait for a worker", func() bool {
		return at(v.object("/api/v1/overview"), "executions", "waiting", "worker") == 3.0
	})
	o := v.object("/api/v1/overview")
	has(t, "the overview", o, "as_of", "plans", "executions", "results", "lateness", "next_due", "trouble", "partitions")
	for path, want := range map[string]float64{"total": 6, "executing": 3, "queued": 3, "cron": 3, "none": 3} {
		for _, of := range []string{"total", "by_status", "by_type"} {
			is, _ := at(o, "plans", of).(map[string]any)
			if n, counts := is[path]; counts && n != want || of == path && at(o, "plans", of) != want {
				t.Errorf("%v plans are %s, want %v", n, path, want)
			}
		}
	}
	if n := at(o, "results", "1h", "states", "ok"); n != 1.0 {
		t.Errorf("%v results are ok: %v", n, o["results"])
	}
	if due := o["next_due"].([]any); len(due) != 3 || len(o["partitions"].([]any)) != 2 {
		t.Errorf("due next are %v, of %v", due, o["partitions"])
	}
	lateness := at(o, "lateness", "1h").(map[string]any)
	if len(lateness["buckets"].([]any)) != 17 || lateness["count"] != 1.0 {
		t.Errorf("lateness: %v", lateness)
	}
	trouble := o["trouble"].([]any)
	if len(trouble) != 1 || at(trouble[0], "kind") != "no_worker" || at(trouble[0], "station") != "lonely" || at(trouble[0], "count") != 3.0 {
		t.Errorf("trouble: %v", trouble)
	}
	for step, points := range map[string]int{"1s": 60, "1m": 60, "1h": 168} {
		for _, of := range []string{"results", "skips", "lateness"} {
			series := v.object("/api/v1/stats/series?of=" + of + "&step=" + step)
			has(t, "a series", series, "of", "step", "from", "t", "series", "marks")
			if n := len(series["t"].([]any)); n != points {
				t.Errorf("%s by %s have %d points, want %d", of, step, n, points)
			}
			for column, values := range series["series"].(map[string]any) {
				if n := len(values.([]any)); n != points {
					t.Errorf("column %s has %d points, want %d", column, n, points)
				}
			}
		}
	}
	ok := v.object("/api/v1/stats/series?of=results&step=1h&station=busy")["series"].(map[string]any)["ok"].([]any)
	if ok[167] != 1.0 && ok[166] != 1.0 {
		t.Errorf("ok by hours: %v", ok)
	}
	v.wants(400, "GET", "/api/v1/overview?station=s", "")
	v.wants(400, "GET", "/api/v1/overview?lang=de", "")
	v.wants(400, "GET", "/api/v1/stats/series?of=results", "")
	v.wants(400, "GET", "/api/v1/stats/series?of=result&step=1s", "")
	v.wants(400, "GET", "/api/v1/stats/series?of=results&step=2s", "")
}
