package e2e

import "testing"

// Stations of three partitions have counters, also those with plans alone, and one that was never
// used.
func TestCountersOfStations(t *testing.T) {
	t.Parallel()
	s := start(t, "--partitions", "3")
	c, v := connect(t, s, inJSON), visitor{t, "http://" + s.http}
	c.req("stations.put", body{"station": "put", "kind": "pull"})
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		c.create(once("lonely").with(body{"plan_id": id}))
		c.create(once("put").with(body{"plan_id": id}))
	}
	work := c.worker("busy")
	c.create(once("busy").with(body{"plan_id": "p"}))
	work.take().request(body{"state": "ok"})
	c.runs("busy", "p")
	count := func(path string, names ...string) (n float64) {
		t.Helper()
		var at any = v.object(path)
		for _, name := range names {
			at = at.(map[string]any)[name]
		}
		n, _ = at.(float64)
		return n
	}
	await(t, "five plans wait for a worker", func() bool { return count("/api/v1/stations/lonely/stats", "waiting", "worker") == 5 })
	if n := count("/api/v1/stations/put/stats", "waiting", "claim"); n != 5 {
		t.Errorf("%v plans wait for a claim", n)
	}
	if n := count("/api/v1/stations/busy/stats", "results", "1h", "states", "ok"); n != 1 {
		t.Errorf("%v results are ok", n)
	}
	for _, name := range []string{"plans", "workers", "under_way"} {
		if n := count("/api/v1/stations/never/stats", name); n != 0 {
			t.Errorf("a station that was never used has %v %s", n, name)
		}
	}
	has(t, "a station that was never used", v.object("/api/v1/stations/never/stats"), "station", "plans", "workers", "under_way", "waiting", "results")
	put := map[any]any{}
	for _, one := range v.object("/api/v1/stations?used=true")["stations"].([]any) {
		has(t, "a station in use", one, "station", "put", "stats")
		put[one.(map[string]any)["station"]] = one.(map[string]any)["put"]
	}
	if put["put"] != true || put["lonely"] != false {
		t.Errorf("in use are %v", put)
	}
	v.wants(400, "GET", "/api/v1/stations?usde=true", "")
	v.wants(400, "GET", "/api/v1/stations/lonely/stats?used=true", "")
}
