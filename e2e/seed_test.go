package e2e

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The types are an enumeration, and its numbers are as good as the words.
func TestPlanTypesAreTheSeedsNumbersToo(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		from := c.moment(time.Date(2026, 3, 28, 12, 0, 0, 0, time.UTC))
		for number, word := range words("none time second minute hour day week month") {
			preview := func(plan_type any) body {
				t.Helper()
				return c.req("plans.preview", body{"from": from, "count": 3, "plan": body{
					"plan_type": plan_type, "plan_value": 2, "plan_repet": 2, "plan_time": "2026-04-01T08:00:00Z"}})
			}
			byWord, byNumber := preview(word), preview(number)
			if diff := cmp.Diff(byWord, byNumber); diff != "" || len(byWord.list("occurrences")) == 0 {
				t.Errorf("%s and %d (-word +number):\n%s", word, number, diff)
			}
		}
	})
}

// plan_exec_timeout is the configuration's, and a plan's own wins.
func TestThePlanExecTimeoutOfTheConfigurationIsTheDefault(t *testing.T) {
	t.Parallel()
	s := start(t, "--plan-exec-timeout", "7500ms", "--plan-start-timeout", "0")
	c := connect(t, s, inJSON)
	work, results := c.worker("w"), c.results("w")
	c.create(once("w").with(body{"plan_id": "default"}))
	x := work.take()
	match(t, "the answer", x.request(body{"state": "running"}), body{"accepted": true})
	result := results.next()
	match(t, "the result", result, body{"plan_id": "default", "n": 1, "state": "timeout", "reason": "exec", "final": false})
	if got := x.time("deadline").Sub(result.time("exec_time")); got != 7500*time.Millisecond {
		t.Errorf("the deadline is %v after the dispatch", got)
	}
	c.req("plans.remove", name("w", "default"))
	c.create(once("w").with(body{"plan_id": "own", "exec_timeout": 30}))
	for x.text("plan_id") != "own" {
		x = work.take()
	}
	x.request(body{"state": "running"})
	if got := time.Until(x.time("deadline")); got < 20*time.Second {
		t.Errorf("the plan's own deadline is in %v", got)
	}
	x.request(body{"state": "ok"})
}

// An api or vote station needs a command, a pub station does not.
func TestOnlyAPubStationNeedsNoCommand(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	for _, kind := range []string{"api", "vote"} {
		station := c.station()
		c.req("stations.put", body{"station": station, "kind": kind})
		if e := c.refused("plans.create", body{"station": station, "plan_type": "none"}); e.text("code") != "invalid_plan" || e.text("field") != "command" {
			t.Errorf("%s: %v", kind, e)
		}
	}
	station := c.station()
	c.req("stations.put", body{"station": station, "kind": "pub"})
	match(t, "pub", c.create(body{"station": station, "plan_type": "none"}), body{"created": true})
}
