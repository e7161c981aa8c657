package front

import (
	"cmp"
	"context"
	"time"
	"unique"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// longestTimeline bounds the time that a timeline shows.
	longestTimeline = 24 * time.Hour
	// mostUnder bounds the open runs of a timeline.
	mostUnder = 50_000
)

// timeline answers with the runs that a span of time meets. Leaders are asked first. They answer when
// all results that they decided before are stored, so a run that ends meanwhile is found in one place
// at least; if it is in both, the result counts.
func (ps plans) timeline(r *request) error {
	var q schema.PlanTimeline
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := r.checkTimeline(&q, ps.now()); err != nil {
		return err
	}
	within := cmp.Or(time.Duration(q.WithinMS)*time.Millisecond, lookingTime)
	return r.async(func(ctx context.Context) (any, error) {
		leave, err := ps.front.historyTurn(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		g := timelineSearch{front: ps.front, query: &q, lanes: newSwimlanes(&q), late: time.Now().Add(within), complete: true}
		if err := g.open(ctx); err != nil {
			return nil, err
		}
		if err := g.ended(ctx, ps.now()); err != nil {
			return nil, unreadableRuns(err)
		}
		return g.lanes.answer(r.enc, ps.front.mostEntry(), g.complete)
	})
}

// checkTimeline checks the parameters, and sets the defaults.
func (r *request) checkTimeline(q *schema.PlanTimeline, now time.Time) error {
	q.Lanes = cmp.Or(q.Lanes, schema.LanesByPlan)
	if err := among(r, []string{schema.LanesByPlan, schema.LanesByWorker, schema.LanesByStation}, "lanes", q.Lanes); err != nil {
		return err
	}
	if q.Until.IsZero() {
		q.Until = now.Add(time.Millisecond) // which was rounded down
	}
	if q.From.IsZero() {
		q.From = q.Until.Add(-time.Hour)
	}
	q.From, q.Until = q.From.UTC(), q.Until.UTC()
	switch {
	case !q.From.Before(q.Until):
		return r.invalid("until", "until is not after from")
	case q.From.Add(longestTimeline).Before(q.Until):
		return r.invalid("until", "until lies more than a day after from, which is shown at most")
	case q.Station == "":
		return nil
	}
	return r.checkStationFilter(q.Station)
}

// A timelineSearch gathers the runs of a timeline.
type timelineSearch struct {
	front    *Front
	query    *schema.PlanTimeline
	lanes    *swimlanes
	late     time.Time
	complete bool // the time sufficed, and the room

	under map[openName]command.OpenRun // the runs that were open when their leader was asked, and have not been found ended
	few   []endedRun                   // those that are shown one by one
}

// An openName distinguishes open runs. An occurrence that waits for its first execution has no n.
type openName struct {
	schema.PlanName
	n, due int64
}

// open asks leaders for open runs.
func (g *timelineSearch) open(ctx context.Context) error {
	g.under = map[openName]command.OpenRun{}
	for p := range g.front.partitions() {
		query := command.ListOpen{Station: g.query.Station, Before: g.query.Until}
		for more := true; more; {
			if len(g.under) > mostUnder || time.Now().After(g.late) {
				g.complete = false
				return nil
			}
			slice, err := ask[command.OpenSlice](ctx, g.front, p, query)
			if err != nil {
				return err
			}
			for _, run := range slice.Open {
				g.under[openName{schema.PlanName{Station: run.Station, PlanID: run.PlanID}, run.N, run.Due.UnixMicro()}] = run
			}
			query.After, more = slice.Last, slice.More
		}
	}
	return nil
}

// ended reads the results of the time, and then those of later times, because a run that began
// before may have ended there: the nearest first, in parts that grow.
func (g *timelineSearch) ended(ctx context.Context, now time.Time) error {
	from, until := g.query.From, g.query.Until
	for span := until.Sub(from); ; span *= 2 {
		search := &readBack{from: from, to: until, late: g.late}
		if !until.Before(now) {
			search.to = time.Time{} // a clock may be ahead
		}
		whole, err := g.front.endedBack(ctx, search, func(r endedRun) {
			if r.end >= search.from.UnixMicro() && (search.to.IsZero() || r.end < search.to.UnixMicro()) {
				g.take(r)
			}
		})
		if err != nil {
			return err
		}
		if !whole {
			g.complete = false
		}
		if search.to.IsZero() || !g.complete {
			break
		}
		from, until = until, until.Add(span)
	}
	for _, run := range g.under {
		if g.lanes.count(runUnder(&run)) {
			g.lanes.add(run.TimelineBar, run.WorkerID)
		}
	}
	if g.lanes.areMany() {
		return nil
	}
	return g.front.barsOf(ctx, g.few, g.lanes.add)
}

// take enters a run that has ended.
func (g *timelineSearch) take(r endedRun) {
	plan := r.plan.Value()
	if !schema.AtStation(plan.Station, g.query.Station) {
		return
	}
	if len(g.under) > 0 {
		name := openName{plan, r.n, r.due}
		delete(g.under, name)
		name.n = 0
		delete(g.under, name)
	}
	if g.lanes.count(r) && !g.lanes.areMany() {
		g.few = append(g.few, r)
	}
}

// runUnder is what is counted of a run under way.
func runUnder(run *command.OpenRun) endedRun {
	return endedRun{
		began: beginOf(&run.TimelineBar).UnixMicro(), end: stillOpen,
		plan: unique.Make(schema.PlanName{Station: run.Station, PlanID: run.PlanID}), worker: unique.Make(run.WorkerID),
	}
}
