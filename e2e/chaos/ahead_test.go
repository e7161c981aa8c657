//go:build linux

package chaos

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestWordsAreHeardThoughTheLeadersClockWasAhead: a worker says ok, once, while nobody
// listens. That the execution seems to have been sent later than that, by the clock of
// the leader which sent it, hides it from nobody.
func TestWordsAreHeardThoughTheLeadersClockWasAhead(t *testing.T) {
	t.Parallel()
	const ahead = 20 * time.Second // more than any allowance for clocks
	for name, away := range map[string]func(*installation, *node, func()){
		"killed": func(in *installation, leader *node, say func()) {
			leader.kill9()
			say()
		},
		"cut off": func(in *installation, leader *node, say func()) {
			leader.links[0].set(weather{refuse: true})
			say()
			leader.links[0].set(fine)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := build(t, setup{name: "ahead", hosts: 1, nodes: 2, partitions: 1, timed: true})
			if !timed(in) {
				t.Skip(errNoClock)
			}
			in.awaitShares()
			leader, _ := in.leader(0)
			if err := leader.setClock(ahead); err != nil {
				t.Fatal(err)
			}
			nc := in.connect("everybody else")
			results, err := nc.SubscribeSync("plan.result.>")
			if err != nil {
				t.Fatal(err)
			}
			executions, err := nc.SubscribeSync("station." + stationPlain)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := nc.Request("plans.create", []byte(`{"station":"plain","plan_id":"p","command":"c","plan_type":"none"}`), askWithin); err != nil {
				t.Fatal(err)
			}
			x, err := executions.NextMsg(patience)
			if err != nil {
				t.Fatal(err)
			}
			away(in, leader, func() { say(t, nc, x) })
			m, err := results.NextMsg(patience)
			if err != nil {
				t.Fatal(err)
			}
			var r result
			if err := json.Unmarshal(m.Data, &r); err != nil || r.State != "ok" || r.N != 1 {
				t.Errorf("the result is %s: %v", m.Data, err)
			}
		})
	}
}

// say answers an execution, and sees to it that the server has the answer, and a later
// one of somebody else.
func say(t *testing.T, nc *nats.Conn, x *nats.Msg) {
	t.Helper()
	for _, subject := range []string{x.Reply, x.Reply + "x"} {
		if err := nc.Publish(subject, []byte(`{"state":"ok"}`)); err != nil {
			t.Fatal(err)
		}
	}
	if err := nc.FlushTimeout(patience); err != nil {
		t.Fatal(err)
	}
}
