package e2e

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nats-io/nats.go"
)

// full is a plan with every field that a worker or an observer receives.
func full(station string) body {
	return body{
		"station": station, "command": "greet", "plan_type": "none",
		"request_id": "req 7", "caller": "billing", "description": "says hello",
		"messages":  []any{"a frame", 9007199254740993, 1.5, nil, true, []any{1, "x"}, body{"k": "v"}},
		"tenant_id": "t1", "category": "mail", "labels": body{"team": "blue"}, "ext": body{"a": 1},
		"priority": 7, "exec_timeout": 20,
	}
}

func TestAPlanSpeaksTheEncodingThatItsPublisherSpoke(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, results := c.worker(station), c.results(station)
		made := c.create(full(station))
		fields(t, "create's answer", made, words("plan_id station state plan_time created revision")...)
		id := made.text("plan_id")

		x := work.take()
		if x.enc.name != c.enc.name {
			t.Errorf("an execution in %s of a plan in %s", x.enc.name, c.enc.name)
		}
		fields(t, "an execution", x.body, words(`plan_id station command request_id caller description messages
			occurrence attempt exec key plan_time deadline epoch ext labels tenant_id category priority`)...)
		match(t, "the execution", x.body, full(station).without("plan_type", "exec_timeout").with(body{
			"plan_id": id, "occurrence": 1, "attempt": 1, "plan_time": made.time("plan_time"),
		}))

		x.sendIn(c.enc.other(), body{"state": "ok", "content": body{"big": int64(9007199254740993), "list": []any{"x", 1.5}}, "worker_id": "w1"})
		msg := results.msg()
		if got := msg.Subject; got != "plan.result."+station+"."+id {
			t.Errorf("the result is on %s", got)
		}
		if got := msg.Header.Get("Content-Type"); got != c.enc.contentType {
			t.Errorf("the result is in %s", got)
		}
		result := c.open(msg)
		fields(t, "a result", result, words(`plan_id station request_id caller description command messages tenant_id
			category labels ext occurrence attempt n key plan_time exec_time end_time state content worker_id
			real_repet skip_num final`)...)
		match(t, "the result", result, full(station).without("plan_type", "exec_timeout", "priority").with(body{
			"plan_id": id, "occurrence": 1, "attempt": 1, "n": 1, "state": "ok", "worker_id": "w1",
			"content": body{"big": int64(9007199254740993), "list": []any{"x", 1.5}},
			"key":     x.text("key"), "plan_time": x.time("plan_time"), "real_repet": 1, "skip_num": 0, "final": true,
		}))
		if exec, end := result.time("exec_time"), result.time("end_time"); exec.Before(result.time("plan_time")) || end.Before(exec) {
			t.Errorf("due %v, executed %v, ended %v", result["plan_time"], exec, end)
		}
		if runs := c.runs(station, id); len(runs) != 1 || cmp.Diff(same(runs[0]), same(result)) != "" {
			t.Errorf("runs are %v, the result was %v", runs, result)
		}
	})
}

func TestHeadersOfAnExecution(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work := c.worker(station)
		const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
		answer, err := c.nc.RequestMsg(&nats.Msg{
			Subject: "plans.create", Data: c.encode(full(station)), Header: nats.Header{"traceparent": {trace}},
		}, patience)
		if err != nil {
			t.Fatal(err)
		}
		id := c.open(answer).text("plan_id")
		x := work.take()
		got := map[string]string{}
		for k, v := range x.msg.Header {
			if len(v) != 1 {
				t.Errorf("header %s has %d values", k, len(v))
			}
			got[k] = v[0]
		}
		startBy := got["Plan-Start-By"]
		want := map[string]string{
			"Content-Type": c.enc.contentType, "Plan-Command": "proxy", "Plan-Id": id, "Plan-Station": station,
			"Plan-Exec": x.text("exec"), "Plan-Occurrence": "1", "Plan-Attempt": "1", "Plan-Key": x.text("key"),
			"Plan-Time": got["Plan-Time"], "Plan-Deadline": got["Plan-Deadline"], "Plan-Start-By": startBy,
			"Plan-Epoch": fmt.Sprint(x.int("epoch")), "Plan-Caller": "billing", "Plan-Title": "says hello", "traceparent": trace,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}
		for header, field := range map[string]string{"Plan-Time": "plan_time", "Plan-Deadline": "deadline"} {
			at, err := time.Parse(time.RFC3339Nano, got[header])
			if err != nil || !at.Equal(x.time(field)) || !strings.HasSuffix(got[header], "Z") {
				t.Errorf("%s is %q, %s is %v", header, got[header], field, x.time(field))
			}
		}
		if by, err := time.Parse(time.RFC3339Nano, startBy); err != nil || by.Before(x.time("plan_time")) {
			t.Errorf("Plan-Start-By is %q: %v", startBy, err)
		}
		if got, floor := x.int("epoch"), time.Now().Add(-time.Hour).UnixMilli(); got < floor {
			t.Errorf("epoch %d is below the time in milliseconds", got)
		}
		x.ok()
	})
}

