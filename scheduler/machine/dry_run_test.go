package machine

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// dryly asks for a command in a batch of its own, and returns the answer or the refusal.
func dryly(x *bench, c command.Command, dry bool) (any, string) {
	x.b.Seal()
	x.b.Reset(x.b.Number + 1)
	if x.m.Step(x.now, event.Ask{From: "user", What: c, Dry: dry}, x.b) != Done {
		panic("an empty batch has no room")
	}
	for _, e := range x.b.Effects {
		if a, is := e.(event.Answer); is {
			if a.Err != nil {
				return nil, a.Err.Error()
			}
			return a.Body, ""
		}
	}
	return nil, "no answer"
}

// A dry run changes nothing, appends nothing and sends nothing but its answer, and the verb that
// is then carried out has the effect in that answer.
func TestADryRunSaysWhatTheVerbDoes(t *testing.T) {
	x := newBench(t)
	random := rand.New(rand.NewPCG(3, 4))
	name := func() schema.PlanName {
		return schema.PlanName{Station: "s", PlanID: fmt.Sprintf("p%d", random.IntN(6))}
	}
	define := func(n schema.PlanName) *schema.Definition {
		text := fmt.Sprintf(`{"station":"s","plan_id":%q,"command":"c%d","plan_type":"minute","plan_value":%d,"plan_repet":-1,"on_conflict":"update"}`,
			n.PlanID, random.IntN(3), 1+random.IntN(3))
		v, err := wire.Scan([]byte(text), wire.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := schema.ParsePlan(v, schema.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	changed, refused, cancelled, skipped := 0, 0, 0, 0
	for range 2000 {
		n := name()
		var c command.Command
		switch random.IntN(8) {
		case 0, 1:
			c = command.CreatePlan{Definition: define(n)}
		case 2:
			c = command.SkipPlan{Name: n, Count: random.Int64N(4) - 1}
		case 3:
			c = command.PausePlan{Name: n}
		case 4:
			c = command.ResumePlan{Name: n}
		case 5:
			c = command.TriggerPlan{Name: n}
		case 6:
			c = command.ClosePlan{Name: n}
		default:
			c = command.RemovePlan{Name: n}
		}
		was := viewOf(x, n)
		answer, why := dryly(x, c, true)
		if rows := len(x.b.Seal()); rows > 0 || len(x.b.Effects) != 1 {
			t.Fatalf("a dry %T appends %d bytes and has %d effects", c, rows, len(x.b.Effects))
		}
		if diff := cmp.Diff(was, viewOf(x, n)); diff != "" {
			t.Fatalf("a dry %T changed %s:\n%s", c, n, diff)
		}
		if differ := x.m.Audit(x.now); len(differ) > 0 {
			t.Fatalf("after a dry %T: %v", c, differ)
		}
		before := foresightOf(x.m.part.Find(n), unit.MomentOf(x.now))
		done, really := dryly(x, c, false)
		if why != really {
			t.Fatalf("a dry %T is refused with %q, and carried out with %q", c, why, really)
		}
		if why != "" {
			refused++
			continue
		}
		after := foresightOf(x.m.part.Find(n), unit.MomentOf(x.now))
		want := compared(n, &before, &after)
		if run, is := done.(schema.Triggered); is {
			want.Reason = run.Skipped
			skipped += len(run.Skipped)
		}
		got := answer.(schema.DryRun)
		cancelled += len(got.Cancelled)
		if len(got.Changes) > 0 {
			changed++
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b wire.Value) bool { return a.String() == b.String() })); diff != "" {
			t.Fatalf("%T of %s (-done +said):\n%s", c, n, diff)
		}
		if random.IntN(3) == 0 {
			x.now = x.now.Add(time.Duration(random.IntN(90)) * time.Second)
			x.step(event.Tick{})
		}
	}
	if changed < 200 || refused < 100 || cancelled < 20 || skipped == 0 {
		t.Errorf("only %d changes, %d refusals, %d executions that are cancelled and %d runs that are skipped were seen", changed, refused, cancelled, skipped)
	}
}

// viewOf is all that users see of a plan.
func viewOf(x *bench, n schema.PlanName) string {
	b := batch.New(capacity)
	b.Reset(1 << 40)
	x.m.Step(x.now, event.Ask{From: "user", What: command.GetPlan{Name: n}}, b)
	for _, e := range b.Effects {
		if a, is := e.(event.Answer); is && a.Err == nil {
			text, err := wire.Marshal(wire.JSON, a.Body.(command.PlanView).PlanView)
			if err != nil {
				panic(err)
			}
			return string(text)
		}
	}
	return ""
}

// A dry run of a change that is not one of a plan's fields answers as the change does, and changes
// nothing either.
func TestADryRunOfAQueueAndOfACalendar(t *testing.T) {
	x := newBench(t)
	d := func(text string) *schema.Definition {
		p, err := schema.ParsePlan(wire.Trust(wire.JSON, []byte(text)), schema.ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	calendar := func(weekday string, revision uint64) command.PutCalendar {
		return command.PutCalendar{Calendar: &schema.Calendar{CalendarID: "days", Revision: revision, Days: []schema.CalendarDay{{Weekday: weekday}}}}
	}
	made := func(c command.Command) {
		if _, why := dryly(x, c, false); why != "" {
			t.Fatal(why)
		}
	}
	for range 3 {
		made(command.PushItem{
			Name: schema.PlanName{PlanID: "q"}, Definition: d(`{"station":"q","plan_id":"q","command":"c"}`), Item: wire.Text(wire.JSON, "x"),
			PlanTime: x.now.Add(time.Hour), Retime: schema.RetimeNew,
		})
	}
	made(calendar("sat", 1))
	made(command.CreatePlan{Definition: d(`{"station":"s","plan_id":"p","command":"c","plan_type":"cron","cron":"0 9 * * *","exclude":["days"]}`)})
	for _, c := range []struct {
		asked command.Command
		want  any
	}{
		{command.DropItems{PlanID: "q"}, command.InboxLeft{Dropped: 3}},
		{calendar("sun", 2), schema.CalendarPut{CalendarID: "days", Revision: 2, Plans: 1}},
	} {
		for _, dry := range []bool{true, true, false} {
			answer, why := dryly(x, c.asked, dry)
			if diff := cmp.Diff(c.want, answer); diff != "" || why != "" {
				t.Errorf("%T, dry %v: %s %s", c.asked, dry, why, diff)
			}
			if dry && (len(x.b.Seal()) > 0 || len(x.b.Effects) != 1) {
				t.Errorf("%T: a dry run has %d effects, and rows", c.asked, len(x.b.Effects))
			}
		}
	}
	left, _ := dryly(x, command.DropItems{PlanID: "q"}, false)
	if diff := cmp.Diff(any(command.InboxLeft{}), left); diff != "" {
		t.Error(diff)
	}
}
