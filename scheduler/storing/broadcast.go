package storing

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/protocol"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A result is broadcast behind its append and stored later, by another connection. No result may be
// stored that no subscriber could receive, and messages published on a connection that is lost may
// not have left this process. So results are broadcast again before they are stored, unless the
// connection on which they were has been flushed since, without having been lost.

// flushWithin bounds the wait for the server's answer to a flush, which includes a reconnect after
// a standstill.
const flushWithin = 3 * time.Second

// A generation counts the connections that a broadcaster has had, from 1 on.
type generation uint64

// broadcastHeaders are those of a broadcast result, by its content type. They expect a stream that
// does not exist, so that subscribers get the message, but no stream on the broadcast subjects
// takes it, as that of results may have by now.
var broadcastHeaders = map[string]nats.Header{
	wire.JSON.ContentType():    broadcastHeader(wire.JSON),
	wire.MsgPack.ContentType(): broadcastHeader(wire.MsgPack),
}

func broadcastHeader(enc wire.Encoding) nats.Header {
	return nats.Header{schema.HeaderContentType: {enc.ContentType()}, nats.ExpectedStreamHdr: {"none"}}
}

// A broadcaster publishes results on the connection of executions, so that they come in order with
// these.
type broadcaster struct {
	nc *nats.Conn
}

func (t broadcaster) generation() generation { return generation(t.nc.Stats().Reconnects) + 1 }

// broadcast publishes a result and returns a generation before which it was surely not published; 0
// with an error.
func (t broadcaster) broadcast(msg *nats.Msg) (generation, error) {
	now := t.generation()
	header := broadcastHeaders[msg.Header.Get(schema.HeaderContentType)]
	err := t.nc.PublishMsg(&nats.Msg{Subject: msg.Subject, Data: msg.Data, Header: header})
	if err != nil && !errors.Is(err, nats.ErrMaxPayload) { // too large for any message
		return 0, err
	}
	return now, nil
}

// ensure returns when the server has got all messages of batch. It tries until ctx ends or
// the connection is closed for good.
func (t broadcaster) ensure(ctx context.Context, batch []queued) error {
	for {
		now := t.generation()
		err := t.flush(ctx, batch, now)
		switch {
		case err == nil && t.generation() == now:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		}
		if err := broker.AwaitConnection(ctx, t.nc); err != nil {
			return err
		}
	}
}

// flush publishes the results not yet published in this generation, and waits until the server has
// read all of them.
func (t broadcaster) flush(ctx context.Context, batch []queued, now generation) error {
	for i := range batch {
		if m := &batch[i]; m.sentIn != now {
			var err error
			if m.sentIn, err = t.broadcast(m.msg); err != nil {
				return err
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, flushWithin)
	defer cancel()
	return t.nc.FlushWithContext(ctx)
}

// publish broadcasts a result of append seq, which is durable, and queues it for its stream. If the
// stream listens to the broadcast subjects, a result that is to be kept is broadcast by being
// stored.
func (s *Storage) publish(e event.Publish, seq uint64) {
	m := queued{msg: resultMessage(s.config.Space, e.Name, e.Body), mark: protocol.Mark{Seq: seq, Row: e.Row}}
	if e.Row == 0 || s.config.Store.ResultsForm() == broker.ResultsOwn {
		var err error
		if m.sentIn, err = s.broadcaster.broadcast(m.msg); err != nil { // the stream writer publishes it again
			s.config.Log.Debug("not published", "subject", m.msg.Subject, "error", err)
		}
	}
	if e.Row > 0 {
		s.results.add(m)
	}
}

func resultMessage(space schema.Space, name schema.PlanName, body []byte) *nats.Msg {
	return &nats.Msg{
		Subject: space.Result(name.Station, name.PlanID),
		Header:  schema.ContentHeader(wire.Detect(body)),
		Data:    body,
	}
}
