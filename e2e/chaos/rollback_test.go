//go:build linux

package chaos

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// TestAnOlderStoreIsNotTakenUpInSilence restores the folder of the nats-server as it was some
// appends ago. Each node that has seen more names the missing appends, and ends, also when it
// leads and is the only one; one with --accept-rollback goes on, and logs the loss. Every later
// node reports it until it is acknowledged.
func TestAnOlderStoreIsNotTakenUpInSilence(t *testing.T) {
	roll := func(t *testing.T, nodes int, flags ...string) (in *installation, before []int) {
		in = build(t, setup{name: "rollback", hosts: 1, nodes: nodes, partitions: 1}, flags...)
		host := in.hosts[0]
		nc := in.connect("everybody else")
		createAtOnce(t, nc, 20, laterAt("before"))
		if _, err := host.terminate(); err != nil {
			t.Fatal(err)
		}
		old := t.TempDir()
		if err := os.CopyFS(old, os.DirFS(host.dir)); err != nil {
			t.Fatal(err)
		}
		marks := in.marks()
		again(host)
		in.awaitBack(marks)
		for i := range 5 {
			createAtOnce(t, nc, 20, laterAt(fmt.Sprint("lost", i)))
			rest(t.Context(), 300*time.Millisecond) // a follower looks for new appends each 200 ms
		}
		host.kill9()
		if err := os.RemoveAll(host.dir); err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(host.dir, os.DirFS(old)); err != nil {
			t.Fatal(err)
		}
		marks = in.marks()
		again(host)
		return in, marks
	}
	for _, nodes := range []int{1, 2} {
		t.Run(fmt.Sprintf("each of %d ends", nodes), func(t *testing.T) {
			t.Parallel()
			in, _ := roll(t, nodes)
			for _, n := range in.nodes {
				if code, err := n.exit(); err != nil || code != 1 {
					t.Errorf("%s ended with %d, %v", n.name, code, err)
				}
				logged := n.log.grep(n.since, "so the node ends")
				if len(logged) == 0 || !strings.Contains(logged[0], "level=ERROR") || !strings.Contains(logged[0], " changed under us: ") {
					t.Errorf("%s does not log the loss: %q", n.name, logged)
				}
			}
			n := in.nodes[0]
			in.start(n)
			in.awaitReady(n)
			if !n.log.await(n.since, `damage="short.PLAN_JOURNAL: `, n.gone()) {
				t.Errorf("%s is started on an older store, and does not report that", n.name)
			}
		})
	}
	t.Run("or goes on with --accept-rollback", func(t *testing.T) {
		t.Parallel()
		in, before := roll(t, 2, "--accept-rollback")
		nc := in.connect("afterwards")
		in.awaitBack(before)
		createAtOnce(t, nc, 1, laterAt("afterwards"))
		count := 0
		for _, n := range in.nodes {
			if !n.running() {
				t.Errorf("%s has ended", n.name)
			}
			count += len(n.log.grep(n.since, "used all the same"))
		}
		if count == 0 {
			t.Error("no node reports the loss")
		}
	})
}

// laterAt is of plans of a station that are due after the tests.
func laterAt(station string) string {
	return fmt.Sprintf(`"station":%q,"plan_type":"time","plan_time":"2100-01-01T00:00:00Z"`, station)
}

// marks are the lengths of the logs of the nodes.
func (in *installation) marks() (all []int) {
	for _, n := range in.nodes {
		all = append(all, n.log.mark())
	}
	return all
}

// awaitBack waits until all nodes have reached their nats-server again, and answer
// requests.
func (in *installation) awaitBack(marks []int) {
	in.t.Helper()
	for i, n := range in.nodes {
		if !n.log.await(marks[i], `msg="reconnected to nats" connection=requests`, n.gone()) {
			in.stuck("%s does not come back", n.name)
		}
	}
}
