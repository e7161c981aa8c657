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

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// FuzzRows feeds the reader of appends with arbitrary bytes, of which it accepts those that the
// writer can have made and no others.
func FuzzRows(f *testing.F) {
	b := batch.New(capacity)
	b.AppendRow(event.RowDefinition, schema.PlanName{Station: "s", PlanID: "p"}, 0, []byte("{}"))
	b.AppendRow(event.RowResult, schema.PlanName{Station: "s", PlanID: "p"}, 7, nil)
	f.Add(b.Seal())
	f.Add([]byte{})
	f.Add([]byte{event.MsgArray5, event.MsgStr8, 1, 'd', event.MsgStr8, 255})
	f.Fuzz(func(t *testing.T, body []byte) {
		again := batch.New(capacity)
		err := event.Rows(body, func(r event.Row) error {
			again.AppendRow(r.Kind, r.Name, r.N, r.Value)
			return nil
		})
		if err == nil && !bytes.Equal(again.Seal(), body) {
			t.Fatalf("%x was read, and written as %x", body, again.Seal())
		}
	})
}

// FuzzState feeds the reader of records with arbitrary bytes. A record that it reads is the same
// after it was written and read again.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"incarnation":1}`))
	f.Add([]byte(`{"incarnation":1,"halt":"pending","open":[{"occurrence":1,"ended":[1],"executions":[{"n":2,"sent":"2026-03-01T12:00:00Z"}]}]}`))
	f.Add([]byte(`{"incarnation":1,"open":[{"executions":[{"n":2,"ballot":{"voters":2,"votes":[{"worker_id":"w","state":"ok","content":[1.5,{}],"error":null}]}}]}]}`))
	f.Add([]byte{0x81, 0xab, 'i', 'n', 'c', 'a', 'r', 'n', 'a', 't', 'i', 'o', 'n', 1})
	f.Fuzz(func(t *testing.T, value []byte) {
		st, err := state.ParseState(value)
		if err != nil {
			return
		}
		p := &state.Plan{Record: st}
		first := p.AppendState(new(wire.Writer), nil)
		again, err := state.ParseState(first)
		if err != nil {
			t.Fatalf("%s was read, and cannot be read again: %v", wire.Trust(wire.MsgPack, first), err)
		}
		p = &state.Plan{Record: again}
		if second := p.AppendState(new(wire.Writer), nil); !bytes.Equal(first, second) {
			t.Fatalf("read %s, then %s", wire.Trust(wire.MsgPack, first), wire.Trust(wire.MsgPack, second))
		}
	})
}

// unexported are the types that a record is made of.
var unexported = cmp.AllowUnexported(state.Record{}, state.Marks{}, state.Suspension{}, state.Occurrence{}, state.Execution{}, state.Ballot{}, state.Tries{}, state.Slots{}, state.Several{}, state.Slot{})

// TestState writes records in both encodings and reads them again.
func TestState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyPlan(t)
		for _, enc := range []wire.Encoding{wire.MsgPack, wire.JSON} {
			w := wire.NewWriter(enc, nil)
			p.WriteState(w)
			st, err := state.ParseState(w.Bytes())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(p.Record, st, unexported, sameValue); diff != "" {
				t.Fatalf("%s: %s", enc, diff)
			}
		}
	})
}

// sameValue compares values by content, in either encoding.
var sameValue = cmp.Comparer(func(a, b wire.Value) bool { return a.String() == b.String() })

// anyBallot makes any ballot of a vote, mostly none.
func anyBallot(t *rapid.T) *state.Ballot {
	if rapid.Bool().Draw(t, "one voice") {
		return nil
	}
	v := &state.Ballot{Voters: rapid.Int64Range(0, schema.MaxVoters).Draw(t, "voters"), Quorum: rapid.Int64Range(0, schema.MaxVoters).Draw(t, "quorum")}
	content := rapid.Custom(func(t *rapid.T) wire.Value {
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
			Content:  state.Own(content.Draw(t, "content")), Error: state.Own(content.Draw(t, "error")),
		}
		v.Add(w, state.Weight(&w))
	}
	return v
}

