package machine

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
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
	f.Add([]byte(`{"incarnation":1,"open":[{"executions":[{"n":2,"ballot":{"voters":2,"votes":[{"worker_id":"w","state":"ok","content":[1.5,{}],"error":null}]}}]}]}`))
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

// unexported are the types that a record is made of.
var unexported = cmp.AllowUnexported(state{}, marks{}, halted{}, occurrence{}, execution{}, ballot{}, tries{}, crew{}, member{})

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
			if diff := cmp.Diff(p.state, st, unexported, sameValue); diff != "" {
				t.Fatalf("%s: %s", enc, diff)
			}
		}
	})
}

// sameValue compares values by what they say, in whichever encoding.
var sameValue = cmp.Comparer(func(a, b wire.Value) bool { return a.String() == b.String() })

// anyBallot makes what a vote may have come to, mostly none.
func anyBallot(t *rapid.T) *ballot {
	if rapid.Bool().Draw(t, "one voice") {
		return nil
	}
	v := &ballot{voters: rapid.Int64Range(0, schema.MaxVoters).Draw(t, "voters"), quorum: rapid.Int64Range(0, schema.MaxVoters).Draw(t, "quorum")}
	said := rapid.Custom(func(t *rapid.T) wire.Value {
		value, err := wire.ValueOf(wire.MsgPack, rapid.OneOf(
			rapid.Just[any]("\x01 and a text"), rapid.Just[any](strings.Repeat("x", 300)),
			rapid.Just[any]([]any{0.5, 1.5, -1, map[string]any{"a": true}}),
		).Draw(t, "said"))
		if err != nil {
			t.Fatal(err)
		}
		return value
	})
	for range rapid.IntRange(0, 5).Draw(t, "votes") {
		w := schema.Vote{
			WorkerID: rapid.SampledFrom([]string{"", "w", strings.Repeat("w", schema.MaxName)}).Draw(t, "voter"),
			State:    rapid.SampledFrom([]schema.State{schema.StateOK, schema.StateError, schema.StateFailure}).Draw(t, "vote"),
			Content:  own(said.Draw(t, "content")), Error: own(said.Draw(t, "error")),
		}
		v.add(w, weight(&w))
	}
	return v
}

