package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/tally"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// mostShown bounds the plans that an overview shows of each kind.
const mostShown = 20

// readCounters shows the counters of the partition.
func readCounters(t *turn, c command.ReadCounters) (command.Counters, error) {
	out := command.Counters{Since: t.Since.Time()}
	if c.Points > 0 {
		out.Points = points(t, c)
		for _, a := range t.Registry.Arrivals(c.Station) {
			out.Versions = append(out.Versions, command.NewVersion{At: a.At.Time(), Station: a.Station, Version: a.Version})
		}
		return out, nil
	}
	out.Overview = overview(t)
	return out, nil
}

func overview(t *turn) *schema.Overviewed {
	all := &t.Book.All
	minute, hour, day := all.Last(t.Now, tally.Second, 60), all.Last(t.Now, tally.Minute, 60), all.Last(t.Now, tally.Hour, 24)
	out := &schema.Overviewed{
		AsOf:       t.Now.Time(),
		Plans:      schema.PlanCounts{Total: t.Book.Total(), ByStatus: t.Book.Plans.ByStatus(), ByType: t.Book.Plans.ByType()},
		Executions: schema.ExecutionCounts{UnderWay: t.Executing, Waiting: all.Waiting.Shown()},
		Results:    map[string]schema.ResultCounts{"1m": resultsOf(&minute), "1h": resultsOf(&hour), "24h": resultsOf(&day)},
		Lateness:   map[string]schema.LatenessCounts{"1m": latenessOf(&minute), "1h": latenessOf(&hour)},
		Trouble:    trouble(t),
	}
	for _, d := range t.DueTimes.After(waiting.Due{}, mostShown) {
		p := t.Handles.Of(d.H)
		due := schema.DuePlan{Station: p.Name.Station, PlanID: p.Name.PlanID, PlanTime: d.At.Time(), KnownAs: jobName(p)}
		if p.Inbox != nil && p.Inbox.Key != "" {
			due.KnownAs = p.Inbox.Key
		}
		out.NextDue = append(out.NextDue, due)
	}
	return out
}

// jobName is the name of the HTTP job that p is of; empty: it is of none, or its definition is large and
// was put away.
func jobName(p *state.Plan) string {
	if p.Name.Station != schema.HTTPStation {
		return "" // without a look at its definition, because lists ask it of many plans
	}
	return schema.KnownAs(wire.Trust(p.Enc, p.Raw))
}

func resultsOf(s *tally.Slot) schema.ResultCounts {
	return schema.ResultCounts{States: s.ByState(), Reasons: s.ByReason()}
}

func latenessOf(s *tally.Slot) schema.LatenessCounts {
	l := schema.LatenessCounts{MaxMS: int64(s.Longest), Buckets: make([]int64, tally.Buckets)}
	for i, n := range s.Late {
		l.Buckets[i] = int64(n)
		l.Count += int64(n)
	}
	return l
}

// points are the counts of a station, or of all, at the last times at which something happened.
func points(t *turn, c command.ReadCounters) (out []command.CounterPoint) {
	of := &t.Book.All
	if c.Station != "" {
		if of = t.Book.Find(c.Station); of == nil {
			return nil
		}
	}
	for at, slot := range of.Each(t.Now, tally.Step(c.Step)) {
		out = append(out, command.CounterPoint{T: at, States: slot.ByState(), Reasons: slot.ByReason(), Lateness: latenessOf(slot)})
	}
	return out
}

// overdueFrom is how long a plan may be due before it counts as overdue.
const overdueFrom = unit.Moment(time.Second / time.Microsecond)

// trouble are the plans and stations that a person may have to look at, from the heads of the queues and
// one pass over the shapes of plans.
func trouble(t *turn) (all []schema.Trouble) {
	found := t.Book.Trouble(mostShown)
	add := func(kind schema.TroubleKind, p *state.Plan, since time.Time, count int64) {
		all = append(all, schema.Trouble{Kind: kind, Station: p.Name.Station, PlanID: p.Name.PlanID, Since: since, Count: count})
	}
	for _, h := range found.Stopped {
		p := t.Handles.Of(h)
		add(schema.TroubleStopped, p, stoppedSince(p).Time(), 1)
	}
	all = append(all, withoutWorkers(t, found.Workers)...)
	if p, at := t.firstDue(); p != nil && at <= t.Now-overdueFrom {
		add(schema.TroubleOverdue, p, at.Time(), 1)
	}
	for _, l := range t.Book.Latest() {
		if l.At > t.Now-unit.Moment(time.Hour/time.Microsecond) {
			all = append(all, schema.Trouble{
				Kind: schema.TroubleLate, Station: l.Plan.Station, PlanID: l.Plan.PlanID, Since: (l.Sent - l.Late).Time(), Count: int64(l.Late / 1000),
			})
		}
	}
	for _, h := range found.Callbacks {
		p := t.Handles.Of(h)
		station, _ := schema.CalledBack(p.Name.Station)
		all = append(all, schema.Trouble{Kind: schema.TroubleCallback, Station: station, Since: waitsSince(t, p).Time(), Count: max(p.Inbox.Length(), 1)})
	}
	return all
}

// firstDue is the plan whose look is due first, held or not.
func (t *turn) firstDue() (*state.Plan, unit.Moment) {
	timed, held := t.TimerQueue.Next(), t.Holding.Starts.Next()
	switch {
	case held != 0 && (timed == 0 || held < timed):
		return t.Handles.Of(t.Holding.Starts.First()), held
	case timed != 0:
		return t.Handles.Of(t.TimerQueue.First()), timed
	default:
		return nil, 0
	}
}

// stoppedSince is since when p stands still, which is its last failure, as far as that is known.
func stoppedSince(p *state.Plan) unit.Moment {
	for _, o := range p.Open {
		if o.LastError != nil {
			return unit.MomentOf(o.LastError.EndTime)
		}
	}
	return p.ExecTime
}

// withoutWorkers are the stations of plans that wait for a worker.
func withoutWorkers(t *turn, handles []unit.Handle) (all []schema.Trouble) {
	at := map[string]int{}
	for _, h := range handles {
		p := t.Handles.Of(h)
		since := waitsSince(t, p).Time()
		i, known := at[p.Name.Station]
		if !known {
			i = len(all)
			at[p.Name.Station] = i
			all = append(all, schema.Trouble{Kind: schema.TroubleNoWorker, Station: p.Name.Station, Since: since})
		}
		all[i].Count++
		if since.Before(all[i].Since) {
			all[i].Since = since
		}
	}
	for i := range all {
		if counts := t.Book.Find(all[i].Station); counts != nil {
			all[i].Count = max(all[i].Count, counts.Waiting.Of(schema.WaitWorker))
		}
	}
	return all
}
