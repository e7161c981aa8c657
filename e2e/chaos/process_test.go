//go:build linux

package chaos

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/e2e/port"
)

// patience bounds every wait for an event that has to come. It measures nothing.
const patience = 60 * time.Second

// A process is a node or a nats-server that faults may hit. It is started again with the same
// arguments, on the same addresses.
type process struct {
	name string
	path string
	args []string
	env  []string
	dir  string   // with its nats-server's streams, if it has one
	log  *logbook // of all its lives
	// timed gives each life a clock that can be set, if the machine allows it.
	timed bool

	mu    sync.Mutex
	cmd   *exec.Cmd
	ended chan struct{}
	clock *wallClock // of this life; nil: it has the machine's
}

func newProcess(t *testing.T, name, path, dir string, args, env []string) *process {
	p := &process{name: name, path: path, args: args, env: env, dir: dir, log: newLogbook()}
	t.Cleanup(func() {
		p.kill9()
		if *keep != "" {
			file := filepath.Join(*keep, strings.ReplaceAll(t.Name(), "/", "-")+"-"+name+".log")
			if err := errors.Join(os.MkdirAll(*keep, 0o700), os.WriteFile(file, []byte(p.log.tail(1<<30)), 0o600)); err != nil {
				t.Error(err)
			}
		} else if t.Failed() {
			t.Logf("end of the log of %s:\n%s", name, p.log.tail(60))
		}
	})
	return p
}

// spawn starts the process, without a wait for its readiness.
func (p *process) spawn() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	cmd := exec.Command(p.path, p.args...)
	cmd.Env = append(plainEnv(), p.env...)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if p.timed { // the tracer of a process is one thread
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	var clock *wallClock
	if p.timed {
		var err error
		if clock, err = takeClock(cmd.Process.Pid); err != nil {
			fmt.Fprintf(p.log, "%s has the clock of the machine: %v\n", p.name, err)
		}
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the exit code stays in cmd.ProcessState
		clock.close()
	}()
	p.cmd, p.ended, p.clock = cmd, ended, clock
	return nil
}

// plainEnv is the environment without settings of the program.
func plainEnv() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "STATIONMASTER_") {
			env = append(env, v)
		}
	}
	return env
}

// signal sends a signal; a process that has ended gets none.
func (p *process) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(s)
	}
}

// gone is closed when the process has ended.
func (p *process) gone() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func (p *process) running() bool {
	gone := p.gone()
	if gone == nil {
		return false
	}
	select {
	case <-gone:
		return false
	default:
		return true
	}
}

// kill9 ends the process as a crash would, and waits until it is gone.
func (p *process) kill9() {
	p.signal(syscall.SIGKILL)
	if gone := p.gone(); gone != nil {
		<-gone
	}
}

var errNotEnded = errors.New("it did not end")

// terminate sends SIGTERM and returns the exit code.
func (p *process) terminate() (int, error) {
	p.signal(syscall.SIGTERM)
	return p.exit()
}

// exit waits for the end of the process and returns its exit code.
func (p *process) exit() (int, error) {
	gone := p.gone()
	select {
	case <-gone:
	case <-time.After(patience):
		return 0, fmt.Errorf("%s: %w", p.name, errNotEnded)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.ProcessState.ExitCode(), nil
}

// setClock sets the clock of the process so much ahead of the machine's, or behind it.
func (p *process) setClock(ahead time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clock.set(ahead)
}

func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.Process.Pid
}

// A logbook keeps the lines that a process writes, and lets a test wait for one.
type logbook struct {
	mu      sync.Mutex
	lines   []string
	rest    string
	changed chan struct{} // closed at the next write
}

func newLogbook() *logbook { return &logbook{changed: make(chan struct{})} }

func (l *logbook) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.rest + string(b)
	lines := strings.Split(text, "\n")
	l.rest = lines[len(lines)-1]
	l.lines = append(l.lines, lines[:len(lines)-1]...)
	close(l.changed)
	l.changed = make(chan struct{})
	return len(b), nil
}

// mark is the number of lines.
func (l *logbook) mark() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lines)
}

func (l *logbook) tail(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines[max(0, len(l.lines)-n):], "\n")
}

// grep returns the lines behind a mark that contain part.
func (l *logbook) grep(mark int, part string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []string
	for _, line := range l.lines[min(mark, len(l.lines)):] {
		if strings.Contains(line, part) {
			found = append(found, line)
		}
	}
	return found
}

// await waits for a line behind a mark that contains part; it returns false when ended is
// closed or time is up.
func (l *logbook) await(mark int, part string, ended <-chan struct{}) bool {
	deadline := time.After(patience)
	for {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		if len(l.grep(mark, part)) > 0 {
			return true
		}
		select {
		case <-changed:
		case <-ended:
			return len(l.grep(mark, part)) > 0
		case <-deadline:
			return false
		}
	}
}

// freeAddress returns an address that stays a process's own while it is down.
func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	return address
}
