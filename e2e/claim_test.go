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

// claim claims executions, and returns them with their reply subjects.
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

// ping sends running, with the worker's id, and returns the scheduler's answer.
func (x *execution) ping(worker string) body {
	x.c.t.Helper()
	return x.request(body{"state": "running", "worker_id": worker})
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
		match(t, "the acknowledgement", x.request(body{"state": "ok", "content": "done"}), body{"ack": true, "accepted": true})
		match(t, "the result", results.next(), body{"plan_id": "p", "state": "ok", "content": "done", "worker_id": "w1", "final": true})
		if got := c.claim(station, "w1", nil); len(got) != 0 {
			t.Errorf("a finished execution is claimed again: %v", got)
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
	// Executions that name this worker come first among equals.
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
	came := make(chan string, 1)
	go func() {
		defer close(came)
		// A claim that is not woken waits for longer than the test does.
		for _, x := range c.claim(station, "w1", body{"wait_ms": 60_000}) {
			came <- x.text("plan_id")
			x.ok()
		}
	}()
	other.passed(time.Now().Add(100 * time.Millisecond))
	other.create(once(station).with(body{"plan_id": "p"}))
	if got := <-came; got != "p" {
		t.Errorf("the claim got %q", got)
	}
	began := time.Now()
	if got := c.claim(station, "w1", body{"wait_ms": 300}); len(got) > 0 {
		t.Errorf("it got %s", ids(got))
	}
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("a claim of 300 ms took %v", took)
	}
}

