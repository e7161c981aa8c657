//go:build linux

// Package chaos causes every fault of the program that can be caused from outside, under
// load, and compares the outcome with the program's promises.
//
// The real binary runs as several processes, against nats-servers in processes of
// their own or with its own ones in a cluster. Publishers, workers and an observer
// are plain NATS connections that record their messages ([history]). A nemesis
// kills, stops and cuts off processes. When all is whole again, a checker that
// shares no code with the program reads that history and the stored results.
//
//	go test ./e2e/chaos                                           # short, as in every test run
//	task chaos -- -for 10m -seed 7 -setups one -faults kill,cut   # as long as you like
//
// A node's clock is set from outside, too, and no other process's ([wallClock]), so that the
// checker knows its error, and the time of it.
package chaos

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

var (
	length    = flag.Duration("for", 0, "how long faults go on; 0 is short")
	seed      = flag.Uint64("seed", 0, "the seed of chance; 0 picks one and prints it")
	faultList = flag.String("faults", "", "the faults to choose from, with commas; empty: all that the setup knows")
	setupList = flag.String("setups", "", "alone, one, cluster, partitions, with commas; empty: all")
	plans     = flag.Int("plans", 0, "plans at any time; 0 suits the length")
	keep      = flag.String("keep", "", "a folder for the logs of all processes; one that is stuck leaves its stacks there")
	killsOnly = flag.Int("kills", 0, "end after so many faults, however long it takes")
)

// short is the time for faults in every test run, and shortPlans its load.
const (
	short      = 8 * time.Second
	shortPlans = 40
	longPlans  = 240
)

var binary string // the program, built once; or the one that E2E_BINARY names

func TestMain(m *testing.M) {
	if os.Getenv(hostEnv) != "" {
		os.Exit(hostNATS())
	}
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	flag.Parse()
	dir, err := os.MkdirTemp("", "stationmaster-chaos-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if binary = os.Getenv("E2E_BINARY"); binary == "" {
		binary = filepath.Join(dir, "stationmaster")
		build := exec.Command("go", "build", "-o", binary, "./cmd/stationmaster")
		build.Dir = filepath.Join("..", "..")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}
