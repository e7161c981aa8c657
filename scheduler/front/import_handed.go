package front

import (
	"context"
	"errors"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A queue is gone when it is empty, and its next push makes it anew. One that is gone has handed
// items over since a backup if a result of it is ok and newer than its record there; a restore does
// not put those items into it again, because they would be handed over a second time. One that a
// user has deleted, or that nobody took, has no such result, and is restored.

// A queueMark is how far a queue had come in a backup; zero: unknown, in a backup of an earlier
// release.
type queueMark struct {
	Incarnation int64 `json:"incarnation"`
	N           int64 `json:"n"`
	RealRepet   int64 `json:"real_repet"`
}

// isBefore reports that a result of the queue came behind the mark. An execution that was under way
// has a number which the mark has counted, and its end not.
func (m queueMark) isBefore(id runID, r *schema.Result) bool {
	return id.incarnation > m.Incarnation || id.incarnation == m.Incarnation && (r.N > m.N || r.RealRepet > m.RealRepet)
}

// handedOver reports that a queue, which is not there, has handed items over here since the backup
// with this record of it, as far as results are kept.
func (ps plans) handedOver(ctx context.Context, name schema.PlanName, record wire.Value) (bool, error) {
	var mark queueMark
	if !record.IsZero() {
		if err := wire.DecodeLoose(record, &mark); err != nil {
			return false, wrongCopy("record", "record: %v", err)
		}
	}
	handed := func(stored broker.StoredResult) (newer, ok bool) {
		var r schema.Result
		v, is := scanResult(stored)
		if !is || wire.DecodeLoose(v, &r) != nil || !mark.isBefore(runOf(v).id, &r) {
			return false, false
		}
		return true, r.State == schema.StateOK
	}
	results := ps.front.config.Store.Results()
	last, err := results.Last(ctx, name.Station, name.PlanID)
	switch {
	case errors.Is(err, broker.ErrNotFound):
		return false, nil
	case err != nil:
		return false, unreadableRuns(err)
	}
	newer, ok := handed(last)
	if !newer || ok {
		return ok, nil
	}
	err = results.Of(ctx, name.Station, name.PlanID, func(one broker.StoredResult) error { // the last was no ok: it was deleted, say
		_, is := handed(one)
		ok = ok || is
		return nil
	})
	if err != nil {
		return false, unreadableRuns(err)
	}
	return ok, nil
}

// handedOverHere refuses to put items into a queue which has handed them over.
func handedOverHere() error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "plan_id",
		Message: "its items were handed over here since the backup, and would be again; on_conflict keep leaves them out, and a push puts items in anew",
	}
}
