// Package e2e checks the program against its contract from outside. It starts the real binary as
// a process, and uses plain NATS connections, HTTP for the probes, and no code of the product.
// Both encodings are read and written by other libraries than the product's, so that an error in
// its codec cannot hide on both sides. Each test is named after the sentence that it checks.
//
// Most tests share one server and have a station of their own; those that stop
// or kill one start their own.
package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/e2e/port"
)

// patience bounds every wait for an event that has to come. It only has to be longer than a
// busy machine takes, because it measures nothing.
const patience = 45 * time.Second

var (
	binary string  // the program, built once; or the one that E2E_BINARY names
	common *server // the server that most tests share
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	// Tests wait more than they work, so more of them run at once than there are
	// processors; -parallel still has the last word.
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = flag.Set("test.parallel", "16")
	}
	dir, err := os.MkdirTemp("", "stationmaster-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if binary = os.Getenv("E2E_BINARY"); binary == "" {
		binary = filepath.Join(dir, "stationmaster")
		build := exec.Command("go", "build", "-o", binary, "./cmd/stationmaster")
		build.Dir = ".."
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
			return 1
		}
	}
	if common, err = launch(filepath.Join(dir, "data")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if exit := common.terminate(); exit != 0 {
		fmt.Fprintf(os.Stderr, "the shared server ended with %d after SIGTERM\n", exit)
		code = 1
	}
	if code != 0 {
		fmt.Fprintf(os.Stderr, "log of the shared server:\n%s\n", common.log)
	}
	// Nothing that these tests send may cause an error in the server's log.
	if trouble := common.log.grep("level=ERROR"); len(trouble) > 0 {
		fmt.Fprintf(os.Stderr, "the shared server logged errors:\n%s\n", strings.Join(trouble, "\n"))
		code = 1
	}
	return code
}

// A server is one process of `stationmaster serve`, with its addresses.
type server struct {
	dir   string
	nats  string // host:port
	http  string
	flags []string
	files int // the limit of its open files; 0: that of the test
	cmd   *exec.Cmd
	log   *logbook
	ended chan struct{}
}

// launch starts a server on a folder, on free ports, and waits until it is ready.
func launch(dir string, flags ...string) (*server, error) {
	return (&server{dir: dir, flags: flags}).launch()
}

// launch gives s free ports, and waits until it is ready.
func (s *server) launch() (*server, error) {
	for _, address := range []*string{&s.nats, &s.http} {
		var err error
		if *address, err = port.Free(); err != nil {
			return nil, err
		}
	}
	return s, s.boot()
}

var readyLine = regexp.MustCompile(`nats=(?:nats|tls)://(\S+) http=(\S+)`)

// boot starts the process, on the addresses that it had before if it had any.
func (s *server) boot() error {
	s.spawn()
	return s.ready()
}

// ready waits for the line with the addresses.
func (s *server) ready() error {
	line, ok := s.log.await("msg=ready", s.ended)
	if !ok {
		s.kill9()
		return fmt.Errorf("no msg=ready from the server:\n%s", s.log)
	}
	at := readyLine.FindStringSubmatch(line)
	if at == nil {
		s.kill9()
		return fmt.Errorf("no addresses in %q", line)
	}
	s.nats, s.http = at[1], at[2]
	return nil
}

func (s *server) spawn() {
	// The lease is long, because a machine that stalls for a second is not to change its leader.
	// Leases have tests of their own, and the death of a process is noticed at once all the same.
	args := append([]string{"serve", "--data-dir", s.dir, "--nats-listen", s.nats, "--http-listen", s.http, "--lease", "15s"}, s.flags...)
	s.cmd = exec.Command(binary, args...)
	if s.files > 0 {
		limited := fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, s.files)
		s.cmd = exec.Command("sh", append([]string{"-c", limited, binary}, args...)...)
	}
	s.cmd.Env = plainEnv()
	s.log, s.ended = newLogbook(), make(chan struct{})
	s.cmd.Stderr, s.cmd.Stdout = s.log, s.log
	cmd, ended := s.cmd, s.ended
	if err := cmd.Start(); err != nil {
		close(ended)
		return
	}
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the exit code stays in cmd.ProcessState
	}()
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

// start is launch for a test that needs a server of its own.
func start(t *testing.T, flags ...string) *server {
	t.Helper()
	s, err := launch(t.TempDir(), flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.kill9()
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.log)
		}
	})
	return s
}

// restart boots it again on the same folder and ports.
func (s *server) restart(t *testing.T) {
	t.Helper()
	if err := s.boot(); err != nil {
		t.Fatal(err)
	}
}

// kill9 ends the process as a power cut would, and waits until it is gone.
func (s *server) kill9() {
	if s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
	}
	<-s.ended
}

// terminate sends SIGTERM and returns the exit code; one that does not end in
// time is killed and has -1.
func (s *server) terminate() int {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(patience):
		s.kill9()
	}
	return s.cmd.ProcessState.ExitCode()
}

// get answers the status of one of the probes.
func (s *server) get(path string) (int, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.http+path, nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, resp.Body.Close()
}

// A logbook keeps the lines that a process writes, and lets a test wait for one.
type logbook struct {
	mu      sync.Mutex
	text    strings.Builder
	changed chan struct{} // closed at the next write
}

func newLogbook() *logbook { return &logbook{changed: make(chan struct{})} }

func (l *logbook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
	return l.text.Write(p)
}

func (l *logbook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// grep returns the lines that contain part.
func (l *logbook) grep(part string) []string {
	text := l.String()
	var found []string
	for line := range strings.Lines(text) {
		if strings.HasSuffix(line, "\n") && strings.Contains(line, part) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// await waits for a line that contains part; ended is closed when no line can come any
// more.
func (l *logbook) await(part string, ended <-chan struct{}) (string, bool) {
	deadline := time.After(patience)
	for {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		if found := l.grep(part); len(found) > 0 {
			return found[0], true
		}
		select {
		case <-changed:
		case <-ended:
			found := l.grep(part)
			return strings.Join(found, "\n"), len(found) > 0
		case <-deadline:
			return "", false
		}
	}
}

// command runs the program to its end, with stdin, and returns its output and exit code.
func command(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	// Five seconds, the default, are not enough, because a machine may stall for as long.
	cmd.Env = append(plainEnv(), "STATIONMASTER_TIMEOUT="+patience.String())
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatalf("running %q: %v", args, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
