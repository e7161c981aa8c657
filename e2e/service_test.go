package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

// Any ordinary station may be a worker, and need not know.
func TestAMicroServiceIsAWorkerAsItIs(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		service, err := micro.AddService(c.nc, micro.Config{Name: "greeter", Version: "1.0.0"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = service.Stop() })
		calls := 0
		err = service.AddEndpoint("greet", micro.HandlerFunc(func(r micro.Request) {
			if calls++; calls == 1 {
				_ = r.Error("503", "not yet", []byte(`{"retry":true}`))
				return
			}
			_ = r.RespondJSON(map[string]any{"greeting": "hi", "of": r.Headers().Get("Plan-Station")})
		}), micro.WithEndpointSubject("station."+station), micro.WithEndpointQueueGroup(station))
		if err != nil {
			t.Fatal(err)
		}
		c.flush()
		results := c.results(station)
		c.create(once(station))
		match(t, "its error", results.next(), body{"n": 1, "state": "error", "error": "not yet", "content": body{"retry": true}, "final": false})
		match(t, "its answer", results.next(), body{"n": 2, "attempt": 2, "state": "ok", "content": body{"greeting": "hi", "of": station}, "final": true})
	})
}

func TestPlanStateNamesEveryStateInAHeader(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	work, results, events := c.worker(station), c.results(station), c.events(station)
	c.create(once(station).with(body{"plan_id": "p", "exec_timeout": 30}))
	x := work.take()
	send := func(state, content string) {
		t.Helper()
		x.sendRaw(&nats.Msg{Header: nats.Header{"Plan-State": {state}}, Data: []byte(content)})
	}
	send("running", "")
	events.of("running")
	send("waiting", "")
	events.of("waiting")
	send("error", "disk full")
	match(t, "the error", results.next(), body{"n": 1, "state": "error", "content": "disk full", "final": false})
	x = work.take()
	send("exploded", `{"code":7}`)
	match(t, "an unknown state", results.next(), body{"n": 2, "state": "failure", "reason": "unknown_state", "content": body{"code": 7}, "final": false})
	match(t, "the plan", c.state(station, "p"), body{"status": "plan_error"})
}

// Each attempt without a worker causes an event, and neither a result, a new attempt, nor a
// timeout.
func TestWithoutAWorkerNothingIsLostButTime(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	events, results := c.events(station), c.results(station)
	c.create(once(station).with(body{"plan_id": "p", "start_timeout": 12, "exec_timeout": 12.5}))
	var received []body
	for range 5 { // the last of them 15 s after the first
		received = append(received, events.of("not_worker"))
	}
	for i, least := range []time.Duration{900 * time.Millisecond, 1800 * time.Millisecond} {
		match(t, "not_worker", received[i], body{"n": 1, "occurrence": 1, "attempt": 1})
		if waited := received[i+1].time("time").Sub(received[i].time("time")); waited < least {
			t.Errorf("try %d comes %v after the one before", i+2, waited)
		}
	}
	results.empty("a result without a worker")
	work := c.worker(station)
	c.present("w-"+station, station)
	before := time.Now()
	x := work.take()
	if x.n() != 1 {
		t.Errorf("it is n=%d", x.n())
	}
	if deadline := x.time("deadline"); deadline.Before(before) {
		t.Errorf("its deadline %v ran without a worker", deadline)
	}
	x.ok()
	match(t, "the result", results.next(), body{"n": 1, "attempt": 1, "state": "ok"})
}

func TestManyAnswersInAnyOrderMakeOneResult(t *testing.T) {
	t.Parallel()
	inBoth(t, func(t *testing.T, c *client) {
		station := c.station()
		work, results, events := c.worker(station), c.results(station), c.events(station)
		c.create(again(station, 5))
		for k := range 5 {
			x := work.take()
			match(t, "the execution", x.body, body{"occurrence": k + 1, "attempt": 1})
			for _, state := range words("ok running ok waiting error failure ok") {
				x.send(body{"state": state, "content": fmt.Sprint(k, " ", state)})
			}
			match(t, "the result", results.next(), body{"n": k + 1, "occurrence": k + 1, "state": "ok", "content": fmt.Sprint(k, " ok"), "final": true})
		}
		events.of("closed")
		results.empty("results of repeated answers")
		if runs := c.runs(station, "p"); len(runs) != 5 {
			t.Errorf("runs: %v", outcome(runs))
		}
	})
}
