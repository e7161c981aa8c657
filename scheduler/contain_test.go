package scheduler_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker/brokertest"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A bomb panics at a place, as long as it has fuses.
type bomb struct {
	mu    sync.Mutex
	at    string // of machine.Config.Probe, with commas between several
	plan  string // a plan id; empty: any plan, or none
	fuses int    // how often it goes off; below 0: without end
	off   int    // how often it did
}

func (b *bomb) probe(at string, plan schema.PlanName) {
	b.mu.Lock()
	goes := slices.Contains(strings.Split(b.at, ", "), at) && (b.plan == "" || b.plan == plan.PlanID) && b.fuses != 0
	if goes {
		b.fuses--
		b.off++
	}
	b.mu.Unlock()
	if goes {
		panic("planted at " + at)
	}
}

// arm sets the place, the plan and the number of panics.
func (b *bomb) arm(at, plan string, fuses int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.at, b.plan, b.fuses, b.off = at, plan, fuses, 0
}

func (b *bomb) wentOff() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.off
}

func (b *bomb) plant(c *scheduler.Config) { c.Probe = b.probe }

// until waits until isSo.
func (b *testbed) until(what string, isSo func() bool) {
	b.t.Helper()
	for until := time.Now().Add(time.Minute); !isSo(); {
		if time.Now().After(until) {
			b.t.Fatal("in vain: ", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// state is the state of a plan.
func (b *testbed) state(id string) schema.PlanState {
	b.t.Helper()
	body, err := b.ask(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: id}})
	if err != nil {
		b.t.Fatal(err)
	}
	return body.(command.PlanView).State
}

func (b *testbed) isInternal(id string) bool {
	s := b.state(id)
	return s.Status == schema.StatusPlanError && s.Reason == schema.ReasonInternal
}

// done counts the executions of a worker, by plan and occurrence.
type done struct {
	mu   sync.Mutex
	runs map[string]int
}

func (d *done) worker(b *testbed) {
	d.runs = map[string]int{}
	b.worker("s", func(m *nats.Msg) string {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.runs[m.Header.Get("Plan-Id")+" "+m.Header.Get("Plan-Occurrence")]++
		return `{"state":"ok"}`
	})
}

func (d *done) count(prefix string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.runs {
		if strings.HasPrefix(key, prefix+" ") {
			n++
		}
	}
	return n
}

// once checks that none ran twice.
func (d *done) once(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(d.runs)) {
		if n := d.runs[key]; n != 1 {
			t.Errorf("%s ran %d times", key, n)
		}
	}
}

const everySecond = `{"station":"s","plan_id":%q,"command":"c","plan_type":"second","plan_value":1,"plan_repet":-1}`

// A plan at which the scheduler panics in the plan's own time stops, and no other does. After a
// reset by a person it runs the occurrence that was due. The leader goes on with its machine,
// unless the panic came while the queues were set, because that cannot be undone.
func TestAPanicStopsOnePlan(t *testing.T) {
	for _, at := range []string{"visit", "look", "looked", "end event.ReplyReceived", "row", "queues"} {
		t.Run(at, func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				var is bomb
				b := start(t, ns, is.plant)
				var did done
				did.worker(b)
				b.create(fmt.Sprintf(everySecond, "good"))
				b.create(fmt.Sprintf(everySecond, "bad"))
				epoch := b.sched.Leaders()[0].Epoch
				b.until("both run", func() bool { return did.count("good") > 2 && did.count("bad") > 2 })
				is.arm(at, "bad", 1)
				b.until("it stops", func() bool { return is.wentOff() == 1 && b.isInternal("bad") })
				ran, bad := did.count("good"), did.count("bad")
				b.until("the other runs on", func() bool { return did.count("good") > ran+3 })
				if got := did.count("bad"); got != bad {
					t.Errorf("it ran %d times more in plan_error", got-bad)
				}
				if now := b.sched.Leaders()[0].Epoch; (now != epoch) != (at == "queues") {
					t.Errorf("epoch %d led before the panic, %d leads now", epoch, now)
				}
				if _, err := b.ask(command.ResetPlan{Name: schema.PlanName{Station: "s", PlanID: "bad"}}); err != nil {
					t.Fatal(err)
				}
				b.until("it runs again", func() bool { return did.count("bad") > bad+2 })
				did.once(t)
			})
		})
	}
}

// A plan that makes the scheduler panic again, though it is stopped, is set aside, so that there is
// no loop, and a person can delete it.
func TestPlanThatPanicsAgainIsSetAside(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var is bomb
		b := start(t, ns, is.plant)
		var did done
		did.worker(b)
		b.create(fmt.Sprintf(everySecond, "good"))
		b.create(fmt.Sprintf(everySecond, "bad"))
		name := schema.PlanName{Station: "s", PlanID: "bad"}
		b.until("it runs", func() bool { return did.count("bad") > 1 })
		is.arm("look, end event.Blame", "bad", -1)
		b.until("it is set aside", func() bool {
			_, err := b.ask(command.GetPlan{Name: name})
			return err != nil && strings.Contains(err.Error(), "plans.remove deletes it")
		})
		if off := is.wentOff(); off != 2 {
			t.Errorf("it made the machine panic %d times", off)
		}
		ran := did.count("good")
		b.until("the other runs on", func() bool { return did.count("good") > ran+3 })
		for _, c := range []command.Command{command.ResetPlan{Name: name}, command.ClosePlan{Name: name}, command.TriggerPlan{Name: name}} {
			if _, err := b.ask(c); !errors.Is(err, schema.CodeConflict) {
				t.Errorf("%T of it: %v", c, err)
			}
		}
		if _, err := b.ask(command.RemovePlan{Name: name}); err != nil {
			t.Fatal(err)
		}
		is.arm("", "", 0)
		b.create(fmt.Sprintf(everySecond, "bad"))
		was := did.count("bad")
		b.until("another of its name runs", func() bool { return did.count("bad") > was })
	})
}

