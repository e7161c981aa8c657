package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// pulling makes a pull station, with the fields of more.
func (c *client) pulling(more body) string {
	c.t.Helper()
	station := c.station()
	c.req("stations.put", body{"station": station, "kind": "pull"}.with(more))
	return station
}

// claim asks for work, and returns the executions with where they are answered.
func (c *client) claim(station, worker string, more body) []*execution {
	c.t.Helper()
	answer := c.req("plans.claim."+station, body{"worker_id": worker}.with(more))
	if answer["executions"] == nil {
		c.t.Fatalf("a claim is answered %v", answer)
	}
	var all []*execution
	for _, e := range answer.list("executions") {
		all = append(all, &execution{body: e, c: c, msg: &nats.Msg{Reply: e.text("reply")}, enc: c.enc})
	}
	return all
}

// claimOne waits for one execution.
func (c *client) claimOne(station, worker string) *execution {
	c.t.Helper()
	got := c.claim(station, worker, body{"wait_ms": patience.Milliseconds()})
	if len(got) != 1 {
		c.t.Fatalf("%d executions for %s, not one", len(got), worker)
	}
	return got[0]
}

// ping says running, with the worker's id, and returns what the scheduler says to it.
func (x *execution) ping(worker string) body {
	x.c.t.Helper()
	return x.tell(body{"state": "running", "worker_id": worker})
}

func ids(executions []*execution) string {
	var s []string
	for _, x := range executions {
		s = append(s, x.text("plan_id"))
	}
	return strings.Join(s, " ")
}

func TestAClaimGetsAnExecutionAndAnswersOnItsReply(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.pulling(nil)
		if got := c.claim(station, "w1", nil); len(got) != 0 {
			t.Errorf("an empty station gives %v", got)
		}
		results := c.results(station)
		c.create(once(station).with(body{
			"plan_id": "p", "caller": "me", "messages": []any{"a", int64(2)}, "tenant_id": 7, "category": "cat",
			"labels": body{"k": "v"}, "priority": 7,
		}))
		match(t, "plans.get", c.state(station, "p"), body{"status": "queued"})
		x := c.claimOne(station, "w1")
		match(t, "the execution", x.body, body{
			"plan_id": "p", "station": station, "command": "c", "caller": "me", "messages": []any{"a", int64(2)},
			"tenant_id": "7", "category": "cat", "labels": body{"k": "v"}, "priority": 7, "occurrence": 1, "attempt": 1,
		})
		if want := "plan.reply.0." + station + ".*p." + x.text("exec"); x.text("reply") != want {
			t.Errorf("reply is %q, not %q", x.text("reply"), want)
		}
		match(t, "plans.get", c.state(station, "p"), body{"status": "executing"})
		match(t, "its execution", c.state(station, "p").list("open")[0].list("executions")[0], body{"n": 1, "state": "running", "worker_id": "w1"})
		match(t, "the acknowledgement", x.tell(body{"state": "ok", "content": "done"}), body{"ack": true, "accepted": true})
		match(t, "the result", results.next(), body{"plan_id": "p", "state": "ok", "content": "done", "worker_id": "w1", "final": true})
		if got := c.claim(station, "w1", nil); len(got) != 0 {
			t.Errorf("what is done is given again: %v", got)
		}
	})
}

func TestClaimsAreSpokenInTheAskersEncoding(t *testing.T) {
	t.Parallel()
	json, packed := onCommon(t), connect(t, common, inMsgPack)
	station := json.pulling(nil)
	packed.create(once(station).with(body{"plan_id": "p", "messages": []any{"a", int64(1) << 60, []byte{1, 2}}}))
	x := json.claimOne(station, "w1")
	match(t, "the execution", x.body, body{"plan_id": "p", "messages": []any{"a", int64(1) << 60, "AQI="}})
	json.create(once(station).with(body{"plan_id": "q"}))
	y := packed.claimOne(station, "w1")
	match(t, "the execution", y.body, body{"plan_id": "q"})
}

