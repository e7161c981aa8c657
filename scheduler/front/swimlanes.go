package front

import (
	"cmp"
	"maps"
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

// swimlanes gather the runs of a timeline. They count each, so that their size does not grow with the
// number of runs; the bars of few runs are added.
type swimlanes struct {
	query       *schema.PlanTimeline
	from, until int64 // of query, in microseconds
	max         int
	step        time.Duration

	runs  int
	bars  []namedBar
	lanes map[rowName]*countedRuns
	rest  countedRuns // of the lanes without counts of their own
}

// A rowName is the plan whose runs it has, or else names a worker or a station alone.
type rowName schema.PlanName

func (l rowName) name() string {
	if l.PlanID == "" {
		return l.Station
	}
	return schema.PlanName(l).String()
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
	s := &swimlanes{
		query: q, from: q.From.UnixMicro(), until: q.Until.UnixMicro(),
		max: int(cmp.Or(q.Max, mostBars)), lanes: map[rowName]*countedRuns{},
	}
	span := q.Until.Sub(q.From)
	for _, s.step = range bucketSteps {
		if span <= mostBuckets*s.step {
			break
		}
	}
	return s
}

func (s *swimlanes) rowOf(plan schema.PlanName, worker string) rowName {
	switch s.query.Lanes {
	case schema.LanesByPlan:
		return rowName(plan)
	case schema.LanesByStation:
		return rowName{Station: plan.Station}
	default:
		return rowName{Station: worker}
	}
}

// areMany reports that there are too many runs to show each.
func (s *swimlanes) areMany() bool { return s.runs > s.max }

// count counts a run; false if the time does not meet it.
func (s *swimlanes) count(r endedRun) bool {
	if r.began >= s.until || r.end < s.from {
		return false
	}
	s.runs++
	of := s.rowOf(r.plan.Value(), r.worker.Value())
	counts := s.lanes[of]
	switch {
	case counts != nil:
	case len(s.lanes) < mostLanes:
		counts = &countedRuns{}
		s.lanes[of] = counts
	default:
		counts = &s.rest
	}
	counts.total++
	b := &counts.buckets[max(0, r.began-s.from)/s.step.Microseconds()]
	b.Count++
	if r.bad {
		b.Bad++
	}
	return true
}

// add adds the bar of a run.
func (s *swimlanes) add(bar schema.TimelineBar, worker string) {
	of := s.rowOf(schema.PlanName{Station: bar.Station, PlanID: bar.PlanID}, worker)
	s.bars = append(s.bars, namedBar{of.name(), bar})
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
	if !s.areMany() {
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
	all := slices.Collect(maps.Keys(s.lanes))
	slices.SortFunc(all, func(a, b rowName) int {
		return cmp.Or(cmp.Compare(s.lanes[b].total, s.lanes[a].total), cmp.Compare(a.name(), b.name()))
	})
	shown := all[:min(len(all), most)]
	rest := s.rest
	for _, of := range all[len(shown):] {
		rest.add(s.lanes[of])
	}
	slices.SortFunc(shown, func(a, b rowName) int { return cmp.Compare(a.name(), b.name()) })
	n := int((s.query.Until.Sub(s.query.From) + s.step - 1) / s.step)
	lanes := make([]schema.TimelineRow, 0, len(shown)+1)
	for _, of := range shown {
		lanes = append(lanes, schema.TimelineRow{Name: of.name(), Buckets: s.lanes[of].buckets[:n]})
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
