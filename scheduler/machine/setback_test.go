package machine

import (
	"fmt"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/presence"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/table"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// clockTo sets the clock of x, and lets the machine look until it wants to no more.
func (x *bench) clockTo(at time.Time) {
	x.Helper()
	x.now = at
	for range 10_000 {
		if wake := x.m.Wake(); (wake.IsZero() || wake.After(x.now)) && !x.m.WentBack(x.now) {
			return
		}
		x.step(event.Tick{})
	}
	x.Fatal("it looks for ever")
}

// All plans are set right, some at each Tick, and those that a batch has no room for with
// the next one.
func TestAClockThatWentBackSetsAllPlansRight(t *testing.T) {
	x := newBench(t)
	began := x.now
	const plans = 2*tickSlice + 10
	for i := range plans {
		x.create(fmt.Sprintf(`{"plan_id":"p%d","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1}`, i))
	}
	x.clockTo(began.Add(time.Hour))
	back := began.Add(5500 * time.Millisecond)
	x.now = back
	if !x.m.WentBack(x.now) || x.m.WentBack(x.now.Add(time.Hour-6*time.Second)) {
		t.Fatal("WentBack does not report that the clock went back, or reports it when it did not")
	}
	for n := 0; x.m.WentBack(x.now) || !x.m.Wake().After(x.now); n++ {
		x.b.Seal()
		const room = 4 << 10 // for a few
		small := batch.New(room)
		small.Reset(x.b.Number + 1)
		x.b = small
		if x.m.Step(x.now, event.Tick{}, x.b); n > 10_000 {
			t.Fatalf("it comes to no end: %d", n)
		}
		if size := x.b.Size(); size > room {
			t.Fatalf("%d bytes of a batch that has room for %d", size, room)
		}
	}
	for name, p := range x.m.part.Plans {
		if want := began.Add(6 * time.Second); !p.Next.At.Equal(want) || p.Next.K <= 1 {
			t.Errorf("%s: the next occurrence is %d at %v, want %v", name, p.Next.K, p.Next.At, want)
		}
	}
}

// State that a leader keeps in memory alone is set right, too. No worker is present for an hour,
// and no claim waits for one, because the clock was an hour ahead; and occurrences that fall due
// until then were not missed by a leader that began by that clock.
func TestMemoryIsSetRightWhenTheClockWentBack(t *testing.T) {
	x := newBench(t)
	right := x.now
	x.now = right.Add(time.Hour)
	x.follow(nil)
	x.m.Lead(x.now, 2, time.Time{})
	x.step(event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: "pull", Kind: schema.KindPull}}})
	x.step(event.Ask{From: "claim", What: command.ClaimWork{WorkerID: "claims", Stations: []string{"pull"}, Limit: 1, Wait: 30 * time.Second}})
	here := event.StationPresence{Worker: schema.Worker{WorkerID: "w"}, Station: "elsewhere"}
	x.step(here)
	x.create(`{"plan_id":"unserved","station":"s","command":"c","plan_type":"none","start_timeout":0,"exec_timeout":0}`)
	unserved := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "unserved"}]
	x.step(event.NoResponders{About: about(x.m, unserved, 1)})
	const once = `{"plan_id":"once","station":"s","command":"c","plan_type":"none","on_conflict":"keep"}`
	name := schema.PlanName{Station: "s", PlanID: "once"}
	x.create(once)
	x.step(event.ReplyReceived{About: about(x.m, x.m.part.Plans[name], 1), Reply: schema.Reply{State: schema.StateOK}})

	x.clockTo(right)
	x.create(`{"plan_id":"missed","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1,"catch_up":"none"}`)
	missed := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "missed"}]
	x.clockTo(right.Add(time.Second))
	if e := unserved.Open[0].Live[0]; e.Retry != 0 {
		t.Errorf("an execution without responders is tried again at %v", e.Retry.Time())
	}
	if len(missed.Open) != 1 || missed.Open[0].CaughtUp || missed.Prev.K != 1 {
		t.Errorf("an occurrence that fell due in time was missed: %+v", missed.Prev)
	}
	if puts := x.step(here); len(puts) != 0 {
		t.Errorf("a record is put again after a second: %v", puts)
	}
	x.clockTo(right.Add(29 * time.Second))
	if puts := x.step(here); len(puts) != 1 {
		t.Error("the record of a worker is put no more")
	}
	if x.m.part.Claims.ByUntil.Len() != 1 {
		t.Error("the claim does not wait for as long as it asked")
	}
	if x.clockTo(right.Add(30 * time.Second)); x.m.part.Claims.ByUntil.Len() != 0 {
		t.Error("the claim waits for longer than it asked")
	}
	x.clockTo(right.Add(29*time.Second + presence.AbsentAfter))
	if x.m.part.Registry.IsPresent("w", unit.MomentOf(x.now)) {
		t.Error("a silent worker is present")
	}
	if x.create(once); x.m.part.Plans[name] != nil {
		t.Error("a plan that closed a minute ago is made again")
	}
	x.clockTo(right.Add(table.ClosedFor))
	if x.create(once); x.m.part.Plans[name] == nil {
		t.Error("a plan that closed long ago is not made again")
	}
}

