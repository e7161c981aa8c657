package machine

import (
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Histories that the simulation has found, repeated in few steps.

// A new leader receives the captured replies one by one. One of them must not end another
// execution of the plan, whose own reply is the next to come.
func TestCapturedRepliesComeBeforeAnyDeadline(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":2,"overlap":"parallel"}`)
	x.now = x.now.Add(2 * time.Second)
	x.looks()
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
	if len(p.Open) != 2 {
		t.Fatalf("%d occurrences are open", len(p.Open))
	}
	x.now = x.now.Add(time.Hour) // there was no leader
	for n := range int64(2) {
		for _, e := range x.step(event.ReplyReceived{
			About:    about(x.m, p, n+1),
			Reply:    schema.Reply{State: schema.StateOK},
			Captured: true,
		}) {
			if notice, ok := e.(event.Notify); ok {
				t.Errorf("the ok of execution %d leads to: %s", n+1, notice.Notice.Kind)
			}
		}
	}
	if x.looks(); p.RealRepet != 2 || !p.Removed {
		t.Errorf("both were done, and the plan stands at %d", p.RealRepet)
	}
}

// When the leader that read a plan's last reply in the capture dies before it has looked at the
// plan, its successor closes the plan.
func TestAPlanThatIsDoneIsLookedAt(t *testing.T) {
	x := newBench(t)
	var rows []event.Row
	keep := func() {
		if err := event.Rows(append([]byte(nil), x.b.Seal()...), func(r event.Row) error { rows = append(rows, r); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`)
	keep()
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
	x.step(event.ReplyReceived{
		About:    about(x.m, p, 1),
		Reply:    schema.Reply{State: schema.StateOK},
		Captured: true,
	})
	keep()
	x.follow(rows)
	x.m.Lead(x.now, 2, time.Time{})
	if x.looks(); len(x.m.part.Plans) != 0 {
		t.Error("it is done, and it is still there")
	}
}

// The dispatch of an older plan's execution that is confirmed after the id is used again does
// not count for the younger plan.
func TestSentIsAboutOnePlan(t *testing.T) {
	const plan = `{"plan_id":"p","station":"news","command":"c","plan_type":"none"}`
	x := newBench(t)
	station := &schema.Station{Station: "news", Kind: schema.KindPub}
	x.step(event.Ask{From: "user", What: command.PutStation{Station: station}})
	name := schema.PlanName{Station: "news", PlanID: "p"}
	x.create(plan)
	older := x.m.part.Plans[name]
	x.looks()
	x.step(event.Ask{From: "user", What: command.RemovePlan{Name: name}})
	x.create(plan)
	x.looks()
	if effects := x.step(event.Dispatched{Name: name, Incarnation: older.Incarnation, N: 1}); len(effects) > 0 {
		t.Errorf("the older plan's execution 1 is out, and of the younger one becomes %+v", effects)
	}
	if x.step(event.Dispatched{Name: name, Incarnation: x.m.part.Plans[name].Incarnation, N: 1}); x.m.part.Plans[name] != nil {
		t.Error("its own is out, and it is still there")
	}
}

// When a leader reads in the capture that a delivery was done, and dies before it has looked
// at the plan, the items that are left are counted, and its successor delivers them.
func TestItemsLeftByACapturedOkAreDelivered(t *testing.T) {
	x := newBench(t)
	var rows []event.Row
	keep := func() {
		if err := event.Rows(append([]byte(nil), x.b.Seal()...), func(r event.Row) error { rows = append(rows, r); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	name := schema.PlanName{Station: "s", PlanID: "p"}
	push := command.PushItem{Name: name, Definition: parse(x, `{"plan_id":"p","station":"s","command":"c","batch":1}`), Item: wire.Text(wire.JSON, "one"), PlanTime: x.now.Add(time.Second)}
	for range 2 {
		x.step(event.Ask{From: "user", What: push})
		keep()
	}
	x.now = x.now.Add(time.Second)
	x.step(event.Tick{})
	keep()
	p := x.m.part.Plans[name]
	x.step(event.ReplyReceived{
		About:    about(x.m, p, 1),
		Reply:    schema.Reply{State: schema.StateOK},
		Captured: true,
	})
	if left := view.Inbox(p); left.Length != 1 || left.Bytes != int64(len(`"one"`)) {
		t.Errorf("of two items one is left, and is shown as %d of %d bytes", left.Length, left.Bytes)
	}
	keep()
	x.follow(rows)
	x.m.Lead(x.now, 2, time.Time{})
	if x.looks(); !x.m.part.Plans[name].Executing() {
		t.Error("one item is left, and no claim gets it")
	}
}

// Work was claimed while pings stood in for its end; then its station expects none, and its
// leader dies. Its successor ends it as it would end work that is claimed now.
func TestClaimedWorkEndsThoughItsStationHasNoLimitsAnyMore(t *testing.T) {
	for _, began := range []string{`"start_timeout":5`, `"start_timeout":0`} {
		x := newBench(t)
		put := func(more string) []event.Effect {
			v, err := wire.Scan([]byte(`{"station":"s","kind":"pull",`+more+`}`), wire.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			s, err := schema.ParseStation(v)
			if err != nil {
				t.Fatal(err)
			}
			return x.step(event.Ask{From: "user", What: command.PutStation{Station: s}})
		}
		var rows []event.Row
		keep := func() {
			if err := event.Rows(append([]byte(nil), x.b.Seal()...), func(r event.Row) error { rows = append(rows, r); return nil }); err != nil {
				t.Fatal(err)
			}
		}
		put(`"ping_timeout_ms":5000,` + began)
		keep()
		x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`)
		keep()
		x.step(event.Ask{From: "w", What: command.ClaimWork{WorkerID: "w", Stations: []string{"s"}, Limit: 1}})
		keep()
		put(`"start_timeout":0`)
		keep()
		x.follow(rows)
		x.m.Lead(x.now, 2, time.Time{})
		x.now = x.now.Add(24 * time.Hour)
		x.looks()
		if p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]; p.Executing() {
			t.Errorf("claimed with %s, it is under way a day later", began)
		}
	}
}

// One of several workers is to be tried again, and the clock was set back behind the due time:
// when the station becomes one that dispatches, the next is dispatched, and no look is repeated
// until it is due.
func TestRetryIsDispatchedThoughTheClockWasSetBack(t *testing.T) {
	x := newBench(t)
	put := func(kind schema.Kind) {
		x.step(event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: "s", Kind: kind}}})
	}
	put(schema.KindPull)
	x.create(`{"plan_id":"p","station":"s","command":"c","worker_count":2}`)
	for _, w := range []string{"w1", "w2"} {
		x.step(event.Ask{From: w, What: command.ClaimWork{WorkerID: w, Stations: []string{"s"}, Limit: 1}})
	}
	x.now = x.now.Add(-time.Minute)
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
	for n, state := range map[int64]schema.State{1: schema.StateOK, 2: schema.StateError} {
		x.step(event.ReplyReceived{
			About: about(x.m, p, n),
			Reply: schema.Reply{State: state},
		})
	}
	x.now = x.now.Add(10 * time.Second)
	put(schema.KindAPI)
	if x.looks(); !p.Executing() {
		t.Error("it is not dispatched")
	}
}

