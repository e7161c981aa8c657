package machine

import (
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// An append begins the executions that no row before it has, be that in the table or in an
// append that is not replayed yet; and an execution that a leader sends because it is proven
// unsent is the same execution, in the same attempt.
func TestAppendBeginsNewExecutions(t *testing.T) {
	x := newBench(t)
	rows := func() (rows []event.Row) {
		if err := event.Rows(slices.Clone(x.b.Seal()), func(r event.Row) error { rows = append(rows, r); return nil }); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	stateOf := func(rows []event.Row) event.Row {
		i := slices.IndexFunc(rows, func(r event.Row) bool { return r.Kind == event.RowState })
		if i < 0 {
			t.Fatal("no state was appended")
		}
		return rows[i]
	}
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none","retry":{"strategy":"none"}}`)
	begins := rows()
	first := stateOf(begins)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	p := x.m.part.Plans[name]
	want := []event.Unsent{{Name: name, Incarnation: p.Incarnation, N: 1}}
	nonce := x.m.part.Nonce(p, 1)
	x.step(event.Ask{From: "user", What: command.PausePlan{Name: name}})
	again := stateOf(rows())

	next := New(config)
	if got := next.Begun(nil, first); !slices.Equal(got, want) {
		t.Errorf("the first row begins %v", got)
	}
	if got := next.Begun(first.Value, again); len(got) != 0 {
		t.Errorf("the second row begins %v", got)
	}
	if got := next.Begun(nil, again); !slices.Equal(got, want) {
		t.Errorf("the second row alone begins %v", got)
	}
	x.follow(begins)
	if got := x.m.Begun(nil, again); len(got) != 0 {
		t.Errorf("what the table has is begun: %v", got)
	}
	for _, r := range []event.Row{{Kind: event.RowState, Name: name, Value: []byte("junk")}, {Kind: event.RowResult, Name: name, Value: first.Value}} {
		if got := x.m.Begun(nil, r); len(got) != 0 {
			t.Errorf("%+v begins %v", r, got)
		}
	}

	x.now = x.now.Add(time.Hour)
	x.m.Lead(x.now, 2, time.Time{})
	sent := 0
	for range 2 { // the second time it is sent already
		for _, e := range x.step(want[0]) {
			d, ok := e.(event.Dispatch)
			if !ok {
				continue
			}
			sent++
			if out := d.Execution; out.N != 1 || out.Attempt != 1 || out.Nonce != nonce || !out.Sent.Equal(x.now) || !out.Deadline.After(x.now) {
				t.Errorf("sent as %+v", out)
			}
		}
	}
	for _, ev := range []event.Unsent{{}, {Name: name, Incarnation: want[0].Incarnation, N: 2}, {Name: name, Incarnation: 1, N: 1}} {
		if effects := x.step(ev); len(effects) > 0 {
			t.Errorf("%+v leads to %v", ev, effects)
		}
	}
	if sent != 1 {
		t.Errorf("sent %d times", sent)
	}
}

// An execution that the leader before has not sent is not sent as it was when its station has
// another kind by now, because all workers of a vote station would get it, and the first would
// settle it.
func TestUnsentExecutionOfAnotherKindIsNotSent(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`)
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
	x.step(event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: "s", Kind: schema.KindVote}}})
	x.m.Lead(x.now.Add(time.Second), 2, time.Time{})
	if effects := x.step(event.Unsent{Name: p.Name, Incarnation: p.Incarnation, N: 1}); len(effects) > 0 {
		t.Errorf("it leads to %v", effects)
	}
	x.step(event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: "s"}}})
	if effects := x.step(event.Unsent{Name: p.Name, Incarnation: p.Incarnation, N: 1}); len(effects) == 0 {
		t.Error("it is not sent at the kind that it was made for")
	}
}
