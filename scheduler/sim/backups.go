package sim

import (
	"bytes"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Backups: users copy all plans, and restore some of the copies later, whether the plan is gone
// or not.

// planCopy is a backup's record of a plan.
type planCopy struct {
	name       schema.PlanName
	definition wire.Value
	record     wire.Value
}

// mostCopies bounds the copies kept; the latest backups win.
const mostCopies = 60

// backup copies all plans but queues, whose items are in no copy.
func (u *users) backup() {
	u.ask(command.ListPlans{Limit: 1000, Records: true}, func(body any, _ error, _ bool) {
		slice, _ := body.(command.PlanSlice)
		for _, view := range slice.Plans {
			if view.State.Inbox != nil {
				continue
			}
			station, _ := view.Plan.Field("station").Text()
			id, _ := view.Plan.Field("plan_id").Text()
			u.copies = append(u.copies, planCopy{
				name:       schema.PlanName{Station: station, PlanID: id},
				definition: wire.Trust(view.Plan.Encoding(), bytes.Clone(view.Plan.Raw())),
				record:     wire.Trust(wire.MsgPack, bytes.Clone(view.Record.Raw())),
			})
		}
		u.copies = u.copies[max(0, len(u.copies)-mostCopies):]
		u.w.after(u.w.within(time.Minute), u.restore)
	})
}

// lossy is a copy without the open occurrences.
func lossy(copied wire.Value) wire.Value {
	w := wire.NewWriter(copied.Encoding(), nil)
	w.BeginMap()
	for key, v := range copied.Map() {
		if key != "open" {
			w.KeyText(key)
			w.Value(v)
		}
	}
	w.EndMap()
	return w.Whole()
}

// restore enters a plan from a copy, as the front does; by then the plan is usually gone.
func (u *users) restore() {
	w := u.w
	if len(u.copies) == 0 {
		return
	}
	from := u.copies[w.rng.IntN(len(u.copies))]
	d, err := schema.ParsePlan(from.definition, schema.ParseOptions{})
	if err != nil {
		return // no user restores the scheduler's own plans
	}
	d.Plan.OnConflict = one(w, schema.ConflictError, schema.ConflictKeep)
	if w.chance(0.8) {
		u.ask(command.RemovePlan{Name: from.name}, ignore)
	}
	w.after(w.within(5*time.Millisecond), func() { u.ask(command.RestorePlan{Definition: d, Record: from.record}, ignore) })
}