// TestFrozenState reads the records of every release, and writes them the same. A new
// member gets a record beside the older ones, which stay.
func TestFrozenState(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 3, 1, 12, minute, 0, 500_000_000, time.UTC) }
	first := state{
		incarnation: 1001, revision: 2, accepted: unit.MomentOf(at(0)), base: 3, prev: calendar.Due{K: 9, At: at(4)},
		n: 12, attempt: 2, realRepet: 5, skipNum: 3, execTime: unit.MomentOf(at(5)), last: lastStateOf(schema.StateError),
		halt: planError, halted: &halted{reason: schema.ReasonWorker}, closing: true, trace: traceOf("00-trace-01"),
		open: []*occurrence{{
			k: 9, due: unit.MomentOf(at(4)), at: unit.MomentOf(at(6)), attempt: 2, tries: tries{errors: 1}, ended: []int64{11},
			live: []*execution{{
				n: 12, attempt: 2, state: schema.StateRunning, sent: unit.MomentOf(at(5)), startBy: unit.MomentOf(at(6)),
				deadline: unit.MomentOf(at(7)), worker: "w1", pub: true,
			}},
		}},
	}
	managed := state{
		incarnation: 1001, revision: 1, accepted: unit.MomentOf(at(0)), n: 1, halt: paused, halted: &halted{since: unit.MomentOf(at(2))},
		skip: &calendar.Due{K: 4, At: at(9)},
		open: []*occurrence{{trigger: 1, due: unit.MomentOf(at(3)), at: unit.MomentOf(at(3))}},
	}
	skipping := state{incarnation: 1001, skip: &calendar.Due{K: skipAll}}
	waiting := state{incarnation: 1001, prev: calendar.Due{K: 2, At: at(2)}, marks: &marks{failed: 3, yielded: true, queued: calendar.Due{K: 5, At: at(5)}}}
	late := state{incarnation: 1001, open: []*occurrence{{k: 3, due: unit.MomentOf(at(3)), at: unit.MomentOf(at(3)), caughtUp: true}}}
	claimed := state{incarnation: 1001, n: 5, open: []*occurrence{
		{
			k: 1, due: unit.MomentOf(at(1)), at: unit.MomentOf(at(1)), attempt: 2, tries: tries{lost: 1}, ended: []int64{-1},
			live: []*execution{{
				n: 2, attempt: 2, state: schema.StateRunning, sent: unit.MomentOf(at(2)), worker: "w1", claimed: true,
			}},
		},
		{
			k: 2, due: unit.MomentOf(at(2)), at: unit.MomentOf(at(2)), attempt: 2, ended: []int64{-3, -4},
			live: []*execution{{
				n: 5, attempt: 2, state: schema.StateRunning, sent: unit.MomentOf(at(4)), worker: "w2", claimed: true, tries: tries{errors: 1},
			}},
			crew: &crew{
				done:  []member{{n: 3, attempt: 1, state: schema.StateOK, worker: "w1"}},
				again: []member{{n: 4, attempt: 1, state: schema.StateTimeout, worker: "w3", at: unit.MomentOf(at(5)), tries: tries{errors: 1, lost: 2}}},
			},
		},
	}}
	failed := state{incarnation: 1001, n: 1, halt: pending, halted: &halted{reason: schema.ReasonRetries}, open: []*occurrence{{
		k: 1, due: unit.MomentOf(at(1)), attempt: 1, tries: tries{errors: 1}, ended: []int64{1},
		lastError: &schema.LastError{Info: "no such codec", Cut: true, ExecTime: at(2), EndTime: at(3)},
	}}}
	waits := state{incarnation: 1001, n: 4, open: []*occurrence{
		{k: 1, due: unit.MomentOf(at(1)), at: unit.MomentOf(at(5)), wait: 90e6, attempt: 1, tries: tries{errors: 1}, ended: []int64{1}},
		{
			k: 2, due: unit.MomentOf(at(2)), at: unit.MomentOf(at(2)), attempt: 2, ended: []int64{-3},
			live: []*execution{{
				n: 2, attempt: 1, state: schema.StateWaiting, sent: unit.MomentOf(at(2)), deadline: unit.MomentOf(at(9)), worker: "w1", claimed: true,
			}},
			crew: &crew{again: []member{{n: 3, attempt: 1, state: schema.StateError, worker: "w2", at: unit.MomentOf(at(6)), wait: 60e6, tries: tries{errors: 1}}}},
		},
	}}
	for file, want := range map[string]state{"state_waits": waits, "state_failed": failed, "state_claimed": claimed, "state_late": late, "state": first, "state_managed": managed, "state_skipping": skipping, "state_waiting": waiting} {
		path := filepath.Join("testdata", "wire", file+".msgpack")
		frozen, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := &plan{state: want}
		if diff := cmp.Diff(frozen, p.appendState(new(wire.Writer), nil)); diff != "" {
			t.Errorf("%s is written otherwise:\n%s", path, diff)
		}
		got, err := parseState(frozen)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if diff := cmp.Diff(want, got, unexported); diff != "" {
			t.Errorf("%s is read otherwise:\n%s", path, diff)
		}
	}
}

