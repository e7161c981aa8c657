package sim

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// users send commands, through a front that finds a leader for them.
type users struct {
	w             *world
	tidied        int
	items, claims int // so many were pushed, and asked for
	remarks       int // so many were made on tasks
	copies        []planCopy
}

// act does one thing, and schedules the next.
func (u *users) act() {
	w := u.w
	if w.calm {
		return
	}
	switch n := w.rng.IntN(100); {
	case n < 25:
		u.create()
	case n < 30:
		u.change()
	case n < 48:
		u.push()
	case n < 57:
		u.claimer()
	case n < 60:
		u.meddle()
	case n < 63:
		u.ask(u.endTask(schema.PlanName{Station: jobStation, PlanID: one(w, planIDs...)}), ignore)
	case n < 66:
		one(w, u.backup, u.restore, u.restore)()
	case n < 68:
		u.ask(command.TriggerPlan{Name: schema.PlanName{Station: one(w, poolStation, jobStation), PlanID: one(w, planIDs...)}}, ignore)
	case n < 78:
		u.manage()
	case n < 83:
		u.again()
	case n < 87:
		u.station()
	case n < 90:
		if w.lease != nil {
			w.check.compare(w.lease)
		}
	default:
		u.look()
	}
	gap := w.within(800 * time.Millisecond)
	if w.chance(0.1) {
		gap = w.within(time.Minute)
	}
	w.after(gap, u.act)
}

// create asks for a random plan, and asks again with keep until it is answered.
func (u *users) create() {
	d := u.definition(u.anyName(), "")
	u.insist(command.CreatePlan{Definition: d, Trace: one(u.w, "", "00-trace-01")}, d.Plan.OnConflict)
}

// again removes a plan and makes another of its name, a few times at once, so that replies about the
// older ones are still on their way.
func (u *users) again() {
	name := u.anyName()
	for round := range 1 + u.w.rng.IntN(4) {
		u.w.after(time.Duration(round)*5*time.Millisecond, func() {
			u.ask(command.RemovePlan{Name: name}, ignore)
			d := u.definition(name, one(u.w, "none", "none", ""))
			u.w.after(2*time.Millisecond, func() {
				u.insist(command.CreatePlan{Definition: d}, d.Plan.OnConflict)
			})
		})
	}
}

func (u *users) insist(c command.CreatePlan, onConflict schema.OnConflict) {
	u.ask(c, func(_ any, _ error, unknown bool) {
		if !unknown || u.w.calm {
			return
		}
		again := *c.Definition
		if onConflict == "" || onConflict == schema.ConflictError {
			again.Plan.OnConflict = schema.ConflictKeep
		}
		u.insist(command.CreatePlan{Definition: &again, Trace: c.Trace}, onConflict)
	})
}

// definition makes a random plan, of any type if kind is empty.
func (u *users) definition(name schema.PlanName, kind string) *schema.Definition {
	w := u.w
	if name.Station == jobStation && kind == "" && w.chance(0.7) {
		return u.task(name)
	}
	fields := map[string]any{"station": name.Station, "plan_id": name.PlanID, "command": "c"}
	u.scheduleOf(fields, kind)
	if hasCalendars(w.options.Seed) {
		u.calendarsOf(fields)
	}
	u.policyOf(fields)
	maybe := u.maybe(fields)
	maybe(3, "on_conflict", one(w, "keep", "update", "update", "error"))
	maybe(4, "on_unknown", one(w, "skip", "hold", "redo"))
	maybe(6, "on_failure", "settle")
	maybe(8, "log", one(w, "none", "trigger", "full"))
	u.slotsOf(fields)
	maybe(8, "voters", 1+w.rng.IntN(3))
	maybe(8, "jitter", w.rng.Float64()*5)
	maybe(12, "paused", true)
	maybe(3, "caller", "somebody")
	maybe(4, "labels", one(w, map[string]any{}, map[string]any{"a": "a"}, map[string]any{"s-0": "", "a": "s-0"}))
	maybe(2, "messages", []any{strings.Repeat("m", w.rng.IntN(100)), 1, nil})
	maybe(100, "messages", []any{strings.Repeat("\x01M", w.rng.IntN(40<<10))})
	maybe(20, "description", "what it is for")
	return u.parse(fields)
}

// parse makes a definition, as the front does.
func (u *users) parse(fields map[string]any) *schema.Definition {
	v, err := wire.ValueOf(one(u.w, wire.JSON, wire.MsgPack), fields)
	if err != nil {
		u.w.fail("a plan cannot be encoded: %v", err)
	}
	d, err := schema.ParsePlan(v, schema.ParseOptions{})
	if err != nil {
		u.w.fail("%v is refused: %v", fields, err)
	}
	return d
}

