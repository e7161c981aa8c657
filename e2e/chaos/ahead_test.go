//go:build linux

package chaos

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestRepliesCountThoughTheLeadersClockWasAhead has a worker reply ok, once, while no leader
// listens. By the clock of the leader that dispatched the execution, the dispatch was later than
// the reply; the next leader finds the reply all the same.
func TestRepliesCountThoughTheLeadersClockWasAhead(t *testing.T) {
	t.Parallel()
	const ahead = 20 * time.Second // more than any allowance for clocks
	for name, end := range map[string]func(*installation, *node, func()){
		"killed": func(in *installation, leader *node, replyTo func()) {
			leader.kill9()
			replyTo()
		},
		"cut off": func(in *installation, leader *node, replyTo func()) {
			leader.links[0].set(weather{refuse: true})
			replyTo()
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
			executions, results := overhear(t, nc)
			createAtOnce(t, nc, 1, `"station":"plain","plan_type":"none"`)
			x := take(t, executions)
			end(in, leader, func() { replyTo(t, nc, x) })
			takeOK(t, results)
		})
	}
}

// replyTo answers an execution, and makes sure that the server has the answer, and a later one
// of another execution.
func replyTo(t *testing.T, nc *nats.Conn, x *nats.Msg) {
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

// overhear subscribes to the executions of the plain station, and to all results.
func overhear(t *testing.T, nc *nats.Conn) (executions, results *nats.Subscription) {
	t.Helper()
	var err error
	if results, err = nc.SubscribeSync("plan.result.>"); err != nil {
		t.Fatal(err)
	}
	if executions, err = nc.SubscribeSync("station." + stationPlain); err != nil {
		t.Fatal(err)
	}
	return executions, results
}

// take waits for the next message.
func take(t *testing.T, from *nats.Subscription) *nats.Msg {
	t.Helper()
	m, err := from.NextMsg(patience)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// takeOK waits for the next result, which has to be the ok of a plan's first execution.
func takeOK(t *testing.T, results *nats.Subscription) {
	t.Helper()
	m := take(t, results)
	var r result
	if err := json.Unmarshal(m.Data, &r); err != nil || r.State != "ok" || r.N != 1 {
		t.Errorf("a result is %s: %v", m.Data, err)
	}
}