func TestAHeaderNeverCarriesALineEnd(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work := c.worker(station)
	c.create(body{"station": station, "command": "c", "plan_type": "none", "description": "one\r\nPlan-Id: forged\ntwo"})
	x := work.take()
	if title := x.head("Plan-Title"); strings.ContainsAny(title, "\r\n") || !strings.Contains(title, "one") {
		t.Errorf("Plan-Title is %q", title)
	}
	if ids := x.msg.Header["Plan-Id"]; len(ids) != 1 || ids[0] == "forged" {
		t.Errorf("Plan-Id is %q", ids)
	}
	match(t, "the execution", x.body, body{"description": "one\r\nPlan-Id: forged\ntwo"})
	x.ok()
}

var execName = regexp.MustCompile(`^1-[0-9a-f]{16}$`)

func TestReplySubjectNamesPartitionStationPlanAndExecution(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station() + ".part.two" // a station may have several tokens
	work := c.worker(station)
	id := c.create(body{"station": station, "command": "c", "plan_type": "none", "plan_id": "my_plan-1"}).text("plan_id")
	x := work.take()
	if !execName.MatchString(x.text("exec")) {
		t.Errorf("exec is %q, want n and 16 hex digits", x.text("exec"))
	}
	if got, want := x.msg.Reply, "plan.reply.0."+station+".*"+id+"."+x.text("exec"); got != want {
		t.Errorf("reply subject %s, want %s", got, want)
	}
	x.ok()
}

func TestTheNonceIsInNoResultEventOrCancel(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	watched := c.listen("plan.result." + station + ".>")
	events, cancels := c.events(station), c.cancels(station)
	work := c.worker(station)
	id := c.create(body{"station": station, "command": "c", "plan_type": "second", "plan_value": 0, "plan_repet": 2}).text("plan_id")
	first := work.take()
	first.request(body{"state": "running"})
	first.request(body{"state": "ok"})
	second := work.take()
	c.req("plans.remove", name(station, id))
	if first.nonce() == second.nonce() {
		t.Error("two executions have one nonce")
	}
	var seen []*nats.Msg
	seen = append(seen, watched.msg(), cancels.msg())
	for len(seen) == 0 || !strings.HasPrefix(seen[len(seen)-1].Subject, "plan.event.removed.") {
		seen = append(seen, events.msg())
	}
	runs := c.ask("plans.runs", c.encode(name(station, id)))
	for _, msg := range append(seen, runs) {
		for _, x := range []*execution{first, second} {
			if bytes.Contains(msg.Data, []byte(x.nonce())) || strings.Contains(fmt.Sprint(msg.Header, msg.Subject), x.nonce()) {
				t.Errorf("%s contains the nonce: %q", msg.Subject, msg.Data)
			}
		}
	}
}

func TestPlanKeyIsTheSameForEveryAttemptAndForNothingElse(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, events := c.worker(station), c.events(station)
	seen := map[string]bool{}
	for range 2 { // the id is used again after the plan has closed
		c.create(body{"station": station, "plan_id": "again", "command": "c", "plan_type": "second", "plan_value": 0,
			"plan_repet": 2, "retry": body{"strategy": "fixed_period", "interval": 0.01}})
		for k := range int64(2) {
			first := work.take()
			first.send(body{"state": "error", "error": "once"})
			second := work.take()
			second.ok()
			if first.text("key") != second.text("key") || first.head("Plan-Key") != second.head("Plan-Key") {
				t.Errorf("attempts have keys %s and %s", first.text("key"), second.text("key"))
			}
			key := first.text("key")
			if seen[key] {
				t.Errorf("key %s belongs to two occurrences", key)
			}
			seen[key] = true
			if pattern := regexp.MustCompile(fmt.Sprintf(`^%s/again/[0-9]+/%d$`, station, k+1)); !pattern.MatchString(key) {
				t.Errorf("key is %s, want <station>/<plan_id>/<incarnation>/<k>", key)
			}
		}
		events.of("closed")
	}
}