// TestFrozenState reads the records of every release, and writes them the same. A new
// member gets a record beside the older ones, which stay.
func TestFrozenState(t *testing.T) {
	at := func(minute int) time.Time { return time.Date(2026, 3, 1, 12, minute, 0, 500_000_000, time.UTC) }
	first := state.Record{
		Incarnation: 1001, Revision: 2, Accepted: unit.MomentOf(at(0)), Base: 3, Prev: calendar.Due{K: 9, At: at(4)},
		N: 12, Attempt: 2, RealRepet: 5, SkipNum: 3, ExecTime: unit.MomentOf(at(5)), Last: state.LastStateOf(schema.StateError),
		Suspension: &state.Suspension{Status: schema.StatusPlanError, Reason: schema.ReasonWorker}, Closing: true, Trace: state.TraceOf("00-trace-01"),
		Open: []*state.Occurrence{{
			K: 9, Due: unit.MomentOf(at(4)), At: unit.MomentOf(at(6)), Attempt: 2, Slots: state.Slots{Tries: state.Tries{Errors: 1}}, Ended: []int64{11},
			Live: []*state.Execution{{
				N: 12, Attempt: 2, State: schema.StateRunning, Sent: unit.MomentOf(at(5)), StartBy: unit.MomentOf(at(6)),
				Deadline: unit.MomentOf(at(7)), Worker: "w1", Pub: true,
			}},
		}},
	}
	managed := state.Record{
		Incarnation: 1001, Revision: 1, Accepted: unit.MomentOf(at(0)), N: 1, Suspension: &state.Suspension{Status: schema.StatusPaused, Requested: state.Requested{Since: unit.MomentOf(at(2))}},
		Skip: &state.Skipping{Due: calendar.Due{K: 4, At: at(9)}},
		Open: []*state.Occurrence{{Trigger: 1, Due: unit.MomentOf(at(3)), At: unit.MomentOf(at(3))}},
	}
	skipping := state.Record{Incarnation: 1001, Skip: &state.Skipping{Due: calendar.Due{K: state.SkipAll}}}
	waiting := state.Record{Incarnation: 1001, Prev: calendar.Due{K: 2, At: at(2)}, Marks: &state.Marks{Failed: 3, Yielded: true, Queued: calendar.Due{K: 5, At: at(5)}}}
	late := state.Record{Incarnation: 1001, Open: []*state.Occurrence{{K: 3, Due: unit.MomentOf(at(3)), At: unit.MomentOf(at(3)), CaughtUp: true}}}
	claimed := state.Record{Incarnation: 1001, N: 5, Open: []*state.Occurrence{
		{
			K: 1, Due: unit.MomentOf(at(1)), At: unit.MomentOf(at(1)), Attempt: 2, Slots: state.Slots{Tries: state.Tries{Lost: 1}}, Ended: []int64{-1},
			Live: []*state.Execution{{
				N: 2, Attempt: 2, State: schema.StateRunning, Sent: unit.MomentOf(at(2)), Worker: "w1", Claimed: true,
			}},
		},
		{
			K: 2, Due: unit.MomentOf(at(2)), At: unit.MomentOf(at(2)), Attempt: 2, Ended: []int64{-3, -4},
			Live: []*state.Execution{{
				N: 5, Attempt: 2, State: schema.StateRunning, Sent: unit.MomentOf(at(4)), Worker: "w2", Claimed: true, Tries: state.Tries{Errors: 1},
			}},
			Slots: state.Slots{Several: &state.Several{
				Done:  []state.Slot{{N: 3, Attempt: 1, State: schema.StateOK, Worker: "w1"}},
				Again: []state.Slot{{N: 4, Attempt: 1, State: schema.StateTimeout, Worker: "w3", At: unit.MomentOf(at(5)), Tries: state.Tries{Errors: 1, Lost: 2}}},
			}},
		},
	}}
	failed := state.Record{Incarnation: 1001, N: 1, Suspension: &state.Suspension{Status: schema.StatusPending, Reason: schema.ReasonRetries}, Open: []*state.Occurrence{{
		K: 1, Due: unit.MomentOf(at(1)), Attempt: 1, Slots: state.Slots{Tries: state.Tries{Errors: 1}}, Ended: []int64{1},
		LastError: &schema.LastError{Info: "no such codec", Cut: true, ExecTime: at(2), EndTime: at(3)},
	}}}
	waits := state.Record{Incarnation: 1001, N: 4, Open: []*state.Occurrence{
		{K: 1, Due: unit.MomentOf(at(1)), At: unit.MomentOf(at(5)), Wait: 90e6, Attempt: 1, Slots: state.Slots{Tries: state.Tries{Errors: 1}}, Ended: []int64{1}},
		{
			K: 2, Due: unit.MomentOf(at(2)), At: unit.MomentOf(at(2)), Attempt: 2, Ended: []int64{-3},
			Live: []*state.Execution{{
				N: 2, Attempt: 1, State: schema.StateWaiting, Sent: unit.MomentOf(at(2)), Deadline: unit.MomentOf(at(9)), Worker: "w1", Claimed: true,
			}},
			Slots: state.Slots{Several: &state.Several{Again: []state.Slot{{N: 3, Attempt: 1, State: schema.StateError, Worker: "w2", At: unit.MomentOf(at(6)), Wait: 60e6, Tries: state.Tries{Errors: 1}}}}},
		},
	}}
	ada := schema.Attribution{By: "ada@example", Note: "stock-taking"}
	asked := state.Record{
		Incarnation: 1001, Revision: 1, N: 1, Closing: true,
		Suspension: &state.Suspension{Status: schema.StatusPaused, Requested: state.Requested{Since: unit.MomentOf(at(2)), Attribution: ada}},
		Skip:       &state.Skipping{Due: calendar.Due{K: 4, At: at(9)}, Requested: state.Requested{Since: unit.MomentOf(at(1)), Attribution: ada}},
		Marks:      &state.Marks{Closed: &state.Requested{Since: unit.MomentOf(at(3)), Attribution: ada}},
	}
	causes := state.Record{
		Incarnation: 1001, N: 4, Marks: &state.Marks{Failed: 1, Ran: state.Ran{K: 1, N: 2, State: schema.StateFailure, Worker: "w1"}},
		Open: []*state.Occurrence{{
			Trigger: 3, Due: unit.MomentOf(at(1)), At: unit.MomentOf(at(1)), Attempt: 1, Asked: &ada,
			Live: []*state.Execution{{
				N: 3, Attempt: 1, State: schema.StateRunning, Sent: unit.MomentOf(at(2)),
				Late: &state.Spent{state.DelayWorker: 1, state.DelayTurn: 2_500_000, state.DelayAbsent: 3},
			}},
		}},
	}
	for file, want := range map[string]state.Record{"state_causes": causes, "state_asked": asked, "state_waits": waits, "state_failed": failed, "state_claimed": claimed, "state_late": late, "state": first, "state_managed": managed, "state_skipping": skipping, "state_waiting": waiting} {
		path := filepath.Join("testdata", "wire", file+".msgpack")
		frozen, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := &state.Plan{Record: want}
		if diff := cmp.Diff(frozen, p.AppendState(new(wire.Writer), nil)); diff != "" {
			t.Errorf("%s is written otherwise:\n%s", path, diff)
		}
		got, err := state.ParseState(frozen)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if diff := cmp.Diff(want, got, unexported); diff != "" {
			t.Errorf("%s is read otherwise:\n%s", path, diff)
		}
	}
}

