// Package console tests the web console in a real browser against the real program. It is a
// module of its own, so that the tests of the program need no browser. Without one these are
// skipped, and with CI=true they fail.
package console

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is how long a condition may take to come true. It bounds a test that fails.
const patience = time.Minute

// elsewhere is a name of this machine that the browser takes for another one's.
const elsewhere = "console.test"

var (
	binary  string          // the program
	browser context.Context // the browser; each test has a profile of its own in it
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	chromium, err := findBrowser()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		if os.Getenv("CI") == "true" {
			return 1
		}
		fmt.Println("SKIP: these tests need a browser")
		return 0
	}
	dir, err := os.MkdirTemp("", "console")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "stationmaster")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, "./cmd/stationmaster")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
		return 1
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(chromium), chromedp.UserDataDir(filepath.Join(dir, "profile")),
		chromedp.NoSandbox, chromedp.Flag("host-resolver-rules", "MAP "+elsewhere+" 127.0.0.1"), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true), chromedp.Flag("lang", "en-US"),
	)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		fmt.Fprintln(os.Stderr, "starting the browser:", err)
		return 1
	}
	return m.Run()
}

func findBrowser() (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no chromium: apt-get install chromium")
}

// A server is the program, with a store of its own.
type server struct {
	t    *testing.T
	url  string // of HTTP, without a slash at its end
	nats string
	dir  string
	args []string
	cmd  *exec.Cmd
	log  *lockedBuffer
}

// serve starts the program on free ports. It is killed when the test ends.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir(), log: &lockedBuffer{}, args: args}
	s.start("127.0.0.1:0", "127.0.0.1:0")
	t.Cleanup(func() {
		s.kill()
		if t.Failed() {
			t.Logf("the program's log:\n%s", s.log)
		}
	})
	return s
}

func (s *server) start(httpAddress, natsAddress string) {
	s.t.Helper()
	s.cmd = exec.Command(binary, append([]string{"serve", "--data-dir", s.dir, "--http-listen", httpAddress, "--nats-listen", natsAddress}, s.args...)...)
	out, err := s.cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd.Stdout = s.cmd.Stderr
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ready := make(chan struct{})
	go s.follow(out, ready)
	select {
	case <-ready:
	case <-time.After(patience):
		s.t.Fatalf("the program does not start:\n%s", s.log)
	}
}

// follow reads the log until the program ends, and finds its addresses in it.
func (s *server) follow(log io.Reader, ready chan<- struct{}) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		s.log.WriteString(line + "\n")
		if at := field(line, "http="); at != "" && strings.Contains(line, "msg=ready") {
			s.url, s.nats = "http://"+at, field(line, "nats=")
			close(ready)
		}
	}
}

// field returns the value of a field of a line of the log.
func field(line, name string) string {
	_, rest, found := strings.Cut(line, " "+name)
	if !found {
		return ""
	}
	value, _, _ := strings.Cut(rest, " ")
	return strings.Trim(value, `"`)
}

// kill ends the program at once.
func (s *server) kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	_ = s.cmd.Wait()
}

// restart starts the program at the addresses that it had.
func (s *server) restart() {
	s.start(strings.TrimPrefix(s.url, "http://"), strings.TrimPrefix(s.nats, "nats://"))
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) WriteString(s string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.b.WriteString(s)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// body is an object of JSON.
type body map[string]any

// rest sends a request of REST and returns the answer, which has to be a success.
func (s *server) rest(method, path string, b body) body {
	s.t.Helper()
	status, answer := s.ask(method, path, b)
	if status >= 300 {
		s.t.Fatalf("%s %s answers %d: %v", method, path, status, answer)
	}
	return answer
}

// ask sends a request of REST.
func (s *server) ask(method, path string, b body) (int, body) {
	s.t.Helper()
	var sent io.Reader
	if b != nil {
		text, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, s.url+"/api/v1"+path, sent)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if s.token() != "" {
		req.Header.Set("Authorization", "Bearer "+s.token())
	}
	response, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	var answer body
	_ = json.NewDecoder(response.Body).Decode(&answer) // some have no body
	return response.StatusCode, answer
}

// token is the one of an operator, where the program has a file of tokens.
func (s *server) token() string {
	for _, arg := range s.args {
		if arg == "--http-token-file" {
			return operatorToken
		}
	}
	return ""
}

// operatorToken and readerToken are those of tokenFile.
const (
	operatorToken = "operator-0123456789abcdef"
	readerToken   = "reader-0123456789abcdef0"
)

// tokenFile writes a file of two tokens.
func tokenFile(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(name, []byte(operatorToken+" operator\n"+readerToken+" reader\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// create makes a plan that is due in a year, with the fields of more.
func (s *server) create(station, id string, more body) {
	s.t.Helper()
	plan := body{"station": station, "plan_id": id, "command": "work", "plan_type": "cron", "cron": "0 0 1 1 *"}
	for name, value := range more {
		plan[name] = value
	}
	s.rest("POST", "/plans", plan)
}

// plan returns a plan's state.
func (s *server) plan(station, id string) body {
	s.t.Helper()
	state, _ := s.rest("GET", "/plans/"+station+"/"+id, nil)["state"].(map[string]any)
	return state
}

// until waits for a condition, which it asks for again and again.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}