func (u *users) anyName() schema.PlanName {
	return schema.PlanName{Station: one(u.w, stationNames...), PlanID: one(u.w, planIDs...)}
}

// maybe sets a field once in n times.
func (u *users) maybe(fields map[string]any) func(n int, field string, value any) {
	return func(n int, field string, value any) {
		if u.w.rng.IntN(n) == 0 {
			fields[field] = value
		}
	}
}

// scheduleOf gives a plan times of any kind, near now.
func (u *users) scheduleOf(fields map[string]any, kind string) {
	w := u.w
	near := w.now.Add(w.within(20*time.Second) - 10*time.Second)
	far := w.now.Add(w.within(24*time.Hour) - 12*time.Hour)
	repet := one(w, -1, 1+w.rng.IntN(6), 1+w.rng.IntN(6))
	maybe := u.maybe(fields)
	maybe(5, "no_keep", true)
	anyKind := one(w, "none", "time", "second", "second", "second", "minute", "hour", "day", "week", "month", "cron", "cron")
	if kind == "" {
		kind = anyKind
	}
	fields["plan_type"] = kind
	switch kind {
	case "none":
		return
	case "time":
		fields["plan_time"] = one(w, near, far)
		return
	case "second", "minute", "hour", "day":
		fields["plan_value"], fields["plan_repet"] = one(w, 0, 1, 1, 2, 7, 60), repet
		maybe(3, "plan_time", one(w, near, far))
	case "week":
		fields["plan_value"], fields["plan_repet"] = w.rng.IntN(7), repet
		fields["timezone"] = one(w, "Europe/Berlin", "UTC")
	case "month":
		fields["plan_value"], fields["plan_repet"] = one(w, 0, 1, 31, -1), repet
	case "cron":
		fields["cron"] = one(w, "*/5 * * * * *", "* * * * *", "*/20 * * * *", "30 2 * * *", "@every 3s", "@daily")
		maybe(2, "plan_repet", repet)
		maybe(2, "timezone", one(w, "Europe/Berlin", "America/New_York"))
	}
	maybe(6, "start_at", one(w, near, far))
	maybe(6, "end_at", w.now.Add(24*time.Hour+w.within(24*time.Hour)))
}

// slotsOf names the workers of a plan, or their number.
func (u *users) slotsOf(fields map[string]any) {
	w := u.w
	maybe := u.maybe(fields)
	station := fields["station"].(string)
	if !isPool(station) {
		maybe(6, "worker_ids", one(w, []any{"s-0"}, []any{"s-2", "other-0", "s-2", "nobody"}, []any{"news-0", "s_deep-2", "news-0"}, []any{}))
		return
	}
	first, third := station+"-0", station+"-2"
	switch w.rng.IntN(6) {
	case 0:
		fields["worker_ids"] = one(w, []any{first}, []any{first, third}, []any{first, first}, []any{third, first, third, first}, []any{})
	case 1:
		fields["worker_ids"], fields["worker_count"] = one(w, []any{first, third}, []any{first, third, first}), 2
	case 2, 3:
		fields["worker_count"] = 1 + w.rng.IntN(groupSize)
	}
	maybe(3, "priority", w.rng.IntN(10))
}

// policyOf gives a plan, or a station, some of the policies. Every execution has a deadline, because
// the wait for a lost message could otherwise last until a user cancels.
func (u *users) policyOf(fields map[string]any) {
	w := u.w
	maybe := u.maybe(fields)
	maybe(2, "overlap", one(w, "skip", "queue", "cancel_prev", "parallel", "allow"))
	maybe(3, "catch_up", one(w, "none", "compact", "full"))
	maybe(3, "failure", one(w, "run_new", "skip", "retry"))
	maybe(3, "max_concurrency", one(w, 0, 1, 1, 2, 3, math.MaxInt64))
	maybe(4, "concurrency", one(w, "queue", "skip", "parallel"))
	maybe(8, "ping_interval_ms", 500+w.rng.IntN(5000))
	maybe(8, "ping_timeout_ms", 1000+w.rng.IntN(10_000))
	maybe(8, "max_unexpected_retries", w.rng.IntN(3))
	maybe(8, "unexpected_retry_delay_ms", w.rng.IntN(2000))
	maybe(2, "exec_timeout", 1+w.rng.IntN(60))
	maybe(2, "start_timeout", one(w, 0, 1+w.rng.IntN(20)))
	if w.chance(0.5) {
		retry := map[string]any{"strategy": one(w, "none", "fixed_period", "sequence", "exponential"), "interval": 1 + w.rng.IntN(3)}
		if w.chance(0.5) {
			retry["max_error_count"] = w.rng.IntN(3)
		}
		if retry["strategy"] == "sequence" {
			retry["sequence"] = one(w, []any{1, 0.5, 0}, []any{0.5, 0.5, 0.5, 2})
		}
		retry["need_manual"] = w.chance(0.3)
		fields["retry"] = retry
	}
}