// A row that changed by a clock which was ahead does not keep the journal until then.
func TestRowsAreWrittenThoughTheClockWentBack(t *testing.T) {
	x := newBench(t)
	x.now = x.now.Add(time.Hour)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"time","plan_time":"2030-01-01T00:00:00Z"}`)
	x.clockTo(x.now.Add(-time.Hour))
	x.clockTo(x.now.Add(time.Second))
	if w := x.step(event.Flush{Max: 10})[0].(event.Write); len(w.Rows) == 0 {
		t.Error("nothing is written")
	}
}

// A clock that is slewed, or that of a leader which is behind its predecessor's by less than
// a second, changes nothing.
func TestASlewedClockChangesNothing(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":-1}`)
	x.clockTo(x.now.Add(10 * time.Second))
	p := x.m.part.Plans[schema.PlanName{Station: "s", PlanID: "p"}]
	before := p.Record
	x.clockTo(x.now.Add(-time.Second))
	if p.Prev != before.Prev || p.Base != before.Base {
		t.Errorf("%+v was made of %+v", p.Prev, before.Prev)
	}
	if p.IsAhead(unit.MomentOf(x.now)) {
		t.Error("it is reported ahead")
	}
}

// waitOf is when the first occurrence of p, or the first of its slots, is tried again, and after
// which delay.
func waitOf(p *state.Plan) (at, wait *unit.Moment) {
	o := p.Open[0]
	if again := o.Again(); len(again) > 0 {
		return &again[0].At, &again[0].Wait
	}
	return &o.At, &o.Wait
}

// A row of an earlier release lacks the delay of the occurrence that it postpones. Such a row shows
// no clock that was ahead, so that nothing of it comes earlier when a leader of this release
// begins.
func TestWaitsOfEarlierReleasesStand(t *testing.T) {
	for _, plan := range []string{
		`{"plan_id":"p","station":"s","command":"c","plan_type":"none","retry":{"strategy":"fixed_period","interval":600}}`,
		`{"plan_id":"p","station":"pull","command":"c","plan_type":"none","worker_count":2,"retry":{"strategy":"fixed_period","interval":600}}`,
	} {
		x := newBench(t)
		x.step(event.Ask{From: "user", What: command.PutStation{Station: &schema.Station{Station: "pull", Kind: schema.KindPull}}})
		x.create(plan)
		x.step(event.Ask{From: "claim", What: command.ClaimWork{WorkerID: "w", Stations: []string{"pull"}, Limit: 1}})
		d := parse(t, plan)
		name := schema.PlanName{Station: d.Plan.Station, PlanID: "p"}
		x.step(event.ReplyReceived{About: about(x.m, x.m.part.Plans[name], 1), Reply: schema.Reply{State: schema.StateError}})
		p := x.m.part.Plans[name]
		at, wait := waitOf(p)
		if *at <= unit.MomentOf(x.now) || *wait == 0 {
			t.Fatalf("nothing waits: %+v", p.Open[0])
		}
		*wait = 0
		rows := []event.Row{{Kind: event.RowDefinition, Name: name, Value: d.Raw}, {Kind: event.RowState, Name: name, Value: p.AppendState(&x.m.part.W, nil)}}
		x.follow(rows)
		x.m.Lead(x.now, 2, x.now)
		x.clockTo(x.now)
		if is, _ := waitOf(x.m.part.Plans[name]); *is != *at {
			t.Errorf("%s: the retry of %v is at %v", name, at.Time(), is.Time())
		}
	}
}

// A successor sees by each row that an earlier leader had a clock that was ahead.
func TestASuccessorSeesAClockThatWasAhead(t *testing.T) {
	x := newBench(t)
	right := x.now
	const plan = `{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":10,"plan_repet":-1,"overlap":"queue","start_timeout":0,"exec_timeout":0}`
	x.create(plan)
	name := schema.PlanName{Station: "s", PlanID: "p"}
	x.clockTo(right.Add(10 * time.Second)) // one is under way
	x.clockTo(right.Add(time.Hour))        // and others wait their turn
	p := x.m.part.Plans[name]
	if p.Prev.K != 1 || p.Marked().Queued.K != 360 {
		t.Fatalf("%d were taken, and up to %d wait", p.Prev.K, p.Marked().Queued.K)
	}
	x.follow([]event.Row{{Kind: event.RowDefinition, Name: name, Value: parse(t, plan).Raw}, {Kind: event.RowState, Name: name, Value: p.AppendState(&x.m.part.W, nil)}})
	x.now = right.Add(25 * time.Second)
	x.m.Lead(x.now, 2, x.now)
	x.clockTo(x.now)
	if k := x.m.part.Plans[name].Marked().Queued.K; k != 2 {
		t.Errorf("up to %d wait their turn", k)
	}
}
