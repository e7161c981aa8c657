package worker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// executionLimits are wider than those of a plan, because an execution holds one, the members
// that the scheduler adds, and up to a thousand items of an inbox.
var executionLimits = wire.Limits{Depth: 40, Items: 1 << 20}

// An Execution is one dispatch of an occurrence, as its handler gets it. None of its fields
// may be changed. A test of a handler can make one from its fields; its methods then report
// to no scheduler.
type Execution struct {
	schema.Execution

	// N is the number of the execution within its plan, from 1; 0 where no reply is wanted, as
	// at a station of kind `pub`.
	N int64
	// Retry counts the earlier runs of the handler for this execution, in this worker; 0 in
	// the first. See [Retries].
	Retry int
	// MsgHeader holds the headers of the NATS message, the Plan-… ones and traceparent. Nil:
	// the execution was claimed, and had no message of its own; [Execution.Headers] has them
	// in both cases.
	MsgHeader nats.Header

	reply   string // the subject of the replies; empty: none is wanted
	name    schema.ReplyName
	body    []byte
	enc     wire.Encoding
	startBy time.Time // zero: it may start at any time

	isClaimed bool
	begun     atomic.Bool // the goroutine that sets it runs the execution, or gives it back

	ctx    context.Context
	cancel context.CancelCauseFunc

	expired chan struct{} // closed when the deadline has passed; nil: the worker extends it
	expire  func()        // ends ctx, once expired is closed

	worker    *Worker // nil: made by a test
	heartbeat heartbeat
	pings     uint64     // its number with the reporter; zero until it has one
	older     *Execution // see table
}

// Message decodes frame i of the plan's messages, counted from 0, into dst, as encoding/json
// would. Fields that dst does not know are ignored. It fails when there is no such message,
// and with the name of the field that does not fit dst; either would fail again, so
// [NonRetryable] is mostly right.
func (x *Execution) Message(i int, dst any) error {
	if i < 0 || i >= len(x.Messages) {
		return fmt.Errorf("message %d: the execution has %d", i, len(x.Messages))
	}
	if err := wire.DecodeLoose(x.Messages[i], dst); err != nil {
		return fmt.Errorf("message %d: %w", i, err)
	}
	return nil
}

// Headers returns MsgHeader, or, for an execution without it, the Plan-… headers made from its
// fields. They may not be changed.
func (x *Execution) Headers() nats.Header {
	if x.MsgHeader != nil {
		return x.MsgHeader
	}
	return x.madeHeader()
}

// Encoding is the plan's, in which the replies are sent too. Zero is JSON.
func (x *Execution) Encoding() wire.Encoding { return x.enc }

// ReplySubject is the subject of this execution's replies. Knowing it is the right to reply, so
// that it must be kept secret. Empty: no reply is wanted.
func (x *Execution) ReplySubject() string { return x.reply }

// Extend sends `waiting` at once, so that the deadline is at least d from now; it never moves
// it back. It is for handlers that know better than the `waiting` that is sent by itself,
// and for workers that send none ([Options.WaitingEvery]).
func (x *Execution) Extend(d time.Duration) { x.heartbeat.extend(d) }

// Hold sends `waiting` at once, because the work cannot begin before its turn, with a deadline
// at least d from now. Each later heartbeat is `waiting` too, also where a ping would be
// enough. The function begin sends `running`, once the turn has come.
func (x *Execution) Hold(d time.Duration) (begin func()) {
	x.heartbeat.hold(d)
	return x.heartbeat.begin
}

// Progress reports the share of the work that is done, in percent: below 0 counts as 0, above
// 100 as 100, and NaN is left out. It may be called often, because at most five reports a
// second are sent, the last one among them.
func (x *Execution) Progress(percent float64) { x.heartbeat.report(percent) }

// errNotForUs drops a message on a station's subject, because it is not an execution that a
// scheduler sent, or no reply to it is allowed.
var errNotForUs = errors.New("not an execution")

// begin reports whether the caller is the first, and so the one that ends the execution.
func (x *Execution) begin() bool { return x.begun.CompareAndSwap(false, true) }

// take reads the reply subject and the headers of a message, without its body: its names,
// and whether it comes too late. Served is the station that the message came for; nil: any.
func (w *Worker) take(msg *nats.Msg, served *Station) (*Execution, error) {
	x := &Execution{MsgHeader: msg.Header, reply: msg.Reply, body: msg.Data}
	switch {
	case msg.Reply != "":
		name, ok := w.space.ParseReply(msg.Reply)
		if !ok {
			// Replying would let the sender have this worker publish on any subject.
			return nil, fmt.Errorf("%w: its reply subject %q is none of a scheduler's", errNotForUs, shown(msg.Reply))
		}
		if at := w.routes.station(name.Station); at == nil || served != nil && at != served {
			return nil, fmt.Errorf("%w: its reply subject is of station %q", errNotForUs, name.Station)
		}
		x.name, x.N = name, name.N
	case served == nil || !served.fanout:
		return nil, fmt.Errorf("%w: no caller waits for its result", errNotForUs)
	}
	if text := msg.Header.Get(schema.HeaderStartBy); text != "" {
		startBy, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errNotForUs, schema.HeaderStartBy, err)
		}
		x.startBy = startBy
	}
	if text := msg.Header.Get(schema.HeaderEpoch); text != "" && x.reply != "" {
		epoch, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errNotForUs, schema.HeaderEpoch, err)
		}
		if newest := w.epochs.see(x.name.Partition, epoch); epoch < newest {
			return nil, fmt.Errorf("epoch %d is over, partition %d has seen %d", epoch, x.name.Partition, newest)
		}
	}
	return x, nil
}

// open reads the body, once a handler is free for it. Without a reply subject the station in
// the body is the only one there is.
func (x *Execution) open() error {
	x.enc = wire.Detect(x.body)
	body, err := wire.Scan(x.body, executionLimits)
	if err != nil {
		return fmt.Errorf("read the execution: %w", err)
	}
	_ = wire.DecodeLoose(body, &x.Execution) // a member that is wrong is left out, because the scheduler wrote it
	x.body = nil
	if x.PlanID == "" || x.Station == "" {
		return errors.New("read the execution: it names no plan")
	}
	if x.reply != "" && (x.PlanID != x.name.PlanID || x.Station != x.name.Station) {
		return fmt.Errorf("%w: its body is of %s/%s, its reply subject of %s/%s", errNotForUs,
			x.Station, x.PlanID, x.name.Station, x.name.PlanID)
	}
	return nil
}