// A request at which the scheduler panics is answered internal, with a number, and not carried out;
// other requests in the batch are not affected.
func TestAPanickingRequestIsAnsweredInternal(t *testing.T) {
	name := schema.PlanName{Station: "s", PlanID: "p"}
	for _, c := range []command.Command{
		command.PausePlan{Name: name}, command.TriggerPlan{Name: name}, command.ClosePlan{Name: name}, command.RemovePlan{Name: name},
		command.GetPlan{Name: name}, command.ListPlans{Limit: 10}, command.OpenRuns{Name: name}, command.SkipPlan{Name: name, Count: 1},
	} {
		t.Run(fmt.Sprintf("%T", c), func(t *testing.T) {
			brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
				var is bomb
				b := start(t, ns, is.plant)
				at := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
				b.create(fmt.Sprintf(`{"station":"s","plan_id":"p","command":"c","plan_type":"time","plan_time":%q}`, at))
				epoch := b.sched.Leaders()[0].Epoch
				is.arm(fmt.Sprintf("end %T", c), "", 1)
				beside := []<-chan answer{}
				for i := range 20 {
					beside = append(beside, b.send(command.CreatePlan{Definition: definition(t,
						fmt.Sprintf(`{"station":"s","plan_id":"b%d","command":"c","plan_type":"time","plan_time":%q}`, i, at))}))
				}
				_, err := b.ask(c)
				if !errors.Is(err, schema.CodeInternal) || !strings.Contains(err.Error(), "incident ") {
					t.Errorf("it is answered %v", err)
				}
				for _, a := range beside {
					if got := <-a; got.err != nil {
						t.Errorf("who asked beside it got %v", got.err)
					}
				}
				if s := b.state("p"); s.Status != schema.StatusQueued || is.wentOff() != 1 {
					t.Errorf("the plan is %s, after %d panics", s.Status, is.wentOff())
				}
				if now := b.sched.Leaders()[0].Epoch; now != epoch {
					t.Errorf("the epoch went from %d to %d, and the step was to be undone", epoch, now)
				}
				if _, err := b.ask(c); err != nil {
					t.Errorf("asked again: %v", err)
				}
			})
		})
	}
}

// A row at which a follower panics is left out, by the follower and by its take-over; the others
// are there.
func TestARowAtWhichAFollowerPanicsIsLeftOut(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var is bomb
		is.arm("replay", "bad", -1)
		first, second := start(t, ns), start(t, ns, is.plant)
		var did done
		did.worker(first)
		at := time.Now().Add(10 * time.Second).UTC().Format(time.RFC3339)
		for _, id := range []string{"good", "bad", "also"} {
			first.create(fmt.Sprintf(`{"station":"s","plan_id":%q,"command":"c","plan_type":"time","plan_time":%q}`, id, at))
		}
		second.until("it follows", func() bool { return is.wentOff() > 0 })
		first.end()
		second.until("the others run", func() bool { return did.count("good")+did.count("also") == 2 })
		_, err := second.ask(command.GetPlan{Name: schema.PlanName{Station: "s", PlanID: "bad"}})
		if err == nil || !strings.Contains(err.Error(), "cannot be used") {
			t.Errorf("the plan whose row it was: %v", err)
		}
	})
}

// An execution that cannot be sent stops its plan, and is sent when that is reset.
func TestAnExecutionThatCannotBeSentStopsItsPlan(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var is bomb
		b := start(t, ns, is.plant)
		var did done
		did.worker(b)
		b.create(fmt.Sprintf(everySecond, "good"))
		b.create(fmt.Sprintf(everySecond, "bad"))
		is.arm("dispatch", "bad", 1)
		b.until("it stops", func() bool { return is.wentOff() == 1 && b.isInternal("bad") })
		ran := did.count("good")
		b.until("the other runs on", func() bool { return did.count("good") > ran+3 })
		if _, err := b.ask(command.ResetPlan{Name: schema.PlanName{Station: "s", PlanID: "bad"}}); err != nil {
			t.Fatal(err)
		}
		b.until("it runs", func() bool { return did.count("bad") > 2 })
		did.once(t)
	})
}

// A panic in a take-over leaves no subscription on the leader's own subject, because it would
// answer that this node does not lead when it or another does.
func TestAPanicInATakeOverLeavesNoPost(t *testing.T) {
	brokertest.FakeTime(t, func(t *testing.T, ns *server.Server) {
		var is bomb
		is.arm("load", "", 1)
		b := start(t, ns, is.plant)
		if off := is.wentOff(); off != 1 {
			t.Fatalf("%d panics", off)
		}
		inbox := b.user.NewInbox()
		answers, err := b.user.SubscribeSync(inbox)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.user.PublishRequest("scheduler.lead.0", inbox, nil); err != nil {
			t.Fatal(err)
		}
		if m, err := answers.NextMsg(time.Minute); err != nil || string(m.Data) != "{}" {
			t.Errorf("the leader's subject is answered %v, %v", m, err)
		}
		if m, err := answers.NextMsg(time.Second); err == nil {
			t.Errorf("another reply came, too: %q", m.Data)
		}
	})
}
