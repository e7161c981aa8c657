package worker_test

import (
	"context"
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// BenchmarkNoOp is the cost of an execution with its surroundings, which are server, scheduler's
// publish, the worker's loop, reply and acknowledgement, all in this process. Its cost beyond
// "bare" is this package's.
func BenchmarkNoOp(b *testing.B) {
	b.Run("bare", func(b *testing.B) { benchmarkNoOp(b, wire.JSON, bareWorker) })
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		b.Run(enc.String(), func(b *testing.B) { benchmarkNoOp(b, enc, noOpWorker) })
	}
}

// noOpWorker serves station hello by doing nothing.
func noOpWorker(b *testing.B, nc *nats.Conn) {
	w, err := worker.New(nc, worker.Options{ID: "w1", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	w.Handle("hello", "*", func(context.Context, *worker.Execution) (any, error) { return nil, nil })
	if err := w.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := w.Stop(); err != nil {
			b.Error(err)
		}
	})
}

// bareWorker sends the same messages and reads none.
func bareWorker(b *testing.B, nc *nats.Conn) {
	inbox := nc.NewInbox()
	if _, err := nc.Subscribe(inbox, func(*nats.Msg) {}); err != nil {
		b.Fatal(err)
	}
	header := nats.Header{schema.HeaderContentType: {"application/json"}}
	body := []byte(`{"state":"ok","worker_id":"w1"}`)
	if _, err := nc.QueueSubscribe("station.hello", "hello", func(msg *nats.Msg) {
		if err := nc.PublishMsg(&nats.Msg{Subject: msg.Reply, Reply: inbox, Header: header, Data: body}); err != nil {
			b.Error(err)
		}
	}); err != nil {
		b.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		b.Fatal(err)
	}
}

func benchmarkNoOp(b *testing.B, enc wire.Encoding, serve func(*testing.B, *nats.Conn)) {
	ns := brokertest.Server(b)
	nc := brokertest.Connect(b, ns)
	serve(b, brokertest.Connect(b, ns))
	ack, err := wire.Marshal(enc, taken)
	if err != nil {
		b.Fatal(err)
	}
	const inFlight = 2000
	room := make(chan struct{}, inFlight)
	space := schema.Space{}
	if _, err := nc.Subscribe(space.AllReplies(), func(msg *nats.Msg) {
		if err := msg.Respond(ack); err != nil {
			b.Error(err)
		}
		for range repliesIn(msg) {
			<-room
		}
	}); err != nil {
		b.Fatal(err)
	}
	msg := benchExecution(b, enc)
	b.ReportAllocs()
	for n := int64(1); b.Loop(); n++ {
		room <- struct{}{}
		msg.Reply = space.Reply(0, "hello", "01J0000000000000000000000P", schema.ExecName(n, "0123456789abcdef"))
		if err := nc.PublishMsg(msg); err != nil {
			b.Fatal(err)
		}
	}
	for range inFlight { // all of them are answered when there is room for as many
		room <- struct{}{}
	}
}

// repliesIn counts the replies of a message.
func repliesIn(msg *nats.Msg) int {
	first, joined := schema.Unjoined(msg.Subject)
	if !joined {
		return 1
	}
	_, count := schema.Space{}.ParseJoined(first, msg.Data)
	return count
}

// benchExecution is an execution with the headers that it has.
func benchExecution(b *testing.B, enc wire.Encoding) *nats.Msg {
	b.Helper()
	now := time.Now().UTC()
	text := now.Format(time.RFC3339Nano)
	x := schema.Execution{
		PlanID: "01J0000000000000000000000P", Station: "hello", Command: "greet",
		Messages:   []wire.Value{wire.Text(enc, "a message of some length"), wire.Text(enc, "and a second one")},
		Occurrence: 17, Attempt: 1, Exec: "17-0123456789abcdef",
		Key: "hello/01J0000000000000000000000P/3/17", PlanTime: now, Deadline: now.Add(time.Minute), Epoch: now.UnixMilli(),
	}
	body, err := wire.Marshal(enc, x)
	if err != nil {
		b.Fatal(err)
	}
	return &nats.Msg{Subject: "station.hello", Data: body, Header: nats.Header{
		schema.HeaderContentType: {enc.ContentType()},
		schema.HeaderCommand:     {schema.CommandProxy},
		schema.HeaderID:          {x.PlanID},
		schema.HeaderStation:     {x.Station},
		schema.HeaderExec:        {x.Exec},
		schema.HeaderOccurrence:  {"17"},
		schema.HeaderAttempt:     {"1"},
		schema.HeaderTime:        {text},
		schema.HeaderKey:         {x.Key},
		schema.HeaderDeadline:    {text},
		schema.HeaderStartBy:     {now.Add(time.Hour).Format(time.RFC3339Nano)},
		schema.HeaderEpoch:       {strconv.FormatInt(x.Epoch, 10)},
	}}
}
