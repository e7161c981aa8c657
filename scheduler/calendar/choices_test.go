package calendar_test

import (
	"sort"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// choice is the effect of a clock change on an expression, without an absent part.
func (e expression) choice(c schema.ClockChange) schema.ClockChange {
	gap, overlap := schema.GapAfter, schema.OverlapFirst
	if e.interval {
		gap, overlap = schema.GapSkip, schema.OverlapBoth
	}
	if !e.hourly && c.Gap != "" {
		gap = c.Gap
	}
	if !e.hourly && c.Overlap != "" {
		overlap = c.Overlap
	}
	return schema.ClockChange{Gap: gap, Overlap: overlap}
}

// dueBy returns every second from a to b at which the expression is due by a choice. It asks the
// rule of each choice in its plainest form at each second. The zone changes its clocks at most
// once within four days around them.
func (e expression) dueBy(zone *time.Location, c schema.ClockChange, a, b time.Time) []time.Time {
	offset := func(at time.Time) time.Duration { return reading(zone, at).Sub(at) }
	var change time.Time // the first second of the new offset
	for at := a.Truncate(time.Minute).Add(-48 * time.Hour); at.Before(b.Add(48 * time.Hour)); at = at.Add(time.Minute) {
		if offset(at) != offset(at.Add(-time.Minute)) {
			change = at
		}
	}
	old, now := offset(change.Add(-time.Second)), offset(change)
	c = e.choice(c)
	inGap := func() bool { // a reading of the gap matches
		for r := change.Add(old); r.Before(change.Add(now)); r = r.Add(time.Second) {
			if e.matches(r) {
				return true
			}
		}
		return false
	}()
	var found []time.Time
	for at := a; !at.After(b); at = at.Add(time.Second) {
		due := e.matches(reading(zone, at))
		if !change.IsZero() {
			twice := old - now // the time that is shown twice, or less than nothing
			second := !at.Before(change) && at.Before(change.Add(twice))
			first := at.Before(change) && !at.Before(change.Add(-twice))
			due = due && !(second && c.Overlap == schema.OverlapFirst) && !(first && c.Overlap == schema.OverlapSecond)
			switch c.Gap {
			case schema.GapAfter:
				due = due || inGap && at.Equal(change)
			case schema.GapBefore:
				due = due || inGap && at.Equal(change.Add(-time.Second))
			case schema.GapShift:
				due = due || !at.Before(change) && at.Before(change.Add(now-old)) && e.matches(at.Add(old))
			}
		}
		if due {
			found = append(found, at)
		}
	}
	return found
}

// Next and Passed agree with asking the clock each second, for any choice of a plan.
func TestChoicesAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := drawExpression(t)
		choice := schema.ClockChange{
			Gap:     rapid.SampledFrom([]schema.WhenGap{"", schema.GapAfter, schema.GapBefore, schema.GapShift, schema.GapSkip}).Draw(t, "gap"),
			Overlap: rapid.SampledFrom([]schema.WhenOverlap{"", schema.OverlapFirst, schema.OverlapSecond, schema.OverlapBoth}).Draw(t, "overlap"),
		}
		zone, a, b := drawWindow(t)
		want := e.dueBy(zone, choice, a, b)
		after := func(at time.Time) int { // how many are due at that second or before
			return sort.Search(len(want), func(i int) bool { return want[i].After(at) })
		}
		spec := cron(e.text, zone.String())
		spec.Change = choice
		for range 20 {
			accepted := a.Add(time.Duration(rapid.Int64Range(0, int64(b.Sub(a))).Draw(t, "accepted")))
			s, err := calendar.Compile(spec, accepted)
			if err != nil {
				continue // never, or only ever inside a gap
			}
			i := after(accepted)
			due, ok := s.Next(calendar.Due{}, time.Time{})
			if i < len(want) && (!ok || !due.At.Equal(want[i])) || i == len(want) && ok && !due.At.After(b) {
				t.Fatalf("%q %+v in %v: after %v due %v, want %v", e.text, choice, zone, accepted, due.At, want[i:min(i+1, len(want))])
			}
			end := accepted.Add(time.Duration(rapid.Int64Range(0, int64(b.Sub(accepted))).Draw(t, "end")))
			j := max(i, after(end.Add(-1)))
			n, last := s.Passed(calendar.Due{}, end)
			if n != int64(j-i) || n > 0 && (last.K != n || !last.At.Equal(want[j-1])) {
				t.Fatalf("%q %+v in %v: from %v to %v passed %d, last %v; want %d", e.text, choice, zone, accepted, end, n, last, j-i)
			}
			if due, ok := s.Next(calendar.Due{}, end); j < len(want) && (!ok || due.K != n+1 || !due.At.Equal(want[j])) {
				t.Fatalf("%q %+v in %v: accepted %v, from %v on due %v; want %d, %v", e.text, choice, zone, accepted, end, due, n+1, want[j])
			}
		}
	})
}

// In no zone are clocks changed so often that a choice could lose an occurrence, because each
// stretch between two changes is longer than the time that a change skips or repeats.
func TestZonesAreStableForLongerThanTheyJump(t *testing.T) {
	for _, name := range oddZones {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		for at := time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC); at.Year() < 2040; {
			start, end := at.In(zone).ZoneBounds()
			if end.IsZero() {
				break
			}
			if !start.IsZero() && end.Sub(start) < 48*time.Hour {
				t.Errorf("%s: from %v to %v only", name, start, end)
			}
			at = end
		}
	}
}
