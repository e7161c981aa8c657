package worker

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// FuzzReceived gives a worker any message on its subjects. The first byte chooses an execution on
// the subject of its station, an answer to a claim, an acknowledgement, or a cancellation. One of
// the texts is its subject, the other the value of its headers. An execution that is taken is of
// a station that the worker serves, and its reply goes to a subject of a scheduler.
func FuzzReceived(f *testing.F) {
	const reply = "plan.reply.0.hello.eu.*P1.4-0123456789abcdef"
	for _, name := range []string{"execution.json", "execution.msgpack"} {
		f.Add(byte('x'), reply, "2026-03-01T12:00:00Z", frozen(f, name))
		f.Add(byte('x'), reply, "7", frozen(f, name))
		f.Add(byte('x'), "", "", frozen(f, name))
	}
	claimed := `{"executions":[{"plan_id":"P1","station":"hello.eu","epoch":7,"reply":"` + reply + `","items":[1]},{"reply":"plan.reply.0.other.*P1.4-0123456789abcdef"},7]}`
	f.Add(byte('c'), "", "", []byte(claimed))
	f.Add(byte('c'), "", "", wire.Trust(wire.JSON, []byte(claimed)).In(wire.MsgPack).Raw())
	f.Add(byte('c'), "", "", frozen(f, "claim_page.json"))
	f.Add(byte('c'), "", "", []byte(`{"error":{"code":"not_found","message":"no"}}`))
	for _, token := range []string{"p1", "f1", "f2", "j1", "x", "fzzzzzzzzzzzzzz"} {
		f.Add(byte('a'), token, "", frozen(f, "ack.json"))
		f.Add(byte('a'), token, "", frozen(f, "joined_ack.msgpack"))
		f.Add(byte('a'), token, "", []byte(`{"ack":true,"of":[1]}`))
	}
	f.Add(byte('k'), "", "", frozen(f, "cancel.json"))
	f.Add(byte('k'), "", "", []byte(`{"plan_id":"P1","station":"hello","n":4.0}`))
	f.Fuzz(func(t *testing.T, kind byte, subject, header string, data []byte) {
		w := newReceiver(t)
		switch kind {
		case 'x':
			receiveExecution(t, w, subject, header, data)
		case 'c':
			receiveClaimed(t, w, data)
		case 'a':
			ackedWith(t, w.reporter, subject, data)
		case 'k':
			cancelledWith(t, w, data)
		}
	})
}

// frozen returns committed bytes of package schema.
func frozen(f *testing.F, name string) []byte {
	f.Helper()
	body, err := os.ReadFile(filepath.Join("..", "schema", "testdata", "wire", "v1", name))
	if err != nil {
		f.Fatal(err)
	}
	return body
}