// anyPlan makes a plan whose record is as large as it likes.
func anyPlan(t *rapid.T) *state.Plan {
	number := rapid.Int64Range(1, 1<<62)
	at := rapid.Custom(func(t *rapid.T) unit.Moment { return unit.Moment(rapid.Int64Range(0, 250e15).Draw(t, "µs")) })
	worker := rapid.SampledFrom([]string{"", "w", strings.Repeat("w", schema.MaxName)})
	p := &state.Plan{Name: schema.PlanName{Station: strings.Repeat("s", schema.MaxName), PlanID: strings.Repeat("p", schema.MaxName)}}
	p.Record = state.Record{
		Incarnation: uint64(number.Draw(t, "incarnation")), Revision: uint64(number.Draw(t, "revision")),
		Accepted: at.Draw(t, "accepted"), Base: number.Draw(t, "base"),
		N: number.Draw(t, "n"), RealRepet: number.Draw(t, "real"), SkipNum: number.Draw(t, "skips"),
		ExecTime: at.Draw(t, "exec_time"), Attempt: rapid.Int32Range(0, 1<<30).Draw(t, "attempt"),
		Last:    state.LastStateOf(schema.StateCancelled),
		Closing: true, Kept: true, Suspension: &state.Suspension{Status: schema.StatusPlanError, Reason: schema.ReasonUnknownState, Requested: state.Requested{Since: at.Draw(t, "paused_at")}}, Trace: state.TraceOf(strings.Repeat("t", rapid.IntRange(0, 128).Draw(t, "trace"))),
	}
	p.Prev.K, p.Prev.At = number.Draw(t, "k"), time.Unix(rapid.Int64Range(0, 250e9).Draw(t, "at"), 999999999).UTC()
	switch rapid.IntRange(0, 2).Draw(t, "skips") {
	case 1:
		p.Skip = &state.Skipping{Due: calendar.Due{K: state.SkipAll}}
	case 2:
		by := state.Requested{Since: at.Draw(t, "skip_since"), Attribution: schema.Attribution{By: "ada", Note: strings.Repeat("n", schema.MaxNote)}}
		p.Skip = &state.Skipping{Due: calendar.Due{K: number.Draw(t, "skip"), At: p.Prev.At}, Requested: by}
		if rapid.Bool().Draw(t, "paused") {
			p.Suspension = &state.Suspension{Status: schema.StatusPaused, Requested: by}
		}
	}
	k := state.Marks{Yielded: rapid.Bool().Draw(t, "yielded")}
	if rapid.Bool().Draw(t, "marked") {
		k.Closed = &state.Requested{Since: at.Draw(t, "closed"), Attribution: schema.Attribution{By: strings.Repeat("b", schema.MaxBy)}}
		k.Ran = state.Ran{K: number.Draw(t, "failed k"), N: number.Draw(t, "failed n"), State: schema.StateFailure, Worker: worker.Draw(t, "failed worker")}
		k.Failed, k.Queued = number.Draw(t, "failed"), calendar.Due{K: number.Draw(t, "queued"), At: p.Prev.At}
	}
	p.Mark(k)
	for range rapid.IntRange(0, 4).Draw(t, "open") {
		o := &state.Occurrence{
			K: number.Draw(t, "k"), Trigger: number.Draw(t, "trigger"), Due: at.Draw(t, "due"), At: at.Draw(t, "at"), Wait: at.Draw(t, "wait"),
			Attempt: number.Draw(t, "attempt"), Slots: state.Slots{Tries: anyTries(t)}, CaughtUp: rapid.Bool().Draw(t, "caught up"),
		}
		if rapid.Bool().Draw(t, "asked") {
			o.Asked = &schema.Attribution{By: strings.Repeat("b", schema.MaxBy), Note: "why"}
		}
		for range rapid.IntRange(0, state.MaxEnded+2).Draw(t, "ended") {
			o.Remember(number.Draw(t, "n"))
		}
		for range rapid.IntRange(0, 2).Draw(t, "live") {
			o.Live = append(o.Live, &state.Execution{
				N: number.Draw(t, "n"), Attempt: number.Draw(t, "attempt"), State: schema.StateDispatched,
				Sent: at.Draw(t, "sent"), StartBy: at.Draw(t, "start_by"), Deadline: at.Draw(t, "deadline"),
				Worker: worker.Draw(t, "worker"), Pub: true, Ballot: anyBallot(t), Claimed: true, Tries: anyTries(t), Late: &state.Spent{state.DelayRoom: at.Draw(t, "room")},
			})
		}
		o.Several = anySeveral(t)
		if rapid.Bool().Draw(t, "failed before") {
			o.LastError = &schema.LastError{
				Info: strings.Repeat("e", rapid.IntRange(0, schema.MaxErrorInfo).Draw(t, "info")), Cut: true,
				ExecTime: at.Draw(t, "exec_time").Time(), EndTime: at.Draw(t, "end_time").Time(),
			}
		}
		p.Open = append(p.Open, o)
	}
	return p
}

