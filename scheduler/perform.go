package scheduler

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// do performs one effect of append seq.
func (l *leader) do(e event.Effect, seq uint64) error {
	switch e := e.(type) {
	case event.Dispatch:
		return l.dispatch(e.Execution)
	case event.Publish:
		l.meter.Result(e.State, e.Reason, e.Count, e.Took)
		if e.Failed {
			l.meter.Result(schema.StateFailure, e.Reason, 0, 0)
		}
		l.storage.Perform(e, seq)
	case event.Answer:
		l.answer(e)
	case event.Notify:
		l.meter.Event(e.Notice.Kind)
		l.notify(e)
	case event.Cancel:
		l.cancel(e)
	case event.Write, event.Keep, event.Drop, event.Fetch:
		l.storage.Perform(e, seq)
	case event.ItemsGranted:
		l.hand(e)
	case event.NotCalledBack:
		l.log.Error("the callback of a result is not sent: the result cannot wait for it",
			"plan", e.Name.String(), "n", e.N, "error", e.Why)
	case event.ClaimGranted:
		l.handOut(e)
	case event.Present:
		l.listener.Record(e.Worker)
	case event.Missing:
		l.log.Error("the bucket does not have the definition of a plan as it was written: no execution of it can be sent",
			"plan", e.Name.String(), "key", storage.PlanKey(e.Name.Station, e.Name.PlanID))
	case event.Abandoned:
		l.log.Warn("a queue was discarded: it was not taken within its abandon_after",
			"queue", e.Key, "plan", e.Name.String(), "items", e.Items)
	}
	return nil
}

// dispatch hands an execution to its workers. An error means that the connection is closed for
// good.
func (l *leader) dispatch(x *event.Outgoing) error {
	if x.Items > 0 {
		return l.dispatchItems(x)
	}
	return l.send(&l.encoder, x, nil)
}

// send writes an execution with a encoder, and publishes it.
func (l *leader) send(w *encoder, x *event.Outgoing, items []wire.Value) error {
	l.probe("dispatch", x.Name)
	left, report := x.Leave(time.Now())
	body := executionOf(x, items)
	value := w.write(x, &body)
	msg := nats.Msg{
		Subject: l.config.Space.Station(x.Name.Station), Data: value.Raw(),
		Header: w.header.of(x, &body, value.Encoding()),
	}
	if x.To != "" {
		msg.Subject = l.config.Space.Worker(x.To)
	}
	if !x.Pub {
		msg.Reply = l.config.Space.Reply(l.index, x.Name.Station, x.Name.PlanID, body.Exec)
		l.listener.Expect(msg.Reply)
	}
	switch err := l.config.Dispatch.PublishMsg(&msg); {
	case errors.Is(err, nats.ErrMaxPayload):
		l.after.add(x.NotSent(), undeliverable(l.index, x, len(msg.Data)))
		return nil
	case errors.Is(err, nats.ErrReconnectBufExceeded):
		// The connection is away and keeps no buffer, so the execution never left. Only this leader
		// knows that no worker has it; a successor could not.
		l.after.add(x.NotSent(), event.NoResponders{About: aboutOf(l.index, x)})
		return nil
	case err != nil:
		return fmt.Errorf("publish execution %d of %s: %w", x.N, x.Name, err)
	}
	l.published(x)
	if report {
		l.after.add(left)
	}
	if x.Pub {
		l.after.add(event.Dispatched{Name: x.Name, Incarnation: x.Incarnation, N: x.N})
	}
	return nil
}

// executionOf returns the members of an execution beyond those that it repeats of its plan.
func executionOf(x *event.Outgoing, items []wire.Value) schema.Execution {
	return schema.Execution{
		Occurrence: x.Occurrence, Attempt: x.Attempt, Exec: execName(x), Key: keyOf(x), Items: items,
		PlanTime: x.PlanTime, Deadline: x.Deadline, Epoch: x.Epoch, Priority: x.Priority,
	}
}

