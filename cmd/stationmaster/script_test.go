package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/stationmaster-io/stationmaster/e2e/port"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"stationmaster": func() {
			answerWithin = patience
			main()
		},
		natsOfPages: natsOfAPage,
	})
}

// patience bounds every wait of a script. It is far longer than the work, which takes
// milliseconds, because the machine may stall.
const patience = time.Minute

// The scripts run the program as people do. Each has an address of its own for NATS and for
// HTTP, in the variables that serve reads and in $NATS and $HTTP.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			for name, variable := range map[string]string{"NATS": "STATIONMASTER_NATS_LISTEN", "HTTP": "STATIONMASTER_HTTP_LISTEN"} {
				address, err := port.Free()
				if err != nil {
					return err
				}
				env.Setenv(name, address)
				env.Setenv(variable, address)
			}
			env.Setenv("DOLLAR", "$")
			// A stall of a second must not change the leader.
			env.Setenv("STATIONMASTER_LEASE", "15s")
			c := &natsCLI{}
			env.Values[natsCLI{}] = c
			env.Defer(c.close)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"nats":     func(ts *testscript.TestScript, _ bool, args []string) { natsOf(ts).run(ts, args) },
			"observed": func(ts *testscript.TestScript, _ bool, args []string) { natsOf(ts).observed(ts, args) },
			"accounts": accounts,
			"await":    await,
			"exits":    exits,
		},
	})
}

// await FILE PATTERN waits until a file that a program in the background writes matches.
func await(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: await FILE PATTERN")
	}
	pattern := regexp.MustCompile(args[1])
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	var text []byte
	for end := time.Now().Add(patience); time.Now().Before(end); <-look.C {
		text, _ = os.ReadFile(ts.MkAbs(args[0])) // a missing file counts as empty
		if pattern.Match(text) {
			return
		}
	}
	ts.Fatalf("%s does not come to match %q:\n%s", args[0], args[1], text)
}

// exits CODE PROGRAM… runs a program that ends with this exit code.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if exit, ok := err.(interface{ ExitCode() int }); ok {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%s exits with %d, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}

// natsCLI is the part of the nats command line that the README's tour needs. Commands that
// block there run in the background here.
type natsCLI struct {
	nc   *nats.Conn
	seen *nats.Subscription
}

func natsOf(ts *testscript.TestScript) *natsCLI { return ts.Value(natsCLI{}).(*natsCLI) }

func (c *natsCLI) close() {
	if c.nc != nil {
		c.nc.Close()
	}
}

func (c *natsCLI) run(ts *testscript.TestScript, args []string) {
	if c.nc == nil || c.nc.ConnectedAddr() != ts.Getenv("NATS") {
		var err error
		c.nc, err = nats.Connect("nats://"+ts.Getenv("NATS"), nats.Timeout(patience), nats.MaxReconnects(-1), nats.ReconnectWait(10*time.Millisecond))
		ts.Check(err)
	}
	switch {
	case len(args) == 2 && args[0] == "sub":
		var err error
		c.seen, err = c.nc.SubscribeSync(args[1])
		ts.Check(err)
	case len(args) == 5 && args[0] == "reply" && args[2] == "--queue":
		_, err := c.nc.QueueSubscribe(args[1], args[3], func(m *nats.Msg) {
			_ = m.Respond([]byte(args[4])) // the script notices a missing response
		})
		ts.Check(err)
	case len(args) == 3 && args[0] == "req":
		m, err := c.nc.Request(args[1], []byte(args[2]), patience)
		ts.Check(err)
		_, err = fmt.Fprintf(ts.Stdout(), "%s\n", m.Data)
		ts.Check(err)
	default:
		ts.Fatalf("this nats knows only: sub SUBJECT, reply SUBJECT --queue QUEUE BODY, req SUBJECT BODY")
	}
	ts.Check(c.nc.FlushTimeout(patience))
}

// observed PATTERN waits until `nats sub` gets a message that matches with its subject, and
// prints all up to that one.
func (c *natsCLI) observed(ts *testscript.TestScript, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: observed PATTERN")
	}
	pattern := regexp.MustCompile(args[0])
	for matches := false; !matches; {
		m, err := c.seen.NextMsg(patience)
		if err != nil {
			ts.Fatalf("no message that matches %q: %v", args[0], err)
		}
		line := fmt.Sprintf("%s %s\n", m.Subject, m.Data)
		_, err = ts.Stdout().Write([]byte(line))
		ts.Check(err)
		matches = pattern.MatchString(line)
	}
}

// accounts SUBJECT NUMBER checks that the results that `observed` has printed of a subject
// are of the occurrences 1 to NUMBER. Several that were skipped have one result together.
func accounts(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: accounts SUBJECT NUMBER")
	}
	want, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	count := map[int64]int{}
	for line := range strings.Lines(ts.ReadFile("stdout")) {
		subject, body, _ := strings.Cut(line, " ")
		if !strings.HasPrefix(subject, args[0]) {
			continue
		}
		var result struct{ Occurrence, Count int64 }
		ts.Check(json.Unmarshal([]byte(body), &result))
		for k := range max(result.Count, 1) {
			count[result.Occurrence-k]++
		}
	}
	for k := int64(1); k <= want; k++ {
		if count[k] != 1 {
			ts.Fatalf("occurrence %d has %d results", k, count[k])
		}
	}
	if int64(len(count)) != want {
		ts.Fatalf("results of %d occurrences: %v", len(count), count)
	}
}

// The tour in the README is the one that the script takes.
func TestScriptTakesTheTourOfTheREADME(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile(filepath.Join("testdata", "tour.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	_, tour, found := strings.Cut(string(readme), "## Five minutes")
	if !found {
		t.Fatal("the README has no tour")
	}
	tour, _, _ = strings.Cut(tour, "\n## ")
	taken := 0
	for line := range strings.Lines(tour) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "   #")
		line = strings.TrimSpace(strings.TrimPrefix(line, "./"))
		if !strings.HasPrefix(line, "nats ") && !strings.HasPrefix(line, "stationmaster ") {
			continue
		}
		taken++
		if !strings.Contains(string(script), line) {
			t.Errorf("the script leaves out:\n%s", line)
		}
	}
	if taken < 10 {
		t.Errorf("only %d commands found in the README's tour", taken)
	}
}