// manage sends a command about a plan, whether it exists or not.
func (u *users) manage() {
	w, name := u.w, u.anyName()
	seen := w.check.plans.shown(name)
	run := command.CancelRun{Name: name, N: seen.N - int64(w.rng.IntN(5)) + 1}
	u.ask(one[command.Command](w,
		command.ClosePlan{Name: name}, command.RemovePlan{Name: name},
		command.PausePlan{Name: name}, command.PausePlan{Name: name, Drops: true},
		command.ResumePlan{Name: name}, command.ResumePlan{Name: name},
		command.TriggerPlan{Name: name}, command.TriggerPlan{Name: name}, command.TriggerPlan{Name: name},
		command.SkipPlan{Name: name, Count: one[int64](w, 0, 1, 2, 3, 10, 10_000, -1)},
		command.ResetPlan{Name: name}, command.ResetPlan{Name: name},
		run, run,
		u.endTask(name),
		u.update(name, seen),
	), ignore)
}

// change updates one of the plans that are there.
func (u *users) change() {
	names := slices.DeleteFunc(u.w.check.plans.names(), func(name schema.PlanName) bool {
		_, calls := schema.CalledBack(name.Station) // which are the scheduler's own
		return calls
	})
	if len(names) == 0 {
		return
	}
	name := one(u.w, names...)
	u.ask(u.update(name, u.w.check.plans.shown(name)), ignore)
}

// update gives a plan another schedule and other policies, as the front does; now and
// then of a plan that is another by now.
func (u *users) update(name schema.PlanName, seen record) command.Command {
	if seen.Incarnation == 0 {
		return command.ResetPlan{Name: name}
	}
	d := u.definition(name, "")
	if u.w.chance(0.5) {
		d = u.tweak(name)
	}
	return command.UpdatePlan{
		Definition:  d,
		Incarnation: seen.Incarnation - one[uint64](u.w, 0, 0, 0, 1), Revision: seen.Revision - one[uint64](u.w, 0, 0, 0, 1),
	}
}

// tweak changes only a plan's workers, their number, their order or its claim filters, whether the
// plan is offered, claimed, waiting or at rest.
func (u *users) tweak(name schema.PlanName) *schema.Definition {
	w := u.w
	v, err := wire.ValueOf(wire.MsgPack, u.w.check.plans.current[name].plan)
	if err != nil {
		w.fail("a plan cannot be encoded: %v", err)
	}
	fields, _ := v.Any().(map[string]any)
	delete(fields, "worker_ids") // with a count, they are as many
	delete(fields, "worker_count")
	for _, field := range [...]string{"priority", "labels", "caller"} {
		if w.chance(0.5) {
			delete(fields, field)
		}
	}
	u.slotsOf(fields)
	u.maybe(fields)(2, "caller", "somebody")
	return u.parse(fields)
}

func ignore(any, error, bool) {}

// look sends a read.
func (u *users) look() {
	w := u.w
	u.ask(one[command.Command](w,
		command.GetPlan{Name: u.anyName()},
		command.GetPlan{Name: u.anyName()},
		command.OpenRuns{Name: u.anyName()},
		command.GetStation{Station: one(w, stationNames...)},
		command.ListStations{Limit: 2, Used: w.chance(0.5)},
		one[command.Command](w, command.ReadCounters{}, command.ReadCounters{Station: one(w, stationNames...), Step: 60, Points: 60}),
		command.GetWorker{WorkerID: one(w, stationNames...) + "-0"},
		command.ListPlans{Limit: 3, Filter: schema.ListPlans{Station: one(w, "", "s", "s.>")}},
	), ignore)
}

// tidy removes plans that would never end by themselves, until none is left.
func (u *users) tidy() {
	u.calmCalendars()
	emptied := false
	for _, name := range u.w.check.plans.names() {
		if u.w.check.plans.endless(name) {
			u.ask(command.RemovePlan{Name: name}, ignore)
		}
		emptied = u.empty(name) || emptied
	}
	rest := 10 * time.Second
	if u.tidied++; u.tidied > 60 && !emptied {
		rest = 6 * time.Hour // the remaining plans have a long way to go
	}
	u.w.after(rest, u.tidy)
}