func TestEventsRecordALife(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, events := c.worker(station), c.events(station)
		id := c.create(body{"station": station, "command": "c", "plan_type": "none",
			"retry": body{"strategy": "fixed_period", "interval": 0.01}}).text("plan_id")
		x := work.take()
		x.request(body{"state": "running", "progress": 25.5, "worker_id": "w9"})
		x.request(body{"state": "waiting", "extend": 30, "progress": 50.5})
		x.request(body{"state": "error", "error": "no"})
		x = work.take()
		x.request(body{"state": "ok"})
		life := events.until(func(e body) bool { return e.text("kind") == "closed" })
		if got, want := kinds(life), "created dispatched running waiting retrying dispatched closed"; got != want {
			t.Fatalf("events %s, want %s", got, want)
		}
		for _, e := range life {
			match(t, "event "+e.text("kind"), e, body{"station": station, "plan_id": id, "time": present})
			only(t, "event "+e.text("kind"), e, eventMembers...)
		}
		match(t, "dispatched", life[1], body{"n": 1, "occurrence": 1, "attempt": 1, "plan_time": x.time("plan_time")})
		match(t, "running", life[2], body{"n": 1, "occurrence": 1, "attempt": 1, "worker_id": "w9", "progress": 25.5})
		match(t, "waiting", life[3], body{"n": 1, "progress": 50.5})
		match(t, "dispatched again", life[5], body{"n": 2, "occurrence": 1, "attempt": 2})
	})
}

func TestBetweenTheEncodingsNothingChangesButTheForm(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 10, 0, 0, 500_000_000, time.UTC)
	t.Run("to json", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.station()
		work, results := c.worker(station), c.results(station)
		c.create(body{"station": station, "command": "c", "plan_type": "none"})
		work.take().sendIn(inMsgPack, body{"state": "ok", "content": body{
			"bytes": []byte{0, 1, 254, 255}, "at": at, "big": uint64(1<<64 - 1), "small": int64(-1 << 63), "half": 0.5,
		}})
		msg := results.msg()
		for _, part := range []string{`"AAH+/w=="`, `"2026-03-01T10:00:00.5Z"`, `18446744073709551615`, `-9223372036854775808`, `0.5`} {
			if !bytes.Contains(msg.Data, []byte(part)) {
				t.Errorf("%s is not in %s", part, msg.Data)
			}
		}
	})
	t.Run("to msgpack", func(t *testing.T) {
		t.Parallel()
		c := connect(t, common, inMsgPack)
		station := c.station()
		work, results := c.worker(station), c.results(station)
		c.create(body{"station": station, "command": "c", "plan_type": "none", "messages": []any{[]byte{0, 255}, at}})
		x := work.take()
		match(t, "the execution", x.body, body{"messages": []any{[]byte{0, 255}, at}})
		x.sendRaw(&nats.Msg{Data: []byte(` {"state":"ok","content":{"big":18446744073709551615,"text":"AAH+/w==","e":1e2}}`)})
		match(t, "the result", results.next(), body{"content": body{"big": uint64(1<<64 - 1), "text": "AAH+/w==", "e": 100.0}})
	})
}

func TestAStationMayForceOneEncoding(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		forced := c.enc.other()
		c.req("stations.put", body{"station": station, "kind": "api", "encoding": forced.name})
		work := c.worker(station)
		c.create(full(station))
		x := work.take()
		if got := x.head("Content-Type"); got != forced.contentType || x.enc.name != forced.name {
			t.Errorf("the execution is in %s", got)
		}
		match(t, "the execution", x.body, full(station).without("plan_type", "exec_timeout"))
		x.ok()
	})
}
