package machine

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// config is an installation's, with the usual timeouts.
var config = partition.Config{
	Key:      [16]byte{7},
	Defaults: schema.Defaults{ExecTimeout: 60 * time.Second, StartTimeout: 30 * time.Second},
}

// capacity is the room that a server with the usual max_payload leaves.
const capacity = 1<<20 - 8<<10

// bench is a machine that leads from noon, and the batch that it decides into.
type bench struct {
	*testing.T
	m   *Machine
	b   *batch.Batch
	now time.Time
	// rehearses has each step panic first at each place, and be undone; see rehearsal.
	rehearses bool
}

func newBench(t *testing.T) *bench {
	x := &bench{T: t, m: New(config), b: batch.New(capacity), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	x.m.Lead(x.now, 1, time.Time{})
	x.b.Reset(1)
	return x
}

// step steps an event into an empty batch, where it has room.
func (x *bench) step(ev event.Event) []event.Effect {
	x.Helper()
	x.b.Seal()
	x.b.Reset(x.b.Number + 1)
	if x.rehearses && canBeUndone(ev) && x.m.part.Config.Probe == nil {
		for r := (rehearsal{bench: x, ev: ev}); r.panics(); {
			continue
		}
	} else if p := x.m.Step(x.now, ev, x.b); p != Done && x.b.Empty() {
		x.Fatalf("an empty batch has no room for %T: %d", ev, p)
	}
	readReplies(x.m, x.now, x.b)
	return x.b.Effects
}

// counted is how often a machine comes to a place where probes are.
func (x *bench) counted(place string) *int {
	count := new(int)
	x.m.part.Config.Probe = func(at string, _ schema.PlanName) {
		if at == place {
			*count++
		}
	}
	return count
}

// readReplies confirms to a machine that its dispatches have left and, when it waits for it, that all
// replies were read; and then looks.
func readReplies(m *Machine, now time.Time, b *batch.Batch) {
	for done := 0; done < len(b.Effects) || m.AwaitsReplies(); {
		if done == len(b.Effects) {
			m.Step(now, event.RepliesRead{To: now, Performed: b.Number}, b)
			m.Step(now, event.Tick{}, b)
			continue
		}
		for _, x := range leaving(b.Effects[done]) {
			if left, report := x.Leave(now); report {
				m.Step(now, left, b)
			}
		}
		done++
	}
}

// leaving are the executions that leave with an effect.
func leaving(e event.Effect) []*event.Outgoing {
	switch e := e.(type) {
	case event.Dispatch:
		return []*event.Outgoing{e.Execution}
	case event.ClaimGranted:
		return e.Executions
	}
	return nil
}

func (x *bench) create(plan string) {
	x.Helper()
	if a, ok := x.last(x.step(event.Ask{From: "user", What: command.CreatePlan{Definition: parse(x, plan)}})).(event.Answer); !ok || a.Err != nil {
		x.Fatalf("create: %v", a.Err)
	}
}

func (x *bench) last(effects []event.Effect) event.Effect {
	x.Helper()
	if len(effects) == 0 {
		x.Fatal("nothing was decided")
	}
	return effects[len(effects)-1]
}

// follow puts one in the place of the machine that knows of these rows alone.
func (x *bench) follow(rows []event.Row) {
	x.Helper()
	x.m = New(config)
	for _, r := range rows {
		if err := x.m.Replay(1, r); err != nil {
			x.Fatal(err)
		}
	}
}

// looks lets the machine look until it wants to no more, and counts how often.
func (x *bench) looks() int {
	x.Helper()
	for n := range 10_000 {
		if wake := x.m.Wake(); wake.IsZero() || wake.After(x.now) {
			return n
		}
		x.step(event.Tick{})
	}
	x.Fatal("it looks for ever")
	return 0
}

// TestEarly checks that nothing is due before its moment, to the nanosecond.
func TestEarly(t *testing.T) {
	x := newBench(t)
	due := x.now.Add(time.Second + 123456*time.Microsecond + 1)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"time","plan_time":"` + due.Format(time.RFC3339Nano) + `"}`)
	if wake := x.m.Wake(); wake.Before(due) || wake.After(due.Add(time.Microsecond)) {
		t.Fatalf("it wakes at %v for what is due at %v", wake, due)
	}
	for _, early := range []time.Duration{time.Second, time.Millisecond, time.Microsecond, 1} {
		x.now = due.Add(-early)
		if effects := x.step(event.Tick{}); len(effects) > 0 {
			t.Fatalf("%v before it is due: %+v", early, effects)
		}
	}
	x.now = x.m.Wake()
	if _, ok := x.step(event.Tick{})[0].(event.Dispatch); !ok {
		t.Fatal("it is due, and was not dispatched")
	}
}

// TestJitter checks that each occurrence has a delay of its own, within the bound,
// and has it for ever.
func TestJitter(t *testing.T) {
	const jitter = 5 * time.Second
	delays := func() map[time.Duration]bool {
		x := newBench(t)
		x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"second","plan_value":1,"plan_repet":50,"overlap":"parallel","jitter":5}`)
		seen := map[time.Duration]bool{}
		for len(seen) < 50 {
			x.now = x.m.Wake()
			for _, e := range x.step(event.Tick{}) {
				if d, ok := e.(event.Dispatch); ok && d.Execution.Attempt == 1 {
					seen[x.now.Sub(d.Execution.PlanTime)] = true
				}
			}
		}
		return seen
	}
	first, again := delays(), delays()
	for d := range first {
		if d < 0 || d >= jitter {
			t.Errorf("an occurrence is %v late", d)
		}
		if !again[d] {
			t.Errorf("an occurrence was %v late, and another time is not", d)
		}
	}
}

