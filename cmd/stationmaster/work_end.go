package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
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
	killed  atomic.Int64 // executions answered with errSecondSignal
	kill    context.Context
	now     context.CancelCauseFunc
}

func newUnderWay() *underWay {
	u := new(underWay)
	u.kill, u.now = context.WithCancelCause(context.Background())
	return u
}

func (u *underWay) counted(handler worker.Handler) worker.Handler {
	return func(ctx context.Context, x *worker.Execution) (any, error) {
		u.running.Add(1)
		defer u.running.Add(-1)
		content, err := handler(ctx, x)
		if errors.Is(err, errSecondSignal) {
			u.killed.Add(1)
		}
		return content, err
	}
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
	warn(cmd, u.waitsFor(w.Load(), patience))
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

// waitsFor is a line that names the work for whose end a stopping worker waits; "": there is none.
func (u *underWay) waitsFor(load int, patience time.Duration) string {
	var what []string
	running := u.running.Load()
	if running > 0 {
		what = append(what, "the end of "+counted64(running, "program"))
	}
	if waiting := int64(load) - running; waiting > 0 {
		what = append(what, counted64(waiting, "execution")+" that wait here")
	}
	if len(what) == 0 {
		return ""
	}
	most := fmt.Sprintf("at most %v", patience)
	if patience < 0 {
		most = "as long as they take"
	}
	return fmt.Sprintf("waiting for %s, %s; another Ctrl-C kills them now", strings.Join(what, " and "), most)
}
