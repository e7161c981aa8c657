//go:build unix

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/worker"
)

// A cancelled program ends with all its children, also when it ignores SIGTERM.
func TestCancelKillsTheGroup(t *testing.T) {
	for name, script := range map[string]string{
		"obedient": `sleep 1000 & echo $! > %s; wait`,
		"deaf":     `trap '' TERM; sleep 1000 & echo $! > %s; wait; wait; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "pid")
			if err := syscall.Mkfifo(file, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error, 1)
			go func() {
				p := program{[]string{"/bin/sh", "-c", fmt.Sprintf(script, file)}, 100 * time.Millisecond, context.Background()}
				_, err := p.handle(ctx, &worker.Execution{})
				ended <- err
			}()
			text, err := os.ReadFile(file) // waits for the script
			if err != nil {
				t.Fatal(err)
			}
			child, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			cancel(worker.ErrCancelled)
			if err := <-ended; !errors.Is(err, worker.ErrCancelled) {
				t.Errorf("error %v", err)
			}
			awaitEnd(t, child)
		})
	}
}

// The exit code of a program that is stopped counts all the same. 0 means that its work is done,
// and any other code that it was stopped.
func TestAProgramThatExitsWith0AfterTERMIsDone(t *testing.T) {
	for script, done := range map[string]bool{
		`trap 'echo finished; exit 0' TERM; echo > %s; while :; do sleep 0.01; done`: true,
		`trap 'echo finished; exit 3' TERM; echo > %s; while :; do sleep 0.01; done`: false,
		`echo finished; echo > %s; exec sleep 1000`:                                  false,
	} {
		t.Run("", func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "ready")
			if err := syscall.Mkfifo(file, 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				_, _ = os.ReadFile(file) // waits for the script
				cancel(worker.ErrStopping)
			}()
			content, err := program{[]string{"/bin/sh", "-c", fmt.Sprintf(script, file)}, termGrace, context.Background()}.handle(ctx, &worker.Execution{})
			if content != "finished" {
				t.Errorf("content %q", content)
			}
			if done && err != nil || !done && !errors.Is(err, worker.ErrStopping) {
				t.Errorf("%s: %v", script, err)
			}
		})
	}
}

// awaitEnd waits until no process has pid, because a killed orphan remains until init has
// reaped it.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	deadline := time.NewTimer(time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for alive(pid) {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("process %d still runs", pid)
		}
	}
}

func alive(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return syscall.Kill(pid, 0) == nil
	}
	_, state, _ := strings.Cut(string(status), ") ")
	return !strings.HasPrefix(state, "Z")
}
