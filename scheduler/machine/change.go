package machine

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// The version of a calendar before a change counts for the occurrences that were due before. The
// calendar's row keeps it until a round through the plans has found none of them left.

// A change is a calendar that was replaced, with the rounds that close it.
type change struct {
	id     string
	until  int64 // the Unix second from which on the new one counts, the one in which it was put
	early  int64 // the Unix second from which on it counts instead, because the clock went back; 0: it did not
	left   int   // rounds that have not ended
	behind bool  // a plan has yet to take an occurrence off its schedule that was due before
}

// secondFrom is the first whole second at t or later, in Unix time.
func secondFrom(t time.Time) int64 {
	if t.Nanosecond() > 0 {
		return t.Unix() + 1
	}
	return t.Unix()
}

// earlierOf is the moment behind now, or another one if that comes first.
func earlierOf(at time.Time, now unit.Moment) time.Time {
	if behind := (now + 1).Time(); behind.Before(at) {
		return behind
	}
	return at
}

// excludesUntil is the moment before which p's occurrences are noted as excluded at now.
func (c *change) excludesUntil(now unit.Moment) time.Time {
	return earlierOf(time.Unix(c.until, 0), now)
}

// isBehind reports that p has yet to take an occurrence off its schedule that was due before a change.
func isBehind(p *state.Plan, c *change) bool {
	return !p.Removed && p.Next.K != 0 && !p.IsPaused() && !p.Schedule.Continuous() && p.Next.At.Before(time.Unix(c.until, 0))
}

const (
	// mostPasts bounds the former versions of a calendar that is changed again and again.
	mostPasts = 64
	// mostCalendarRow bounds a calendar with its pasts, in bytes, because it has to fit an append.
	mostCalendarRow = schema.MaxCalendarBytes + 128<<10
)

// skipping are the rules that name a calendar and skip excluded occurrences.
func (m *Machine) skipping(id string) []exclude.Was {
	return slices.DeleteFunc(m.part.Calendars.Set.Naming(id), func(w exclude.Was) bool { return w.Rule.Moves() })
}

// pastsOf are the pasts of the calendar of an id once it is replaced, if they count for a plan.
// The new one counts from the begin of the present second on, because it does for all occurrences
// that fall due after the answer; the ones due before in that second are noted with the recount.
func (t *turn) pastsOf(id string) []exclude.Past {
	set := &t.Calendars.Set
	before := set.Get(id)
	if before == nil || len(t.m.skipping(id)) == 0 {
		return nil
	}
	pasts := append(slices.Clone(set.Pasts(id)), exclude.Past{Until: t.Now.Time().Unix(), Of: before})
	return pasts[max(len(pasts)-mostPasts, 0):]
}

// calendarRow writes the row of a calendar, with as many of its pasts as there is room for, the latest.
func calendarRow(enc wire.Encoding, c *schema.Calendar, pasts []exclude.Past) ([]byte, []exclude.Past, error) {
	for {
		value, err := wire.Marshal(enc, state.CalendarRecordOf(c, pasts))
		if err != nil || len(value) <= mostCalendarRow || len(pasts) == 0 {
			return value, pasts, err
		}
		pasts = pasts[1:]
	}
}

// close has rounds close the latest change of a calendar, when the second in which it was made is over.
func (m *Machine) close(id string) {
	pasts := m.part.Calendars.Set.Pasts(id)
	if len(pasts) == 0 {
		return
	}
	of := &change{id: id, until: pasts[len(pasts)-1].Until}
	for _, w := range m.skipping(id) {
		of.left++
		m.recounts = append(m.recounts, &recount{Was: w, do: closes, from: unit.MomentOf(time.Unix(of.until, 0)), of: of})
	}
}

// closeEarly has the changes of calendars that were made by a clock which was ahead count from now on.
// The former versions stay for occurrences that were due before.
func (m *Machine) closeEarly(now unit.Moment) {
	set := &m.part.Calendars.Set
	for _, id := range set.Changed() {
		if pasts := set.Pasts(id); pasts[len(pasts)-1].Until > secondFrom((now + state.SetbackFrom).Time()) {
			of := &change{id: id, early: now.Time().Unix(), left: 1}
			m.recounts = append(m.recounts, &recount{do: closes, from: atOnce, of: of}) // of no plan
		}
	}
	for _, r := range m.recounts {
		r.from = min(r.from, unit.MomentOf(time.Unix(secondFrom(now.Time()), 0)))
	}
}

// closeRound notes that a round has ended which closes a change; false: the batch has no room.
func closeRound(t *turn, c *change) bool {
	if c.left == 1 && !c.behind && !forgetPasts(t, c) {
		return false
	}
	c.left--
	return true
}

// remaining are the former versions of a calendar that are left when a change is closed, and whether
// they are others than before.
func (c *change) remaining(had []exclude.Past) (left []exclude.Past, changed bool) {
	left = slices.Clone(had)
	if c.early == 0 {
		left = slices.DeleteFunc(left, func(p exclude.Past) bool { return p.Until <= c.until })
		return left, len(left) != len(had)
	}
	first := slices.IndexFunc(left, func(p exclude.Past) bool { return p.Until > c.early })
	if first < 0 {
		return left, false
	}
	left[first].Until = c.early
	return left[:first+1], true
}

// forgetPasts drops the former versions of a calendar that count for no occurrence any more; false:
// the batch has no room.
func forgetPasts(t *turn, c *change) bool {
	return t.inOneTurn(func() {
		set, row := &t.Calendars.Set, t.Calendars.Rows[c.id]
		made, had := set.Get(c.id), set.Pasts(c.id)
		left, changed := c.remaining(had)
		if row == nil || made == nil || !changed {
			return
		}
		value, left, err := calendarRow(wire.MsgPack, made.Record, left)
		if err != nil {
			return // it was written before
		}
		were := set.Put(c.id, made, left...)
		t.OnUndo(func() { set.PutBack(c.id, made, had, were) })
		t.OnKeep(func() {
			t.UnwriteCalendar(row, t.Batch.Number)
			for _, w := range were {
				if !w.Rule.Moves() {
					t.m.recounts = append(t.m.recounts, &recount{Was: w, now: w.Rule.Content(), do: resets, from: atOnce})
				}
			}
			if c.early != 0 {
				t.m.close(c.id)
			}
		})
		t.Batch.AppendRow(event.RowCalendar, schema.PlanName{PlanID: c.id}, 0, value)
	}) != Full
}
