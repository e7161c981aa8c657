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

// TestWhatFallsDueWhileNATSIsAwayRuns: plans fall due while no append can be stored, and each has one attempt. When NATS is back, whoever leads then, all
// of them run.
func TestWhatFallsDueWhileNATSIsAwayRuns(t *testing.T) {
	for name, c := range map[string]struct {
		away     time.Duration
		from, to func(*process)
	}{
		"killed, shorter than a take-over": {2500 * time.Millisecond, (*process).kill9, again},
		"killed, longer than an append":    {20 * time.Second, (*process).kill9, again},
		"frozen": {2500 * time.Millisecond,
			func(p *process) { p.signal(syscall.SIGSTOP) }, func(p *process) { p.signal(syscall.SIGCONT) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := build(t, setup{name: "away", hosts: 1, nodes: 2, partitions: 1})
			nc := in.connect("everybody else")
			const plans = 20
			ran, heard := map[string]bool{}, make(chan result, 16*plans)
			if _, err := nc.Subscribe("plan.result.>", func(m *nats.Msg) {
				var r result
				if json.Unmarshal(m.Data, &r) == nil {
					heard <- r
				}
			}); err != nil {
				t.Fatal(err)
			}
			if _, err := nc.Subscribe("station."+stationPlain, func(m *nats.Msg) {
				_ = m.Respond([]byte(`{"state":"ok"}`)) // or NATS is away once more, and it comes again
			}); err != nil {
				t.Fatal(err)
			}
			due := time.Now().Add(2 * time.Second)
			createAtOnce(t, nc, plans, fmt.Sprintf(
				`"station":"plain","plan_type":"time","plan_time":%q,"retry":{"strategy":"none"},"start_timeout":10,"exec_timeout":10`,
				due.UTC().Format(time.RFC3339Nano)))
			rest(t.Context(), time.Until(due)-500*time.Millisecond)
			c.from(in.hosts[0])
			rest(t.Context(), c.away)
			c.to(in.hosts[0])
			for late := time.After(patience); len(ran) < plans; {
				select {
				case r := <-heard:
					if r.State != "ok" {
						t.Errorf("%s: %+v", r.Plan, r)
					}
					ran[r.Plan] = true
				case <-late:
					t.Fatalf("%d of %d plans ran", len(ran), plans)
				}
			}
		})
	}
}

// again starts it once more.
func again(p *process) { _ = p.spawn() }
