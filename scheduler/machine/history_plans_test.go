package machine

import (
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Few names, so that ids are used again while what was said of them is still on its
// way.
var (
	stationNames = []string{"s", "s.deep", "news", "other"}
	planIDs      = []string{"a", "b", "c", "d", "e"}
)

// one returns one of some choices.
func one[T any](h *history, choices ...T) T { return choices[h.rng.IntN(len(choices))] }

func (h *history) anyName() schema.PlanName {
	return schema.PlanName{Station: one(h, stationNames...), PlanID: one(h, planIDs...)}
}

// create asks for a random plan.
func (h *history) create() {
	h.step(Ask{From: "user", What: schema.CreatePlan{Definition: h.define(h.anyName()), Trace: one(h, "", "00-trace-01")}})
}

// define makes a random definition.
func (h *history) define(name schema.PlanName) *schema.Definition {
	fields := map[string]any{}
	fields["station"], fields["plan_id"], fields["command"] = name.Station, name.PlanID, "c"
	h.scheduleOf(fields)
	h.policyOf(fields)
	maybe := func(n int, field string, value any) {
		if h.chance(n) {
			fields[field] = value
		}
	}
	maybe(3, "on_conflict", one(h, "keep", "update", "update", "error"))
	maybe(6, "on_unknown", one(h, "skip", "hold", "redo"))
	maybe(8, "log", one(h, "none", "trigger", "full"))
	maybe(6, "worker_ids", []any{"w1", "w2", "w3"}[:1+h.rng.IntN(3)])
	maybe(8, "voters", 1+h.rng.IntN(3))
	maybe(8, "jitter", h.rng.Float64()*5)
	maybe(12, "paused", true)
	maybe(3, "caller", "somebody")
	maybe(2, "messages", []any{strings.Repeat("m", h.rng.IntN(100)), 1, nil})
	maybe(60, "messages", []any{strings.Repeat("\x01M", h.rng.IntN(40<<10))})
	maybe(20, "description", "what it is for")
	v, err := wire.ValueOf(one(h, wire.JSON, wire.MsgPack), fields)
	if err != nil {
		h.t.Fatal(err)
	}
	d, err := schema.ParsePlan(v, schema.ParseOptions{})
	if err != nil {
		h.t.Fatalf("%v is refused: %v", fields, err)
	}
	return d
}

// scheduleOf gives a plan times of any kind, near now.
func (h *history) scheduleOf(fields map[string]any) {
	near := h.now.Add(h.within(20*time.Second) - 10*time.Second)
	far := h.now.Add(h.within(24*time.Hour) - 12*time.Hour)
	repet := one(h, -1, 1+h.rng.IntN(6))
	fields["no_keep"] = h.chance(5)
	kind := one(h, "none", "time", "second", "second", "second", "minute", "hour", "day", "week", "month", "cron", "cron")
	fields["plan_type"] = kind
	switch kind {
	case "none":
		return
	case "time":
		fields["plan_time"] = one(h, near, far)
		return
	case "second", "minute", "hour", "day":
		fields["plan_value"], fields["plan_repet"] = one(h, 0, 1, 1, 2, 7, 60), repet
		if h.chance(3) {
			fields["plan_time"] = one(h, near, far)
		}
	case "week":
		fields["plan_value"], fields["plan_repet"] = h.rng.IntN(7), repet
		fields["timezone"] = one(h, "Europe/Berlin", "UTC")
	case "month":
		fields["plan_value"], fields["plan_repet"] = one(h, 0, 1, 31, -1), repet
	case "cron":
		fields["cron"] = one(h, "*/5 * * * * *", "* * * * *", "*/20 * * * *", "30 2 * * *", "@every 3s", "@daily")
		if h.chance(2) {
			fields["plan_repet"] = repet
		}
		if h.chance(2) {
			fields["timezone"] = one(h, "Europe/Berlin", "America/New_York")
		}
	}
	if h.chance(6) {
		fields["start_at"] = one(h, near, far)
	}
	if h.chance(6) {
		fields["end_at"] = h.now.Add(24*time.Hour + h.within(24*time.Hour))
	}
}

// policyOf gives a plan, or a station, some of the policies. Every execution has a
// deadline: without one, a lost message may be waited for until somebody cancels.
func (h *history) policyOf(fields map[string]any) {
	maybe := func(n int, field string, value any) {
		if h.chance(n) {
			fields[field] = value
		}
	}
	maybe(2, "overlap", one(h, "skip", "queue", "cancel_prev", "parallel", "allow"))
	maybe(3, "catch_up", one(h, "none", "compact", "full"))
	maybe(2, "exec_timeout", 1+h.rng.IntN(60))
	maybe(2, "start_timeout", one(h, 0, 1+h.rng.IntN(20)))
	if h.chance(2) {
		retry := map[string]any{"strategy": one(h, "none", "fixed_period", "sequence", "exponential"), "interval": 1 + h.rng.IntN(3)}
		if h.chance(2) {
			retry["max_error_count"] = h.rng.IntN(3)
		}
		if retry["strategy"] == "sequence" {
			retry["sequence"] = []any{1, 0.5, 0}
		}
		retry["need_manual"] = h.chance(3)
		fields["retry"] = retry
	}
}

// manage does something to a plan, be it there or not.
func (h *history) manage() {
	name := h.anyName()
	if names := h.names(); len(names) > 0 && !h.chance(8) {
		name = one(h, names...)
	}
	n := int64(0)
	if p := h.m.plans[name]; p != nil {
		n = p.n - int64(h.rng.IntN(5)) + 1
	}
	h.step(Ask{From: "user", What: one[schema.Command](h,
		schema.ClosePlan{Name: name}, schema.RemovePlan{Name: name},
		schema.PausePlan{Name: name}, schema.PausePlan{Name: name},
		schema.ResumePlan{Name: name}, schema.ResumePlan{Name: name},
		schema.TriggerPlan{Name: name}, schema.TriggerPlan{Name: name}, schema.TriggerPlan{Name: name},
		schema.SkipPlan{Name: name, Count: one[int64](h, 0, 1, 2, 3, 10, 10_000, -1)},
		schema.ResetPlan{Name: name}, schema.ResetPlan{Name: name},
		schema.CancelRun{Name: name, N: n}, schema.CancelRun{Name: name, N: n},
		h.update(name),
	)})
}

// update gives a plan another schedule and other policies, as the front does; now and
// then of a plan that is another by now.
func (h *history) update(name schema.PlanName) schema.Command {
	p := h.m.plans[name]
	if p == nil {
		return schema.ResetPlan{Name: name}
	}
	d := h.define(name)
	return schema.UpdatePlan{
		Definition: d, Incarnation: p.incarnation - one[uint64](h, 0, 0, 0, 1), Revision: p.revision - one[uint64](h, 0, 0, 0, 1),
	}
}

// station puts a record, or takes it away.
func (h *history) station() {
	name := one(h, stationNames...)
	if h.chance(3) {
		h.step(Ask{From: "user", What: schema.DeleteStation{Station: name}})
		return
	}
	fields := map[string]any{"station": name}
	if name == "news" && !h.chance(4) {
		fields["kind"] = "pub"
	}
	if name == "other" && !h.chance(4) {
		fields["kind"] = "vote"
	}
	if h.chance(2) {
		fields["voters"] = 1 + h.rng.IntN(4)
	}
	if h.chance(3) {
		fields["quorum"] = 1
	}
	if h.chance(2) {
		fields["encoding"] = "json"
	}
	h.policyOf(fields)
	v, err := wire.ValueOf(wire.JSON, fields)
	if err != nil {
		h.t.Fatal(err)
	}
	s, err := schema.ParseStation(v)
	if err != nil {
		h.t.Fatal(err)
	}
	h.step(Ask{From: "user", What: schema.PutStation{Station: s}})
}

// look reads, or lets a worker appear.
func (h *history) look() {
	if h.chance(2) {
		h.step(Seen{Worker: schema.Worker{WorkerID: one(h, "w1", "w2", "w3"), Stations: []string{one(h, stationNames...), one(h, stationNames...)}}, Gone: h.chance(4)})
		return
	}
	h.step(Ask{From: "user", What: one[schema.Command](h,
		schema.GetPlan{Name: h.anyName()},
		schema.OpenRuns{Name: h.anyName()},
		schema.GetStation{Station: one(h, stationNames...)},
		schema.LookStations{Limit: 2},
		schema.LookPlans{Limit: 3, Filter: schema.ListPlans{Station: one(h, "", "s", "s.>")}},
	)})
}

// work is what workers do about an execution: anything.
func (h *history) work(x *Outgoing) {
	about := schema.ReplyName{Station: x.Name.Station, PlanID: x.Name.PlanID, N: x.N, Nonce: string(x.Nonce.AppendHex(nil))}
	soon, later := h.within(200*time.Millisecond), h.within(40*time.Second)
	say := func(after time.Duration, state schema.State) { h.send(after, h.word(about, state)) }
	if x.Pub {
		h.send(0, Sent{Name: x.Name, Incarnation: x.Incarnation, N: x.N})
		return
	}
	if h.calm {
		for range 20 { // more than any vote waits for, most of them nameless
			say(time.Second, schema.StateOK)
			if !x.Vote {
				break
			}
		}
		return
	}
	if x.Vote {
		for range h.rng.IntN(5) { // beside what one does below
			say(h.within(30*time.Second), one(h, schema.StateOK, schema.StateOK, schema.StateError, schema.StateFailure))
		}
	}
	switch n := h.rng.IntN(100); {
	case n < 40:
		say(soon, schema.StateOK)
	case n < 45:
		say(soon, schema.StateOK)
		say(soon*2, schema.StateOK)
		say(later, schema.StateError)
	case n < 55:
		say(soon, schema.StateError)
	case n < 57:
		say(soon, schema.StateFailure)
		say(later, schema.StateOK) // after all
	case n < 58:
		say(soon, "perhaps")
	case n < 68:
		say(soon, schema.StateRunning)
		say(soon*2, schema.StateRunning)
		say(soon+later, one(h, schema.StateOK, schema.StateOK, schema.StateError))
	case n < 73:
		say(soon, schema.StateWaiting)
		say(soon+later, schema.StateWaiting)
		say(soon+2*later, schema.StateOK)
	case n < 76:
		say(soon, schema.StateRunning) // and dies
	case n < 90:
		h.send(0, Nobody{About: about})
	case n < 94:
		say(later, schema.StateOK)
	case n < 96:
		about.Nonce = fmt.Sprintf("%016x", h.rng.Uint64())
		say(soon, schema.StateOK) // a stranger
	}
}

// word is what a worker says, with all that it may add.
func (h *history) word(about schema.ReplyName, state schema.State) Heard {
	ev := Heard{About: about, Reply: schema.Reply{State: state}}
	enc := one(h, wire.JSON, wire.MsgPack)
	if h.chance(2) {
		ev.From = "worker"
	}
	if h.chance(3) {
		ev.Reply.WorkerID = one(h, "w1", "w2", "w3", strings.Repeat("w", schema.MaxName))
	}
	if h.chance(2) {
		ev.Reply.Content = wire.Text(enc, strings.Repeat("\x02c", h.rng.IntN(50)))
	}
	if h.chance(300) {
		ev.Reply.Content = wire.Text(enc, strings.Repeat("\x03", h.rng.IntN(300<<10)))
	}
	if h.chance(4) {
		span := schema.Seconds(h.rng.IntN(30))
		ev.Reply.Extend, ev.Reply.Delay = &span, &span
	}
	return ev
}