// newReceiver is a worker that is not connected. One station is pushed to it and claimed
// by it, which no single handler asks for; another it serves as one of many.
func newReceiver(t *testing.T) *Worker {
	t.Helper()
	w, err := New(nil, Options{ID: "w1", Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	none := func(context.Context, *Execution) (any, error) { return nil, nil }
	w.Station("hello.eu", Pull(Filter{})).Handle("", none)
	w.Station("all.>", Fanout()).Handle("", none)
	return w
}

func receiveExecution(t *testing.T, w *Worker, reply, header string, data []byte) {
	t.Helper()
	name := schema.HeaderStartBy
	if _, err := strconv.ParseInt(header, 10, 64); err == nil {
		name = schema.HeaderEpoch
	}
	msg := &nats.Msg{Reply: reply, Data: data, Header: nats.Header{name: {header}}}
	served := w.routes.stations["all.>"]
	if reply != "" {
		served = nil
	}
	x, err := w.take(msg, served)
	if err != nil {
		return
	}
	if reply != "" {
		ours(t, w, x)
	}
	if x.open() != nil {
		return
	}
	if x.PlanID == "" || x.Station == "" || reply != "" && (x.PlanID != x.name.PlanID || x.Station != x.name.Station) {
		t.Fatalf("an execution of %s/%s came for %+v", x.Station, x.PlanID, x.name)
	}
	if err := x.Message(len(x.Messages), new(any)); err == nil {
		t.Fatal("there is a message behind the last one")
	}
}

// ours checks that x is answered where a scheduler listens, and is of a station that w
// serves.
func ours(t *testing.T, w *Worker, x *Execution) {
	t.Helper()
	subject := w.space.Reply(x.name.Partition, x.name.Station, x.name.PlanID, x.name.Exec())
	if subject != x.reply || x.N != x.name.N || w.routes.station(x.name.Station) == nil {
		t.Fatalf("%+v is answered on %q", x.name, x.reply)
	}
}

func receiveClaimed(t *testing.T, w *Worker, data []byte) {
	t.Helper()
	answer, err := readClaimed(&nats.Msg{Data: data})
	if err != nil {
		return
	}
	if answer.again < 0 || answer.again > claimAgainMost {
		t.Fatalf("%q has the next claim wait for %v", data, answer.again)
	}
	list := answer.executions
	if list.Kind() != wire.KindList {
		t.Fatalf("%q has %s of executions", data, list.Kind())
	}
	for _, v := range list.List() {
		x, err := w.readClaimed(v)
		if err != nil {
			if !errors.Is(err, errNotForUs) {
				t.Fatalf("%s is refused for %v", v, err)
			}
			continue
		}
		if ours(t, w, x); x.PlanID != x.name.PlanID || x.Station != x.name.Station {
			t.Fatalf("an execution of %s/%s came for %+v", x.Station, x.PlanID, x.name)
		}
		for name, values := range x.Headers() { // they are made of the fields
			if len(values) != 1 || values[0] == "" && name == schema.HeaderDeadline {
				t.Fatalf("%s is %q", name, values)
			}
		}
	}
}

// ackedWith gives a reporter an acknowledgement while a heartbeat and four results are on their
// way, the last two of them in one message.
func ackedWith(t *testing.T, r *reporter, token string, data []byte) {
	t.Helper()
	r.inbox = "_INBOX.a."
	x := &Execution{}
	x.ctx, x.cancel = context.WithCancelCause(context.Background())
	x.heartbeat.stopped.Store(true)
	r.pings[1] = x
	for seq := range uint64(4) {
		r.finals[seq] = &final{msg: &nats.Msg{Subject: "s", Data: []byte("12")}, seq: seq}
		r.bytes += 2
	}
	sent := &sentBatch{seq: 1, finals: []*final{r.finals[2], r.finals[3]}, left: 2}
	r.finals[2].with, r.finals[3].with, r.batches[1] = sent, sent, sent

	r.acked(&nats.Msg{Subject: r.inbox + token, Data: data})
	kind, seq, ok := parseToken(token)
	taken := map[byte]int{'f': 1, 'j': 2}[kind]
	if gone := 4 - len(r.finals); gone > 0 && (!ok || gone > taken || len(data) == 0) {
		t.Fatalf("%q to %q takes %d results", data, token, gone)
	}
	if r.bytes != 2*len(r.finals) || (len(r.batches) == 0) != (sent.left == 0) {
		t.Fatalf("%d bytes of %d results, and %d batches, are accounted for", r.bytes, len(r.finals), len(r.batches))
	}
	if ok && (token[0] != kind || kind != 'p' && x.ctx.Err() != nil) {
		t.Fatalf("%q is read as %c%d", token, kind, seq)
	}
}

func cancelledWith(t *testing.T, w *Worker, data []byte) {
	t.Helper()
	x := &Execution{N: 4, name: schema.ReplyName{Station: "hello.eu", PlanID: "P1", N: 4}}
	x.ctx, x.cancel = context.WithCancelCause(context.Background())
	w.table.add(x)
	w.cancelled(&nats.Msg{Data: data})
	if x.ctx.Err() != nil && !strings.Contains(string(data), "hello.eu") && !strings.Contains(string(data), `\u`) {
		t.Fatalf("%q cancels an execution of another station", data)
	}
}
