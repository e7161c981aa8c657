package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

func TestARequestFormReplyIsAnsweredOnceItIsDurable(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work := c.worker(station)
		id := c.create(once(station)).text("plan_id")
		x := work.take()
		for _, state := range []string{"running", "waiting"} {
			ack := x.request(body{"state": state, "worker_id": "w1"})
			match(t, "the answer to "+state, ack, body{"ack": true, "accepted": true})
			if ack.bool("cancel") {
				t.Errorf("a worker at work is cancelled: %v", ack)
			}
			exec := c.state(station, id).list("open")[0].list("executions")[0]
			match(t, "the execution, read after the answer", exec, body{"state": state, "worker_id": "w1"})
		}
		match(t, "the answer to ok", x.request(body{"state": "ok", "content": "done"}), body{"ack": true, "accepted": true})
		if runs := c.runs(station, id); len(runs) != 1 || runs[0].text("state") != "ok" {
			t.Errorf("runs read after the answer: %v", runs)
		}
	})
}

func TestALateReplyHasNoEffectAndIsAnsweredWithStop(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	late := body{"ack": true, "accepted": false, "cancel": true}

	t.Run("of a settled occurrence", func(t *testing.T) {
		station := c.station()
		work, results := c.worker(station), c.results(station)
		id := c.create(once(station).with(body{"plan_type": "second", "plan_value": 0, "plan_repet": 2})).text("plan_id")
		x := work.take()
		x.request(body{"state": "ok", "content": "first"})
		for _, state := range []string{"error", "failure", "running", "waiting"} {
			match(t, "the answer to "+state, x.request(body{"state": state, "content": "second"}), late)
		}
		if again := x.request(body{"state": "ok", "content": "again"}); !again.bool("ack") {
			t.Errorf("a result that is repeated is answered %v", again)
		}
		work.take().request(body{"state": "ok"})
		match(t, "the first result", results.next(), body{"occurrence": 1, "content": "first"})
		match(t, "the second result", results.next(), body{"occurrence": 2})
		results.empty("results of repeated replies")
		wantRuns(t, c.runs(station, id), "n=2 k=2 a=1 ok final", "n=1 k=1 a=1 ok final")
	})
	t.Run("of a plan that is gone", func(t *testing.T) {
		station := c.station()
		work, cancels := c.worker(station), c.cancels(station)
		id := c.create(once(station)).text("plan_id")
		x := work.take()
		c.req("plans.remove", name(station, id))
		match(t, "the cancel", cancels.next(), body{"station": station, "plan_id": id, "n": 1, "occurrence": 1, "attempt": 1})
		for _, state := range []string{"running", "ok", "error"} {
			match(t, "the answer to "+state, x.request(body{"state": state}), late)
		}
		if runs := c.runs(station, id); len(runs) != 1 || runs[0].text("state") != "cancelled" {
			t.Errorf("runs: %v", outcome(runs))
		}
	})
}

func TestOkOfAnEarlierAttemptCountsAndCancelsTheOneUnderWay(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results, cancels, events := c.worker(station), c.results(station), c.cancels(station), c.events(station)
	const id = "p"
	c.create(hurried(station))
	first := work.take()
	c.unhurried(station)
	match(t, "the first result", results.next(), body{"n": 1, "state": "timeout", "final": false})
	second := work.take()
	match(t, "the answer", first.request(body{"state": "ok", "content": "late"}), body{"ack": true, "accepted": true})
	// The first attempt was cancelled, too, at its timeout.
	cancel := cancels.until(func(c body) bool { return c.int("n") == 2 })
	match(t, "the cancel", cancel[len(cancel)-1], body{"station": station, "plan_id": id, "occurrence": 1, "attempt": 2})
	match(t, "the answer to the second", second.request(body{"state": "ok", "content": "no"}), body{"ack": true, "accepted": false, "cancel": true})
	events.of("closed")

	settled := 0
	for _, r := range c.runs(station, id) {
		if r.bool("final") {
			settled++
			match(t, "the settling run", r, body{"occurrence": 1, "state": "ok", "content": "late"})
		}
	}
	if settled != 1 {
		t.Errorf("the occurrence is settled %d times: %v", settled, outcome(c.runs(station, id)))
	}
}

