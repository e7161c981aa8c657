package sim

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/schema"
)

// scheduleModel holds the schedules of a plan, each behind the one before. Its promise: the due time
// of an occurrence follows from its schedule and its number.
type scheduleModel struct {
	w    *world
	l    *life // their plan
	list []schedule
	// An occurrence due up to there may follow another, because an append shows only the last
	// of a plan's definitions in it.
	moving  bool
	unclear int64
}

// schedule is the rule of a plan's occurrences behind base.
type schedule struct {
	plan     schema.Plan
	accepted time.Time
	base     int64
	compiled calendar.Schedule
}

// rescheduled notes the schedule that a record follows, if it is new.
func (b *scheduleModel) rescheduled(st record) {
	if n := len(b.list); n == 0 || b.moving || !b.list[n-1].accepted.Equal(st.Accepted) || b.list[n-1].base != st.Base {
		b.add(st)
	}
	if b.moving {
		b.moving, b.unclear = false, st.Occurrence
	}
}

func (b *scheduleModel) add(st record) {
	if b.w.apart > 0 { // a clock may have been set back in this append
		b.unclear = max(b.unclear, st.Occurrence)
	}
	spec := calendar.SpecOf(&b.l.plan)
	spec.After = st.Base
	compiled, err := calendar.Compile(spec, st.Accepted)
	if err != nil {
		b.w.fail("%s: its schedule: %v", b.l.name, err)
	}
	b.list = append(b.list, schedule{b.l.plan, st.Accepted, st.Base, compiled})
}

// units are the steps of grids.
var units = map[schema.PlanType]time.Duration{
	schema.TypeSecond: time.Second, schema.TypeMinute: time.Minute, schema.TypeHour: time.Hour, schema.TypeDay: 24 * time.Hour,
}

// inMicroseconds is a due time as executions carry it: to the microsecond, never early.
func inMicroseconds(t time.Time) time.Time {
	return t.Add(time.Microsecond - 1).Truncate(time.Microsecond)
}

// dueTime checks when an occurrence was due: by arithmetic for grids, by the calendar
// for all.
func (b *scheduleModel) dueTime(x *event.Outgoing) {
	var s *schedule
	for i := range b.list {
		if b.list[i].base < x.Occurrence {
			s = &b.list[i]
		}
	}
	if b.l.inbox != nil || x.Trigger != 0 || s == nil || s.compiled.Continuous() || b.moving || x.Occurrence <= b.unclear {
		return // it is due when the one before is settled
	}
	if s.plan.Excluded == schema.ExcludedNext || s.plan.Excluded == schema.ExcludedPrevious {
		s.dueTime(b.w, x)
		return
	}
	_, due := s.compiled.Passed(calendar.Due{}, x.PlanTime.Add(time.Nanosecond))
	if b.w.apart > 0 && !s.compiled.IsGrid() {
		due.K = x.Occurrence // after a clock was set back, a repeated time of a rule has another number
	}
	if due.K != x.Occurrence || !inMicroseconds(due.At).Equal(x.PlanTime) {
		if b.unseen(x) && s.mayRepeat(x, due) {
			return
		}
		b.w.fail("%s: occurrence %d is due at %v; by the calendar %d is, at %v", x.Name, x.Occurrence, x.PlanTime, due.K, due.At)
	}
	unit, grid := units[s.plan.PlanType]
	if !grid || s.plan.PlanValue == nil || !s.plan.StartAt.IsZero() {
		return
	}
	start := s.plan.PlanTime
	if start.IsZero() {
		start = s.accepted
	}
	if want := start.Add(time.Duration(x.Occurrence-s.base) * time.Duration(*s.plan.PlanValue) * unit); !inMicroseconds(want).Equal(x.PlanTime) {
		b.w.fail("%s: occurrence %d is due at %v, not at %v", x.Name, x.Occurrence, want, x.PlanTime)
	}
}

// unseen reports that an occurrence may follow a schedule that no record shows, because the
// append that decides it ends its plan, too, and a clock may have been set back in between.
func (b *scheduleModel) unseen(x *event.Outgoing) bool {
	return b.w.apart > 0 && !b.l.gone.IsZero() && x.Occurrence > b.l.record.Occurrence
}

// mayRepeat reports that an occurrence may be due after a clock was set back, though by s it is due's
// turn: its time comes again under a later number, or lies before s begins. A grid that begins when
// its plan was accepted may begin earlier by then, so that only its numbers can be checked.
func (s *schedule) mayRepeat(x *event.Outgoing, due calendar.Due) bool {
	if due.At.IsZero() {
		return true
	}
	if s.compiled.IsGrid() && calendar.SpecOf(&s.plan).Time.IsZero() {
		return due.K <= x.Occurrence
	}
	return due.K < x.Occurrence && inMicroseconds(due.At).Equal(x.PlanTime)
}