// write encodes an execution in the encoding of its plan, or of its station. The bytes are the
// encoder's.
func (w *encoder) write(x *event.Outgoing, body *schema.Execution) wire.Value {
	shared, count := sharedMembers(x)
	w.w.Reset(x.Enc, w.buf[:0])
	body.AppendTo(&w.w, shared, count)
	w.buf = w.w.Bytes()
	if forced, ok := wire.ParseEncoding(x.Force); ok && forced != x.Enc {
		return wire.Trust(forced, wire.Trust(x.Enc, w.buf).AppendTo(nil, forced))
	}
	return wire.Trust(x.Enc, w.buf)
}

// aboutOf is the reply name of x.
func aboutOf(partition int, x *event.Outgoing) schema.ReplyName {
	return schema.ReplyName{
		Partition: partition, Station: x.Name.Station, PlanID: x.Name.PlanID,
		N: x.N, Nonce: string(x.Nonce.AppendHex(nil)),
	}
}

// undeliverable is a reply, of no worker, about an execution that is too large for any message,
// because another attempt would not help.
func undeliverable(partition int, x *event.Outgoing, size int) event.Event {
	return event.ReplyReceived{
		About: aboutOf(partition, x),
		Reply: schema.Reply{
			State: schema.StateFailure,
			Error: wire.Text(x.Enc, fmt.Sprintf("the execution has %d bytes, which the server's max_payload does not allow", size)),
		},
	}
}

// keyOf is the idempotency key of x, the same for every attempt.
func keyOf(x *event.Outgoing) string {
	if x.Trigger != 0 {
		return event.TriggerKeyOf(x.Name, x.Incarnation, x.Trigger)
	}
	return event.PlanKeyOf(x.Name, x.Incarnation, x.Occurrence)
}

func execName(x *event.Outgoing) string {
	buf := make([]byte, 0, 40)
	buf = strconv.AppendInt(buf, x.N, 10)
	return string(x.Nonce.AppendHex(append(buf, '-')))
}

// answer ends a call, or acknowledges a worker's reply.
func (l *leader) answer(e event.Answer) {
	l.probe("answer", schema.PlanName{})
	switch to := e.To.(type) {
	case *call:
		if to.stored {
			l.storage.WhenStored(func() { to.finish(e.Body, e.Err) })
			return
		}
		to.finish(e.Body, e.Err)
	default:
		ack, _ := e.Body.(schema.Ack)
		l.listener.Acknowledge(to, ack)
	}
}

// notify publishes a live event, unless it has no subscriber, because each execution makes one and
// mostly there is none.
func (l *leader) notify(e event.Notify) {
	subject := l.config.Space.Event(e.Notice.Kind, e.Notice.Station, e.Notice.PlanID)
	if l.config.HasSubscriber != nil && !l.config.HasSubscriber(subject) {
		return
	}
	notice := e.Notice // a copy for the heap, of published events alone
	l.publishBody(subject, e.Enc, &notice)
}

func (l *leader) cancel(e event.Cancel) {
	body, err := wire.Marshal(e.Enc, e.Cancel)
	if err != nil {
		l.log.Error("encode a cancellation", "plan_id", e.Cancel.PlanID, "error", err)
		return
	}
	l.publish(&nats.Msg{
		Subject: l.config.Space.Cancel(e.Cancel.Station, e.Cancel.PlanID),
		Header:  schema.ContentHeader(e.Enc),
		Data:    body,
	})
}

// publishBody writes body as enc and publishes it.
func (l *leader) publishBody(subject string, enc wire.Encoding, body interface{ AppendTo(*wire.Writer) }) {
	l.w.Reset(enc, l.buf[:0])
	body.AppendTo(&l.w)
	l.buf = l.w.Bytes()
	l.publish(&nats.Msg{Subject: subject, Header: schema.ContentHeader(enc), Data: l.buf})
}

// publish sends messages that may be lost: events, acknowledgements, cancellations. Their receivers
// ask again.
func (p *partition) publish(msg *nats.Msg) {
	if err := p.config.Dispatch.PublishMsg(msg); err != nil {
		p.log.Debug("not published", "subject", msg.Subject, "error", err)
	}
}
