package ahead

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/calendar/exclude"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// mostDistinct bounds the schedules that are counted one by one; of more they are a sample.
	mostDistinct = 10_000
	// mostTop and mostNotes bound the stations and the notes of a cell.
	mostTop   = 5
	mostNotes = 5
)

// Cells counts the occurrences of many plans that will run, in pieces of time. Plans with the same
// schedule are counted once.
type Cells struct {
	bounds  []time.Time // of the cells, and the end of the last one
	from    time.Time   // occurrences before it are not counted
	now     time.Time
	lang    schema.Lang
	changes map[string][]change // of clocks, by zone

	grids   map[grid]int64     // plans, by their occurrences
	rules   map[string]*shared // schedules that are counted one by one
	left    []*shared          // those that have not been counted yet
	thinned uint64             // schedules are left out whose hash has one of these bits

	cells   []cell
	plans   int64 // that were looked at, or about how many there are where they are a sample
	sampled bool  // the plans are
	ruled   int64 // of them those that rules have
	counted int64 // of those the ones whose rules were not left out
}

// A grid is the occurrences of plans of a station, in Unix seconds.
type grid struct {
	station           string
	first, last, step int64
}

// A shared is a schedule, and how many plans of which stations have it.
type shared struct {
	group    command.DueGroup
	plan     schema.Plan
	schedule calendar.Schedule
	hash     uint64
	stations map[string]int64
}

// A cell has the occurrences by station. Those by rules are a sample where rules were left out.
type cell struct {
	byGrid, byRule map[string]int64
	notes          map[schema.Note]int64
}

// NewCells makes cells between bounds, which ascend; the last one is the end. What is due before now
// is not counted.
func NewCells(bounds []time.Time, now time.Time, lang schema.Lang) *Cells {
	c := &Cells{
		bounds: bounds, from: bounds[0], now: now, lang: lang, changes: map[string][]change{},
		grids: map[grid]int64{}, rules: map[string]*shared{}, cells: make([]cell, len(bounds)-1),
	}
	if now.After(c.from) {
		c.from = now.Add(time.Second - 1).Truncate(time.Second)
	}
	return c
}

// Span is the time that groups are to be about.
func (c *Cells) Span() command.DueSpan {
	return command.DueSpan{From: c.from.Unix(), Until: c.bounds[len(c.cells)].Unix()}
}

// Add adds groups of the plans that were looked at. Each stands for every plans that are like it.
func (c *Cells) Add(groups []command.DueGroup, plans, every int64) error {
	every = max(every, 1)
	c.sampled = c.sampled || every > 1
	c.plans += plans * every
	for _, g := range groups {
		g.Plans *= every
		if g.Plan.IsZero() {
			c.grids[grid{g.Station, g.First, g.Last, g.Step}] += g.Plans
		} else if err := c.addRule(g); err != nil {
			return err
		}
	}
	return nil
}

// addRule adds plans with a schedule that is counted one by one, unless it is not one of the sample.
func (c *Cells) addRule(g command.DueGroup) error {
	c.ruled += g.Plans
	key := string(g.Plan.Raw())
	if g.Own {
		key = fmt.Sprint(key, g.Accepted.UnixNano(), g.Base, g.PrevK, g.PrevAt.UnixNano())
	}
	if s := c.rules[key]; s != nil {
		s.stations[g.Station] += g.Plans
		return nil
	}
	digest := fnv.New64a()
	_, _ = digest.Write([]byte(key))
	s := &shared{group: g, hash: spread(digest.Sum64()), stations: map[string]int64{g.Station: g.Plans}}
	if s.hash&c.thinned != 0 {
		return nil
	}
	if err := wire.DecodeLoose(g.Plan, &s.plan); err != nil {
		return fmt.Errorf("read the schedule of a plan of station %s: %w", g.Station, err)
	}
	c.rules[key] = s
	for len(c.rules) > mostDistinct {
		c.thinned = c.thinned<<1 | 1
		maps.DeleteFunc(c.rules, func(_ string, s *shared) bool { return s.hash&c.thinned != 0 })
	}
	return nil
}

// spread makes the low bits of a hash depend on all of it.
func spread(h uint64) uint64 {
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return h ^ h>>29
}

