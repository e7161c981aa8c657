package e2e

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"
)

// junk are messages that any client can publish on every service, on reply subjects of existing
// plans, and into the bucket of workers. Their replies go to subjects where an answer would do
// harm.
func junk(plans []string) []*nats.Msg {
	random := make([]byte, 4<<10)
	rand.Read(random)
	bodies := [][]byte{
		nil, random, []byte("{"), []byte(`{"state":"ok"}`), []byte(`{"station":"victim","plan_id":"*"}`),
		{0xdf, 0xff, 0xff, 0xff, 0xff},            // a map of four thousand million entries
		{0xc6, 0xff, 0xff, 0xff, 0xff},            // four thousand million bytes
		bytes.Repeat([]byte{0x91}, 10_000),        // lists in lists
		bytes.Repeat([]byte(`{"a":`), 10_000),     // maps in maps
		bytes.Repeat([]byte(`"`), 900<<10),        // too much
		[]byte(`{"stations":["a b","*",">",""]}`), // presence of no station
		[]byte(`{"replies":[` + strings.Repeat(`{"of":"*p.1-0123456789abcdef","reply":{"state":"ok"}},`, 200) + `7]}`),
	}
	headers := []nats.Header{nil, {"Plan-State": {"failure"}}, {"Status": {"503"}}, {"KV-Operation": {"DEL"}}, {"Nats-Service-Error": {"x"}}}
	wanted := []string{"", "$JS.API.STREAM.PURGE.PLAN_JOURNAL", "$KV.plans.checkpoint", "scheduler.journal.0", "station.victim"}
	subjects := []string{"$KV.workers.hostile", "plan.reply.0", "plan.reply.0.x", "plan.reply.99.victim.*p.1-0123456789abcdef"}
	for _, verb := range words("create get list update pause resume trigger skip reset close remove cancel run runs preview upcoming calendar timeline explain push import none") {
		subjects = append(subjects, "plans."+verb)
	}
	for _, verb := range words("put get list delete") {
		subjects = append(subjects, "stations."+verb)
	}
	for i, id := range plans {
		subjects = append(subjects, fmt.Sprintf("plan.reply.0.busy.*%s.%d-%016x", id, i%5+1, i), "plan.reply.0.busy.*"+id+".1-short")
		subjects = append(subjects, fmt.Sprintf("plan.reply.0.busy.+%s.%d-%016x", id, i%5+1, i))
	}
	var all []*nats.Msg
	for i := range 4000 {
		m := &nats.Msg{
			Subject: subjects[i%len(subjects)], Data: bodies[i%len(bodies)], Header: headers[i%len(headers)],
		}
		// JetStream itself answers on any subject that it is given; permissions prevent
		// that.
		if !strings.HasPrefix(m.Subject, "$") {
			m.Reply = wanted[i/7%len(wanted)]
		}
		all = append(all, m)
	}
	return all
}

// flood publishes junk at full speed until it is stopped.
func flood(t *testing.T, s *server, junk []*nats.Msg) (stop func() (sent int64)) {
	t.Helper()
	nc, err := nats.Connect("nats://"+s.nats, nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	var over atomic.Bool
	var sent atomic.Int64
	var running sync.WaitGroup
	running.Go(func() {
		for i := 0; !over.Load(); i++ {
			if nc.PublishMsg(junk[i%len(junk)]) == nil {
				sent.Add(1)
			}
		}
	})
	return func() int64 {
		over.Store(true)
		running.Wait()
		nc.Close()
		return sent.Load()
	}
}

func TestAHostileClientStopsNothingAndLeavesNothing(t *testing.T) {
	const plans, repeats = 20, 3
	s := start(t)
	c := connect(t, s, inJSON)
	// Like the worker library, this worker repeats its result until it is acknowledged.
	sub, err := c.nc.QueueSubscribe("station.busy", "busy", func(msg *nats.Msg) {
		go func() {
			for t.Context().Err() == nil {
				if _, err := c.nc.Request(msg.Reply, []byte(`{"state":"ok"}`), patience/10); err == nil {
					return
				}
			}
		}()
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	victim := c.listen("station.victim")
	var ids []string
	for i := range plans {
		ids = append(ids, fmt.Sprintf("p%d", i))
	}
	stop := flood(t, s, junk(ids))
	results := c.results("busy")
	for _, id := range ids {
		c.req("plans.create", body{"station": "busy", "plan_id": id, "command": "c", "plan_type": "second", "plan_value": 1, "plan_repet": repeats, "no_keep": true})
	}
	done := map[string]int64{}
	for len(done) < plans {
		r := results.next()
		match(t, "a result", r, body{"state": "ok", "attempt": 1, "final": true})
		if r.int("occurrence") == repeats {
			done[r.text("plan_id")] = r.int("n")
		}
	}
	sent := stop()
	for id, n := range done {
		if n != repeats {
			t.Errorf("%s took %d executions", id, n)
		}
		if runs := c.runs("busy", id); len(runs) != repeats {
			t.Errorf("%s has %d runs", id, len(runs))
		}
	}
	if left := c.pages("plans.list", "plans", body{}); len(left) > 0 {
		t.Errorf("plans are left: %v", left)
	}
	if made := c.pages("stations.list", "stations", body{}); len(made) > 0 {
		t.Errorf("stations are left: %v", made)
	}
	victim.empty("executions for a station without plans")
	if lines := strings.Count(s.log.String(), "\n"); lines > 200 {
		t.Errorf("%d messages of junk made %d lines of log", sent, lines)
	}
	t.Logf("%d messages of junk, %d MiB at most", sent, s.memory(t, "VmHWM")>>20)
	if most := s.memory(t, "VmHWM"); most > 2<<30 {
		t.Errorf("the process grew to %d MiB", most>>20)
	}
}

// memory is the resident memory of the process in bytes (VmRSS), or its peak (VmHWM), on
// systems with /proc.
func (s *server) memory(t *testing.T, which string) int64 {
	t.Helper()
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.cmd.Process.Pid), "status"))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), which+":")
	number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	kilobytes, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}
