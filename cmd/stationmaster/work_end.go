package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"

	"github.com/stationmaster-io/stationmaster/worker"
)

// errSecondSignal is the error of executions whose programs a person did not wait for.
var errSecondSignal = errors.New("a second Ctrl-C ended it")

// underWay counts the programs of a worker, and kills them when asked to.
type underWay struct {
	running atomic.Int64
	resting sync.Map     // *worker.Execution: its program failed, and is to be run again
	killed  atomic.Int64 // executions answered with errSecondSignal
	kill    context.Context
	now     context.CancelCauseFunc
}

func newUnderWay() *underWay {
	u := new(underWay)
	u.kill, u.now = context.WithCancelCause(context.Background())
	return u
}

// counted is a handler that is run again as often as retries after an error.
func (u *underWay) counted(handler worker.Handler, retries int) worker.Handler {
	return func(ctx context.Context, x *worker.Execution) (any, error) {
		u.resting.Delete(x)
		u.running.Add(1)
		defer u.running.Add(-1)
		content, err := handler(ctx, x)
		switch {
		case errors.Is(err, errSecondSignal):
			u.killed.Add(1)
		case err != nil && x.Retry < retries && ctx.Err() == nil:
			u.resting.Store(x, true)
			context.AfterFunc(ctx, func() { u.resting.Delete(x) }) // it ends meanwhile
		}
		return content, err
	}
}

// rest is how many executions wait for the next run of their program.
func (u *underWay) rest() (n int64) {
	u.resting.Range(func(any, any) bool { n++; return true })
	return n
}

// end waits for a signal, or the end of the connection, stops the worker, and kills its programs at
// a Ctrl-C behind that signal. A second SIGTERM kills none, because timeout(1) and supervisors send
// it twice.
func (u *underWay) end(cmd *cobra.Command, w *worker.Worker, nc *nats.Conn, patience time.Duration, signals <-chan os.Signal) error {
	closed := nc.StatusChanged(nats.CLOSED)
	defer nc.RemoveStatusListener(closed)
	first := true
	if !nc.IsClosed() { // it may have been before this listened
		select {
		case <-closed: // its user is refused
		case <-signals:
			first = false
		case <-cmd.Context().Done(): // main's own, of the same signal
		}
	}
	for _, line := range u.waitsFor(w.Load(), patience) {
		cmd.PrintErrln(line)
	}
	stopped := make(chan error, 1)
	go func() { stopped <- w.Stop() }()
	for {
		select {
		case sig := <-signals:
			if sig == os.Interrupt && !first {
				u.now(errSecondSignal)
			}
			first = false
		case err := <-stopped:
			if u.kill.Err() != nil {
				err = errors.Join(fmt.Errorf("ended by a second Ctrl-C: %s got an error that says so", counted64(u.killed.Load(), "execution")), err)
			}
			return err
		}
	}
}

// waitsFor returns lines that name the work that a stopping worker gives up, and the work whose
// end it waits for; nil: there is none.
func (u *underWay) waitsFor(load int, patience time.Duration) (lines []string) {
	running, resting := u.running.Load(), u.rest()
	switch {
	case resting == 1:
		lines = append(lines, "1 execution that waited for --retry-delay is not run again here: its last error is its result")
	case resting > 1:
		lines = append(lines, fmt.Sprintf("%d executions that waited for --retry-delay are not run again here: their last errors are their results", resting))
	}
	var what []string
	if running > 0 {
		what = append(what, "the end of "+counted64(running, "program"))
	}
	switch waiting := int64(load) - running - resting; {
	case waiting == 1:
		what = append(what, "1 execution that waits here")
	case waiting > 1:
		what = append(what, fmt.Sprintf("%d executions that wait here", waiting))
	}
	if len(what) == 0 {
		return lines
	}
	most := fmt.Sprintf("at most %v", patience)
	if patience < 0 {
		most = "as long as they take"
	}
	return append(lines, fmt.Sprintf("waiting for %s, %s; another Ctrl-C kills them now", strings.Join(what, " and "), most))
}
