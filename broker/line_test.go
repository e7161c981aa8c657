package broker_test

import (
	"errors"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/stationmaster-io/stationmaster/broker"
)

// An acknowledgement without a sequence is invalid, because its reader would count on an
// append that may not exist.
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
