package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A list of three partitions is as a console shows it. It comes by due time in pages, with the
// last runs, the schedule in words and the number of all, and without messages.
func TestAListByDueTime(t *testing.T) {
	t.Parallel()
	s := start(t, "--partitions", "3")
	c := connect(t, s, inJSON)
	for i := range 40 {
		c.create(body{
			"station": "mail", "plan_id": fmt.Sprintf("p%02d", i), "command": "c", "plan_type": "cron",
			"cron": fmt.Sprintf("0 %d %d 1 1 *", i*7%60, i%24), "messages": []any{"m"}, "ext": body{"a": 1},
		})
	}
	c.create(body{"station": "mail", "plan_id": "a-paused", "command": "c", "plan_type": "cron", "cron": "0 0 0 1 1 *", "paused": true})
	work := c.worker("runs.often")
	c.create(once("runs.often").with(body{"plan_id": "ran", "plan_type": "cron", "cron": "0 0 0 1 1 *"}))
	c.req("plans.trigger", name("runs.often", "ran"))
	work.take().request(body{"state": "ok"})
	c.runs("runs.often", "ran")

	v := visitor{t, "http://" + s.http}
	type page struct {
		Plans []struct {
			Plan  map[string]any
			State map[string]any
			Runs  string
			Words string
		}
		Next          string
		Total         *int
		TotalComplete *bool `json:"total_complete"`
	}
	get := func(query string) (p page) {
		t.Helper()
		_, text := v.wants(200, "GET", "/api/v1/plans?"+query, "")
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	var times, ids []string
	for query := "order=due&fields=brief&words=en&total=true&limit=7&prefix=mail/"; ; {
		p := get(query)
		if p.Total == nil || *p.Total != 41 || p.TotalComplete != nil {
			t.Fatalf("the total is %v, %v", p.Total, p.TotalComplete)
		}
		for _, one := range p.Plans {
			if one.Plan["messages"] != nil || one.Plan["ext"] != nil || one.Plan["cron"] == nil || !strings.HasPrefix(one.Words, "At ") || one.Runs != "" {
				t.Errorf("an entry is %+v", one)
			}
			ids = append(ids, one.Plan["plan_id"].(string))
			times = append(times, one.State["plan_time"].(string))
		}
		if p.Next == "" {
			break
		}
		query = "order=due&fields=brief&words=en&total=true&limit=7&prefix=mail/&cursor=" + p.Next
	}
	if len(ids) != 41 || ids[40] != "a-paused" || !slices.IsSorted(times[:40]) || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 41 {
		t.Errorf("the order is %v, at %v", ids, times)
	}
	if p := get("prefix=runs.&runs=20&words=zh"); len(p.Plans) != 1 || p.Plans[0].Runs != "o" || p.Plans[0].Words == "" {
		t.Errorf("the last runs: %+v", p)
	}
	v.wants(400, "GET", "/api/v1/plans?order=name", "")
	v.wants(400, "GET", "/api/v1/plans?runs=21", "")
	v.wants(400, "GET", "/api/v1/plans?words=de", "")
	v.wants(400, "GET", "/api/v1/plans?order=due&cursor=cGEvYg", "") // of the list by name
}
