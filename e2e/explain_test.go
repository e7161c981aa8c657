package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// members of an explanation.
var explained = []string{
	"station", "plan_id", "verdict", "occurrence", "n", "plan_time", "moved_from", "reason", "sentence", "rule", "because", "waits", "late",
	"attempt", "state", "worker_id", "since", "deadline", "kept_since", "next", "remedy", "last_ok",
}

// A plan is explained from its first occurrence until after its end.
func TestAPlanIsExplained(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		plan, work, results := name(station, "p"), c.worker(station), c.results(station)
		why := func(more body) body {
			t.Helper()
			answer := c.req("plans.explain", plan.with(more))
			only(t, "an explanation", answer, explained...)
			if answer.text("sentence") == "" || strings.ContainsAny(answer.text("sentence"), "{}") {
				t.Errorf("a sentence is %q", answer.text("sentence"))
			}
			return answer
		}
		if e := c.refused("plans.explain", plan); e.text("code") != "not_found" {
			t.Errorf("of no plan: %v", e)
		}
		c.create(plan.with(body{
			"command": "c", "plan_type": "cron", "cron": "* * * * * *", "timezone": "Europe/Berlin", "overlap": "skip", "exec_timeout": 60,
		}))
		first := work.take()
		first.request(body{"state": "running", "worker_id": "w3"})
		match(t, "the first one", why(body{}), body{"verdict": "runs", "occurrence": first.int("occurrence"), "n": 1, "attempt": 1, "state": "running", "worker_id": "w3", "next": present})

		skipped := results.until(func(r body) bool { return r.text("reason") == "overlap" })
		missing := skipped[len(skipped)-1]
		want := body{
			"verdict": "skipped", "occurrence": missing.int("occurrence"), "n": missing.int("n"), "reason": "overlap",
			"rule": body{"field": "overlap", "value": "skip", "from": "plan"}, "because": present, "next": present, "last_ok": absent,
		}
		byNumber := why(body{"occurrence": missing.int("occurrence")})
		match(t, "the second one", byNumber, want)
		match(t, "what it ran into", byNumber.obj("because"), body{"occurrence": first.int("occurrence"), "n": 1, "state": "running", "worker_id": "w3"})
		if s := byNumber.text("sentence"); !strings.Contains(s, " in Europe/Berlin) did not run: occurrence ") || !strings.Contains(s, "was still running at w3 since ") {
			t.Errorf("the sentence is %q", s)
		}
		match(t, "the second one, by its number of a result", why(body{"n": missing.int("n")}), want)
		if by := why(body{"at": missing["plan_time"]}); by.text("sentence") != byNumber.text("sentence") {
			t.Errorf("by its time: %v", by)
		}
		if zh := why(body{"occurrence": missing.int("occurrence"), "lang": "zh"}).text("sentence"); !strings.Contains(zh, "未执行") {
			t.Errorf("in Chinese: %s", zh)
		}
		first.request(body{"state": "ok", "worker_id": "w3"})
		results.until(func(r body) bool { return r.text("state") == "ok" })
		match(t, "the first one at its end", why(body{"n": 1}), body{"verdict": "ran", "occurrence": first.int("occurrence"), "last_ok": present})

		c.req("plans.pause", plan.with(body{"by": "bob@desk", "note": "storage is full"}))
		paused := why(body{})
		match(t, "a pause", paused, body{"verdict": "waits", "next": absent, "remedy": present})
		match(t, "the cause", paused.obj("because"), body{"by": "bob@desk", "note": "storage is full"})
		match(t, "the wait", paused.obj("waits"), body{"for": "resume"})
		match(t, "long ago", why(body{"occurrence": 1 << 40}), body{"verdict": "waits"})
		for _, of := range []string{"bob@desk", "storage is full"} {
			if !strings.Contains(paused.text("sentence"), of) {
				t.Errorf("%s is not in %q", of, paused.text("sentence"))
			}
		}
		if e := c.refused("plans.explain", plan.with(body{"n": 1 << 40})); e.text("code") != "not_found" || e.text("field") != "n" {
			t.Errorf("a run that never was: %v", e)
		}

		c.req("plans.remove", plan.with(body{"by": "bob@desk"}))
		match(t, "a plan that is gone", why(body{}), body{"verdict": "never", "reason": "closed"})
		match(t, "what became of it", why(body{"occurrence": missing.int("occurrence")}), body{"verdict": "skipped", "reason": "overlap", "n": missing.int("n")})
	})
}

// A node that does not lead explains a plan as the leader does. Which of two leads is a matter of
// chance, so both are asked.
func TestAFollowerExplains(t *testing.T) {
	t.Parallel()
	host := start(t)
	nodes := []*server{beside(t, host, "two"), beside(t, host, "two")}
	c := connect(t, host, inJSON)
	c.req("two.plans.create", body{
		"station": "far", "plan_id": "p", "command": "c", "plan_type": "cron", "cron": "0 0 9 * * *", "timezone": "Europe/Berlin", "paused": true, "by": "ann", "note": "audit",
	})
	var sentences []string
	for _, s := range nodes {
		v := visitor{t, "http://" + s.http}
		answer := v.object("/api/v1/plans/far/p/explain?lang=en")
		match(t, "an explanation", body(answer), body{"station": "far", "plan_id": "p", "verdict": "waits", "because": present})
		sentences = append(sentences, fmt.Sprint(answer["sentence"]))
		has(t, "what is never", v.object("/api/v1/plans/far/p/explain?at=2027-03-28T02:30:00Z"), "verdict", "sentence", "because")
		v.wants(404, "GET", "/api/v1/plans/far/gone/explain", "")
	}
	if sentences[0] != sentences[1] || !strings.Contains(sentences[0], "ann") || !strings.Contains(sentences[0], "audit") {
		t.Errorf("the two nodes say %q", sentences)
	}
}
