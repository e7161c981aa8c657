//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/e2e/port"
)

// runElsewhere are the pages all of whose commands another test runs.
var runElsewhere = map[string]string{
	"docs/rest.md": "TestTheCommandsOfTheRESTPage of package node",
}

// programs are the first words of the commands in pages.
var programs = []string{
	"stationmaster", "./stationmaster", "nats", "go", "curl", "task", "printf", "echo", "openssl", "crontab", "npm", "pip", "ls",
}

// The first command of each page works as it is printed, in a folder of its own beside an
// installation that has the README's plan. A command that does not end is ended once it is
// ready.
func TestTheFirstCommandOfEachPage(t *testing.T) {
	if testing.Short() {
		t.Skip("some are tests themselves")
	}
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	env := append(installation(t), "PATH="+withNATS(t)+string(os.PathListSeparator)+os.Getenv("PATH"))
	run := 0
	for name, page := range pagesBelow(t, root) {
		command := firstCommand(page)
		if command == "" || runElsewhere[name] != "" {
			continue
		}
		run++
		t.Run(name, func(t *testing.T) {
			dir, env := t.TempDir(), env
			if strings.HasPrefix(command, "go ") || strings.Contains(command, " deploy/") {
				dir = root // it names packages or files of the repository
			}
			if startsOne.MatchString(command) {
				env = append(slices.Clip(env), "STATIONMASTER_NATS_URL=")
			}
			if out, err := runPrinted(t.Context(), dir, env, command); err != nil {
				t.Errorf("%s\n%v\n%s", command, err, out)
			}
		})
	}
	if run < 15 {
		t.Errorf("only %d pages have a command", run)
	}
}

// pagesBelow returns the pages that readers are referred to, by their paths.
func pagesBelow(t *testing.T, root string) map[string]string {
	t.Helper()
	pages := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" || filepath.Dir(name) != "." && !strings.HasPrefix(name, "docs/") {
			return err
		}
		text, err := os.ReadFile(path)
		pages[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// firstCommand returns the first command in a page's blocks of code, all lines of it.
func firstCommand(page string) string {
	inside, command := false, ""
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside
		case !inside:
		case command != "":
			command += line
		default:
			text := strings.TrimPrefix(line, "$ ")
			word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
			if slices.Contains(programs, word) {
				command = text
			}
		}
		goesOn := strings.HasSuffix(command, "\\\n") || strings.Count(command, "'")%2 == 1
		if command != "" && !goesOn {
			return strings.TrimSpace(command)
		}
	}
	return strings.TrimSpace(command)
}

// startsOne matches the commands that start an installation of their own.
var startsOne = regexp.MustCompile(`\b(serve|demo)\b`)

// ready is the output of a long-running program once it is ready.
var ready = regexp.MustCompile(`msg=ready|Stationmaster runs:|working at station|listening; Ctrl-C`)

// runPrinted runs a command as a shell does, and ends a long-running one as Ctrl-C does.
func runPrinted(ctx context.Context, dir string, env []string, command string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "trap : INT\n"+command) // the shell outlives it, as an interactive one does
	cmd.Dir, cmd.Env = dir, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	interrupted := false
	interrupt := sync.OnceFunc(func() {
		interrupted = true
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGINT)
	})
	out := &watched{saw: func(text []byte) {
		if ready.Match(text) {
			interrupt()
		}
	}}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	if interrupted && strings.HasPrefix(command, "go run ") {
		err = nil // an interrupted go run ends with 1, however its program ends
	}
	return out.String(), err
}

// watched passes its content so far to saw, at each write.
type watched struct {
	text bytes.Buffer
	saw  func(text []byte)
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.text.Write(p)
	w.saw(w.text.Bytes())
	return n, err
}

func (w *watched) String() string { return w.text.String() }

// installation starts a scheduler that has the README's plan, and returns the environment
// in which commands find it. Programs that a page itself starts get free ports.
func installation(t *testing.T) []string {
	t.Helper()
	address, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	url := "nats://" + address
	ctx, stop := context.WithCancel(t.Context())
	serve := exec.CommandContext(ctx, "stationmaster", "serve", "--nats-listen", address, "--http-listen", "127.0.0.1:0", "--lease", "15s")
	serve.Dir = t.TempDir()
	serve.Cancel = func() error { return serve.Process.Signal(os.Interrupt) }
	started := make(chan struct{})
	begun := sync.OnceFunc(func() { close(started) })
	log := &watched{saw: func(text []byte) {
		if ready.Match(text) {
			begun()
		}
	}}
	serve.Stderr = log
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve.Wait() }()
	select {
	case <-started:
	case err := <-ended:
		t.Fatalf("serve: %v\n%s", err, log)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("serve: %v", err)
		}
	})
	env := append(os.Environ(),
		"STATIONMASTER_NATS_URL="+url, "STATIONMASTER_NATS_LISTEN=127.0.0.1:0", "STATIONMASTER_HTTP_LISTEN=127.0.0.1:0")
	create := exec.CommandContext(t.Context(), "stationmaster", "plan", "create", "--station", "hello", "--id", "office", "--command", "greet", "--type", "cron", "--cron", "0 9 1 1 *")
	create.Env = env
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return env
}

// natsOfPages is the name under which this test has the part of the nats command line that
// the first commands of pages need. It is not called nats, because scripts have their own.
const natsOfPages = "nats-of-pages"

// withNATS returns a folder in which that is nats.
func withNATS(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "nats"), []byte("#!/bin/sh\nexec "+natsOfPages+" \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// natsOfAPage is `nats req SUBJECT BODY`; an answer that refuses is a failure.
func natsOfAPage() {
	if err := requestOnce(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "nats:", err)
		os.Exit(1)
	}
}

func requestOnce(args []string) error {
	if len(args) != 3 || args[0] != "req" {
		return fmt.Errorf("this nats knows only: req SUBJECT BODY, and not %q", args)
	}
	nc, err := nats.Connect(os.Getenv("STATIONMASTER_NATS_URL"), nats.Timeout(patience))
	if err != nil {
		return err
	}
	defer nc.Close()
	m, err := nc.Request(args[1], []byte(args[2]), patience)
	if err != nil {
		return err
	}
	fmt.Printf("%s\n", m.Data)
	var answer struct{ Error json.RawMessage }
	if err := json.Unmarshal(m.Data, &answer); err != nil || answer.Error != nil {
		return fmt.Errorf("%s was refused: %w", args[1], errors.Join(err))
	}
	return nil
}
