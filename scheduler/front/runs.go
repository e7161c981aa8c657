package front

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// A run is one of plans.runs: an execution with its result, or without one yet.
type run struct {
	id    runID
	state schema.State
	value wire.Value
}

// runs answers with the runs of a plan, or of many, the newest first. For one plan, its leader
// is asked first. It answers when all results that it decided before are stored, so a run that
// ends meanwhile is found in one place at least; if it is in both, the result counts.
func (ps plans) runs(r *request) error {
	var q schema.ListRuns
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := r.checkRuns(&q); err != nil {
		return err
	}
	if q.PlanID == "" {
		return ps.listRuns(r, &q)
	}
	name := schema.PlanName{Station: q.Station, PlanID: q.PlanID}
	if err := name.Check(); err != nil {
		return err
	}
	before, limit, err := paging(r, q.Limit, q.Cursor, parseRunCursor)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		newest := &newestRuns{before: before, limit: limit, wanted: wantedRuns(&q)}
		if err := ps.front.gatherRuns(ctx, name, newest.add); err != nil {
			return nil, err
		}
		page, next, err := ps.front.runPage(r.enc, "runs", newest, func(one run) (wire.Value, error) { return one.value, nil })
		if err != nil {
			return nil, err
		}
		return page.endSearch(next, newest.looked, true), nil
	})
}

// run answers with one run of a plan.
func (ps plans) run(r *request) error {
	name, n, err := r.runName()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		var found, newest run
		err := ps.front.gatherRuns(ctx, name, func(one run) {
			if one.id.n <= 0 {
				return
			}
			// A result is read after the runs under way and replaces its run; of several
			// incarnations, the last one counts.
			if one.id.n == n && one.id.incarnation >= found.id.incarnation {
				found = one
			}
			if one.id.compare(newest.id) > 0 {
				newest = one
			}
		})
		if err != nil {
			return nil, err
		}
		if found.id.n == 0 {
			return nil, noRun(name, n, newest.id.n)
		}
		return schema.RunView{Run: shorten(found.value.In(r.enc), ps.front.mostEntry())}, nil
	})
}

// noRun explains why there is no such run, as far as the number of the newest run shows that.
func noRun(name schema.PlanName, n, newest int64) error {
	message := fmt.Sprintf("there is no run %d of %s", n, name)
	switch {
	case newest == 0:
		message += ": nothing of such a plan is under way or kept"
	case n > newest:
		message += fmt.Sprintf(" yet: its newest is %d", newest)
	default:
		message += fmt.Sprintf(" any more: its newest is %d, and only so many are kept; plans.runs shows them", newest)
	}
	return &schema.Error{Code: schema.CodeNotFound, Field: "n", Message: message}
}

// gatherRuns reads the runs under way, and then those that have ended.
func (f *Front) gatherRuns(ctx context.Context, name schema.PlanName, take func(run)) error {
	open, err := ask[[]schema.Result](ctx, f, f.partition(name.PlanID), command.OpenRuns{Name: name})
	if err != nil {
		return err
	}
	for i := range open {
		v, err := wire.ValueOf(wire.MsgPack, &open[i]) // MessagePack, because it distinguishes binary from text
		if err != nil {
			return fmt.Errorf("encode run %d of %s: %w", open[i].N, name, err)
		}
		take(runOf(v))
	}
	err = f.config.Store.Results().Of(ctx, name.Station, name.PlanID, func(stored broker.StoredResult) error {
		if v, ok := scanResult(stored); ok {
			take(runOf(v))
		}
		return nil
	})
	if err != nil {
		return unreadableRuns(err)
	}
	return nil
}

// scanResult scans a stored result; false when it is not one, because any client that the
// server's permissions allow may publish there.
func scanResult(stored broker.StoredResult) (wire.Value, bool) {
	v, err := wire.Scan(stored.Body, wire.Limits{Items: len(stored.Body), Depth: 2 * maxDepth})
	return v, err == nil
}

// runOf reads the order and identity of a run from its result. The incarnation is in its key,
// "<station>/<plan_id>/<incarnation>/<k>".
func runOf(v wire.Value) run {
	key, _ := v.Field("key").Text()
	state, _ := v.Field("state").Text()
	out := run{value: v, state: schema.State(state)}
	out.id.n, _ = v.Field("n").Int()
	if parts := strings.Split(key, "/"); len(parts) == 4 {
		out.id.incarnation, _ = strconv.ParseInt(parts[2], 10, 64)
	}
	return out
}

// newestRuns keeps the newest runs before one, as many as a page can hold and one more, so
// that memory does not grow with the length of a history.
type newestRuns struct {
	before runID
	wanted func(run) bool
	limit  int

	runs   []run // the newest first
	bytes  int
	looked int // how many were offered
	// floor is the lowest run of which all newer ones are here; zero while none was left out.
	floor runID
}

// add enters a run if it is wanted. It takes the place of the same run from before.
func (k *newestRuns) add(r run) {
	k.looked++
	if r.id.n <= 0 || r.id.compare(k.before) >= 0 || r.id.compare(k.floor) < 0 {
		return
	}
	i, known := slices.BinarySearchFunc(k.runs, r.id, func(have run, id runID) int { return id.compare(have.id) })
	if known {
		k.bytes -= len(k.runs[i].value.Raw())
		k.runs = slices.Delete(k.runs, i, i+1)
	}
	if !k.wanted(r) {
		return
	}
	k.runs = slices.Insert(k.runs, i, r)
	k.bytes += len(r.value.Raw())
	for k.tooMany() {
		last := len(k.runs) - 1
		k.floor = k.runs[last-1].id
		k.bytes -= len(k.runs[last].value.Raw())
		k.runs = slices.Delete(k.runs, last, last+1)
	}
}

// tooMany reports that a page would be full without the last one.
func (k *newestRuns) tooMany() bool {
	last := len(k.runs) - 1
	return last > k.limit || last > 0 && k.bytes-len(k.runs[last].value.Raw()) > maxPage
}

// runPage writes the runs that were gathered, shortened as plans are in lists.
// The caller ends the page.
func (f *Front) runPage(enc wire.Encoding, noun wire.Name, from *newestRuns, entry func(run) (wire.Value, error)) (page *page, next string, err error) {
	page = newPage(enc, noun, from.limit)
	for i, r := range from.runs {
		v, err := entry(r)
		if err != nil {
			return nil, "", fmt.Errorf("encode run %d: %w", r.id.n, err)
		}
		if !page.add(shorten(v.In(enc), f.mostEntry())) {
			return page, runCursor(from.runs[i-1].id), nil
		}
	}
	if from.floor != (runID{}) {
		return page, runCursor(from.floor), nil
	}
	return page, "", nil
}
