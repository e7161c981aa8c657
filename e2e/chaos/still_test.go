//go:build linux

package chaos

import (
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// TestWordsSaidInAStandstillCount: workers answer in time while the leader is frozen, for
// less than its lease. When it goes on, all deadlines are over by its clock, and the
// answers lie with the server, or on its threshold if it was frozen too: they come first.
func TestWordsSaidInAStandstillCount(t *testing.T) {
	t.Parallel()
	t.Run("of the node", func(t *testing.T) {
		t.Parallel()
		standStill(t, build(t, setup{name: "still", hosts: 1, nodes: 1, partitions: 1}, "--lease", "30s"))
	})
	t.Run("of the nats-server too", func(t *testing.T) {
		t.Parallel()
		standStill(t, buildOn(t, t.TempDir(), "--lease", "30s"))
	})
}

func standStill(t *testing.T, in *installation) {
	const plans = 50
	// Who asks a frozen server whether it lives takes it for dead, and connects anew while
	// the results are sent.
	nc := in.connect("everybody else", nats.PingInterval(patience))
	executions, results := overhear(t, nc)
	createAtOnce(t, nc, plans, `"station":"plain","plan_type":"none","start_timeout":8,"exec_timeout":8`)
	var sent []*nats.Msg
	for range plans {
		sent = append(sent, take(t, executions))
	}
	in.nodes[0].signal(syscall.SIGSTOP)
	for _, x := range sent {
		if err := nc.Publish(x.Reply, []byte(`{"state":"ok"}`)); err != nil {
			t.Fatal(err)
		}
	}
	rest(t.Context(), 8500*time.Millisecond) // until all of them are overdue
	in.nodes[0].signal(syscall.SIGCONT)
	for range plans {
		takeOK(t, results)
	}
}
