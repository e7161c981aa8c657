package exclude

import (
	"cmp"
	"math"
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// mostDays is how many days away an occurrence moves at most.
const mostDays = 31

// move returns the pieces of a chunk, which fill it. An excluded time moves to the same reading of
// the plan's clock on the next day, and on if that day is excluded; where it is a time of day that
// is excluded, to the first second behind (or the last one before) that nothing excludes.
func (c *Content) move(n int64) []calendar.Piece {
	var all []calendar.Piece
	for _, p := range c.parts(n) {
		m := mover{Content: c}
		switch p.is {
		case not:
			m.piece(p.from, p.to, calendar.Treatment{})
		case byTime:
			m.gather(p.from, p.to, p.from)
		case byDay:
			m.days(p.from, p.to)
		}
		slices.SortFunc(m.pieces, func(a, b calendar.Piece) int { return cmp.Compare(a.From, b.From) })
		all = append(all, m.pieces...)
	}
	return all
}

// A mover makes the pieces of a part.
type mover struct {
	*Content
	pieces []calendar.Piece
}

func (m *mover) piece(from, to int64, is calendar.Treatment) {
	if from < to {
		m.pieces = append(m.pieces, calendar.Piece{From: from, To: to, Treatment: is})
	}
}

// gather has the time from one second to another move to where, looked for from a second on,
// nothing is excluded.
func (m *mover) gather(from, to, at int64) {
	const most = mostDays * daySeconds
	var free int64
	var ok bool
	if m.moves > 0 {
		free, ok = m.firstFree(at, to+most)
	} else {
		free, ok = m.lastFree(at, from-most)
	}
	if !ok {
		m.piece(from, to, calendar.Treatment{Kind: calendar.Held})
		return
	}
	lo, hi := max(from, min(to, free-most)), min(to, max(from, free+most+1)) // those within 31 days of it
	m.piece(from, lo, calendar.Treatment{Kind: calendar.Held})
	m.piece(lo, hi, calendar.Treatment{Kind: calendar.Gathered, By: free})
	m.piece(hi, to, calendar.Treatment{Kind: calendar.Held})
}

// days has the time from one second to another, all of which is excluded by days, move by whole
// days.
func (m *mover) days(from, to int64) {
	clock := schema.Clock{Location: m.zone}
	for t := from; t < to; {
		offset, _, end := clock.Stretch(t)
		midnight := (floorDiv(t+offset, daySeconds)+1)*daySeconds - offset
		end = min(end, to, midnight)
		m.fromDay(t, end, offset)
		t = end
	}
}

// A rest is readings of a day, counted from 1970, that have found no place yet.
type rest struct{ from, to int64 }

// fromDay has the time of one day move, from one second to another; offset leads to its readings.
func (m *mover) fromDay(from, to, offset int64) {
	left := []rest{{from + offset, to + offset}}
	for n := int64(1); n <= mostDays && len(left) > 0; n++ {
		by := n * daySeconds * int64(m.moves)
		todo := left
		left = nil
		for _, r := range todo {
			m.readings(r.from+by, r.to+by, func(lo, hi int64, to target) {
				source := rest{lo - by, hi - by}
				switch {
				case to.none:
					m.piece(source.from-offset, source.to-offset, calendar.Treatment{Kind: calendar.Held})
				case to.once:
					left = append(left, m.intoOne(source, offset, to.at)...)
				default:
					left = append(left, m.into(source, offset, to.at)...)
				}
			})
		}
	}
	for _, r := range left {
		m.piece(r.from-offset, r.to-offset, calendar.Treatment{Kind: calendar.Held})
	}
}

// intoOne has readings move to one second, and returns them if its day is excluded.
func (m *mover) intoOne(r rest, offset, at int64) []rest {
	switch m.part(at).is {
	case byDay:
		return []rest{r}
	case byTime:
		m.gather(r.from-offset, r.to-offset, at)
	default:
		m.piece(r.from-offset, r.to-offset, calendar.Treatment{Kind: calendar.Gathered, By: at})
	}
	return nil
}

// into has readings move to the seconds from at on, and returns those whose day is excluded.
func (m *mover) into(r rest, offset, at int64) (left []rest) {
	by := at - (r.from - offset) // from a second to the one that it moves to
	for t, end := at, at+r.to-r.from; t < end; {
		p := m.part(t)
		to := min(p.to, end)
		source := rest{t - by, to - by}
		switch p.is {
		case not:
			m.piece(source.from, source.to, calendar.Treatment{Kind: calendar.Shifted, By: by})
		case byTime:
			m.gather(source.from, source.to, t)
		case byDay:
			left = append(left, rest{source.from + offset, source.to + offset})
		}
		t = to
	}
	return left
}

// A target is where readings are due.
type target struct {
	at   int64 // the second of the first one
	once bool  // all of them then; else each after the other
	none bool  // nowhere, because there is no such reading and the plan skips it
}

// readings yields where the readings from lo on and before hi are due on the plan's clock, by the
// plan's choice for changes of clocks, of which both is first.
func (m *mover) readings(lo, hi int64, yield func(lo, hi int64, to target)) {
	clock := schema.Clock{Location: m.zone}
	next := lo // the first reading that has no place yet
	before := int64(0)
	for t := lo - schema.ClockReach; next < hi; {
		offset, start, end := clock.Stretch(t)
		if shown := start + offset; start != math.MinInt64 && next < shown {
			if t > lo-schema.ClockReach { // the clock was set forward here
				to := min(shown, hi)
				yield(next, to, m.inGap(next, start, before))
				next = to
			}
		}
		last := hi
		if end != math.MaxInt64 {
			last = min(hi, end+offset)
			if m.change.Overlap == schema.OverlapSecond {
				if after, _, _ := clock.Stretch(end); after < offset {
					last = min(last, end+after)
				}
			}
		}
		if next < last {
			yield(next, last, target{at: next - offset})
			next = last
		}
		t, before = end, offset
	}
}

// inGap is where readings are due that a clock skips at a second, the first of which is given.
func (m *mover) inGap(first, change, before int64) target {
	switch m.change.Gap {
	case schema.GapBefore:
		return target{at: change - 1, once: true}
	case schema.GapShift:
		return target{at: first - before}
	case schema.GapSkip:
		return target{none: true}
	default:
		return target{at: change, once: true}
	}
}
