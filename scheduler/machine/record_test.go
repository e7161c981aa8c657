package machine

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// FuzzRows feeds the reader of appends with anything: it takes what the writer can
// have made and nothing else.
func FuzzRows(f *testing.F) {
	b := NewBatch(capacity)
	b.appendRow(RowDefinition, schema.PlanName{Station: "s", PlanID: "p"}, 0, []byte("{}"))
	b.appendRow(RowResult, schema.PlanName{Station: "s", PlanID: "p"}, 7, nil)
	f.Add(b.Seal())
	f.Add([]byte{})
	f.Add([]byte{msgArray5, msgStr8, 1, 'd', msgStr8, 255})
	f.Fuzz(func(t *testing.T, body []byte) {
		again := NewBatch(capacity)
		err := Rows(body, func(r Row) error {
			again.appendRow(r.Kind, r.Name, r.N, r.Value)
			return nil
		})
		if err == nil && !bytes.Equal(again.Seal(), body) {
			t.Fatalf("%x was read, and written as %x", body, again.Seal())
		}
	})
}

// FuzzState feeds the reader of records with anything. What it reads, it reads again
// from what is written of it.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"incarnation":1}`))
	f.Add([]byte(`{"incarnation":1,"halt":"pending","open":[{"occurrence":1,"ended":[1],"executions":[{"n":2,"sent":"2026-03-01T12:00:00Z"}]}]}`))
	f.Add([]byte{0x81, 0xab, 'i', 'n', 'c', 'a', 'r', 'n', 'a', 't', 'i', 'o', 'n', 1})
	f.Fuzz(func(t *testing.T, value []byte) {
		st, err := parseState(value)
		if err != nil {
			return
		}
		p := &plan{state: st}
		first := p.appendState(new(wire.Writer), nil)
		again, err := parseState(first)
		if err != nil {
			t.Fatalf("%s was read, and cannot be read again: %v", wire.Trust(wire.MsgPack, first), err)
		}
		p = &plan{state: again}
		if second := p.appendState(new(wire.Writer), nil); !bytes.Equal(first, second) {
			t.Fatalf("read %s, then %s", wire.Trust(wire.MsgPack, first), wire.Trust(wire.MsgPack, second))
		}
	})
}

// TestState writes records in both encodings and reads them again, and holds their
// size to what batches reserve for them.
func TestState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlan(t)
		row := append(rowHeader(nil, RowState, p.name, 0, 0), p.appendState(new(wire.Writer), nil)...)
		if len(row) > p.stateBound() {
			t.Fatalf("a row of %d bytes, %d were reserved", len(row), p.stateBound())
		}
		for _, enc := range []wire.Encoding{wire.MsgPack, wire.JSON} {
			w := wire.NewWriter(enc, nil)
			p.writeState(w)
			st, err := parseState(w.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(p.state, st, cmp.AllowUnexported(state{}, occurrence{}, execution{})); diff != "" {
				t.Fatalf("%s: %s", enc, diff)
			}
		}
	})
}

