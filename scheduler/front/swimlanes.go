package front

import (
	"cmp"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

const (
	// mostBars bounds the runs that a timeline shows one by one.
	mostBars = 2000
	// mostBuckets bounds the buckets of a lane.
	mostBuckets = 100
	// mostLanes bounds the lanes with counts of their own, and shownLanes those that are shown when
	// runs are counted.
	mostLanes  = 2000
	shownLanes = 150
)

// bucketSteps are the lengths that a bucket may have.
var bucketSteps = []time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second,
	30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute,
}

// swimlanes gather the runs of a timeline. They keep each run until there are too many, and counts in
// any case, so that their size does not grow with the number of runs.
type swimlanes struct {
	query *schema.PlanTimeline
	max   int
	step  time.Duration

	count int
	bars  []namedBar
	lanes map[string]*countedRuns
	rest  countedRuns // of the lanes without counts of their own
}

type namedBar struct {
	of string // its lane
	schema.TimelineBar
}

type countedRuns struct {
	total   int64
	buckets [mostBuckets]schema.TimelineBucket
}

func newSwimlanes(q *schema.PlanTimeline) *swimlanes {
	s := &swimlanes{query: q, max: int(cmp.Or(q.Max, mostBars)), lanes: map[string]*countedRuns{}}
	span := q.Until.Sub(q.From)
	for _, s.step = range bucketSteps {
		if span <= mostBuckets*s.step {
			break
		}
	}
	return s
}

// add enters a run that the time meets.
func (s *swimlanes) add(bar schema.TimelineBar, worker string) {
	began := beginOf(&bar)
	if !began.Before(s.query.Until) || !bar.End.IsZero() && bar.End.Before(s.query.From) {
		return
	}
	lane := worker
	switch s.query.Lanes {
	case schema.LanesByPlan:
		lane = bar.Station + "/" + bar.PlanID
	case schema.LanesByStation:
		lane = bar.Station
	}
	if s.count++; s.count <= s.max {
		s.bars = append(s.bars, namedBar{lane, bar})
	}
	counts := s.lanes[lane]
	switch {
	case counts != nil:
	case len(s.lanes) < mostLanes:
		counts = &countedRuns{}
		s.lanes[lane] = counts
	default:
		counts = &s.rest
	}
	counts.total++
	b := &counts.buckets[max(0, began.Sub(s.query.From))/s.step]
	b.Count++
	if isBad(&bar) {
		b.Bad++
	}
}

// beginOf is when a run begins in the picture: when it was sent or, if it never was, when it fell due.
// A skip has no length.
func beginOf(b *schema.TimelineBar) time.Time {
	switch {
	case !b.Start.IsZero():
		return b.Start
	case b.State == schema.StateSkipped || b.Due.IsZero():
		return b.End
	default:
		return b.Due
	}
}

func isBad(b *schema.TimelineBar) bool {
	switch b.State {
	case schema.StateError, schema.StateFailure, schema.StateTimeout:
		return true
	default:
		return b.Reason == schema.ReasonMissed
	}
}

// answer writes the timeline: with bars, or with counts where there are too many of them, or they do
// not fit into room bytes.
func (s *swimlanes) answer(enc wire.Encoding, room int, complete bool) (encoded, error) {
	out := schema.Timeline{From: s.query.From, Until: s.query.Until}
	if !complete {
		out.Complete = &complete
	}
	if s.count <= s.max {
		out.Lanes = s.withBars()
		if body, err := wire.Marshal(enc, &out); err != nil || len(body) <= room {
			return body, err
		}
	}
	out.StepMS = s.step.Milliseconds()
	for most := shownLanes; ; most /= 2 {
		out.Lanes = s.counted(most)
		if body, err := wire.Marshal(enc, &out); err != nil || len(body) <= room || most == 0 {
			return body, err
		}
	}
}

func (s *swimlanes) withBars() []schema.TimelineRow {
	slices.SortFunc(s.bars, func(a, b namedBar) int {
		return cmp.Or(
			cmp.Compare(a.of, b.of), beginOf(&a.TimelineBar).Compare(beginOf(&b.TimelineBar)),
			cmp.Compare(a.Station, b.Station), cmp.Compare(a.PlanID, b.PlanID), cmp.Compare(a.N, b.N),
		)
	})
	lanes := []schema.TimelineRow{}
	for i := range s.bars {
		if i == 0 || s.bars[i].of != s.bars[i-1].of {
			lanes = append(lanes, schema.TimelineRow{Name: s.bars[i].of})
		}
		last := &lanes[len(lanes)-1]
		last.Bars = append(last.Bars, s.bars[i].TimelineBar)
	}
	return lanes
}

// counted are the lanes with the most runs, by their names, and the others as one.
func (s *swimlanes) counted(most int) []schema.TimelineRow {
	names := make([]string, 0, len(s.lanes))
	for name := range s.lanes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(s.lanes[b].total, s.lanes[a].total), cmp.Compare(a, b))
	})
	shown := names[:min(len(names), most)]
	rest := s.rest
	for _, name := range names[len(shown):] {
		rest.add(s.lanes[name])
	}
	slices.Sort(shown)
	n := int((s.query.Until.Sub(s.query.From) + s.step - 1) / s.step)
	lanes := make([]schema.TimelineRow, 0, len(shown)+1)
	for _, name := range shown {
		lanes = append(lanes, schema.TimelineRow{Name: name, Buckets: s.lanes[name].buckets[:n]})
	}
	if rest.total > 0 {
		lanes = append(lanes, schema.TimelineRow{Name: schema.OtherLanes, Buckets: rest.buckets[:n]})
	}
	return lanes
}

func (c *countedRuns) add(other *countedRuns) {
	c.total += other.total
	for i := range c.buckets {
		c.buckets[i].Count += other.buckets[i].Count
		c.buckets[i].Bad += other.buckets[i].Bad
	}
}