func anyTries(t *rapid.T) state.Tries {
	number := rapid.Int64Range(0, 1<<53)
	return state.Tries{Errors: number.Draw(t, "errors"), Lost: number.Draw(t, "lost")}
}

// anySeveral makes any slots of an occurrence, often none.
func anySeveral(t *rapid.T) *state.Several {
	if rapid.Bool().Draw(t, "one worker") {
		return nil
	}
	number := rapid.Int64Range(1, 1<<53)
	one := rapid.Custom(func(t *rapid.T) state.Slot {
		return state.Slot{
			N: number.Draw(t, "n"), Attempt: number.Draw(t, "attempt"), State: schema.StateTimeout,
			Worker: rapid.SampledFrom([]string{"w", strings.Repeat("w", schema.MaxName)}).Draw(t, "worker"),
			At:     unit.Moment(rapid.Int64Range(1, 250e15).Draw(t, "at")), Wait: unit.Moment(rapid.Int64Range(0, 250e15).Draw(t, "wait")), Tries: anyTries(t),
		}
	})
	c := &state.Several{Before: number.Draw(t, "before")}
	for range rapid.IntRange(0, 3).Draw(t, "done") {
		c.Done = append(c.Done, one.Draw(t, "member"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "again") {
		c.Again = append(c.Again, one.Draw(t, "member"))
	}
	return c
}

// TestBadRows checks that a plan with an unreadable part is not run and not overwritten, and that
// its id stays taken.
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
			m := New(partition.Config{})
			for key, value := range rows {
				_ = m.ReplayBucket(key, []byte(value)) // some of them are errors, which is for the log
			}
			now := time.Date(2026, 3, 1, 13, 0, 0, 0, time.UTC)
			m.Lead(now, 1, now.Add(-time.Hour*24))
			b := batch.New(capacity)
			b.Reset(1)
			m.Step(now, event.Tick{}, b)
			m.Step(now, event.Flush{Max: 100, Force: true}, b)
			m.Step(now, event.Ask{From: "user", What: command.CreatePlan{Definition: parse(t, definition)}}, b)
			if body := b.Seal(); len(body) > 0 {
				t.Errorf("it was written: %q", body)
			}
			if w := b.Effects[0].(event.Write); len(w.Rows) > 0 {
				t.Errorf("it was written to the bucket: %v", w.Rows)
			}
			if a := b.Effects[1].(event.Answer); a.Err == nil {
				t.Errorf("its id was given to another plan: %v", a.Body)
			}
		})
	}
}

