package front

import (
	"cmp"
	"context"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
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
	return r.async(func(ctx context.Context) (any, error) {
		leave, err := ps.front.historyTurn(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		g := timelineSearch{front: ps.front, query: &q, lanes: newSwimlanes(&q), late: time.Now().Add(lookingTime), complete: true}
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
		search := &readBack{from: from, to: until, station: g.query.Station, late: g.late}
		if !until.Before(now) {
			search.to = time.Time{} // a clock may be ahead
		}
		resume, err := g.front.readBack(ctx, search, 0, func(s broker.StoredResult) bool {
			if v, ok := scanResult(s); ok && endedWithin(v, search.from, search.to) {
				g.take(v)
			}
			return true
		})
		if err != nil {
			return err
		}
		if resume != 0 {
			g.complete = false
		}
		if search.to.IsZero() || !g.complete {
			break
		}
		from, until = until, until.Add(span)
	}
	for _, run := range g.under {
		g.lanes.add(run.TimelineBar, run.WorkerID)
	}
	return nil
}

// take enters a run that has ended.
func (g *timelineSearch) take(v wire.Value) {
	bar, worker := barOf(v)
	if bar.N <= 0 || !schema.AtStation(bar.Station, g.query.Station) {
		return
	}
	if len(g.under) > 0 {
		name := openName{schema.PlanName{Station: bar.Station, PlanID: bar.PlanID}, bar.N, bar.Due.UnixMicro()}
		delete(g.under, name)
		name.n = 0
		delete(g.under, name)
	}
	g.lanes.add(bar, worker)
}

// barOf is the bar of a result, and its worker, in one pass over its members, because a timeline reads
// some hundred thousand results.
func barOf(v wire.Value) (bar schema.TimelineBar, worker string) {
	for name, member := range v.Map() {
		switch name {
		case "station":
			bar.Station, _ = member.Text()
		case "plan_id":
			bar.PlanID, _ = member.Text()
		case "n":
			bar.N, _ = member.Int()
		case "attempt":
			bar.Attempt, _ = member.Int()
		case "plan_time":
			bar.Due, _ = member.Time()
		case "exec_time":
			bar.Start, _ = member.Time()
		case "end_time":
			bar.End, _ = member.Time()
		case "state":
			state, _ := member.Text()
			bar.State = schema.State(state)
		case "reason":
			reason, _ := member.Text()
			bar.Reason = schema.Reason(reason)
		case "worker_id":
			worker, _ = member.Text()
		}
	}
	if bar.Station == schema.HTTPStation {
		bar.KnownAs = schema.KnownAs(v)
	}
	return bar, worker
}
