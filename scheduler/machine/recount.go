package machine

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A change of a calendar counts from its answer on. A rule answers by the new calendar at once. The
// next occurrence and the timers of its plans are computed anew some at a time, and earlier for a
// plan that is due or asked for.

// A recount is a rule of which a calendar was replaced, and the progress through its plans.
type recount struct {
	exclude.Was
	now   *exclude.Content
	at    time.Time       // of the change
	after schema.PlanName // the last plan gone through
}

// isStale reports that a calendar of p was replaced and p has yet to be gone through for it.
func (m *Machine) isStale(p *state.Plan) bool {
	return len(m.recounts) > 0 && p.Rule() != nil && slices.ContainsFunc(m.recounts, func(r *recount) bool { return r.concerns(p) })
}

func (r *recount) concerns(p *state.Plan) bool {
	return r.Rule == p.Rule() && state.ByName(&state.Plan{Name: r.after}, p)
}

// recountSlice bounds the plans that one Tick brings up to date: a millisecond of them, or ten where they never run.
const recountSlice = 32

// recountSome brings some more plans up to date; false: the batch has no room.
func (t *turn) recountSome() bool {
	if len(t.m.recounts) == 0 {
		return true
	}
	r := t.m.recounts[0]
	var some []*state.Plan
	if plans := t.Calendars.Plans[r.Rule]; plans != nil {
		plans.Ascend(&state.Plan{Name: r.after}, func(p *state.Plan) bool {
			if p.Name != r.after {
				some = append(some, p)
			}
			return len(some) < recountSlice
		})
	}
	for _, p := range some {
		if !t.visit(p, func(p *state.Plan) { t.recount(p, r) }) {
			return false
		}
		r.after = p.Name
	}
	if len(some) < recountSlice {
		t.m.recounts = t.m.recounts[1:]
	}
	return true
}

// recount brings p up to date after a change of a calendar, and notes whether its next time moved.
func (t *turn) recount(p *state.Plan, r *recount) {
	before, after := nextUnder(p, r.Rule.As(r.Content), t.Now), nextUnder(p, r.Rule.As(r.now), t.Now)
	t.refresh(p)
	if !before.Equal(after) && !p.Removed {
		t.Notify(p, schema.Notice{Kind: schema.NoticeRescheduled, PlanTime: after})
	}
}

// nextUnder is the next time that p runs, if calendars are so.
func nextUnder(p *state.Plan, over *calendar.Exclusion, now unit.Moment) time.Time {
	as := *p
	as.Schedule = p.Schedule.With(over)
	as.LookAhead(now)
	return state.NextDue(&as, now)
}

// upToDate brings p up to date if it is stale.
func (t *turn) upToDate(p *state.Plan) {
	if p != nil && t.m.isStale(p) {
		t.refresh(p)
	}
}

// refresh looks for p's next occurrence by its calendars as they are. An occurrence that a change
// has moved into the past is skipped, unless it was due then anyway.
func (t *turn) refresh(p *state.Plan) {
	p.LookAhead(t.Now)
	for _, r := range t.m.recounts {
		if r.concerns(p) {
			t.skipMoved(p, r)
		}
	}
	t.Changed(p)
	if p.Done() {
		t.EvaluateLater(p)
	}
}

func (t *turn) skipMoved(p *state.Plan, r *recount) {
	was := p.Schedule.With(r.Rule.As(r.Content))
	for p.Next.K != 0 && !p.Next.At.After(r.at) && !p.Schedule.MovedFrom(p.Next.At).IsZero() {
		if old, ok := was.Next(p.Prev, p.Next.At); ok && old.At.Equal(p.Next.At) {
			return
		}
		transition.SkipMoved(&t.Turn, p)
	}
}