// TestNonce checks that a nonce is an execution's own, and an installation's.
func TestNonce(t *testing.T) {
	seen := map[event.Nonce]string{}
	add := func(what string, c partition.Config, name schema.PlanName, incarnation uint64, n int64) {
		m := New(c)
		p := &state.Plan{Name: name, Record: state.Record{Incarnation: incarnation}}
		nonce := m.part.Nonce(p, n)
		if other, ok := seen[nonce]; ok {
			t.Errorf("%s and %s have the same nonce", what, other)
		}
		seen[nonce] = what
		hex := string(nonce.AppendHex(nil))
		if !m.part.IsNonce(p, n, hex) || m.part.IsNonce(p, n+1, hex) || m.part.IsNonce(p, n, strings.ToUpper(hex)+"x") || m.part.IsNonce(p, n, "") {
			t.Errorf("%s: nonces are mistaken", what)
		}
	}
	name := schema.PlanName{Station: "s", PlanID: "p"}
	add("a plan", config, name, 1, 1)
	add("its next execution", config, name, 1, 2)
	add("its next incarnation", config, name, 2, 1)
	add("a plan of another name", config, schema.PlanName{Station: "s", PlanID: "q"}, 1, 1)
	add("a plan of another station", config, schema.PlanName{Station: "t", PlanID: "p"}, 1, 1)
	add("a plan of another partition", partition.Config{Key: config.Key, Partition: 1}, name, 1, 1)
	add("a plan of another installation", partition.Config{Key: [16]byte{8}}, name, 1, 1)
}

// largest is a definition of as many bytes as are taken, nearly all of which results
// repeat.
func largest(fields string) string {
	const frame = `{"plan_id":"%s","station":"%s","command":"%s","caller":"%[3]s","messages":["%s"],%s}`
	name := strings.Repeat("n", schema.MaxName)
	head := fmt.Sprintf(frame, name, name, strings.Repeat("c", 4<<10), "", fields)
	return fmt.Sprintf(frame, name, name, strings.Repeat("c", 4<<10), strings.Repeat("m", schema.MaxDefinitionBytes-len(head)), fields)
}

