package worker

import (
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A result that finds too many before it waits, and keeps its handler's slot.
func TestUnackedResultsAreBounded(t *testing.T) {
	for name, bound := range map[string]func(*reporter){
		"in number": func(r *reporter) { r.most = 3 },
		"in bytes":  func(r *reporter) { r.mostBytes = 30 },
	} {
		t.Run(name, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				nc := brokertest.Connect(t, ns)
				r := newReporter(nc, slog.New(slog.DiscardHandler), time.Hour)
				bound(r)
				if err := r.start(); err != nil {
					t.Fatal(err)
				}
				defer r.stop()
				sent, err := nc.SubscribeSync("plan.reply.>")
				if err != nil {
					t.Fatal(err)
				}
				returned := 0
				done := make(chan struct{})
				go func() {
					defer close(done)
					for range 10 {
						r.final(&nats.Msg{Subject: "plan.reply.0.hello.*P1.1-0123456789abcdef", Data: make([]byte, 10)}, wire.JSON, false)
						returned++
					}
				}()
				for acked := range 7 {
					synctest.Wait()
					if returned != 3+acked {
						t.Fatalf("%d went with %d acknowledged", returned, acked)
					}
					msg, err := sent.NextMsg(time.Second)
					if err != nil {
						t.Fatal(err)
					}
					if err := msg.Respond([]byte(`{"ack":true,"accepted":true}`)); err != nil {
						t.Fatal(err)
					}
				}
				<-done
			})
		})
	}
}

// A result that waits for others when a worker stops, or ends after that, is sent all the same.
func TestAStopSendsGatheredResults(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		r := newReporter(nc, slog.New(slog.DiscardHandler), time.Hour)
		if err := r.start(); err != nil {
			t.Fatal(err)
		}
		sent, err := nc.SubscribeSync("plan.reply.>")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the first goes at once
			r.final(&nats.Msg{Subject: "plan.reply.0.hello.*P1.1-0123456789abcdef", Data: []byte("{}")}, wire.JSON, true)
		}
		r.stop()
		for range 2 {
			r.final(&nats.Msg{Subject: "plan.reply.0.hello.*P2.1-0123456789abcdef", Data: []byte("{}")}, wire.JSON, true)
		}
		for n := range 4 {
			if _, err := sent.NextMsg(time.Second); err != nil {
				t.Fatalf("after %d of 4: %v", n, err)
			}
		}
	})
}

// A result is not sent twice at once after it has waited for room, because its age counts from
// the first sending.
func TestAResultThatWaitedForRoomIsSentOnce(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		nc := brokertest.Connect(t, ns)
		r := newReporter(nc, slog.New(slog.DiscardHandler), time.Hour)
		r.most = 1
		if err := r.start(); err != nil {
			t.Fatal(err)
		}
		defer r.stop()
		sent, err := nc.SubscribeSync("plan.reply.>")
		if err != nil {
			t.Fatal(err)
		}
		final := func(id string) {
			r.final(&nats.Msg{Subject: "plan.reply.0.hello.*" + id + ".1-0123456789abcdef", Data: []byte("{}")}, wire.JSON, false)
		}
		final("P1")
		done := make(chan struct{})
		go func() {
			defer close(done)
			final("P2")
		}()
		first, err := sent.NextMsg(time.Second)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second) // of fake time: P1 is repeated, P2 waits
		if err := first.Respond([]byte(`{"ack":true,"accepted":true}`)); err != nil {
			t.Fatal(err)
		}
		<-done
		time.Sleep(repeatFirst / 2)
		seen := 0
		for {
			msg, err := sent.NextMsg(time.Millisecond)
			if err != nil {
				break
			}
			if strings.Contains(msg.Subject, "*P2.") {
				seen++
			}
		}
		if seen != 1 {
			t.Errorf("it was sent %d times", seen)
		}
	})
}

func TestTokens(t *testing.T) {
	for _, seq := range []uint64{1, 35, 36, 1 << 63} {
		for _, kind := range []byte("pfj") {
			gotKind, got, ok := parseToken(token(kind, seq))
			if !ok || gotKind != kind || got != seq {
				t.Errorf("%c%d: %c%d %v", kind, seq, gotKind, got, ok)
			}
		}
	}
	for _, s := range []string{"", "f", "1", "x1", "f-1", "f1.2", "fzzzzzzzzzzzzzz"} {
		if _, _, ok := parseToken(s); ok {
			t.Errorf("%q is a token", s)
		}
	}
}