func TestOtherRepliesOfAnEarlierAttemptChangeNothing(t *testing.T) {
	t.Parallel()
	for _, state := range []string{"error", "running", "waiting"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			work, results := c.worker(station), c.results(station)
			const id = "p"
			c.create(hurried(station))
			first := work.take()
			c.unhurried(station)
			results.next()
			second := work.take()
			second.request(body{"state": "running", "worker_id": "second"})
			match(t, "the answer", first.request(body{"state": state, "error": "late", "worker_id": "first"}), body{"ack": true, "accepted": false, "cancel": true})
			match(t, "the execution", c.state(station, id).list("open")[0].list("executions")[0],
				body{"n": 2, "state": "running", "worker_id": "second"})
			second.request(body{"state": "ok"})
			wantRuns(t, c.runs(station, id), "n=2 k=1 a=2 ok final", "n=1 k=1 a=1 timeout start")
		})
	}
}

func TestAWrongNonceIsIgnoredAndGetsNoAnswer(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results := c.worker(station), c.results(station)
	id := c.create(once(station)).text("plan_id")
	x := work.take()
	inbox := c.listen(nats.NewInbox())
	forged := strings.Repeat("0", 16)
	for _, subject := range []string{
		strings.Replace(x.msg.Reply, x.nonce(), forged, 1),
		strings.Replace(x.msg.Reply, "."+x.text("exec"), ".2-"+x.nonce(), 1),
		strings.Replace(x.msg.Reply, x.nonce(), strings.ToUpper(x.nonce())+"0", 1),
		strings.Replace(x.msg.Reply, x.nonce(), "", 1),
		strings.Replace(x.msg.Reply, "."+x.text("exec"), "."+x.nonce(), 1),
		strings.Replace(x.msg.Reply, "."+x.text("exec"), ".99999999999999999999999-"+x.nonce(), 1),
		"plan.reply.7." + strings.SplitN(x.msg.Reply, ".", 4)[3],
	} {
		if err := c.nc.PublishRequest(subject, inbox.sub.Subject, []byte(`{"state":"ok","content":"forged"}`)); err != nil {
			t.Fatal(err)
		}
	}
	match(t, "the right answer", x.request(body{"state": "ok", "content": "true"}), body{"accepted": true})
	match(t, "the result", results.next(), body{"n": 1, "content": "true"})
	results.empty("a result of a forged reply")
	inbox.empty("an answer to a forged reply")
	wantRuns(t, c.runs(station, id), "n=1 k=1 a=1 ok final")
}

// Every NATS service that exists can be scheduled as it is.
func TestRepliesOfAllSorts(t *testing.T) {
	t.Parallel()
	header := func(pairs ...string) nats.Header {
		h := nats.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h[pairs[i]] = []string{pairs[i+1]}
		}
		return h
	}
	mp := func(v any) []byte {
		raw, err := inMsgPack.encode(v)
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	for _, row := range []struct {
		name   string
		header nats.Header
		data   []byte
		want   body
	}{
		{"a state in JSON", nil, []byte(`{"state":"ok","content":{"a":[1]}}`), body{"state": "ok", "content": body{"a": []any{1}}}},
		{"white space before it", nil, []byte(" \r\n\t{\"state\":\"ok\",\"content\":1}\n"), body{"state": "ok", "content": 1}},
		{"a state in MessagePack", nil, mp(body{"state": "ok", "content": "c"}), body{"state": "ok", "content": "c"}},
		{"other fields are ignored", nil, []byte(`{"state":"ok","content":1,"zzz":{"state":"error"}}`), body{"state": "ok", "content": 1, "zzz": absent}},
		{"error with a content", nil, []byte(`{"state":"error","error":"e","content":"c"}`), body{"state": "error", "error": "e", "content": "c"}},
		{"an error that is a map", nil, []byte(`{"state":"error","error":{"code":7}}`), body{"state": "error", "error": body{"code": 7}}},
		{"Plan-State with JSON", header("Plan-State", "ok"), []byte(`{"state":"error","x":1}`), body{"state": "ok", "content": body{"state": "error", "x": 1}}},
		{"Plan-State with MessagePack", header("Plan-State", "ok"), mp(body{"x": 1}), body{"state": "ok", "content": body{"x": 1}}},
		{"Plan-State with text", header("Plan-State", "ok"), []byte("grüße\n"), body{"state": "ok", "content": "grüße\n"}},
		{"Plan-State with bytes", header("Plan-State", "ok"), []byte{0xff, 0xfe, 0x00, 0xc1}, body{"state": "ok", "content": "//4AwQ=="}},
		{"Plan-State without a body", header("Plan-State", "ok"), nil, body{"state": "ok"}},
		{"Plan-State error", header("Plan-State", "error"), []byte("disk full"), body{"state": "error"}},
		{"Plan-State in another spelling", header("plan-state", "error"), []byte(`{"state":"ok"}`), body{"state": present}},
		{"a micro service error", header("Nats-Service-Error", "no such thing", "Nats-Service-Error-Code", "404"), []byte("x"), body{"state": "error", "error": "no such thing"}},
		{"a map without a state", nil, []byte(`{"greeting":"hi"}`), body{"state": "ok", "content": body{"greeting": "hi"}}},
		{"a map with an empty error", nil, []byte(`{"error":"","a":1}`), body{"state": "ok", "content": body{"error": "", "a": 1}}},
		{"a map with an error", nil, []byte(`{"error":"bad input"}`), body{"state": "error", "error": "bad input"}},
		{"a list", nil, []byte(`[1,2]`), body{"state": "ok", "content": []any{1, 2}}},
		{"plain text", nil, []byte("hello"), body{"state": "ok", "content": "hello"}},
		{"nothing", nil, nil, body{"state": "ok"}},
		{"JSON that is cut off", nil, []byte(`{"state":"error`), body{"state": "ok", "content": `{"state":"error`}},
		{"a MessagePack bomb", nil, []byte{0xdd, 0xff, 0xff, 0xff, 0xff}, body{"state": "ok", "content": "3f////8="}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station := c.station()
			work, results := c.worker(station), c.results(station)
			c.create(once(station))
			x := work.take()
			x.sendRaw(&nats.Msg{Header: row.header, Data: row.data})
			match(t, "the result", results.next(), row.want.with(body{"n": 1}))
		})
	}
}