// TestLarge leads the largest plans with the most open occurrences through all events. Every
// event fits in an empty batch, and its rows in an append. (An append that is too large can never
// be made durable, and blocks all later ones.)
func TestLarge(t *testing.T) {
	const parallel = `"plan_type":"second","plan_value":1,"plan_repet":-1,"overlap":"parallel","exec_timeout":1000`
	name := schema.PlanName{Station: strings.Repeat("n", schema.MaxName), PlanID: strings.Repeat("n", schema.MaxName)}
	open := func(t *testing.T) *bench {
		x := newBench(t)
		x.create(largest(parallel))
		x.now = x.now.Add(time.Hour)
		x.looks()
		if p := x.m.part.Plans[name]; len(p.Open) != state.MaxOpen || p.SkipNum != 3600-state.MaxOpen {
			t.Fatalf("%d are open, %d skipped", len(p.Open), p.SkipNum)
		}
		return x
	}
	reply := func(x *bench, n int64, state schema.State) event.ReplyReceived {
		p := x.m.part.Plans[name]
		return event.ReplyReceived{
			About: about(x.m, p, n),
			Reply: schema.Reply{
				State: state, WorkerID: strings.Repeat("w", schema.MaxName),
				// In MessagePack; as JSON it will be six times as long.
				Content: wire.Text(wire.MsgPack, strings.Repeat("\x01", schema.MaxReplyBytes/6-1)),
			},
		}
	}
	t.Run("all time out at once", func(t *testing.T) {
		x := open(t)
		x.now = x.now.Add(time.Hour)
		if n := x.looks(); n < state.MaxOpen/2 {
			t.Errorf("%d results of 512 KiB were made in %d batches", state.MaxOpen, n)
		}
	})
	t.Run("removed", func(t *testing.T) {
		x := open(t)
		x.step(event.Ask{From: "user", What: command.RemovePlan{Name: name}})
		if len(x.m.part.Plans) != 0 {
			t.Error("it is still there")
		}
	})
	t.Run("closed", func(t *testing.T) {
		x := open(t)
		p := x.m.part.Plans[name]
		for _, o := range p.Open {
			x.step(event.NoResponders{About: reply(x, o.Live[0].N, "").About})
		}
		x.step(event.Ask{From: "user", What: command.ClosePlan{Name: name}})
		if len(x.m.part.Plans) != 0 {
			t.Error("no worker has it, and it is still there")
		}
	})
	t.Run("closed, and then it has no worker", func(t *testing.T) {
		x := open(t)
		on := slices.Clone(x.m.part.Plans[name].Open)
		x.step(event.Ask{From: "user", What: command.ClosePlan{Name: name}})
		for _, o := range on {
			if len(x.m.part.Plans) == 0 {
				t.Error("it is gone before the last has ended")
			}
			x.step(event.NoResponders{About: reply(x, o.Live[0].N, "").About})
		}
		if len(x.m.part.Plans) != 0 {
			t.Error("no worker has it, and it is still there")
		}
	})
	t.Run("replaced", func(t *testing.T) {
		x := open(t)
		x.step(event.Ask{From: "user", What: command.CreatePlan{Definition: parse(t, largest(strings.Replace(parallel, "parallel", "cancel_prev", 1)+`,"on_conflict":"update"`))}})
		x.now = x.now.Add(2 * time.Second)
		x.looks()
		if p := x.m.part.Plans[name]; len(p.Open) != 1 {
			t.Errorf("%d are open", len(p.Open))
		}
	})
	t.Run("replaced by a triggered run", func(t *testing.T) {
		x := open(t)
		x.step(event.Ask{From: "user", What: command.CreatePlan{Definition: parse(t, largest(strings.Replace(parallel, "parallel", "cancel_prev", 1)+`,"on_conflict":"update"`))}})
		x.step(event.Ask{From: "user", What: command.TriggerPlan{Name: name}})
		if p := x.m.part.Plans[name]; len(p.Open) != 1 || p.Open[0].Trigger == 0 {
			t.Errorf("%d are open", len(p.Open))
		}
	})
	t.Run("triggered too often", func(t *testing.T) {
		x := open(t)
		x.step(event.Ask{From: "user", What: command.TriggerPlan{Name: name}})
		if p := x.m.part.Plans[name]; len(p.Open) != state.MaxOpen || p.Last.State() != schema.StateSkipped {
			t.Errorf("%d are open, the last result is %s", len(p.Open), p.Last.State())
		}
	})
	t.Run("paused and updated while it queues", func(t *testing.T) {
		x := newBench(t)
		queue := strings.Replace(parallel, "parallel", "queue", 1)
		x.create(largest(queue))
		x.now = x.now.Add(time.Second)
		x.looks()
		x.now = x.now.Add(10 * time.Second)
		moved := parse(t, largest(strings.Replace(queue, "second", "minute", 1)))
		x.step(event.Ask{From: "user", What: command.UpdatePlan{Definition: moved, Incarnation: x.m.part.Plans[name].Incarnation, Revision: 1}})
		x.now = x.now.Add(5 * time.Hour)
		x.step(event.Ask{From: "user", What: command.PausePlan{Name: name}})
		p := x.m.part.Plans[name]
		if len(p.Open) != state.MaxOpen || p.SkipNum != 11+5*60-state.MaxOpen {
			t.Errorf("%d are open, %d skipped", len(p.Open), p.SkipNum)
		}
		x.now = x.now.Add(time.Hour)
		x.step(event.Ask{From: "user", What: command.RemovePlan{Name: name}})
		if len(x.m.part.Plans) != 0 {
			t.Error("it is still there")
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		x := newBench(t)
		x.create(`{"plan_id":"p","station":"s","command":"c","messages":["` + strings.Repeat("m", state.MaxRepeated-200) + `"],"plan_type":"none"}`)
		x.looks()
		x.step(event.Ask{From: "user", What: command.CancelRun{Name: schema.PlanName{Station: "s", PlanID: "p"}, N: 1}})
		if len(x.m.part.Plans) != 0 {
			t.Error("it is still there")
		}
	})
	t.Run("answered", func(t *testing.T) {
		x := open(t)
		for n := range int64(state.MaxOpen) {
			state := schema.StateOK
			if n%2 == 0 {
				state = schema.StateError
			}
			x.step(reply(x, n+1, state))
			x.step(reply(x, n+1, schema.StateOK)) // once more, or after all
		}
	})
	t.Run("a late ok", func(t *testing.T) {
		x := newBench(t)
		x.create(largest(`"plan_type":"second","plan_value":1,"plan_repet":-1,"retry":{"strategy":"fixed_period"}`))
		x.now = x.now.Add(time.Second)
		x.looks()
		x.step(reply(x, 1, schema.StateError))
		x.now = x.now.Add(1200 * time.Millisecond) // the next one has taken its place
		x.looks()
		x.step(reply(x, x.m.part.Plans[name].N, schema.StateError))
		x.now = x.now.Add(time.Second / 2)
		x.step(reply(x, x.m.part.Plans[name].N, schema.StateOK))
	})
	t.Run("past", func(t *testing.T) {
		x := newBench(t)
		x.create(largest(`"plan_type":"time","plan_time":"2026-03-01T11:00:00Z"`))
	})
}

// TestIdlePlan measures the memory of a plan that is in the bucket and waits for its time,
// because a million of them are to fit in a gigabyte.
func TestIdlePlan(t *testing.T) {
	const count, most = 50_000, 1024
	before := heap()
	x := newBench(t)
	payload := strings.Repeat("p", 200)
	for i := range count {
		x.create(fmt.Sprintf(`{"plan_id":"01JABCDEFGHJKMNPQRSTV%05d","station":"hello.%d","command":"greet","messages":["%s"],"plan_type":"day","plan_value":1,"plan_repet":-1}`, i, i%100, payload))
	}
	for x.now = x.now.Add(time.Second); x.m.Unwritten() > 0; {
		x.step(event.Flush{Max: 1000})
	}
	x.step(event.Flush{Max: 1000}) // lets go of the last rows
	each := (heap() - before) / count
	t.Logf("%d bytes a plan", each)
	if each > most {
		t.Errorf("an idle plan takes %d bytes, at most %d are allowed", each, most)
	}
	runtime.KeepAlive(x)
}

// heap returns how many bytes are in use once all that is garbage is gone.
func heap() int {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int(s.HeapAlloc)
}

// Executions in flight are listed by the names that their workers use.
func TestAwaited(t *testing.T) {
	x := newBench(t)
	x.create(`{"plan_id":"later","station":"s","command":"c","plan_type":"time","plan_time":"2100-01-01T00:00:00Z"}`)
	x.create(`{"plan_id":"p","station":"s","command":"c","plan_type":"none"}`)
	var all []schema.ReplyName
	x.m.Awaited(func(about schema.ReplyName, live bool) {
		if live {
			all = append(all, about)
		}
	})
	if len(all) != 1 || all[0].PlanID != "p" {
		t.Fatalf("in flight are %+v", all)
	}
	x.step(event.ReplyReceived{About: all[0], Reply: schema.Reply{State: schema.StateOK}})
	x.m.Awaited(func(about schema.ReplyName, _ bool) { t.Errorf("%+v is settled", about) })
}

// A new leader reads the replies since the dispatch of the oldest execution under way, and not
// since the due time of an occurrence that waits for its retry.
func TestRepliesThatANewLeaderReads(t *testing.T) {
	x := newBench(t)
	if _, any := x.m.Awaits(); any {
		t.Error("nothing was dispatched, and something is awaited")
	}
	x.create(`{"plan_id":"p","station":"s","command":"c","retry":{"strategy":"fixed_period","interval":86400,"jitter":0}}`)
	sent := x.now
	x.now = x.now.Add(time.Minute)
	if since, any := x.m.Awaits(); !any || !since.Equal(sent) {
		t.Errorf("under way since %v, and awaited since %v", sent, since)
	}
	name := schema.PlanName{Station: "s", PlanID: "p"}
	x.step(event.ReplyReceived{
		About: about(x.m, x.m.part.Plans[name], 1),
		Reply: schema.Reply{State: schema.StateError},
	})
	x.now = x.now.Add(time.Hour)
	if since, any := x.m.Awaits(); any {
		t.Errorf("an execution is under way since %v, and all of them wait for their retries", since)
	}
	var late []int64
	x.m.Awaited(func(about schema.ReplyName, live bool) {
		if !live {
			late = append(late, about.N)
		}
	})
	if !slices.Equal(late, []int64{1}) {
		t.Errorf("late words are awaited of executions %v", late)
	}
}
