package front

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// workers are the verbs of workers.
type workers struct{ front *Front }

// list answers with the connected workers, by id. Each partition knows the workers whose
// records or replies it has seen, so all partitions are asked.
func (ws workers) list(r *request) error {
	var q schema.ListWorkers
	if err := r.decode(&q); err != nil {
		return err
	}
	if q.Station != "" {
		if err := schema.CheckStation(q.Station); err != nil {
			return r.invalid("station", "station %v", err)
		}
	}
	after, limit, err := paging(r, q.Limit, q.Cursor, parseWorkerCursor)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		workers, more, err := ws.merged(ctx, command.ListWorkers{Station: q.Station, Limit: limit, After: after})
		if err != nil {
			return nil, err
		}
		page := newPage(r.enc, "workers", limit)
		for i := range workers {
			entry, err := wire.ValueOf(r.enc, &workers[i])
			if err != nil {
				return nil, err
			}
			if !page.add(shorten(entry, ws.front.mostEntry())) {
				return page.end(workerCursor(after)), nil
			}
			after = workers[i].WorkerID
		}
		if more {
			return page.end(workerCursor(after)), nil
		}
		return page.end(""), nil
	})
}

// get answers with a worker and its executions of all partitions.
func (ws workers) get(r *request) error {
	var q schema.WorkerName
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := schema.CheckID(q.WorkerID); err != nil {
		return r.invalid("worker_id", "worker_id %v", err)
	}
	return r.async(func(ctx context.Context) (any, error) {
		all, err := askMany[command.FoundWorker](ctx, ws.front, ws.front.partitions(), func(i int) (int, command.Command) { return i, command.GetWorker{WorkerID: q.WorkerID} })
		if err != nil {
			return nil, err
		}
		out := schema.WorkerView{Executions: []schema.WorkerExecution{}}
		there := false
		for _, one := range all {
			if one.There && (!there || one.LastSeen.After(out.LastSeen)) {
				out.Worker = one.Worker
			}
			there = there || one.There
			out.Rate1m += one.Rate1m
			out.Executions, out.More = append(out.Executions, one.Executions...), out.More || one.More
		}
		if !there {
			return nil, &schema.Error{
				Code: schema.CodeNotFound, Field: "worker_id",
				Message: fmt.Sprintf("worker %s is not there: no message came from it for half a minute (workers.list shows those that are)", q.WorkerID),
			}
		}
		slices.SortStableFunc(out.Executions, func(a, b schema.WorkerExecution) int {
			return cmp.Or(strings.Compare(a.Station, b.Station), strings.Compare(a.PlanID, b.PlanID), cmp.Compare(a.N, b.N))
		})
		return out, nil
	})
}

// merged merges the workers of the partitions: each worker once, as it was last seen, by id.
// More reports that others follow.
func (ws workers) merged(ctx context.Context, query command.ListWorkers) (workers []schema.Worker, more bool, err error) {
	// Behind the last worker of a partition that has more, the merged list has gaps.
	horizon := ""
	for p := range ws.front.partitions() {
		slice, err := ask[command.WorkerSlice](ctx, ws.front, p, query)
		if err != nil {
			return nil, false, err
		}
		workers = append(workers, slice.Workers...)
		if n := len(slice.Workers); slice.More && n > 0 {
			if last := slice.Workers[n-1].WorkerID; !more || last < horizon {
				horizon = last
			}
			more = true
		}
	}
	slices.SortStableFunc(workers, func(a, b schema.Worker) int {
		if c := strings.Compare(a.WorkerID, b.WorkerID); c != 0 {
			return c
		}
		return b.LastSeen.Compare(a.LastSeen)
	})
	workers = slices.CompactFunc(workers, func(a, b schema.Worker) bool { return a.WorkerID == b.WorkerID })
	if more {
		workers = slices.DeleteFunc(workers, func(w schema.Worker) bool { return w.WorkerID > horizon })
	}
	return workers, more, nil
}