// anyPlan makes a plan whose record is as large as it likes.
func anyPlan(t *rapid.T) *plan {
	number := rapid.Int64Range(1, 1<<62)
	at := rapid.Custom(func(t *rapid.T) moment { return moment(rapid.Int64Range(0, 250e15).Draw(t, "µs")) })
	worker := rapid.SampledFrom([]string{"", "w", strings.Repeat("w", schema.MaxName)})
	p := &plan{name: schema.PlanName{Station: strings.Repeat("s", schema.MaxName), PlanID: strings.Repeat("p", schema.MaxName)}}
	p.state = state{
		incarnation: uint64(number.Draw(t, "incarnation")), revision: uint64(number.Draw(t, "revision")),
		accepted: at.Draw(t, "accepted"), base: number.Draw(t, "base"),
		n: number.Draw(t, "n"), realRepet: number.Draw(t, "real"), skipNum: number.Draw(t, "skips"),
		execTime: at.Draw(t, "exec_time"), attempt: rapid.Int32Range(0, 1<<30).Draw(t, "attempt"),
		lastState: schema.StateCancelled, halt: planError, reason: schema.ReasonUnknownState,
		closing: true, trace: strings.Repeat("t", rapid.IntRange(0, 128).Draw(t, "trace")),
	}
	p.prev.K, p.prev.At = number.Draw(t, "k"), time.Unix(rapid.Int64Range(0, 250e9).Draw(t, "at"), 999999999).UTC()
	for range rapid.IntRange(0, 4).Draw(t, "open") {
		o := &occurrence{
			k: number.Draw(t, "k"), due: at.Draw(t, "due"), at: at.Draw(t, "at"),
			attempt: number.Draw(t, "attempt"), errors: number.Draw(t, "errors"),
		}
		for range rapid.IntRange(0, maxEnded+2).Draw(t, "ended") {
			o.remember(number.Draw(t, "n"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "live") {
			o.live = append(o.live, &execution{
				n: number.Draw(t, "n"), attempt: number.Draw(t, "attempt"), state: schema.StateDispatched,
				sent: at.Draw(t, "sent"), startBy: at.Draw(t, "start_by"), deadline: at.Draw(t, "deadline"),
				worker: worker.Draw(t, "worker"), pub: true,
			})
		}
		p.open = append(p.open, o)
	}
	return p
}

// TestBadRows checks that a plan of which not all can be read is left alone: it is
// not run, not overwritten, and its id is not given away.
func TestBadRows(t *testing.T) {
	const record = `{"incarnation":1,"revision":1,"open":[{"occurrence":1,"executions":[{"n":1,"attempt":1,"state":"dispatched","start_by":"2026-03-01T12:00:30Z"}]}]}`
	const definition = `{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`
	for name, rows := range map[string]map[string]string{
		"definition lost":       {"state.s.p": record},
		"state lost":            {"plan.s.p": definition},
		"definition unreadable": {"state.s.p": record, "plan.s.p": "{"},
		"state unreadable":      {"state.s.p": `{"open":3}`, "plan.s.p": definition},
		"schedule unreadable":   {"state.s.p": record, "plan.s.p": `{"plan_id":"p","station":"s","plan_type":"cron","cron":"no"}`},
	} {
		t.Run(name, func(t *testing.T) {
			m := New(Config{})
			for key, value := range rows {
				_ = m.ReplayBucket(key, []byte(value)) // some of them are errors, which is for the log
			}
			now := time.Date(2026, 3, 1, 13, 0, 0, 0, time.UTC)
			m.Lead(now, 1, now.Add(-time.Hour*24))
			b := NewBatch(capacity)
			b.Reset(1)
			m.Step(now, Tick{}, b)
			m.Step(now, Flush{Max: 100, Force: true}, b)
			m.Step(now, Ask{From: "user", What: schema.CreatePlan{Definition: parse(t, definition)}}, b)
			if body := b.Seal(); len(body) > 0 {
				t.Errorf("it was written: %q", body)
			}
			if w := b.Effects[0].(Write); len(w.Rows) > 0 {
				t.Errorf("it was written to the bucket: %v", w.Rows)
			}
			if a := b.Effects[1].(Answer); a.Err == nil {
				t.Errorf("its id was given away: %v", a.Body)
			}
		})
	}
}

// TestForgivenRows checks that rows which do not go together for a while, since the
// bucket is ahead of the journal, make a plan in the end.
func TestForgivenRows(t *testing.T) {
	m := New(Config{})
	name := schema.PlanName{Station: "s", PlanID: "p"}
	rows := []Row{
		{Kind: RowState, Name: name, Value: []byte(`{}`)},
		{Kind: RowDefinition, Name: name, Value: []byte(`{`)},
		{Kind: RowDefinition, Name: name, Value: []byte(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`)},
		{Kind: RowState, Name: name, Value: []byte(`{"incarnation":1}`)},
	}
	for i, r := range rows {
		if err := m.Replay(uint64(i+1), r); (err != nil) != (i < 2) {
			t.Errorf("row %d: %v", i+1, err)
		}
	}
	m.Lead(time.Now(), 1, time.Time{})
	if len(m.broken) > 0 || m.plans[name] == nil {
		t.Errorf("broken: %v", m.broken)
	}
}

func parse(t testing.TB, plan string) *schema.Definition {
	t.Helper()
	v, err := wire.Scan([]byte(plan), wire.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := schema.ParsePlan(v, schema.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
