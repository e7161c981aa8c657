package sim

import (
	"fmt"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The users of merge queues: they push, claim, complete, release and drop.

// queueIDs are the plan ids of merge queues, which no other plan has, because they are
// hashes.
var queueIDs = []string{"qa", "qb", "qc"}

// push pushes an item or some, one after the other.
func (u *users) push() {
	w := u.w
	c := command.PushItem{Name: u.anyName()}
	name, exact := c.Name, false
	if w.chance(0.6) {
		name.PlanID = one(w, queueIDs...)
		c.Name = schema.PlanName{PlanID: name.PlanID}
		exact = w.chance(0.1)
	}
	for i := range one(w, 1, 1, 2, 1+w.rng.IntN(8)) {
		if c.Exact = exact; exact || w.chance(0.95) {
			c.Definition = u.inboxDefinition(name)
		}
		w.after(time.Duration(i)*w.within(20*time.Millisecond), func() { u.pushItem(c) })
	}
}

// pushItem pushes one item; a user without an answer may push it again.
func (u *users) pushItem(c command.PushItem) {
	w := u.w
	u.items++
	enc := one(w, wire.JSON, wire.MsgPack)
	c.Item = wire.Text(enc, fmt.Sprintf("%d%s", u.items, strings.Repeat("\x02i", one(w, 0, 0, w.rng.IntN(40), w.rng.IntN(4000)))))
	c.Retime = one(w, schema.RetimeNew, schema.RetimeNew, schema.RetimeAlways)
	if w.chance(0.4) {
		c.PlanTime = w.now.Add(one(w, w.within(20*time.Second), w.within(time.Hour), -w.within(time.Minute))).Truncate(time.Millisecond)
	}
	if c.Name.Station == "" {
		c.Terms.Key = "key of " + c.Name.PlanID
		c.Terms.Manner = one(w, schema.MannerDeliver, schema.MannerDeliver, schema.MannerTell, schema.MannerHold)
		if w.chance(0.1) && c.Terms.Manner != schema.MannerHold {
			c.Terms.AbandonAfter = schema.Seconds(1 + w.rng.IntN(60))
		}
		if w.chance(0.3) {
			c.Terms.Data, _ = wire.ValueOf(enc, map[string]any{one(w, "a", "b"): fmt.Sprint(u.items)})
		}
	}
	var ask func(times int)
	ask = func(times int) {
		u.ask(c, func(_ any, _ error, unknown bool) {
			if unknown && times > 0 && !w.calm {
				ask(times - 1)
			}
		})
	}
	ask(one(w, 0, 1))
}

// inboxDefinition makes the plan of a first push.
func (u *users) inboxDefinition(name schema.PlanName) *schema.Definition {
	w := u.w
	fields := map[string]any{"station": name.Station, "plan_id": name.PlanID, "command": "c"}
	u.policyOf(fields)
	maybe := u.maybe(fields)
	maybe(2, "batch", 1+w.rng.IntN(3))
	maybe(20, "plan_type", "second")
	if fields["plan_type"] != nil {
		fields["plan_value"], fields["plan_repet"] = 1, 2 // is refused
	}
	maybe(4, "on_unknown", one(w, "skip", "hold", "redo"))
	maybe(8, "log", one(w, "none", "trigger", "full"))
	u.slotsOf(fields)
	maybe(12, "paused", true)
	maybe(3, "caller", "somebody")
	return u.parse(fields)
}

// claimer claims items of a queue, and does something about them.
func (u *users) claimer() { u.claim(one(u.w, queueIDs...), func() {}) }

// claim claims items, and calls then when it has done with them.
func (u *users) claim(id string, then func()) {
	w := u.w
	u.claims++
	c := command.ClaimItems{
		PlanID: id, Number: one[int64](w, 1, 2, 1000), Random: fmt.Sprintf("r%d", u.claims),
		Timeout: one(w, time.Second+w.within(20*time.Second), time.Second+w.within(10*time.Minute)).Truncate(time.Millisecond),
	}
	if w.calm {
		c.Number = command.DefaultHanded
	}
	var ask func(times int)
	ask = func(times int) {
		u.ask(c, func(body any, err error, unknown bool) {
			got, _ := body.(command.Claimed)
			switch {
			case unknown && times > 0:
				ask(times - 1) // the same random gets the same items
			case unknown, err != nil, len(got.Items) == 0:
				then()
			default:
				w.after(w.within(one(w, 200*time.Millisecond, 20*time.Second)), func() { u.finish(c, len(got.Items), then) })
			}
		})
	}
	ask(one(w, 0, 2))
}

// finish ends a claim, well or badly or not at all.
func (u *users) finish(c command.ClaimItems, count int, then func()) {
	w := u.w
	var end command.Command = command.CompleteItems{PlanID: c.PlanID, Number: -1, Random: c.Random}
	switch n := w.rng.IntN(100); {
	case w.calm, n < 50:
	case n < 70:
		end = command.CompleteItems{PlanID: c.PlanID, Number: w.rng.Int64N(int64(count) + 2), Random: c.Random}
	case n < 85:
		release := command.ReleaseItems{PlanID: c.PlanID, Random: c.Random}
		if w.chance(0.5) {
			release.PlanTime = w.now.Add(w.within(20*time.Second) - 2*time.Second).Truncate(time.Millisecond)
		}
		end = release
	default:
		then()
		return // it dies
	}
	var ask func(times int)
	ask = func(times int) {
		u.ask(end, func(_ any, _ error, unknown bool) {
			if unknown && times > 0 {
				ask(times - 1)
				return
			}
			then()
		})
	}
	ask(one(w, 0, 2))
}

// meddle sends commands that are wrong, or rare.
func (u *users) meddle() {
	w, id := u.w, one(u.w, queueIDs...)
	u.ask(one[command.Command](w,
		command.DropItems{PlanID: id},
		command.ListItems{PlanID: id, Number: one[int64](w, 1, 1000)},
		command.CompleteItems{PlanID: id, Number: -1, Random: "a stranger's"},
		command.ReleaseItems{PlanID: id, Random: "a stranger's"},
		command.TriggerPlan{Name: schema.PlanName{Station: one(w, stationNames...), PlanID: id}},
		command.PausePlan{Name: schema.PlanName{Station: one(w, stationNames...), PlanID: id}},
		command.ResumePlan{Name: schema.PlanName{Station: one(w, stationNames...), PlanID: id}},
		command.ClosePlan{Name: schema.PlanName{Station: one(w, stationNames...), PlanID: id}},
	), ignore)
}

// empty sees to it that no inbox keeps items that no worker would ever take: those of a queue
// without deliveries, or without notifications, and those with all retries used up. True: a user
// has to claim its items.
func (u *users) empty(name schema.PlanName) bool {
	l := u.w.check.plans.current[name]
	if l == nil || l.inbox == nil || l.record.Inbox == nil {
		return false
	}
	switch {
	case l.inbox.manner != schema.MannerDeliver:
		if l.inbox.lock == nil {
			u.claim(name.PlanID, func() {})
		}
		return true
	case l.record.Inbox.At.IsZero() && len(l.record.Open) == 0:
		u.ask(command.TriggerPlan{Name: name}, ignore)
	}
	return false
}
