package machine

import (
	"slices"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// expected returns the expected dispatch time of the execution that the effects dispatch; ok:
// there is one.
func expected(effects []event.Effect) (at time.Time, ok bool) {
	for _, e := range effects {
		if d, is := e.(event.Dispatch); is {
			return d.Execution.Expected, true
		}
	}
	return time.Time{}, false
}

// A look that comes late makes an execution late, by as much.
func TestExpectedIsWhenItWasDue(t *testing.T) {
	x := newBench(t)
	due := x.now.Add(10 * time.Second)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"time","plan_time":"` + due.Format(time.RFC3339Nano) + `"}`)
	x.now = due.Add(3 * time.Second)
	if at, ok := expected(x.step(event.Tick{})); !ok || !at.Equal(due) {
		t.Errorf("dispatched: %v, expected at %v, not %v", ok, at, due)
	}
}

// A plan that is created long after its time does not make the scheduler late.
func TestPlanAcceptedLateIsExpectedThen(t *testing.T) {
	x := newBench(t)
	effects := x.make(`{"plan_id":"p","station":"s","command":"c","plan_type":"time","plan_time":"2020-01-01T00:00:00Z","no_keep":true}`)
	if at, ok := expected(effects); !ok || !at.Equal(x.now) {
		t.Errorf("dispatched: %v, expected at %v, not %v", ok, at, x.now)
	}
}

// An occurrence in the first millisecond of a leader was not missed, because plans are
// accepted at whole milliseconds, and a leader begins between two.
func TestOccurrenceDueAsALeaderBeginsWasNotMissed(t *testing.T) {
	x := newBench(t)
	x.now = x.now.Truncate(time.Millisecond).Add(300 * time.Microsecond)
	x.m.Lead(x.now, 2, time.Time{})
	x.now = x.now.Add(100 * time.Microsecond)
	effects := x.make(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`)
	if at, ok := expected(effects); !ok || !at.Equal(x.now.Truncate(time.Millisecond)) {
		t.Errorf("dispatched: %v, expected at %v, not %v", ok, at, x.now)
	}
}

// An occurrence that waits for an earlier one, or is retried, has no expected time.
func TestQueuedOccurrenceIsNotLate(t *testing.T) {
	for _, policy := range []string{`"overlap":"queue"`, `"overlap":"allow","max_concurrency":1,"concurrency":"queue"`} {
		x := newBench(t)
		x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1,` + policy + `}`)
		x.now = x.m.Wake()
		first := x.all(event.Tick{})
		if at, ok := expected(first); !ok || !at.Equal(x.now) {
			t.Fatalf("%s: the first one: %v, %v", policy, at, ok)
		}
		x.now = x.now.Add(2500 * time.Millisecond) // the next two fall due behind it
		x.looks()
		effects := x.all(event.ReplyReceived{About: sentIn(first), Reply: schema.Reply{State: schema.StateOK}})
		if at, ok := expected(effects); !ok || !at.IsZero() {
			t.Fatalf("%s: the one that waited: %v, %v", policy, at, ok)
		}
	}
	x := newBench(t)
	first := x.make(`{"plan_id":"p","station":"s","command":"c","plan_type":"none","retry":{"jitter":0}}`)
	x.step(event.ReplyReceived{About: sentIn(first), Reply: schema.Reply{State: schema.StateError}})
	x.now = x.m.Wake()
	if at, ok := expected(x.step(event.Tick{})); !ok || !at.IsZero() {
		t.Errorf("the retry: %v, %v", at, ok)
	}
}

// make creates a plan that is due at once, and returns all effects.
func (x *bench) make(plan string) []event.Effect {
	return x.all(event.Ask{From: "user", What: command.CreatePlan{Definition: parse(x, plan)}})
}

// all steps an event, and the looks that are due then.
func (x *bench) all(ev event.Event) []event.Effect {
	effects := slices.Clone(x.step(ev))
	for wake := x.m.Wake(); !wake.IsZero() && !wake.After(x.now); wake = x.m.Wake() {
		effects = append(effects, x.step(event.Tick{})...)
	}
	return effects
}

// sentIn is the name of the execution that the effects dispatch, as replies have it.
func sentIn(effects []event.Effect) schema.ReplyName {
	for _, e := range effects {
		if d, is := e.(event.Dispatch); is {
			return aboutOf(d.Execution)
		}
	}
	return schema.ReplyName{}
}

// about is the reply name of execution n of p.
func about(m *Machine, p *state.Plan, n int64) schema.ReplyName {
	nonce := m.part.Nonce(p, n)
	return schema.ReplyName{Station: p.Name.Station, PlanID: p.Name.PlanID, N: n, Nonce: string(nonce.AppendHex(nil))}
}

// about is the reply name of o.
func aboutOf(o *event.Outgoing) schema.ReplyName {
	return schema.ReplyName{Station: o.Name.Station, PlanID: o.Name.PlanID, N: o.N, Nonce: string(o.Nonce.AppendHex(nil))}
}

// A result has the duration of its execution, and the number of its occurrences.
func TestResultHasItsDurationAndCount(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1}`)
	x.now = x.m.Wake()
	first := x.all(event.Tick{})
	x.now = x.now.Add(2500 * time.Millisecond)
	var ok, skipped event.Publish
	for _, e := range x.all(event.ReplyReceived{About: sentIn(first), Reply: schema.Reply{State: schema.StateOK}}) {
		if p, is := e.(event.Publish); is && p.State == schema.StateOK {
			ok = p
		} else if is {
			skipped = p
		}
	}
	if ok.Took != 2500*time.Millisecond || ok.Reason != "" {
		t.Errorf("ok: %v %q", ok.Took, ok.Reason)
	}
	if skipped.State != schema.StateSkipped || skipped.Reason != schema.ReasonPast || skipped.Count != 2 || skipped.Took != 0 {
		t.Errorf("skipped: %+v", skipped)
	}
}
