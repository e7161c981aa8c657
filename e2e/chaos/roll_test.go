//go:build linux

package chaos

import (
	"context"
	"os"
	"testing"
	"time"
)

// TestNodesAreReplacedOneByOne restarts the nodes of an embedded cluster one after the other, and
// has one come back with an empty folder, like a new machine in its place.
func TestNodesAreReplacedOneByOne(t *testing.T) {
	if *length == 0 {
		t.Skip("it takes half a minute: -for is not given")
	}
	t.Parallel()
	in := build(t, setup{name: "roll", nodes: 3, partitions: 1})
	h := newHistory()
	workers := &workers{in: in, hist: h, seed: 1}
	for range 2 {
		workers.hire()
	}
	observe(in, h)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	load := publish(ctx, in, h, 24, 1)
	n := &nemesis{in: in, hist: h, workers: workers}
	for i, victim := range in.nodes {
		n.calm()
		n.whole()
		f := &fault{Kind: "replace", Target: victim.name, At: time.Now(), Store: true}
		victim.wanted = false
		code, err := victim.terminate()
		in.forget(victim.name)
		if err != nil || code != 0 {
			t.Errorf("%s ended with %d after SIGTERM: %v", victim.name, code, err)
		}
		if i > 0 { // the first one comes back with its folder
			if err := os.RemoveAll(victim.dir); err != nil {
				t.Fatal(err)
			}
		}
		in.start(victim)
		in.awaitReady(victim)
		n.acts(f)
		f.Over = time.Now()
		h.edit(func() { h.faults = append(h.faults, f) })
		t.Logf("%s: acts again after %v", victim.name, f.Resumed)
	}
	n.calm()
	stop()
	load.slots.Wait()
	left := load.finish()
	workers.busy.Wait()
	v := check(h, readResults(t, in), left)
	for _, violation := range v.Violations {
		t.Error(violation)
	}
	in.nothingIsReportedLost()
	t.Logf("plans %d, executions %d, lost %d", v.Plans, v.Executions, v.Lost)
}
