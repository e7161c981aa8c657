//go:build linux

package chaos

import (
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestRepliesDuringAStallCount has workers answer in time while the leader is frozen, for less
// than its lease. When it goes on, all deadlines are over by its clock, and the answers are at
// the server, or in its socket if it was frozen too. They are processed first. This holds also
// for a freeze that is too short for the leader to notice.
func TestRepliesDuringAStallCount(t *testing.T) {
	t.Parallel()
	for name, still := range map[string]struct{ before, after time.Duration }{
		"":           {7 * time.Second, 500 * time.Millisecond},
		" for a bit": {100 * time.Millisecond, 20 * time.Millisecond},
	} {
		t.Run("of the node"+name, func(t *testing.T) {
			t.Parallel()
			standStill(t, build(t, setup{name: "still", hosts: 1, nodes: 1, partitions: 1}, "--lease", "30s"), still.before, still.after)
		})
		t.Run("of the nats-server too"+name, func(t *testing.T) {
			t.Parallel()
			standStill(t, buildOn(t, t.TempDir(), "--lease", "30s"), still.before, still.after)
		})
	}
}

// standStill freezes the node from so long before the first deadline until so long after
// the last.
func standStill(t *testing.T, in *installation, before, after time.Duration) {
	const plans = 50
	// A client that pings a frozen server takes it for dead, and would reconnect while the
	// results are sent.
	nc := in.connect("everybody else", nats.PingInterval(patience))
	executions, results := overhear(t, nc)
	createAtOnce(t, nc, plans, `"station":"plain","plan_type":"none","start_timeout":8,"exec_timeout":8`)
	var sent []*nats.Msg
	var deadlines []time.Time
	for range plans {
		m := take(t, executions)
		deadline, err := time.Parse(time.RFC3339, m.Header.Get("Plan-Deadline"))
		if err != nil {
			t.Fatal(err)
		}
		sent, deadlines = append(sent, m), append(deadlines, deadline)
	}
	slices.SortFunc(deadlines, time.Time.Compare)
	rest(t.Context(), time.Until(deadlines[0])-before)
	in.nodes[0].signal(syscall.SIGSTOP)
	for _, x := range sent {
		if err := nc.Publish(x.Reply, []byte(`{"state":"ok"}`)); err != nil {
			t.Fatal(err)
		}
	}
	rest(t.Context(), time.Until(deadlines[plans-1])+after) // until all of them are overdue
	in.nodes[0].signal(syscall.SIGCONT)
	for range plans {
		takeOK(t, results)
	}
}
