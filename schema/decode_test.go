package schema

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The reader by hand and the one by reflection must agree.
func TestExecutionReadFrom(t *testing.T) {
	const body = `{"plan_id":"p","station":"s.t","command":"c","request_id":"r","caller":"me","description":"d",
		"tenant_id":"t","category":"k","labels":{"a":"b"},"ext":{"x":[1]},"messages":["m",{"n":2}],"items":[3],
		"occurrence":4,"attempt":5,"exec":"6-0123456789abcdef","key":"s.t/p/1/4","epoch":7,"priority":8,
		"plan_time":"2026-03-01T12:00:00.5Z","deadline":"2026-03-01T12:01:00Z","later":true}`
	json, err := wire.Scan([]byte(body), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
		v := json.In(enc)
		var got, want Execution
		if err := wire.DecodeLoose(v, &want); err != nil {
			t.Fatal(err)
		}
		got.ReadFrom(v)
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b wire.Value) bool { return a.String() == b.String() })); diff != "" {
			t.Errorf("%s: by reflection (-), by hand (+):\n%s", enc, diff)
		}
	}
}

func TestAckReadFrom(t *testing.T) {
	for _, want := range []Ack{{}, {Ack: true, Accepted: true}, {Ack: true, Cancel: true, PingIntervalMS: 250}} {
		for _, enc := range []wire.Encoding{wire.JSON, wire.MsgPack} {
			w := wire.NewWriter(enc, nil)
			want.AppendTo(w)
			v, err := wire.Scan(w.Bytes(), wire.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var got Ack
			got.ReadFrom(v)
			if got != want {
				t.Errorf("%s: %+v was read as %+v", enc, want, got)
			}
		}
	}
}

func BenchmarkExecutionReadFrom(b *testing.B) {
	v, err := wire.Scan([]byte(`{"plan_id":"01J00000000000000000000000","station":"hello","command":"greet","messages":["x"],"occurrence":4,"attempt":1,"exec":"6-0123456789abcdef","key":"hello/01J00000000000000000000000/1795266935063001/4","plan_time":"2026-03-01T12:00:00.5Z","deadline":"2026-03-01T12:01:00.5Z","epoch":1795266935063,"priority":5}`), wire.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("hand", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var x Execution
			x.ReadFrom(v)
		}
	})
	b.Run("reflection", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var x Execution
			if err := wire.DecodeLoose(v, &x); err != nil {
				b.Fatal(err)
			}
		}
	})
}
