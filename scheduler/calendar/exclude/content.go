package exclude

import (
	"cmp"
	"slices"
	"sort"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Content has the calendars of a rule at a time. It never changes, except that it keeps its
// results.
type Content struct {
	uses   []use
	zone   *time.Location // the plan's
	moves  int
	change schema.ClockChange
	raw    map[int64][]part           // by chunk
	pieces map[int64][]calendar.Piece // by chunk; of a rule that moves occurrences
	last   []calendar.Piece           // of the chunk that was used last, because the next piece is nearly always in it
	near   int                        // the place in it that was used last
	// earlier are the contents before it, each with the second at which it was replaced, in order.
	earlier []earlier
}

// A use is a calendar that a plan names.
type use struct {
	id   string
	of   *Calendar // nil: there is none, which holds nothing
	only bool
}

// chunk is the length of the time that is computed at once, in seconds.
const chunk = 32 * daySeconds

// mostChunks bounds the chunks that are kept. A chunk has a part for each change of the exclusion.
const mostChunks = 128

// A part is some time in which the same is excluded.
type part struct {
	from, to int64 // Unix seconds
	is       excluded
}

// excluded is the cause for which a part is excluded, a day, which need not hold for another day,
// or a time of day, at whose end it is over.
type excluded int8

const (
	not excluded = iota
	byTime
	byDay
)

func (c *Content) zoneOf(of *Calendar) *time.Location {
	if of.zone != nil {
		return of.zone
	}
	return c.zone
}

// at is the piece of a second by these calendars alone.
func (c *Content) at(second int64) calendar.Piece {
	if c.moves == 0 {
		p := c.part(second)
		piece := calendar.Piece{From: p.from, To: p.to}
		if p.is != not {
			piece.Kind = calendar.Held
		}
		return piece
	}
	if p := c.recent(second); p != nil {
		return *p
	}
	n := floorDiv(second, chunk)
	all, known := c.pieces[n]
	if !known {
		if len(c.pieces) >= mostChunks {
			clear(c.pieces)
		}
		all = c.move(n)
		c.pieces[n] = all
	}
	c.last, c.near = all, sort.Search(len(all), func(i int) bool { return all[i].To > second })
	return all[c.near]
}

// recent is the piece of a second, if it is the one that was used last, or the one behind it.
func (c *Content) recent(second int64) *calendar.Piece {
	for i := c.near; i < min(c.near+2, len(c.last)); i++ {
		if p := &c.last[i]; p.From <= second && second < p.To {
			c.near = i
			return p
		}
	}
	return nil
}

// part returns the part of a second, cut at the ends of its chunk.
func (c *Content) part(second int64) part {
	all := c.parts(floorDiv(second, chunk))
	return all[sort.Search(len(all), func(i int) bool { return all[i].to > second })]
}

// parts returns the parts of a chunk, which fill it.
func (c *Content) parts(n int64) []part {
	if all, known := c.raw[n]; known {
		return all
	}
	if len(c.raw) >= mostChunks {
		clear(c.raw)
	}
	all := c.compute(n*chunk, (n+1)*chunk)
	c.raw[n] = all
	return all
}

// An edge is where a calendar begins or ceases to hold the time, by a day or by a window.
type edge struct {
	at     int64
	of     int // the place in uses
	byDay  bool
	change int // 1 or -1
}

// compute returns the parts from a on and before b.
func (c *Content) compute(a, b int64) []part {
	var edges []edge
	for i, u := range c.uses {
		if u.of == nil {
			continue
		}
		u.of.held(c.zoneOf(u.of), a, b, func(from, to int64, byDay bool) {
			edges = append(edges, edge{from, i, byDay, 1}, edge{to, i, byDay, -1})
		})
	}
	slices.SortFunc(edges, func(x, y edge) int { return cmp.Compare(x.at, y.at) })
	held := make([][2]int, len(c.uses)) // how many windows, and days, of each hold the time
	all := []part{{from: a, to: b, is: c.judge(held)}}
	for i := 0; i < len(edges); {
		at := edges[i].at
		for ; i < len(edges) && edges[i].at == at; i++ {
			by := 0
			if edges[i].byDay {
				by = 1
			}
			held[edges[i].of][by] += edges[i].change
		}
		last := &all[len(all)-1]
		switch is := c.judge(held); {
		case at >= b || is == last.is:
		case last.from == at:
			last.is = is
			if len(all) > 1 && all[len(all)-2].is == is {
				all = all[:len(all)-1]
				all[len(all)-1].to = b
			}
		default:
			last.to = at
			all = append(all, part{from: at, to: b, is: is})
		}
	}
	return all
}

// judge decides about a time that the calendars hold so.
func (c *Content) judge(held [][2]int) excluded {
	is := not
	for i, u := range c.uses {
		windows, days := held[i][0], held[i][1]
		switch lacks := u.only && windows+days == 0; {
		case u.only && !lacks, !u.only && windows+days == 0:
		case u.only && u.of != nil && u.of.hasWindows(), !u.only && days == 0:
			is = max(is, byTime)
		default:
			is = byDay
		}
	}
	return is
}

// held yields the times that the calendar holds in a zone, from a on and before b.
func (c *Calendar) held(zone *time.Location, a, b int64, yield func(from, to int64, byDay bool)) {
	clock := schema.Clock{Location: zone}
	for t := a; t < b; {
		offset, _, end := clock.Stretch(t)
		end = min(end, b)
		lo, hi := t+offset, end+offset // readings
		clip := func(from, to int64, byDay bool) {
			if from, to = max(from, lo), min(to, hi); from < to {
				yield(from-offset, to-offset, byDay)
			}
		}
		for day := floorDiv(lo, daySeconds) - 1; day <= floorDiv(hi-1, daySeconds); day++ {
			start := day * daySeconds
			if c.holdsDay(int(day)) {
				clip(start, start+daySeconds, true)
			}
			if c.hasWindows() {
				for w := range func(yield func(*window) bool) { c.windowsOn(int(day), yield) } {
					clip(start+int64(w.from), start+int64(w.to), false)
				}
			}
		}
		t = end
	}
}

// firstFree returns the first second from t on that nothing excludes, up to limit; false: there is
// none.
func (c *Content) firstFree(t, limit int64) (int64, bool) {
	for t <= limit {
		p := c.part(t)
		if p.is == not {
			return t, true
		}
		t = p.to
	}
	return 0, false
}

// lastFree returns the last second up to t that nothing excludes, down to limit; false: there is
// none.
func (c *Content) lastFree(t, limit int64) (int64, bool) {
	for t >= limit {
		p := c.part(t)
		if p.is == not {
			return t, true
		}
		t = p.from - 1
	}
	return 0, false
}
