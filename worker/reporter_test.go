package worker

import (
	"log/slog"
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