func TestClaimsAreInOrderOfPriorityThenDueTime(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.pulling(nil)
	for i, priority := range []int{5, 9, 0, 5, 9} {
		c.create(once(station).with(body{"plan_id": fmt.Sprintf("p%d", i), "priority": priority}))
	}
	// Work that names this worker comes first among equals.
	c.create(once(station).with(body{"plan_id": "mine", "worker_ids": []string{"w2", "w1"}}))
	c.create(once(station).with(body{"plan_id": "theirs", "worker_ids": []string{"w2"}}))
	if got, want := ids(c.claim(station, "w1", body{"limit": 4})), "p1 p4 mine p0"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got, want := ids(c.claim(station, "w1", body{"limit": 100})), "p3 p2"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
	if got, want := ids(c.claim(station, "w2", body{"limit": 100})), "theirs"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

func TestAClaimFilters(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.pulling(nil)
	c.create(once(station).with(body{"plan_id": "a", "tenant_id": 1, "category": "x", "caller": "me", "creator": 9, "labels": body{"k": "v", "l": "w"}}))
	c.create(once(station).with(body{"plan_id": "b"}))
	for _, miss := range []body{
		{"tenant_id": "2"}, {"category": "y"}, {"caller": "you"}, {"creator": 8}, {"labels": body{"k": "w"}}, {"tenant_id": "1", "category": "z"},
	} {
		if got := c.claim(station, "w1", miss); len(got) > 0 {
			t.Errorf("%v gets %s", miss, ids(got))
		}
	}
	if got := ids(c.claim(station, "w1", body{"limit": 9, "tenant_id": 1, "category": "x", "caller": "me", "creator": "9", "labels": body{"k": "v"}})); got != "a" {
		t.Errorf("the claim of a gets %q", got)
	}
}

func TestAClaimOutOfRangeIsRefused(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.pulling(nil)
	for field, request := range map[string]body{
		"worker_id": {}, "limit": {"worker_id": "w", "limit": 101}, "wait_ms": {"worker_id": "w", "wait_ms": 60_001},
		"nonsense": {"worker_id": "w", "nonsense": 1},
	} {
		match(t, "the refusal", c.refused("plans.claim."+station, request), body{"code": "invalid_plan", "field": field})
	}
	for field, request := range map[string]body{
		"worker_id": {"worker_id": "a b"}, "limit": {"worker_id": "w", "limit": 0}, "wait_ms": {"worker_id": "w", "wait_ms": -1},
	} {
		match(t, "the refusal", c.refused("plans.claim."+station, request), body{"code": "invalid_plan", "field": field})
	}
}

func TestALongPollWakesUpWhenThereIsWork(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	other := onCommon(t)
	station := c.pulling(nil)
	came := make(chan time.Time, 1)
	go func() {
		c.claimOne(station, "w1").ok()
		came <- time.Now()
	}()
	other.passed(time.Now().Add(100 * time.Millisecond))
	created := time.Now()
	other.create(once(station))
	select {
	case at := <-came:
		if late := at.Sub(created); late > time.Second {
			t.Errorf("it took %v", late)
		}
	case <-time.After(patience):
		t.Fatal("the claim was not answered")
	}
	began := time.Now()
	if got := c.claim(station, "w1", body{"wait_ms": 300}); len(got) > 0 {
		t.Errorf("it got %s", ids(got))
	}
	if took := time.Since(began); took < 300*time.Millisecond || took > 5*time.Second {
		t.Errorf("a claim of 300 ms took %v", took)
	}
}

// TestAnAnswerThatReachesNobodyIsPutBack has a worker ask and go.
func TestAnAnswerThatReachesNobodyIsPutBack(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.pulling(nil)
	c.create(once(station).with(body{"plan_id": "p"}))
	if err := c.nc.PublishRequest("plans.claim."+station, "_INBOX.nobody.there", c.encode(body{"worker_id": "w1"})); err != nil {
		t.Fatal(err)
	}
	x := c.claimOne(station, "w2")
	match(t, "the execution", x.body, body{"plan_id": "p", "attempt": 1})
	match(t, "the acknowledgement", x.ping("w2"), body{"ack": true, "accepted": true})
	x.ok()
}
