package machine

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// FuzzReplay has a machine take over a row of each kind with any number and value, the definition
// or the result that goes with it as second, and lead the outcome. A row that makes no sense is an
// error; a row that does can be written, and means the same when it is read; and none takes memory
// that it did not bring.
func FuzzReplay(f *testing.F) {
	frozen := func(path ...string) []byte {
		body, err := os.ReadFile(filepath.Join(path...))
		if err != nil {
			f.Fatal(err)
		}
		return body
	}
	const plan = `{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":7,"plan_repet":100}`
	for _, name := range []string{"station.json", "station.msgpack", "plan.json", "plan.msgpack"} {
		body := frozen("..", "..", "schema", "testdata", "wire", "v1", name)
		f.Add(byte(event.RowStation), int64(0), body, []byte(nil))
		f.Add(byte(event.RowDefinition), int64(0), body, []byte(`{"incarnation":1}`))
	}
	for _, name := range []string{"state.msgpack", "state_claimed.msgpack", "state_votes.v1.msgpack"} {
		f.Add(byte(event.RowState), int64(0), frozen("testdata", "wire", name), []byte(plan))
	}
	for _, name := range []string{"inbox.v1.msgpack", "item_result.json.v1.msgpack", "item_result.msgpack.v1.msgpack"} {
		var result []byte
		if err := event.Rows(frozen("testdata", "wire", name), func(r event.Row) error {
			f.Add(byte(r.Kind), r.N, bytes.Clone(r.Value), result)
			if r.Kind == event.RowResult {
				result = bytes.Clone(r.Value)
			}
			return nil
		}); err != nil {
			f.Fatal(err)
		}
	}
	for _, n := range []int64{0, -1, 7, state.MaxSpread, -state.MaxSpread, math.MaxInt64, math.MinInt64} {
		f.Add(byte(event.RowItem), n, []byte("j\x00\x00\x00\x00\x00\x00\x00\x07{}"), []byte(nil))
	}
	f.Add(byte(event.RowItem), int64(1), []byte("M\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00\x01"), []byte("\x80"))
	f.Fuzz(func(t *testing.T, kind byte, n int64, value, second []byte) {
		name := schema.PlanName{Station: "s", PlanID: "p"}
		m := New(config)
		row := func(kind event.RowKind, n int64, value []byte) error {
			return m.Replay(1, event.Row{Kind: kind, Name: name, N: n, Value: value})
		}
		err := row(event.RowKind(kind), n, value)
		switch event.RowKind(kind) {
		case event.RowItem:
			replayedItem(t, m, row, n, value, second)
		case event.RowStation:
			if err == nil {
				replayedStation(t, m)
			}
		case event.RowDefinition:
			_ = row(event.RowState, 0, second)
		case event.RowState:
			_ = row(event.RowDefinition, 0, second)
		}
		m.Lead(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), 1, time.Time{})
	})
}

// replayedItem checks an item, alone and behind another one.
func replayedItem(t *testing.T, m *Machine, row func(event.RowKind, int64, []byte) error, n int64, value, result []byte) {
	t.Helper()
	item, err := event.ParseItem(value, result)
	if err == nil && !event.IsResult(value) {
		b := batch.New(capacity)
		p := &state.Plan{Name: schema.PlanName{Station: "s", PlanID: "p"}, Record: state.Record{Incarnation: item.Incarnation}}
		b.AppendItem(p, n, item.Enc, item.Value)
		if err := event.Rows(b.Seal(), func(r event.Row) error {
			if !bytes.Equal(r.Value, value) || r.N != n {
				t.Fatalf("%q is read, and written as %q", value, r.Value)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	const next = "j\x00\x00\x00\x00\x00\x00\x00\x07{}"
	for _, n := range []int64{7, 8, 9} {
		if err := row(event.RowItem, n, []byte(next)); err != nil {
			t.Fatal(err)
		}
	}
	if p := m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]; len(p.Inbox.Sizes.List) > state.MaxSpread {
		t.Fatalf("an item of number %d has %d places kept", n, len(p.Inbox.Sizes.List))
	}
}

// replayedStation checks that the station which m has is the same when it is stored and
// read once more.
func replayedStation(t *testing.T, m *Machine) {
	t.Helper()
	s := m.part.Stations["s"]
	if s == nil || s.Record == nil {
		return
	}
	value, err := wire.Marshal(wire.MsgPack, s.Record)
	if err != nil {
		t.Fatalf("%+v is read, and cannot be written: %v", s.Record, err)
	}
	again := New(config)
	if err := again.Replay(1, event.Row{Kind: event.RowStation, Name: schema.PlanName{Station: "s"}, Value: value}); err != nil {
		t.Fatal(err)
	}
	same := cmp.Comparer(func(a, b wire.Value) bool { return bytes.Equal(a.Raw(), b.Raw()) })
	if diff := cmp.Diff(s.Record, again.part.Stations["s"].Record, same, cmpopts.EquateEmpty()); diff != "" || s.Revision != again.part.Stations["s"].Revision {
		t.Fatalf("it is stored as %q, which is another:\n%s", value, diff)
	}
}
