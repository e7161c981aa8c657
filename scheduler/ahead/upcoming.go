package ahead

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/describe"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Upcoming answers plans.upcoming about a plan that stands so at now, with at most count
// occurrences. The view has the record of the plan, unless that is a merge queue, and the set the
// calendars that it names.
func Upcoming(view command.PlanView, q *schema.Upcoming, count int, now time.Time, calendars *exclude.Set) (*schema.Previewed, error) {
	var p schema.Plan
	if err := wire.DecodeLoose(view.Plan, &p); err != nil {
		return nil, fmt.Errorf("read the definition of %s/%s: %w", q.Station, q.PlanID, err)
	}
	var record state.Record
	accepted := now
	if !view.Record.IsZero() {
		var err error
		if record, err = state.DecodeRecord(view.Record); err != nil {
			return nil, fmt.Errorf("read the record of %s/%s: %w", q.Station, q.PlanID, err)
		}
		accepted = record.Accepted.Time()
	}
	spec := calendar.SpecOf(&p)
	spec.After = record.Base
	schedule, err := calendar.Compile(spec, accepted)
	if err != nil {
		return nil, fmt.Errorf("read the schedule of %s/%s: %w", q.Station, q.PlanID, err)
	}
	v, err := newPreviewed(&p, calendars.Apply(schedule, &p), q.Shown)
	if err != nil {
		return nil, err
	}
	var skip calendar.Due
	if record.Skip != nil {
		skip = record.Skip.Due
	}
	c := coming{previewed: v, state: &view.State, record: &record, skip: skip, count: count, until: q.Until, skipped: q.WithSkipped}
	if view.State.Inbox != nil {
		c.handOver()
	} else {
		c.occur(q.From, now)
	}
	return &v.Previewed, nil
}

// A coming is the list of a plan's coming occurrences while it is computed.
type coming struct {
	*previewed
	state   *schema.PlanState
	record  *state.Record
	skip    calendar.Due // the last one to skip; K 0: none
	count   int          // entries at most
	until   time.Time    // zero: no bound
	skipped bool         // occurrences that will be skipped are shown, too
}

// handOver shows when the inbox of a plan is handed over next.
func (c *coming) handOver() {
	c.Words = describe.InboxWords(c.lang)
	switch {
	case c.rests() != "":
		c.Reason = c.rests()
	case c.state.PlanTime.IsZero():
		c.Reason = schema.ReasonInbox
	case c.until.IsZero() || !c.state.PlanTime.After(c.until):
		c.add(calendar.Due{K: c.state.Occurrence + 1, At: c.state.PlanTime}, "")
	}
}

// rests is why nothing of the plan runs, empty: something may.
func (c *coming) rests() schema.Reason {
	switch {
	case c.record.Closing:
		return schema.ReasonClosed
	case c.state.Status == schema.StatusPaused:
		return schema.ReasonPaused
	case c.state.Status == schema.StatusPending:
		return schema.ReasonPending
	case c.state.Status == schema.StatusPlanError:
		return schema.ReasonPlanError
	case c.skip.K == state.SkipAll:
		return schema.ReasonManual
	}
	return ""
}

// occur shows the occurrences of a schedule from a moment on, if that is given; else from now
// on, and those before it that wait their turn.
func (c *coming) occur(from, now time.Time) {
	prev := c.record.Prev
	c.Reason = c.rests()
	switch {
	case c.Reason != "" && (!c.skipped || c.record.Closing || c.schedule.Continuous()):
		return // a plan that follows the one before does not fall due meanwhile
	case !c.skipped && c.skip.K > prev.K:
		prev = c.skip
	}
	notBefore, queued := from, int64(0)
	if from.IsZero() {
		notBefore = now
		if c.Reason == "" {
			queued = c.waiting(now)
		}
	}
	runs, cut := false, false
	next := func(at calendar.Due) (calendar.Due, bool) {
		if at.K < queued {
			return c.schedule.Next(at, time.Time{})
		}
		return c.schedule.Next(at, notBefore)
	}
	end := calendar.Horizon(now)
	if first, ok := next(prev); ok && first.At.After(now) {
		end = calendar.Horizon(first.At)
	}
	for due, ok := next(prev); ok && len(c.Occurrences) < c.count; due, ok = next(due) {
		if cut = !c.until.IsZero() && due.At.After(c.until); cut {
			break
		}
		why := c.Reason
		switch excluded := c.schedule.Excludes(due.At); {
		case excluded && !c.skipped && due.At.After(end):
			c.Reason = schema.ReasonCalendar
			return
		case excluded && !c.skipped:
			continue
		case excluded && why != schema.ReasonPaused:
			why = schema.ReasonCalendar
		case why == "" && due.K <= c.skip.K:
			why = schema.ReasonManual
		}
		if why == "" {
			end = calendar.Horizon(due.At)
		}
		runs = runs || why == ""
		c.add(due, why)
	}
	switch {
	case c.Reason != "" || runs || cut:
	case len(c.Occurrences) < c.count:
		c.Reason = c.ended(prev, notBefore)
	case !c.runsBy(prev, notBefore, end):
		c.Reason = schema.ReasonCalendar
	}
}

// runsBy reports that calendars let an occurrence run that comes behind one, at a moment or later,
// before end, or that none falls due until then.
func (c *coming) runsBy(prev calendar.Due, notBefore, end time.Time) bool {
	if c.skip.K > prev.K {
		prev = c.skip
	}
	next, any := c.schedule.Next(prev, notBefore)
	_, runs := c.schedule.NextRunAt(prev, notBefore, end)
	return runs || !any || next.At.After(end)
}

// waiting is the last occurrence before now that will run all the same: 0: there is none.
func (c *coming) waiting(now time.Time) int64 {
	if c.plan.NoKeep || c.plan.CatchUp == schema.MissedFull {
		_, last := c.schedule.Passed(c.record.Prev, now)
		return last.K
	}
	return c.record.Marked().Queued.K
}

// ended is why no occurrence runs behind one, at a moment or later.
func (c *coming) ended(prev calendar.Due, notBefore time.Time) schema.Reason {
	_, last := c.schedule.Passed(prev, notBefore)
	most := calendar.SpecOf(c.plan).Repet
	switch {
	case c.skip.K > 0 && last.K <= c.skip.K:
		return schema.ReasonManual
	case most >= 0 && last.K >= most:
		return schema.ReasonRepetitions
	}
	return schema.ReasonEndAt
}
