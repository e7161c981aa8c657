package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
)

// restart measures the time until a node is ready on a store full of plans.
type restart struct{ Plans int }

// clean measures after an orderly stop of the node before.
func (r restart) clean(ctx context.Context, dir string, log *slog.Logger) (_ time.Duration, err error) {
	store, err := os.MkdirTemp(dir, "restart-")
	if err != nil {
		return 0, fmt.Errorf("make store: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(store)) }()
	s, err := openSite(ctx, store, log)
	if err != nil {
		return 0, err
	}
	_, err = imports(r).fill(ctx, s)
	if err := errors.Join(err, s.close(ctx)); err != nil {
		return 0, err
	}
	return r.start(ctx, store, log)
}

// killed measures after the program, in a process of its own, was killed as soon as
// the plans were durable, so that most of them are in the journal only.
func (r restart) killed(ctx context.Context, dir string, log *slog.Logger, serve Serve) (_ time.Duration, err error) {
	store, err := os.MkdirTemp(dir, "killed-")
	if err != nil {
		return 0, fmt.Errorf("make store: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(store)) }()
	if err := r.fillAndKill(ctx, serve(ctx, store)); err != nil {
		return 0, err
	}
	return r.start(ctx, store, log)
}

// start runs a node on a store, returns the time until it was ready, and fails unless
// it has all plans.
func (r restart) start(ctx context.Context, store string, log *slog.Logger) (took time.Duration, err error) {
	began := time.Now()
	s, err := openSite(ctx, store, log)
	if err != nil {
		return 0, err
	}
	took = time.Since(began)
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	c, _, err := s.client(ctx, "publisher")
	if err != nil {
		return 0, err
	}
	return took, holds(ctx, c, int64(r.Plans))
}

// fillAndKill runs the program, creates the plans, and kills it.
func (r restart) fillAndKill(ctx context.Context, program *exec.Cmd) (err error) {
	return served(program, func(url string) error {
		nc, err := nats.Connect(url)
		if err != nil {
			return fmt.Errorf("connect to %s: %w", url, err)
		}
		defer nc.Close()
		c, err := client.New(nc, client.Options{Timeout: time.Minute})
		if err != nil {
			return err
		}
		return importAll(ctx, c, plansOf(r.Plans, idle(time.Now()), nil))
	})
}

// served runs the program, calls f with the address of its nats-server when it is
// ready, and kills it.
func served(program *exec.Cmd, f func(url string) error) error {
	n, err := startNode(program)
	if err != nil {
		return err
	}
	defer n.kill()
	url, err := n.ready()
	if err != nil {
		return err
	}
	return f(url)
}

// A nodeProcess is the program in a process of its own.
type nodeProcess struct {
	cmd     *exec.Cmd
	log     io.Reader
	reading sync.WaitGroup
}

func startNode(program *exec.Cmd) (*nodeProcess, error) {
	stderr, err := program.StderrPipe()
	if err != nil {
		return nil, fmt.Errorf("run the program: %w", err)
	}
	if err := program.Start(); err != nil {
		return nil, fmt.Errorf("run the program: %w", err)
	}
	return &nodeProcess{cmd: program, log: stderr}, nil
}

// ready waits until the node is ready, and returns the address of its nats-server.
func (n *nodeProcess) ready() (string, error) {
	url, err := readyURL(n.log)
	if err == nil {
		n.reading.Go(func() { _, _ = io.Copy(io.Discard, n.log) }) // because it would block without a reader
	}
	return url, err
}

func (n *nodeProcess) kill() {
	_ = n.cmd.Process.Kill() // fails only when it has ended
	n.reading.Wait()
	_ = n.cmd.Wait() // its error is that it was killed
}

var readyLine = regexp.MustCompile(`msg=ready .*\bnats=(\S+)`)

// readyURL reads the program's log until it is ready, and returns the address of its
// nats-server.
func readyURL(log io.Reader) (string, error) {
	lines := bufio.NewScanner(log)
	last := ""
	for lines.Scan() {
		if found := readyLine.FindStringSubmatch(lines.Text()); found != nil {
			return found[1], nil
		}
		last = lines.Text()
	}
	return "", errors.Join(fmt.Errorf("the program ended before it was ready; its last line was %q", last), lines.Err())
}
