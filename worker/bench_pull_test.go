package worker_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
	"github.com/stationmaster-io/stationmaster/worker"
)

// BenchmarkPull is the cost of a claimed execution, beside BenchmarkNoOp. It has server, claims
// and their answers, the worker, reply and acknowledgement, all in this process.
func BenchmarkPull(b *testing.B) {
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		b.Run(enc.String(), func(b *testing.B) { benchmarkPull(b, enc) })
	}
}

func benchmarkPull(b *testing.B, enc wire.Encoding) {
	ns := brokertest.Server(b)
	nc := brokertest.Connect(b, ns)
	ack, err := wire.Marshal(enc, taken)
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	acked, handed := 0, 0
	subscribe(b, nc, schema.Space{}.AllReplies(), func(msg *nats.Msg) {
		if err := msg.Respond(ack); err != nil {
			b.Error(err)
		}
		before := acked
		if acked += repliesIn(msg); before < b.N && acked >= b.N {
			close(done)
		}
	})
	x, err := wire.Scan(benchExecution(b, enc).Data, wire.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	subscribe(b, nc, schema.Space{}.Claim("hello"), func(msg *nats.Msg) {
		claim, _ := wire.Scan(msg.Data, wire.Limits{})
		limit, _ := claim.Field("limit").Int()
		n := min(int(limit), b.N-handed)
		if n == 0 {
			return
		}
		if err := nc.Publish(msg.Reply, benchAnswer(x, handed, n)); err != nil {
			b.Error(err)
		}
		handed += n
	})
	w, err := worker.New(brokertest.Connect(b, ns), worker.Options{
		Encoding: enc, Concurrency: 100, Prefetch: 100, Logger: slog.New(slog.DiscardHandler),
		RunningAfter: time.Hour, // a heartbeat would count as a result
	})
	if err != nil {
		b.Fatal(err)
	}
	w.Station("hello", worker.Pull(worker.Filter{})).Handle("*", func(context.Context, *worker.Execution) (any, error) { return nil, nil })
	b.ReportAllocs()
	b.ResetTimer()
	if err := w.Start(); err != nil {
		b.Fatal(err)
	}
	<-done
	b.StopTimer()
	if err := w.Stop(); err != nil {
		b.Error(err)
	}
}

func subscribe(b *testing.B, nc *nats.Conn, subject string, f nats.MsgHandler) {
	b.Helper()
	if _, err := nc.Subscribe(subject, f); err != nil {
		b.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		b.Fatal(err)
	}
}

// benchAnswer is the answer to a claim with so many copies of x, numbered behind n.
func benchAnswer(x wire.Value, n, count int) []byte {
	w := wire.NewWriter(x.Encoding(), nil)
	w.BeginMap()
	w.Key("executions")
	w.BeginList()
	for range count {
		n++
		w.BeginMap()
		for name, v := range x.Map() {
			w.KeyText(name)
			w.Value(v)
		}
		w.Key("reply")
		w.Text(schema.Space{}.Reply(0, "hello", "01J0000000000000000000000P", schema.ExecName(int64(n), "0123456789abcdef")))
		w.EndMap()
	}
	w.EndList()
	w.EndMap()
	return w.Bytes()
}