// TestAnAnswerWithoutAReceiverIsPutBack has a worker claim and vanish.
func TestAnAnswerWithoutAReceiverIsPutBack(t *testing.T) {
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

func TestPingsThatStopLetAnotherWorkerHaveIt(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.pulling(body{"ping_timeout_ms": 9000, "max_unexpected_retries": 1, "unexpected_retry_delay_ms": 100})
	results := c.results(station)
	c.create(once(station).with(body{"plan_id": "p"}))
	first := c.claimOne(station, "w1")
	if first.has("deadline") {
		t.Errorf("pings stand in for a deadline, and it has one: %v", first.body)
	}
	for range 7 { // longer than the expiry, together; each with time for a stall
		match(t, "a ping", first.ping("w1"), body{"ack": true, "accepted": true, "ping_interval_ms": 3000})
		c.passed(time.Now().Add(1500 * time.Millisecond))
	}
	match(t, "plans.get", c.state(station, "p"), body{"status": "executing"})
	// An update takes effect at the next ping, and for executions that are claimed later.
	c.req("plans.update", name(station, "p").with(body{"ping_timeout_ms": 300}))
	match(t, "the last ping", first.ping("w1"), body{"accepted": true})
	second := c.claimOne(station, "w2") // w1 pings no more
	match(t, "the result", results.next(), body{"n": 1, "state": "timeout", "reason": "ping", "worker_id": "w1", "final": false})
	match(t, "the second attempt", second.body, body{"occurrence": 1, "attempt": 2, "key": first.text("key")})
	// The late reply of the superseded worker changes nothing.
	match(t, "the late reply", first.request(body{"state": "ok", "worker_id": "w1"}), body{"ack": true, "accepted": false, "cancel": true})
	// The execution is tried so often, and no more.
	match(t, "the result", results.next(), body{"n": 2, "state": "failure", "final": true})
	if got := c.claim(station, "w3", nil); len(got) > 0 {
		t.Errorf("it is given again: %s", ids(got))
	}
}

func TestAPingReportsAnUpdate(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.pulling(body{"ping_interval_ms": 20_000})
	results := c.results(station)
	c.create(once(station).with(body{"plan_id": "p"}))
	x := c.claimOne(station, "w1")
	match(t, "a ping", x.ping("w1"), body{"ping_interval_ms": 20_000, "accepted": true})
	c.req("plans.update", name(station, "p").with(body{"ping_interval_ms": 30_000}))
	match(t, "the next ping", x.ping("w1"), body{"ping_interval_ms": 30_000, "accepted": true})
	c.req("plans.update", name(station, "p").with(body{"worker_ids": []string{"w2"}}))
	match(t, "the next ping", x.ping("w1"), body{"accepted": false, "cancel": true})
	match(t, "the result", results.next(), body{"n": 1, "state": "cancelled", "final": false, "worker_id": "w1"})
	if got := c.claim(station, "w1", nil); len(got) > 0 {
		t.Errorf("w1 gets it again")
	}
	c.claimOne(station, "w2").ok()
	match(t, "the result", results.next(), body{"n": 2, "state": "ok", "final": true, "worker_id": "w2"})
}

func TestManyWorkersForOneOccurrence(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.pulling(nil)
	results := c.results(station)
	c.create(once(station).with(body{"plan_id": "p", "worker_count": 3}))
	var claimed []*execution
	for _, worker := range []string{"w1", "w2", "w3"} {
		got := c.claim(station, worker, body{"limit": 5})
		if len(got) != 1 {
			t.Fatalf("%s gets %d executions", worker, len(got))
		}
		claimed = append(claimed, got[0])
		if again := c.claim(station, worker, nil); len(again) > 0 {
			t.Errorf("%s gets a second", worker)
		}
	}
	if got := c.claim(station, "w4", nil); len(got) > 0 {
		t.Error("a fourth worker gets one")
	}
	if claimed[0].n() == claimed[1].n() || claimed[1].n() == claimed[2].n() || claimed[0].nonce() == claimed[1].nonce() {
		t.Errorf("executions are not their own: %s %s %s", claimed[0].text("exec"), claimed[1].text("exec"), claimed[2].text("exec"))
	}
	claimed[0].request(body{"state": "ok", "content": 1})
	match(t, "the first result", results.next(), body{"state": "ok", "worker_id": "w1", "final": false})
	claimed[1].request(body{"state": "error", "error": "no"})
	match(t, "the second result", results.next(), body{"state": "error", "worker_id": "w2", "final": false})
	states := map[string]string{}
	for _, x := range c.state(station, "p").list("open")[0].list("executions") {
		states[x.text("worker_id")] = x.text("state")
	}
	if fmt.Sprint(states) != "map[w1:ok w2:error w3:running]" {
		t.Errorf("plans.get shows %v", states)
	}
	if got := c.claim(station, "w1", nil); len(got) > 0 {
		t.Error("w1 gets another after its ok")
	}
	again := c.claimOne(station, "w4")
	match(t, "the place of w2", again.body, body{"attempt": 2})
	again.request(body{"state": "ok"})
	match(t, "its result", results.next(), body{"state": "ok", "worker_id": "w4", "final": false})
	claimed[2].request(body{"state": "ok"})
	match(t, "the last result", results.next(), body{"state": "ok", "worker_id": "w3", "final": true, "real_repet": 1})
}

func TestClaimWithoutAFirstReplyComesBack(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.pulling(body{"start_timeout": 0.4})
	results := c.results(station)
	c.create(once(station).with(body{"plan_id": "p"}))
	c.claimOne(station, "w1")
	c.req("stations.put", body{"station": station, "kind": "pull", "start_timeout": 30}) // for the next execution
	x := c.claimOne(station, "w2")
	match(t, "the result", results.next(), body{"n": 1, "state": "timeout", "reason": "start", "worker_id": "w1"})
	match(t, "plans.get", c.state(station, "p").list("open")[0].list("executions")[0], body{"state": "dispatched", "worker_id": "w2"})
	x.ping("w2")
	match(t, "plans.get", c.state(station, "p").list("open")[0].list("executions")[0], body{"state": "running", "worker_id": "w2"})
	x.ok()
	match(t, "the result", results.next(), body{"n": 2, "state": "ok"})
}

// TestClaimsSurviveKill9 kills the scheduler while some executions are claimed, some are
// claimable, and a worker waits for more.
func TestClaimsSurviveKill9(t *testing.T) {
	t.Parallel()
	s, err := launch(t.TempDir(), "--partitions", "2")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.kill9() })
	c := connect(t, s, inJSON)
	station := c.pulling(nil)
	const count = 40
	for i := range count {
		c.create(once(station).with(body{"plan_id": fmt.Sprintf("p%02d", i)}))
	}
	mine := c.claim(station, "w1", body{"limit": 15})
	if len(mine) != 15 {
		t.Fatalf("%d of 15", len(mine))
	}
	s.kill9()
	if err := s.boot(); err != nil {
		t.Fatal(err)
	}
	c = connect(t, s, inJSON)
	seen := map[string]string{}
	for _, x := range mine {
		seen[x.text("plan_id")] = "w1"
	}
	for len(seen) < count {
		for _, x := range c.claim(station, "w2", body{"limit": 10, "wait_ms": patience.Milliseconds()}) {
			if who := seen[x.text("plan_id")]; who != "" {
				t.Fatalf("%s is claimed twice: by %s and w2", x.text("plan_id"), who)
			}
			seen[x.text("plan_id")] = "w2"
			match(t, "an acknowledgement", x.request(body{"state": "ok"}), body{"accepted": true})
		}
	}
	for _, x := range mine { // adopted
		x.c = c
		match(t, "an acknowledgement", x.request(body{"state": "ok"}), body{"accepted": true})
	}
	if got := c.claim(station, "w3", nil); len(got) > 0 {
		t.Errorf("something is left: %s", ids(got))
	}
}

// TestClaimsAskAllPartitions claims executions of any partition, waits for all partitions,
// and never receives more than the limit.
func TestClaimsAskAllPartitions(t *testing.T) {
	t.Parallel()
	s, err := launch(t.TempDir(), "--partitions", "3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.kill9() })
	c, other := connect(t, s, inJSON), connect(t, s, inJSON)
	station := c.pulling(nil)
	for round := range 8 {
		answered := make(chan []*execution, 1)
		go func() { answered <- c.claim(station, "w1", body{"limit": 2, "wait_ms": patience.Milliseconds()}) }()
		for i := range 6 {
			other.create(once(station).with(body{"plan_id": fmt.Sprintf("p%d-%d", round, i)}))
		}
		got := <-answered
		if len(got) < 1 || len(got) > 2 {
			t.Fatalf("%d executions", len(got))
		}
		for left := 6 - len(got); left > 0; {
			more := other.claim(station, "w2", body{"limit": left, "wait_ms": patience.Milliseconds()})
			if len(more) == 0 {
				t.Fatalf("%d are not found", left)
			}
			left -= len(more)
			got = append(got, more...)
		}
		for _, x := range got {
			match(t, "an acknowledgement", x.request(body{"state": "ok"}), body{"accepted": true})
		}
	}
}