// Calendars are the ids of the calendars that the schedules name, in order.
func (c *Cells) Calendars() []string {
	ids := map[string]bool{}
	for _, s := range c.rules {
		for _, named := range [][]string{s.plan.Exclude, s.plan.Only} {
			for _, id := range named {
				ids[id] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// mostAtOnce bounds the schedules that one call counts, some milliseconds of them.
const mostAtOnce = 20

// Count counts some of the occurrences that were added; false: all are counted. The set has the
// calendars.
func (c *Cells) Count(set *exclude.Set) (more bool, err error) {
	if c.left == nil {
		c.countGrids()
		c.left = slices.SortedFunc(maps.Values(c.rules), func(a, b *shared) int { return cmp.Compare(a.hash, b.hash) })
	}
	some := c.left[:min(mostAtOnce, len(c.left))]
	c.left = c.left[len(some):]
	for _, s := range some {
		if err := c.countRule(s, set); err != nil {
			return false, err
		}
	}
	return len(c.left) > 0, nil
}

// countGrids counts the occurrences of grids, by arithmetic.
func (c *Cells) countGrids() {
	for g, plans := range c.grids {
		for at := g.first; at <= g.last; {
			i := c.cellOf(time.Unix(at, 0))
			if i < 0 {
				break
			}
			n := int64(1)
			if last := min(g.last, c.bounds[i+1].Unix()-1); g.step > 0 {
				n += (last - at) / g.step
			}
			add(&c.cells[i].byGrid, g.station, n*plans)
			at += n * max(g.step, 1)
		}
	}
}

// countRule counts the occurrences of a schedule. It looks once at each cell that something is due
// in, however much that is.
func (c *Cells) countRule(s *shared, set *exclude.Set) error {
	spec := calendar.SpecOf(&s.plan)
	spec.After = s.group.Base
	schedule, err := calendar.Compile(spec, s.group.Accepted)
	if err != nil {
		return fmt.Errorf("read the schedule of a plan of station %s: %w", s.group.Station, err)
	}
	s.schedule = set.Apply(schedule, &s.plan)
	plans := s.plans()
	c.counted += plans
	_, last := s.schedule.Passed(calendar.Due{K: s.group.PrevK, At: s.group.PrevAt}, c.from)
	for {
		next, ok := s.schedule.Next(last, time.Time{})
		if !ok {
			return nil
		}
		i := c.cellOf(next.At)
		if i < 0 {
			return nil
		}
		_, end := s.schedule.Passed(last, c.bounds[i+1])
		if n := s.schedule.Runs(calendar.Due{K: next.K - 1, At: next.At.Add(-time.Nanosecond)}, end); n > 0 {
			for station, of := range s.stations {
				add(&c.cells[i].byRule, station, n*of)
			}
			c.note(i, s, next, plans)
		}
		last = end
	}
}

// cellOf is the cell that holds a moment; -1: none does.
func (c *Cells) cellOf(at time.Time) int {
	i := sort.Search(len(c.bounds), func(i int) bool { return c.bounds[i].After(at) }) - 1
	if i == len(c.cells) {
		return -1
	}
	return i
}

func add(to *map[string]int64, station string, n int64) {
	if *to == nil {
		*to = map[string]int64{}
	}
	(*to)[station] += n
}

// Counted returns the answer, when all is counted; partial: there are plans that were not added.
func (c *Cells) Counted(zone, step string, partial bool) *schema.DueCalendar {
	out := &schema.DueCalendar{
		Zone: zone, Step: step, AsOf: c.now, Plans: c.plans, Cells: []schema.DueCell{},
		Sampled: partial || c.sampled || c.thinned != 0 || len(c.left) > 0,
	}
	for i := range c.cells {
		out.Cells = append(out.Cells, c.shown(i))
	}
	return out
}

func (c *Cells) shown(i int) schema.DueCell {
	out := schema.DueCell{From: c.bounds[i].Format(time.RFC3339), Top: []schema.DueStation{}, Notes: []schema.DueNote{}}
	counts := maps.Clone(c.cells[i].byGrid)
	for station, n := range c.cells[i].byRule {
		add(&counts, station, c.estimate(n))
	}
	for station, n := range counts {
		out.Count += n
		out.Top = append(out.Top, schema.DueStation{Station: station, Count: n})
	}
	slices.SortFunc(out.Top, func(a, b schema.DueStation) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Station, b.Station))
	})
	out.Top = out.Top[:min(len(out.Top), mostTop)]
	for note, plans := range c.cells[i].notes {
		out.Notes = append(out.Notes, schema.DueNote{Note: note, Plans: c.estimate(plans)})
	}
	slices.SortFunc(out.Notes, func(a, b schema.DueNote) int {
		return cmp.Or(cmp.Compare(b.Plans, a.Plans), cmp.Compare(a.Text, b.Text))
	})
	out.Notes = out.Notes[:min(len(out.Notes), mostNotes)]
	return out
}

// estimate is how many there would be of all plans with rules, of which the counted ones have n.
func (c *Cells) estimate(n int64) int64 {
	if c.counted == c.ruled || c.counted == 0 {
		return n
	}
	return int64(float64(n)*float64(c.ruled)/float64(c.counted) + 0.5)
}
