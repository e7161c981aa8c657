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

// executionLimits are wider than those of a plan: an execution holds one, what the
// scheduler adds to it, and up to a thousand items of an inbox.
var executionLimits = wire.Limits{Depth: 40, Items: 1 << 20}

// An Execution is one dispatch of an occurrence, as its handler sees it. The
// fields are the message's; none of them may be changed.
type Execution struct {
	schema.Execution

	// N is the number of the execution within its plan.
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
	begun     atomic.Bool // the one that turns it runs the execution, or gives it back

	ctx    context.Context
	cancel context.CancelCauseFunc

	expired chan struct{} // closed when the deadline has passed; nil: the worker extends it
	expire  func()        // ends ctx, once expired is closed

	worker    *Worker // nil: made by a test
	heartbeat heartbeat
	pings     uint64     // its number with the reporter; zero until it has one
	older     *Execution // see table
}

// Message decodes frame i of the plan's messages, counted from 0, into dst, as
// encoding/json would. Fields that dst does not know are ignored.
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

// Encoding is what the plan speaks, and so what the replies are sent in.
func (x *Execution) Encoding() wire.Encoding { return x.enc }

// ReplySubject is where this execution is answered. To know it is the right to
// answer, so it is a secret; empty when nobody wants an answer.
func (x *Execution) ReplySubject() string { return x.reply }

// Extend tells the scheduler at once to wait for at least d from now. It is for
// handlers that know better than the `waiting` that is sent by itself.
func (x *Execution) Extend(d time.Duration) { x.heartbeat.extend(d) }

// Hold tells the scheduler at once that the work cannot begin yet, because it waits for its
// turn, and to wait for at least d; that is said again for as long as it lasts, also where a
// mere ping would be due. Begin says that the work has begun.
func (x *Execution) Hold(d time.Duration) (begin func()) {
	x.heartbeat.hold(d)
	return x.heartbeat.begin
}

// Progress reports how much of the work is done, 0 to 100. It may be called
// often: a few reports a second are sent, the last one among them.
func (x *Execution) Progress(percent float64) { x.heartbeat.report(percent) }

// errNotForUs is why a message on a station's subject is dropped: it is not an
// execution that a scheduler sent, or it is nobody's to answer.
var errNotForUs = errors.New("not an execution")

// begin reports whether the caller is the first to ask, and so whether the execution is
// the caller's to end.
func (x *Execution) begin() bool { return x.begun.CompareAndSwap(false, true) }

// take reads of a message what is known without looking into its body: the
// names in the reply subject, the headers that say when it is too late. served
// is the station that the message came for, nil when any will do.
func (w *Worker) take(msg *nats.Msg, served *Station) (*Execution, error) {
	x := &Execution{MsgHeader: msg.Header, reply: msg.Reply, body: msg.Data}
	switch {
	case msg.Reply != "":
		name, ok := w.space.ParseReply(msg.Reply)
		if !ok {
			// Answering it would let whoever sent this make us publish anywhere.
			return nil, fmt.Errorf("%w: its reply subject %q is none of a scheduler's", errNotForUs, shown(msg.Reply))
		}
		if at := w.routes.station(name.Station); at == nil || served != nil && at != served {
			return nil, fmt.Errorf("%w: its reply subject is of station %q", errNotForUs, name.Station)
		}
		x.name, x.N = name, name.N
	case served == nil || !served.fanout:
		return nil, fmt.Errorf("%w: nobody waits for its result", errNotForUs)
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

// open reads the body, once a handler is free for it. The station in it is the
// only one there is when nobody waits for a reply.
func (x *Execution) open() error {
	x.enc = wire.Detect(x.body)
	body, err := wire.Scan(x.body, executionLimits)
	if err != nil {
		return fmt.Errorf("read the execution: %w", err)
	}
	x.Execution.ReadFrom(body)
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
