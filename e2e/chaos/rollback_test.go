//go:build linux

package chaos

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// TestAnOlderStoreIsNotTakenUpInSilence: the folder of the nats-server is put back as it
// was some appends ago. Each node that has seen more says what is missing, and ends; one
// that was told to goes on, and says so. What is lost is told until somebody acknowledges it.
func TestAnOlderStoreIsNotTakenUpInSilence(t *testing.T) {
	roll := func(t *testing.T, flags ...string) (in *installation, before []int) {
		in = build(t, setup{name: "rollback", hosts: 1, nodes: 2, partitions: 1}, flags...)
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
	t.Run("each node ends", func(t *testing.T) {
		t.Parallel()
		in, _ := roll(t)
		for _, n := range in.nodes {
			if code, err := n.exit(); err != nil || code != 1 {
				t.Errorf("%s ended with %d, %v", n.name, code, err)
			}
			if len(n.log.grep(n.since, " changed under us: ")) == 0 {
				t.Errorf("%s does not say what is lost", n.name)
			}
		}
	})
	t.Run("or goes on as it was told to", func(t *testing.T) {
		t.Parallel()
		in, before := roll(t, "--accept-rollback")
		nc := in.connect("afterwards")
		in.awaitBack(before)
		createAtOnce(t, nc, 1, laterAt("afterwards"))
		told := 0
		for _, n := range in.nodes {
			if !n.running() {
				t.Errorf("%s has ended", n.name)
			}
			told += len(n.log.grep(n.since, "taken up all the same"))
		}
		if told == 0 {
			t.Error("nobody says what is lost")
		}
	})
}

// laterAt is of plans of a station that are due when no test runs any more.
func laterAt(station string) string {
	return fmt.Sprintf(`"station":%q,"plan_type":"time","plan_time":"2100-01-01T00:00:00Z"`, station)
}

// marks are how far the logs of the nodes have come.
func (in *installation) marks() (all []int) {
	for _, n := range in.nodes {
		all = append(all, n.log.mark())
	}
	return all
}

// awaitBack waits until all nodes have reached their nats-server again, and take requests.
func (in *installation) awaitBack(marks []int) {
	in.t.Helper()
	for i, n := range in.nodes {
		if !n.log.await(marks[i], `msg="reconnected to nats" connection=requests`, n.gone()) {
			in.stuck("%s does not come back", n.name)
		}
	}
}
