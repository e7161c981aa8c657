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
// plan that is due or asked for. Occurrences that the calendars excluded until then are noted with it.

// A recount is a round through the plans of a rule of which a calendar was replaced.
type recount struct {
	exclude.Was
	do    round
	now   *exclude.Content
	at    time.Time          // of the change
	from  unit.Moment        // when it begins
	after schema.PlanName    // the last plan gone through
	of    *change            // of a round that closes a change
	asked schema.Attribution // who asked for the change, and why; zero: unknown, as after a take-over
}

// A round is the purpose of a recount.
type round int8

const (
	renews round = iota // plans get their next times by the new calendar
	closes              // the change is over, unless a plan has occurrences left that were due before it
	resets              // plans are placed in the queues by the new calendar alone
)

// atOnce is when a recount begins that waits for nothing.
const atOnce = unit.Moment(1)

// isStale reports that a calendar of p was replaced and p has yet to be gone through for it.
func (m *Machine) isStale(p *state.Plan) bool {
	return len(m.recounts) > 0 && p.Rule() != nil && slices.ContainsFunc(m.recounts, func(r *recount) bool { return r.do != closes && r.concerns(p) })
}

func (r *recount) concerns(p *state.Plan) bool {
	return r.Rule == p.Rule() && state.ByName(&state.Plan{Name: r.after}, p)
}

// nextRecount is the place of the recount to go on with, and when; -1: there is none.
func (m *Machine) nextRecount() (next int, from unit.Moment) {
	next = -1
	for i, r := range m.recounts {
		if next < 0 || r.from < from {
			next, from = i, r.from
		}
	}
	return next, from
}

// recountSlice bounds the plans that one Tick brings up to date: a millisecond of them, or ten where they never run.
const recountSlice = 32

// recountSome brings some more plans up to date; false: the batch has no room.
func (t *turn) recountSome() bool {
	next, from := t.m.nextRecount()
	if next < 0 || from > t.Now {
		return true
	}
	r := t.m.recounts[next]
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
		if r.do == closes && !closeRound(t, r.of) {
			return false
		}
		t.m.recounts = slices.DeleteFunc(t.m.recounts, func(other *recount) bool { return other == r })
	}
	return true
}

// recount brings p up to date after a change of a calendar, and notes whether its next time moved.
func (t *turn) recount(p *state.Plan, r *recount) {
	switch r.do {
	case closes:
		t.noteExcluded(p, r.of.excludesUntil(t.Now))
		if isBehind(p, r.of) {
			t.OnKeep(func() { r.of.behind = true })
		}
	case resets:
		// A change that is closed early, because a clock went back, moves occurrences due before it.
		moved, next := r.moves(p, t.Now)
		if moved {
			p.LookAhead(t.Now)
		}
		t.Changed(p)
		t.noteMoved(p, moved, next, r.asked)
	default:
		moved, next := r.moves(p, t.Now)
		t.refresh(p)
		t.noteMoved(p, moved, next, r.asked)
	}
}

// noteMoved tells that a change of a calendar moved p's next time.
func (t *turn) noteMoved(p *state.Plan, moved bool, next time.Time, asked schema.Attribution) {
	if moved && !p.Removed {
		t.Notify(p, schema.Notice{Kind: schema.NoticeRescheduled, PlanTime: next, Attribution: asked})
	}
}

// moves returns the next time of p by the calendars as they are, and whether it was another one.
func (r *recount) moves(p *state.Plan, now unit.Moment) (moved bool, next time.Time) {
	before, after := nextUnder(p, r.Rule.As(r.Content), now), nextUnder(p, r.Rule.As(r.now), now)
	return !before.Equal(after), after
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
		if r.do == renews && r.concerns(p) {
			noteBefore(t, p, r)
			t.skipMoved(p, r)
		}
	}
	t.Changed(p)
	if p.Done() {
		t.EvaluateLater(p)
	}
}

// noteBefore skips the next occurrences of p that the calendars had excluded until they were replaced.
func noteBefore(t *turn, p *state.Plan, r *recount) {
	is := p.Schedule
	p.Schedule = is.With(r.Rule.As(r.Content))
	p.LookAhead(t.Now)
	t.noteExcluded(p, earlierOf(r.at, t.Now))
	p.Schedule = is
	p.LookAhead(t.Now)
}

// noteExcluded skips the next occurrences of p that fell due before a moment and that calendars
// exclude, because notes of them come ever more seldom. A plan that is paused, stopped or held is
// left as it is.
func (t *turn) noteExcluded(p *state.Plan, before time.Time) {
	if t.Holding.On || p.Suspension != nil || p.Closing || !p.ExcludesNext() || !p.Next.At.Before(before) {
		return
	}
	transition.SkipExcluded(&t.Turn, p, before)
	t.Changed(p)
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
