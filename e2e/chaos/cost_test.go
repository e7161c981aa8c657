//go:build linux

package chaos

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

var measures = flag.Bool("measure", false, "measure the cost of a standby and the load of partitions; the machine should be quiet")

// TestAStandbyCostsLittle checks that a follower takes at most 15 % of the processor time of its
// leader, at two thousand executions a second.
func TestAStandbyCostsLittle(t *testing.T) {
	if !*measures {
		t.Skip("-measure is not given")
	}
	in := build(t, setup{name: "cost", hosts: 1, nodes: 2, partitions: 1})
	count := tallied(in, 2000, []byte(`{"state":"ok"}`), func(i int) body {
		start := time.Now().Add(2 * time.Second).Add(time.Duration(i/2) * time.Millisecond)
		return body{"plan_type": "second", "plan_value": 1, "plan_repet": -1, "plan_time": start, "log": "trigger"}
	})
	rest(t.Context(), 5*time.Second)
	leader, _ := in.leader(0)
	standby := in.nodes[0]
	if leader == standby {
		standby = in.nodes[1]
	}
	before, did := []time.Duration{used(t, leader.process), used(t, standby.process)}, count.Load()
	const lasts = 15 * time.Second
	rest(t.Context(), lasts)
	leads, stands := used(t, leader.process)-before[0], used(t, standby.process)-before[1]
	share := 100 * float64(stands) / float64(leads)
	t.Logf("executions a second %.0f; of a processor: leader %.1f %%, standby %.1f %%; the standby's share of the leader's %.1f %%",
		float64(count.Load()-did)/lasts.Seconds(), 100*leads.Seconds()/lasts.Seconds(), 100*stands.Seconds()/lasts.Seconds(), share)
	if share > 15 {
		t.Errorf("a standby costs %.1f %% of its leader", share)
	}
}

// tallied creates plans, answers their executions with ok at once, and counts them.
func tallied(in *installation, plans int, ok []byte, plan func(i int) body) *atomic.Int64 {
	count := new(atomic.Int64)
	nc := in.connect("worker")
	_, err := nc.QueueSubscribe("station."+stationPlain, stationPlain, func(m *nats.Msg) {
		count.Add(1)
		_ = m.Respond(ok) // it fails only on a closed connection
	})
	if err != nil {
		in.t.Fatal(err)
	}
	asking := in.connect("publisher")
	for i := range plans {
		raw, err := json.Marshal(plan(i).with(body{
			"station": stationPlain, "plan_id": fmt.Sprint("p", i), "command": "c",
		}))
		if err != nil {
			in.t.Fatal(err)
		}
		m, err := asking.Request("plans.create", raw, askWithin)
		if err != nil || m.Header.Get("Nats-Service-Error") != "" {
			in.t.Fatalf("create: %v %v", m, err)
		}
	}
	return count
}

// used is the processor time that a process has taken so far.
func used(t *testing.T, n *process) time.Duration {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n.pid()))
	if err != nil {
		t.Fatal(err)
	}
	// The name, in brackets, may contain anything; behind it the first field is the third.
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	ticks := 0
	for _, f := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