// anyPlan makes a plan whose record is as large as it likes.
func anyPlan(t *rapid.T) *plan {
	number := rapid.Int64Range(1, 1<<62)
	at := rapid.Custom(func(t *rapid.T) unit.Moment { return unit.Moment(rapid.Int64Range(0, 250e15).Draw(t, "µs")) })
	worker := rapid.SampledFrom([]string{"", "w", strings.Repeat("w", schema.MaxName)})
	p := &plan{name: schema.PlanName{Station: strings.Repeat("s", schema.MaxName), PlanID: strings.Repeat("p", schema.MaxName)}}
	p.state = state{
		incarnation: uint64(number.Draw(t, "incarnation")), revision: uint64(number.Draw(t, "revision")),
		accepted: at.Draw(t, "accepted"), base: number.Draw(t, "base"),
		n: number.Draw(t, "n"), realRepet: number.Draw(t, "real"), skipNum: number.Draw(t, "skips"),
		execTime: at.Draw(t, "exec_time"), attempt: rapid.Int32Range(0, 1<<30).Draw(t, "attempt"),
		last: lastStateOf(schema.StateCancelled), halt: planError,
		closing: true, kept: true, halted: &halted{schema.ReasonUnknownState, at.Draw(t, "paused_at")}, trace: traceOf(strings.Repeat("t", rapid.IntRange(0, 128).Draw(t, "trace"))),
	}
	p.prev.K, p.prev.At = number.Draw(t, "k"), time.Unix(rapid.Int64Range(0, 250e9).Draw(t, "at"), 999999999).UTC()
	switch rapid.IntRange(0, 2).Draw(t, "skips") {
	case 1:
		p.skip = &calendar.Due{K: skipAll}
	case 2:
		p.skip = &calendar.Due{K: number.Draw(t, "skip"), At: p.prev.At}
	}
	k := marks{yielded: rapid.Bool().Draw(t, "yielded")}
	if rapid.Bool().Draw(t, "marked") {
		k.failed, k.queued = number.Draw(t, "failed"), calendar.Due{K: number.Draw(t, "queued"), At: p.prev.At}
	}
	p.mark(k)
	for range rapid.IntRange(0, 4).Draw(t, "open") {
		o := &occurrence{
			k: number.Draw(t, "k"), trigger: number.Draw(t, "trigger"), due: at.Draw(t, "due"), at: at.Draw(t, "at"), wait: at.Draw(t, "wait"),
			attempt: number.Draw(t, "attempt"), tries: anyTries(t), caughtUp: rapid.Bool().Draw(t, "caught up"),
		}
		for range rapid.IntRange(0, maxEnded+2).Draw(t, "ended") {
			o.remember(number.Draw(t, "n"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "live") {
			o.live = append(o.live, &execution{
				n: number.Draw(t, "n"), attempt: number.Draw(t, "attempt"), state: schema.StateDispatched,
				sent: at.Draw(t, "sent"), startBy: at.Draw(t, "start_by"), deadline: at.Draw(t, "deadline"),
				worker: worker.Draw(t, "worker"), pub: true, ballot: anyBallot(t), claimed: true, tries: anyTries(t),
			})
		}
		o.crew = anyCrew(t)
		if rapid.Bool().Draw(t, "failed before") {
			o.lastError = &schema.LastError{
				Info: strings.Repeat("e", rapid.IntRange(0, schema.MaxErrorInfo).Draw(t, "info")), Cut: true,
				ExecTime: at.Draw(t, "exec_time").Time(), EndTime: at.Draw(t, "end_time").Time(),
			}
		}
		p.open = append(p.open, o)
	}
	return p
}

func anyTries(t *rapid.T) tries {
	number := rapid.Int64Range(0, 1<<53)
	return tries{errors: number.Draw(t, "errors"), lost: number.Draw(t, "lost")}
}

// anyCrew makes what the workers of an occurrence may have come to, often none.
func anyCrew(t *rapid.T) *crew {
	if rapid.Bool().Draw(t, "one worker") {
		return nil
	}
	number := rapid.Int64Range(1, 1<<53)
	one := rapid.Custom(func(t *rapid.T) member {
		return member{
			n: number.Draw(t, "n"), attempt: number.Draw(t, "attempt"), state: schema.StateTimeout,
			worker: rapid.SampledFrom([]string{"w", strings.Repeat("w", schema.MaxName)}).Draw(t, "worker"),
			at:     unit.Moment(rapid.Int64Range(1, 250e15).Draw(t, "at")), wait: unit.Moment(rapid.Int64Range(0, 250e15).Draw(t, "wait")), tries: anyTries(t),
		}
	})
	c := &crew{before: number.Draw(t, "before")}
	for range rapid.IntRange(0, 3).Draw(t, "done") {
		c.done = append(c.done, one.Draw(t, "member"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "again") {
		c.again = append(c.again, one.Draw(t, "member"))
	}
	return c
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

// Somebody may copy rows: what runs under a name is what was put under it.
func TestTheDefinitionOfAnotherPlanIsNotRun(t *testing.T) {
	const definition = `{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`
	for _, tt := range []struct {
		key, value string
		ok         bool
	}{
		{"plan.s.p", definition, true},
		{"plan.s.made-up", `{"station":"s","command":"c","plan_type":"none"}`, true},
		{"plan.s.other", definition, false},
		{"plan.other.p", definition, false},
	} {
		m := New(Config{})
		err := m.ReplayBucket(tt.key, []byte(tt.value))
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.key, err)
		}
		if err := m.ReplayBucket("state"+strings.TrimPrefix(tt.key, "plan"), []byte(`{"incarnation":1}`)); err != nil {
			t.Errorf("the state of %s: %v", tt.key, err)
		}
		m.Lead(time.Now(), 1, time.Time{})
		if ok := len(m.plans) == 1 && len(m.broken) == 0; ok != tt.ok {
			t.Errorf("%s: %d plans, broken: %v", tt.key, len(m.plans), m.broken)
		}
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
