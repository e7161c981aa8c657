package front

import (
	"context"
	"math"
	"time"
	"unique"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// mostEnded bounds the index of ended runs, at 25 megabytes.
const mostEnded = 250_000

// An endedRun is what a timeline counts of a run. Times are microseconds since 1970.
type endedRun struct {
	seq             uint64
	n               int64
	due, began, end int64 // end is stillOpen of a run under way
	plan            unique.Handle[schema.PlanName]
	worker          unique.Handle[string]
	bad             bool
}

// stillOpen stands for the end of a run under way, which is behind all times.
const stillOpen = math.MaxInt64

func (r endedRun) sequence() uint64 { return r.seq }

// endedRunOf reads the run of a result; false: it is not that of a run that has ended.
func endedRunOf(s broker.StoredResult) (endedRun, bool) {
	v, ok := scanResult(s)
	if !ok {
		return endedRun{}, false
	}
	bar, worker := barOf(v)
	if bar.N <= 0 || bar.End.IsZero() || max(len(bar.Station), len(bar.PlanID), len(worker)) > schema.MaxName {
		return endedRun{}, false
	}
	return endedRun{
		seq: s.Seq, n: bar.N, due: bar.Due.UnixMicro(), began: beginOf(&bar).UnixMicro(), end: bar.End.UnixMicro(),
		plan: unique.Make(schema.PlanName{Station: bar.Station, PlanID: bar.PlanID}), worker: unique.Make(worker), bad: isBad(&bar),
	}, true
}

// endedBack calls take with the ended runs of a search, the newest first. A result that was read for a
// search before is not read again. It returns whether the time sufficed.
func (f *Front) endedBack(ctx context.Context, search *readBack, take func(endedRun)) (whole bool, err error) {
	floor, below, err := f.bounds(ctx, search, 0)
	if err != nil {
		return false, err
	}
	results := f.config.Store.Results()
	whole, read := true, 0 // one result is read even after late, because an empty answer tells nothing
	err = indexedSearch[endedRun]{
		index: &f.ended,
		known: func(runs []endedRun) (bool, error) {
			for _, r := range runs {
				take(r)
			}
			return true, nil
		},
		look: func(broker.StoredResult) bool {
			read++
			whole = read == 1 || time.Now().Before(search.late)
			return whole
		},
		read: func(s broker.StoredResult) (r endedRun, is, on bool) {
			if r, is = endedRunOf(s); is {
				take(r)
			}
			return r, is, true
		},
	}.back(ctx, results, floor, below)
	return whole, err
}

// barsOf reads the bars of ended runs, with their workers, in no order. Results that were removed
// meanwhile are left out.
func (f *Front) barsOf(ctx context.Context, runs []endedRun, take func(bar schema.TimelineBar, worker string)) error {
	_, err := eachStored(ctx, f.config.Store.Results(), runs, func(s broker.StoredResult) bool {
		if v, ok := scanResult(s); ok {
			take(barOf(v))
		}
		return true
	})
	return err
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