// A claim with a filter comes to its end and waits, although its station has no capacity and a
// first offer that is larger than one look at it may read.
func TestAClaimOfAFullStationWaits(t *testing.T) {
	x := newBench(t)
	one := int64(1)
	station := &schema.Station{Station: "s", Kind: schema.KindPull, Policy: schema.Policy{MaxConcurrency: &one}}
	x.step(event.Ask{From: "user", What: command.PutStation{Station: station}})
	for _, id := range []string{"a", "b"} {
		x.create(`{"plan_id":"` + id + `","station":"s","command":"c","messages":["` + strings.Repeat("m", 200<<10) + `"]}`)
	}
	claim := command.ClaimWork{WorkerID: "w", Stations: []string{"s"}, Limit: 1, Wait: time.Minute}
	x.step(event.Ask{From: "w", What: claim})
	if x.looks(); x.m.part.Stations["s"].UnderWay != 1 {
		t.Fatal("nothing was claimed")
	}
	claim.Caller = "somebody"
	x.step(event.Ask{From: "w", What: claim})
	x.looks()
}

// A plan that was just being published in its backup, and wants doubtful occurrences skipped,
// skips that one at once after a restore, and is published neither then nor by the next leader.
func TestOccurrenceInDoubtAfterABackupIsNotPublished(t *testing.T) {
	x := newBench(t)
	station := event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: "s", Kind: schema.KindPub}}}
	const plan = `{"plan_id":"p","station":"s","command":"c","plan_type":"none","on_unknown":"skip"}`
	x.step(station)
	x.create(plan)
	x.looks()
	copied := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}].BackupRecord()

	x = newBenchAt(t, x.now.Add(time.Hour))
	var rows []event.Row
	keep := func() {
		if err := event.Rows(append([]byte(nil), x.b.Seal()...), func(r event.Row) error { rows = append(rows, r); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	x.step(station)
	keep()
	if a := x.restore(parse(x, plan), copied); a.Err != nil || a.Body.(schema.Created).State != schema.StatusClosed {
		t.Fatalf("it is restored as %+v (%v), and was to be skipped", a.Body, a.Err)
	}
	keep()
	x.follow(rows)
	x.m.Lead(x.now, 2, time.Time{})
	for _, e := range x.step(event.Tick{}) {
		if d, again := e.(event.Dispatch); again {
			t.Errorf("execution %d is published", d.Execution.N)
		}
	}
	if len(x.m.part.Plans) != 0 {
		t.Error("its outcome is unknown, and it is still there")
	}
}

// A request finds a plan in the wanted state already, so that nothing has to be done. The batch
// has a row all the same, because a leader that was deposed while the plan was removed finds
// that out by it, and does not answer.
func TestUnchangedPlanIsAnsweredBehindAnAppend(t *testing.T) {
	const plan = `{"plan_id":"p","station":"s","command":"c","plan_type":"minute","plan_value":1,"plan_repet":-1`
	name := schema.PlanName{Station: "s", PlanID: "p"}
	for what, c := range map[string]struct {
		paused string
		of     func(x *bench) command.Command
	}{
		"keep": {"false", func(x *bench) command.Command {
			return command.CreatePlan{Definition: parse(x, plan+`,"on_conflict":"keep"}`)}
		}},
		"update": {"false", func(x *bench) command.Command {
			d := parse(x, plan+`,"paused":false}`)
			d.Plan.OnConflict = schema.ConflictUpdate
			return command.CreatePlan{Definition: d}
		}},
		"restore": {"false", func(x *bench) command.Command {
			d := parse(x, plan+`,"on_conflict":"keep"}`)
			return command.RestorePlan{Definition: d, Record: x.m.part.Plans[name].BackupRecord()}
		}},
		"pause":  {"true", func(*bench) command.Command { return command.PausePlan{Name: name} }},
		"resume": {"false", func(*bench) command.Command { return command.ResumePlan{Name: name} }},
	} {
		x := newBench(t)
		x.create(plan + `,"paused":` + c.paused + `}`)
		effects := x.step(event.Ask{From: "user", What: c.of(x)})
		if a, ok := x.last(effects).(event.Answer); !ok || a.Err != nil || len(effects) != 1 {
			t.Fatalf("%s leads to %+v", what, effects)
		}
		rows := 0
		if err := event.Rows(x.b.Seal(), func(r event.Row) error {
			if rows++; r.Kind != event.RowState || r.Name != name {
				t.Errorf("%s leads to a row %q of %s", what, r.Kind, r.Name)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if rows != 1 {
			t.Errorf("%s is answered behind %d rows", what, rows)
		}
	}
}
