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
	// maxPanicText bounds what is said of a panic outside the log.
	maxPanicText = 200
	// replyOverhead is more than a reply has beside content and error.
	replyOverhead = 4 << 10
)

// contentTypes are the headers of replies, shared by all of them: publishing
// only reads them.
var contentTypes = map[wire.Encoding]nats.Header{
	wire.JSON:    {schema.HeaderContentType: {wire.JSON.ContentType()}},
	wire.MsgPack: {schema.HeaderContentType: {wire.MsgPack.ContentType()}},
}

// work runs executions until the queue is closed.
func (w *Worker) work() {
	for x := range w.queue {
		w.perform(x)
		x.cancel(nil) // releases what the handler hung on the context
		w.table.remove(x)
	}
}

// perform takes one execution from the queue to its final reply.
func (w *Worker) perform(x *Execution) {
	now := time.Now()
	if errors.Is(context.Cause(x.ctx), ErrCancelled) {
		return
	}
	if !x.startBy.IsZero() && now.After(x.startBy) {
		w.logOf(x).Debug("execution not started: too late", "start_by", x.startBy)
		return
	}
	if err := x.open(); errors.Is(err, errNotForUs) {
		w.logOf(x).Debug("execution dropped", "error", err)
		return
	} else if err != nil {
		w.refuse(x, err)
		return
	}
	station := w.routes.station(x.Station)
	if station == nil {
		w.logOf(x).Debug("execution dropped: station not served")
		return
	}
	handler := station.handler(x.Command)
	switch {
	case w.refusing.Load():
		w.report(x, refusal(x.enc, fmt.Errorf("worker %s stopped before it began", w.opts.ID)))
	case handler == nil:
		w.refuse(x, fmt.Errorf("worker %s has no handler for command %q of station %s", w.opts.ID, x.Command, x.Station))
	default:
		content, err := w.attend(x, handler, now)
		w.report(x, outcome(x.enc, content, err, w.contentLimit()))
	}
}

// attend runs the handler, with a pulse that speaks for it meanwhile.
func (w *Worker) attend(x *Execution, handler Handler, now time.Time) (content any, err error) {
	var pings uint64 // their number; zero until there is one, as most handlers are quick
	x.pulse.automatic = w.opts.WaitingEvery
	x.pulse.overdue = func() { x.cancel(ErrDeadline) }
	x.pulse.send = func(reply schema.Reply) {
		if x.reply == "" {
			return
		}
		if pings == 0 {
			pings = w.reporter.open(x)
		}
		w.reporter.ping(pings, w.message(x, reply))
	}
	first := w.opts.RunningAfter
	if !x.startBy.IsZero() {
		first = min(first, x.startBy.Sub(now)/2) // a first word is due by then
	}
	x.pulse.start(now, first, x.Deadline)
	defer func() {
		x.pulse.stop()
		w.reporter.close(pings)
	}()
	return w.call(handler, x)
}

// call turns a panic into an error: one bad execution must not end the others.
func (w *Worker) call(handler Handler, x *Execution) (content any, err error) {
	defer func() {
		if p := recover(); p != nil {
			text := fmt.Sprint("panic: ", p)
			w.logOf(x).Error("handler panicked", "panic", text, "stack", string(debug.Stack()))
			content, err = nil, errors.New(text[:min(len(text), maxPanicText)])
		}
	}()
	return handler(x.ctx, x)
}

// heard takes the answer to a ping.
func (x *Execution) heard(ack schema.Ack) {
	if ack.Cancel {
		x.pulse.stop()
		x.cancel(ErrCancelled)
		return
	}
	if ack.PingIntervalMS > 0 {
		x.pulse.paced(time.Duration(ack.PingIntervalMS) * time.Millisecond)
	}
}

// refuse answers an execution that no handler gets to see.
func (w *Worker) refuse(x *Execution, err error) {
	w.logOf(x).Warn("execution refused", "error", err)
	w.report(x, refusal(x.enc, err))
}

// report sends the final reply, if anyone wants it.
func (w *Worker) report(x *Execution, reply schema.Reply) {
	if x.reply != "" {
		w.reporter.final(w.message(x, reply))
	}
}

func (w *Worker) message(x *Execution, reply schema.Reply) *nats.Msg {
	reply.WorkerID = w.opts.ID
	body := wire.NewWriter(x.enc, nil)
	reply.AppendTo(body)
	return &nats.Msg{Subject: x.reply, Header: contentTypes[x.enc], Data: body.Bytes()}
}

// contentLimit is what content and error may have together, here and now: a
// server may take less in one message than the protocol does.
func (w *Worker) contentLimit() int {
	return int(min(schema.MaxReplyBytes, w.nc.MaxPayload()-replyOverhead))
}

func (w *Worker) logOf(x *Execution) *slog.Logger {
	return w.log.With("station", x.name.Station, "plan_id", x.name.PlanID, "n", x.N)
}
