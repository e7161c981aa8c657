package sim_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/stationmaster-io/stationmaster/scheduler/sim"
)

var rewrite = flag.Bool("rewrite", false, "write the digests as they come out; the commit says why they changed")

const (
	digests     = "testdata/digests.txt"
	digestSeeds = 64
	digestSteps = 4000
)

// The rows and effects of a machine in some histories are as recorded, because a change of the
// structure alone changes none of the digests.
func TestDigests(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute on two processors")
	}
	lines := make([]string, digestSeeds)
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range lines {
		group.Go(func() error {
			lines[i] = digest(sim.Options{Seed: uint64(i + 1)})
			return nil
		})
	}
	_ = group.Wait()
	var got bytes.Buffer
	for _, line := range lines {
		fmt.Fprintln(&got, line)
	}
	if *rewrite {
		if err := os.WriteFile(digests, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(digests)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got.Bytes(), want) {
		return
	}
	differ, was := 0, bytes.Split(want, []byte{'\n'})
	for i, line := range lines {
		if i < len(was) && string(was[i]) == line {
			continue
		}
		if differ++; differ <= 3 {
			t.Errorf("seed %d differs: go test ./scheduler/sim -run TestSim -seed %d -steps %d writes its history", i+1, i+1, digestSteps)
		}
	}
	t.Errorf("%d of %d histories differ; if that is meant: go test ./scheduler/sim -run TestDigests -rewrite", differ, digestSeeds)
}

// digest is the hash of a history, over all rows, and each effect as it is performed.
func digest(o sim.Options) string {
	h := sha256.New()
	o.Steps, o.Trace = digestSteps, h
	r := sim.Run(o)
	if r.Violation != "" {
		return fmt.Sprintf("%d: %s", o.Seed, r.Violation)
	}
	return fmt.Sprintf("%d: %.8x, %d appends, %d executions, %d results", o.Seed, h.Sum(nil), r.Appends, r.Executions, r.Results)
}

// A history in which each turn is first taken and undone is the same as one in which it is not, and
// the machine after each undo is the one before that turn.
// No machine panics in either, because a panic draws chance at each place that a machine comes to.
func TestAStepThatIsUndoneLeavesNoTrace(t *testing.T) {
	for seed := range uint64(12) {
		once := digest(sim.Options{Seed: seed + 1, Panic: "nowhere"})
		if twice := digest(sim.Options{Seed: seed + 1, Panic: "nowhere", InVain: true}); twice != once {
			t.Errorf("seed %d differs when each step is taken twice:\n%s\n%s", seed+1, once, twice)
		}
	}
}
