package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// maxPanicText bounds the text of a panic outside the log.
	maxPanicText = 200
	// replyOverhead is more than a reply has beside content and error.
	replyOverhead = 4 << 10
	// replyRoom is about the size of most replies.
	replyRoom = 96
)

// work runs executions until the queue is closed.
func (w *Worker) work() {
	w.spare.Add(1)
	for x := range w.queue {
		if x.begin() {
			w.perform(x)
		}
		x.cancel(nil) // releases the contexts that the handler derived
		w.table.remove(x)
		w.spare.Add(1)
		w.puller.notify()
	}
}

// perform takes one execution from the queue to its final reply.
func (w *Worker) perform(x *Execution) {
	defer w.stopHeartbeat(x)
	now := time.Now()
	if cause := context.Cause(x.ctx); errors.Is(cause, ErrCancelled) || errors.Is(cause, ErrDeadline) {
		return // because the scheduler has ended it while it waited
	}
	if !x.startBy.IsZero() && now.After(x.startBy) {
		w.stale.Do(func() {
			w.logOf(x).Warn("execution not started: it came too late; if this process was not stopped, compare this machine's clock with the scheduler's",
				"start_by", x.startBy)
		})
		return
	}
	if !x.isClaimed {
		if err := x.open(); errors.Is(err, errNotForUs) {
			w.logOf(x).Debug("execution dropped", "error", err)
			return
		} else if err != nil {
			w.refuse(x, err)
			return
		}
	}
	station := w.routes.station(x.Station)
	if station == nil {
		w.logOf(x).Debug("execution dropped: station not served")
		return
	}
	action := station.action(x.Command)
	switch {
	case w.refusing.Load():
		w.report(x, refusal(x.enc, fmt.Errorf("worker %s stopped before it began", w.opts.ID)))
	case action == nil:
		w.refuse(x, fmt.Errorf("worker %s has no handler for command %q of station %s: any worker of a station may get any of its commands", w.opts.ID, x.Command, x.Station))
	default:
		if !x.isClaimed {
			first := w.opts.RunningAfter
			if !x.startBy.IsZero() {
				first = min(first, x.startBy.Sub(now)/2) // a first reply is due by then
			}
			w.startHeartbeat(x, now, first)
		}
		content, err := w.run(action, x)
		w.report(x, outcome(x.enc, content, err, w.contentLimit()))
	}
}

// startHeartbeat starts the heartbeats of an execution, which are sent while its handler works;
// for a claimed execution also while it waits for a handler.
func (w *Worker) startHeartbeat(x *Execution, now time.Time, first time.Duration) {
	x.heartbeat.automatic, x.heartbeat.sender = w.opts.WaitingEvery, x
	x.heartbeat.start(&w.firstBeats, now, first, x.Deadline)
}

// send publishes a reply that may get lost.
func (x *Execution) send(reply schema.Reply) {
	if x.reply == "" {
		return
	}
	w := x.worker
	if x.pings == 0 {
		x.pings = w.reporter.open(x)
	}
	w.reporter.ping(x.pings, w.message(x, reply))
}

// stopHeartbeat ends the heartbeats of an execution; only its final reply follows.
func (w *Worker) stopHeartbeat(x *Execution) {
	x.heartbeat.stop()
	if x.pings != 0 {
		w.reporter.close(x.pings)
		x.pings = 0
	}
}

// run runs the handler, and again as its action allows.
func (w *Worker) run(a *action, x *Execution) (content any, err error) {
	for {
		content, err = w.call(a.handler, x)
		if x.Retry == a.retries || !canRetry(err) {
			return content, err
		}
		if !x.rest(a.pause) {
			if w.isStopping() && x.ctx.Err() == nil {
				err = fmt.Errorf("%w (not run again here, because worker %s stopped)", err, w.opts.ID)
			}
			return content, err
		}
		w.logOf(x).Debug("handler runs again", "error", err)
		x.Retry++
	}
}

// rest waits for d, and reports false when the execution or its worker should stop meanwhile. A
// pause may be longer than anybody waits for the end of a worker, and others can go on at once.
func (x *Execution) rest(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.ctx.Done():
	case <-x.worker.stopping:
	}
	return x.ctx.Err() == nil && !x.worker.isStopping()
}

// isStopping reports that Stop was called.
func (w *Worker) isStopping() bool {
	select {
	case <-w.stopping:
		return true
	default:
		return false
	}
}

// call turns a panic into an error, because one bad execution must not end the others.
func (w *Worker) call(handler Handler, x *Execution) (content any, err error) {
	defer func() {
		if p := recover(); p != nil {
			text := fmt.Sprint("panic: ", p)
			w.logOf(x).Error("handler panicked", "command", x.Command, "panic", text, "stack", string(debug.Stack()))
			content, err = nil, errors.New(text[:min(len(text), maxPanicText)])
		}
	}()
	return handler(x.ctx, x)
}

// acked takes the acknowledgement of a heartbeat.
func (x *Execution) acked(ack schema.Ack) {
	if ack.Cancel {
		x.heartbeat.stop()
		x.cancel(ErrCancelled)
		return
	}
	if ack.PingIntervalMS > 0 {
		x.heartbeat.paced(time.Duration(ack.PingIntervalMS) * time.Millisecond)
	}
}

// refuse answers an execution that reaches no handler.
func (w *Worker) refuse(x *Execution, err error) {
	w.logOf(x).Warn("execution refused", "error", err)
	w.report(x, refusal(x.enc, err))
}

// report sends the final reply, if one is wanted.
func (w *Worker) report(x *Execution, reply schema.Reply) {
	w.stopHeartbeat(x)
	if x.reply != "" {
		w.reporter.final(w.message(x, reply), x.enc, w.table.size() > 1)
	}
}

func (w *Worker) message(x *Execution, reply schema.Reply) *nats.Msg {
	reply.WorkerID = w.opts.ID
	body := wire.NewWriter(x.enc, make([]byte, 0, replyRoom+len(reply.Content.Raw())))
	reply.AppendTo(body)
	return &nats.Msg{Subject: x.reply, Header: schema.ContentHeader(x.enc), Data: body.Bytes()}
}

// contentLimit bounds content and error together, at this connection, because a server may
// take less in one message than the protocol does.
func (w *Worker) contentLimit() int {
	return int(min(schema.MaxReplyBytes, w.nc.MaxPayload()-replyOverhead))
}

func (w *Worker) logOf(x *Execution) *slog.Logger {
	return w.log.With("station", x.name.Station, "plan_id", x.name.PlanID, "n", x.N)
}
