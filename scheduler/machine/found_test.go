package machine

import (
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// What the simulation has found, told again in few steps.

// A new leader is handed the captured replies one by one. One of them must not end
// another execution of the plan, whose own word is the next to come.
func TestCapturedRepliesComeBeforeAnyDeadline(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":2,"overlap":"parallel"}`)
	x.now = x.now.Add(2 * time.Second)
	x.looks()
	p := x.m.plans[schema.PlanName{Station: "s", PlanID: "p"}]
	if len(p.open) != 2 {
		t.Fatalf("%d occurrences are open", len(p.open))
	}
	x.now = x.now.Add(time.Hour) // nobody led
	for n := range int64(2) {
		for _, e := range x.step(Heard{
			About:    schema.ReplyName{Station: "s", PlanID: "p", N: n + 1, Nonce: string(x.m.nonce(p, n+1).AppendHex(nil))},
			Reply:    schema.Reply{State: schema.StateOK},
			Captured: true,
		}) {
			if tell, ok := e.(Tell); ok {
				t.Errorf("the ok of execution %d leads to: %s", n+1, tell.Notice.Kind)
			}
		}
	}
	if x.looks(); p.realRepet != 2 || !p.removed {
		t.Errorf("both were done, and the plan stands at %d", p.realRepet)
	}
}

// The leader that read a plan's last word in the capture dies before it has looked what
// follows: its successor closes the plan.
func TestAPlanThatIsDoneIsLookedAt(t *testing.T) {
	x := newBench(t)
	var rows []Row
	keep := func() {
		if err := Rows(append([]byte(nil), x.b.Seal()...), func(r Row) error { rows = append(rows, r); return nil }); err != nil {
			t.Fatal(err)
		}
	}
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`)
	keep()
	p := x.m.plans[schema.PlanName{Station: "s", PlanID: "p"}]
	x.step(Heard{
		About:    schema.ReplyName{Station: "s", PlanID: "p", N: 1, Nonce: string(x.m.nonce(p, 1).AppendHex(nil))},
		Reply:    schema.Reply{State: schema.StateOK},
		Captured: true,
	})
	keep()
	x.m = New(config)
	for _, r := range rows {
		if err := x.m.Replay(1, r); err != nil {
			t.Fatal(err)
		}
	}
	x.m.Lead(x.now, 2, time.Time{})
	if x.looks(); len(x.m.plans) != 0 {
		t.Error("it is done, and it is still there")
	}
}

// An id is used again before perform has said that an execution of the older plan is
// out: that is no word about the younger one's.
func TestSentIsAboutOnePlan(t *testing.T) {
	const plan = `{"plan_id":"p","station":"news","command":"c","plan_type":"none"}`
	x := newBench(t)
	station := &schema.Station{Station: "news", Kind: schema.KindPub}
	x.step(Ask{From: "user", What: schema.PutStation{Station: station}})
	name := schema.PlanName{Station: "news", PlanID: "p"}
	x.create(plan)
	older := x.m.plans[name]
	x.looks()
	x.step(Ask{From: "user", What: schema.RemovePlan{Name: name}})
	x.create(plan)
	x.looks()
	if effects := x.step(Sent{Name: name, Incarnation: older.incarnation, N: 1}); len(effects) > 0 {
		t.Errorf("the older plan's execution 1 is out, and of the younger one becomes %+v", effects)
	}
	if x.step(Sent{Name: name, Incarnation: x.m.plans[name].incarnation, N: 1}); x.m.plans[name] != nil {
		t.Error("its own is out, and it is still there")
	}
}
