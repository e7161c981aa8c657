package broker_test

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
)

// An acknowledgement that tells no sequence is none: who took it for one would count on
// an append that may not be there.
func TestAcknowledgements(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		seq        uint64
		refused    jetstream.ErrorCode
		fails      bool
	}{
		{"stored", `{"stream":"PLAN_JOURNAL", "seq":7}`, 7, 0, false},
		{"of a batch", `{"stream":"KV_plans", "seq":18446744073709551615, "batch":"a", "count":3}`, 1<<64 - 1, 0, false},
		{"refused", `{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 6"},"stream":"PLAN_JOURNAL","seq":0}`, 0, 10071, true},
		{"without a sequence", `{"stream":"PLAN_JOURNAL"}`, 0, 0, true},
		{"with a text for one", `{"stream":"PLAN_JOURNAL","seq":"7"}`, 0, 0, true},
		{"cut off", `{"stream":"PLAN_JOURNAL","se`, 0, 0, true},
		{"a list", `[7]`, 0, 0, true},
		{"empty", ``, 0, 0, true},
	} {
		seq, err := broker.ParseAck(&nats.Msg{Data: []byte(tt.body)})
		if seq != tt.seq || err != nil != tt.fails {
			t.Errorf("%s: %d, %v", tt.name, seq, err)
		}
		var refusal *jetstream.APIError
		if is := errors.As(err, &refusal); is != (tt.refused != 0) || is && refusal.ErrorCode != tt.refused {
			t.Errorf("%s: refused with %v", tt.name, err)
		}
	}
	if _, err := broker.ParseAck(&nats.Msg{Header: nats.Header{"Status": {"503"}}}); !errors.Is(err, nats.ErrNoResponders) {
		t.Errorf("no stream there: %v", err)
	}
}

// A server that has too much to do refuses a message before it has answered the ones before
// it. Nobody waits for these then.
func TestARefusalOvertakes(t *testing.T) {
	_, nc, s := newStore(t)
	if _, err := nc.Subscribe("busy.2", func(m *nats.Msg) {
		if err := m.Respond([]byte(`{"error":{"code":429,"err_code":10167,"description":"too many requests"}}`)); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := nc.Subscribe("busy.1", func(*nats.Msg) {}); err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	err := broker.PublishEach(deadline(t), s, []*nats.Msg{{Subject: "busy.1"}, {Subject: "busy.2"}})
	var refusal *jetstream.APIError
	if !errors.As(err, &refusal) || refusal.ErrorCode != 10167 {
		t.Errorf("got error %v, want the refusal", err)
	}
}