func TestContentAndErrorTogetherMayHave256KiB(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results := c.worker(station), c.results(station)
	c.create(once(station).with(body{"retry": body{"strategy": "fixed_period", "interval": 0.01}}))
	fits := strings.Repeat("a", 250<<10)
	work.take().send(body{"state": "ok", "content": strings.Repeat("a", 200<<10), "error": strings.Repeat("b", 100<<10)})
	large := results.next()
	match(t, "the result", large, body{"n": 1, "state": "error", "reason": "too_large", "final": false})
	work.take().send(body{"state": "ok", "content": fits})
	match(t, "the result", results.next(), body{"n": 2, "state": "ok", "content": fits})
}

func TestADefinitionIsBoundedInTheEncodingThatItWillTravelIn(t *testing.T) {
	t.Parallel()
	// A control character is one byte in MessagePack and six in JSON.
	controls := strings.Repeat("\x01", 400<<10)
	t.Run("an execution", func(t *testing.T) {
		t.Parallel()
		c := connect(t, common, inMsgPack)
		station := c.station()
		c.req("stations.put", body{"station": station, "kind": "api", "encoding": "json"})
		if e := c.refused("plans.create", once(station).with(body{"messages": []any{controls}})); e.text("code") != "too_large" {
			t.Errorf("refused with %v", e)
		}
	})
	t.Run("a reply", func(t *testing.T) {
		t.Parallel()
		c := onCommon(t)
		station := c.station()
		work, results := c.worker(station), c.results(station)
		c.create(once(station))
		work.take().sendIn(inMsgPack, body{"state": "ok", "content": controls[:250<<10]})
		match(t, "the result", results.next(), body{"n": 1, "state": "error", "reason": "too_large"})
		work.take().ok()
	})
}

// A definition and a result of the largest size arrive whole, behind a definition that is
// in the bucket.
func TestALargeDefinitionIsExecutedWhole(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, results := c.worker(station), c.results(station)
		plans := bucket(t, c, "plans")
		message, content := strings.Repeat("m", 510<<10), strings.Repeat("c", 255<<10)
		due := time.Now().Add(1500 * time.Millisecond)
		id := c.create(body{"station": station, "command": "c", "plan_type": "time", "no_keep": true, "plan_time": c.moment(due), "messages": []any{message}}).text("plan_id")
		row(t, plans, "state."+station+"."+id, true)
		x := work.take()
		match(t, "the execution", x.body, body{"messages": []any{message}})
		x.send(body{"state": "ok", "content": content})
		match(t, "the result", results.next(), body{"state": "ok", "content": content, "messages": []any{message}})
	})
}
