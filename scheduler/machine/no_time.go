package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// mostLooks bounds the rules, and the plans, at which the answer to a put looks, because each may take a
// third of a millisecond.
const mostLooks = 16

// noTime are the plans that calendar id, which was put, leaves no time to run; nil: none. The plans of
// a rule that leaves no time at all need no look.
func noTime(t *turn, id string) *schema.NoTime {
	found, looks := &schema.NoTime{Plans: []schema.PlanName{}}, mostLooks
	add := func(p *state.Plan) {
		found.Count++
		if len(found.Plans) < namedInUse {
			found.Plans = append(found.Plans, p.Name)
		}
	}
	for _, w := range t.Calendars.Set.Naming(id) {
		plans := t.Calendars.Plans[w.Rule]
		if plans == nil {
			continue
		}
		if looks--; looks < 0 {
			found.More = true
			break
		}
		if !w.Rule.LeavesTime(t.Now.Time()) {
			before := found.Count
			plans.Scan(func(p *state.Plan) bool {
				add(p)
				return len(found.Plans) < namedInUse
			})
			found.Count = before + int64(plans.Len())
			continue
		}
		plans.Scan(func(p *state.Plan) bool {
			if looks--; looks < 0 {
				found.More = true
				return false
			}
			if p.Next.K != 0 && p.Skips() >= 0 && nextUnder(p, w.Rule.Exclusion(), t.Now).IsZero() {
				add(p)
			}
			return true
		})
	}
	if found.Count == 0 {
		return nil
	}
	return found
}