// Only the definition that was put under a name runs there, because a row may be copied
// under another name.
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
		m := New(partition.Config{})
		err := m.ReplayBucket(tt.key, []byte(tt.value))
		if (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.key, err)
		}
		if err := m.ReplayBucket("state"+strings.TrimPrefix(tt.key, "plan"), []byte(`{"incarnation":1}`)); err != nil {
			t.Errorf("the state of %s: %v", tt.key, err)
		}
		m.Lead(time.Now(), 1, time.Time{})
		if ok := len(m.part.Plans) == 1 && len(m.part.Broken) == 0; ok != tt.ok {
			t.Errorf("%s: %d plans, broken: %v", tt.key, len(m.part.Plans), m.part.Broken)
		}
	}
}

// TestForgivenRows checks that rows which do not go together for a while, since the
// bucket is ahead of the journal, make a plan in the end.
func TestForgivenRows(t *testing.T) {
	m := New(partition.Config{})
	name := schema.PlanName{Station: "s", PlanID: "p"}
	rows := []event.Row{
		{Kind: event.RowState, Name: name, Value: []byte(`{}`)},
		{Kind: event.RowDefinition, Name: name, Value: []byte(`{`)},
		{Kind: event.RowDefinition, Name: name, Value: []byte(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`)},
		{Kind: event.RowState, Name: name, Value: []byte(`{"incarnation":1}`)},
	}
	for i, r := range rows {
		if err := m.Replay(uint64(i+1), r); (err != nil) != (i < 2) {
			t.Errorf("row %d: %v", i+1, err)
		}
	}
	m.Lead(time.Now(), 1, time.Time{})
	if len(m.part.Broken) > 0 || m.part.Plans[name] == nil {
		t.Errorf("broken: %v", m.part.Broken)
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
