//go:build linux

package chaos

import (
	"encoding/json"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestPlansDueWhileNATSIsDownRun has plans fall due while no append can be stored, or while the
// leader is stopped. Each has one attempt. All of them run, under any later leader.
func TestPlansDueWhileNATSIsDownRun(t *testing.T) {
	for name, c := range map[string]struct {
		outage   time.Duration
		from, to func(*process)
		leader   bool // it stops the leader, and not the nats-server
	}{
		"killed, shorter than a take-over":    {outage: 2500 * time.Millisecond, from: (*process).kill9, to: again},
		"killed, longer than an append":       {outage: 20 * time.Second, from: (*process).kill9, to: again},
		"frozen":                              {outage: 2500 * time.Millisecond, from: freeze, to: thaw},
		"the leader frozen, within its lease": {outage: 2500 * time.Millisecond, from: freeze, to: thaw, leader: true},
		"the leader frozen, beyond its lease": {outage: 15 * time.Second, from: freeze, to: thaw, leader: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := build(t, setup{name: "away", hosts: 1, nodes: 2, partitions: 1})
			runThrough(t, in, func() func() {
				of := in.hosts[0]
				if c.leader {
					n, _ := in.leader(0)
					of = n.process
				}
				c.from(of)
				return func() { c.to(of) }
			}, c.outage, 10)
		})
	}
	for name, startTimeout := range map[string]int{"a slow disk": 10, "a slow disk, and less time than an append": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			slowly(t, startTimeout)
		})
	}
}

// slowly has plans fall due while the disk is slow.
func slowly(t *testing.T, startTimeout int) {
	t.Helper()
	in := build(t, setup{name: "away", hosts: 1, nodes: 2, partitions: 1})
	if !slowable(in) {
		t.Skip("no disk can be slowed here")
	}
	runThrough(t, in, func() func() {
		d, err := newSlowDisk(in.hosts[0].dir, 1<<10)
		if err == nil {
			err = d.take(in.hosts[0].pid())
		}
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := d.release(in.hosts[0].pid()); err != nil {
				t.Error(err)
			}
		}
	}, 20*time.Second, startTimeout)
}

// runThrough lets plans fall due during a fault that begin starts and its result ends. All
// of them run.
func runThrough(t *testing.T, in *installation, begin func() (end func()), lasts time.Duration, startTimeout int) {
	t.Helper()
	nc := in.connect("everybody else")
	const plans = 80
	ran, results := map[string]bool{}, make(chan result, 16*plans)
	if _, err := nc.Subscribe("plan.result.>", func(m *nats.Msg) {
		var r result
		if json.Unmarshal(m.Data, &r) == nil {
			results <- r
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Subscribe("station."+stationPlain, func(m *nats.Msg) {
		_ = m.Respond([]byte(`{"state":"ok"}`)) // if NATS is unreachable once more, the execution comes again
	}); err != nil {
		t.Fatal(err)
	}
	due := time.Now().Add(2 * time.Second)
	createAtOnce(t, nc, plans, fmt.Sprintf(
		`"station":"plain","plan_type":"time","plan_time":%q,"retry":{"strategy":"none"},"start_timeout":%d,"exec_timeout":10`,
		due.UTC().Format(time.RFC3339Nano), startTimeout))
	rest(t.Context(), time.Until(due)-500*time.Millisecond)
	end := begin()
	rest(t.Context(), lasts)
	end()
	for late := time.After(patience); len(ran) < plans; {
		select {
		case r := <-results:
			if r.State != "ok" {
				t.Errorf("%s: %+v", r.Plan, r)
			}
			ran[r.Plan] = true
		case <-late:
			t.Fatalf("%d of %d plans ran", len(ran), plans)
		}
	}
}

func freeze(p *process) { p.signal(syscall.SIGSTOP) }

func thaw(p *process) { p.signal(syscall.SIGCONT) }

// again starts a process once more.
func again(p *process) { _ = p.spawn() }
