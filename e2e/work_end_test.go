package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// begin starts the program with an end that the test awaits.
func begin(t *testing.T, args ...string) (cmd *exec.Cmd, log *logbook, ended chan struct{}) {
	t.Helper()
	log, ended = newLogbook(), make(chan struct{})
	cmd = exec.Command(binary, args...)
	cmd.Env = append(plainEnv(), "STATIONMASTER_TIMEOUT="+patience.String())
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("output of %q:\n%s", args, log)
		}
	})
	return cmd, log, ended
}

func send(t *testing.T, cmd *exec.Cmd, sig os.Signal) {
	t.Helper()
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

func exitCode(t *testing.T, cmd *exec.Cmd, ended chan struct{}) int {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	return cmd.ProcessState.ExitCode()
}

// gone waits until no process has pid, because a killed orphan remains until init has reaped it.
func gone(t *testing.T, pid string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		status, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(status), ") Z ") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %s still runs", pid)
		}
	}
}

func TestASecondCtrlCKillsTheProgramsOfWorkAndAnswersTheirExecutions(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("there is no /proc here")
	}
	for _, first := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(first.String(), func(t *testing.T) {
			t.Parallel()
			c := onCommon(t)
			station, dir := c.station(), t.TempDir()
			results := c.results(station)
			fifo := filepath.Join(dir, "pids")
			if err := syscall.Mkfifo(fifo, 0o600); err != nil {
				t.Fatal(err)
			}
			// The program and its child ignore SIGTERM.
			script := fmt.Sprintf(`trap '' TERM INT; sleep 1000 & echo $$ $! > %s; while :; do wait; done`, fifo)
			cmd, log, ended := begin(t, "work", "--nats-url", "nats://"+common.nats, "--station", station, "--concurrency", "1", "--", "sh", "-c", script)
			c.create(once(station).with(body{"plan_id": "runs", "retry": body{"strategy": "none"}}))
			pids, err := os.ReadFile(fifo)
			if err != nil {
				t.Fatal(err)
			}
			c.create(once(station).with(body{"plan_id": "queues", "retry": body{"strategy": "none"}}))
			for deadline := time.Now().Add(patience); c.state(station, "queues").text("status") != "executing"; {
				if time.Now().After(deadline) {
					t.Fatal("the second plan is not sent")
				}
			}

			send(t, cmd, first)
			if line, ok := log.await("waiting for the end of 1 program and ", ended); !ok || !strings.Contains(line, "at most 30s; another Ctrl-C kills them now") {
				t.Fatalf("after the first signal: %q", line)
			}
			send(t, cmd, syscall.SIGTERM) // the second of a supervisor is none
			send(t, cmd, syscall.SIGINT)
			if code := exitCode(t, cmd, ended); code != 1 {
				t.Errorf("exit code %d", code)
			}
			if !strings.Contains(log.String(), "ended by a second Ctrl-C: 2 executions") {
				t.Errorf("it does not say what it did")
			}
			for _, pid := range strings.Fields(string(pids)) {
				gone(t, pid)
			}
			for range 2 {
				r := results.next()
				want := map[string]string{"runs": "sh was killed: ", "queues": "sh was not run: "}[r.text("plan_id")]
				match(t, "its result", r, body{"state": "failure", "reason": "retries"})
				if text := r.text("error"); !strings.HasPrefix(text, want) || !strings.Contains(text, "a second Ctrl-C ended it") {
					t.Errorf("the error of %s is %q", r.text("plan_id"), text)
				}
			}
		})
	}
}

func TestCtrlCEndsTheWaitForAPlanAndNotThePlan(t *testing.T) {
	t.Parallel()
	c := onCommon(t)
	station := c.station()
	cmd, log, ended := begin(t, "plan", "create", "--nats-url", "nats://"+common.nats, "--station", station, "--command", "c", "--id", "p", "--type", "second", "--value", "1000", "--repet", "-1", "--wait")
	if _, ok := log.await("created", ended); !ok {
		t.Fatal("it is not created")
	}
	send(t, cmd, syscall.SIGINT)
	if code := exitCode(t, cmd, ended); code != 1 {
		t.Errorf("exit code %d", code)
	}
	want := fmt.Sprintf("wait for %s/p: a signal ended the wait, and the plan goes on: stationmaster plan get %[1]s/p shows it, and stationmaster plan rm %[1]s/p removes it", station)
	if !strings.Contains(log.String(), want) {
		t.Errorf("it does not print %q", want)
	}
	match(t, "the plan", c.state(station, "p"), body{"status": "queued"})
}
