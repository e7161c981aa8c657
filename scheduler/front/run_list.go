package front

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// checkRuns checks the filters of plans.runs.
func (r *request) checkRuns(q *schema.ListRuns) error {
	if q.State != "" {
		if err := among(r, schema.Words("state"), "state", string(q.State)); err != nil {
			return err
		}
	}
	if q.Reason != "" {
		if err := among(r, schema.Words("reason"), "reason", string(q.Reason)); err != nil {
			return err
		}
	}
	if !q.Until.IsZero() {
		if !q.To.IsZero() {
			return r.invalid("until", "until means the same as to; give one of the two")
		}
		q.To = q.Until
	}
	switch {
	case q.Failed && q.State != "":
		return r.invalid("failed", "failed is of several states together, and state is one of all; give one of the two")
	case !q.From.IsZero() && !q.To.IsZero() && !q.From.Before(q.To):
		return r.invalid("to", "to is not after from; no run ended in between")
	case q.PlanID != "":
		return nil
	case underWay(q.State):
		return r.invalid("state", "state %s is that of a run under way, and runs of several plans are listed when they have ended; "+
			"name the plan in plan_id, or ask plans.list for plans with status executing or retrying", q.State)
	case q.Station == "":
		return nil
	}
	return r.checkStationFilter(q.Station)
}

func underWay(s schema.State) bool {
	return s == schema.StateDispatched || s == schema.StateRunning || s == schema.StateWaiting
}

// failed reports that a run has failed: an execution, whether it is tried again or given up,
// or an occurrence that was skipped after its failure, which has an error unlike other skipped
// ones.
func failed(one run) bool {
	switch one.state {
	case schema.StateError, schema.StateFailure, schema.StateTimeout:
		return true
	case schema.StateSkipped:
		return !one.value.Field("error").IsZero()
	default:
		return false
	}
}

// wantedRuns applies the filters to a run, but for the station.
func wantedRuns(q *schema.ListRuns) func(run) bool {
	text := strings.ToLower(q.Text)
	return func(one run) bool {
		return (q.State == "" || one.state == q.State) &&
			(!q.Failed || failed(one)) &&
			(!q.Trouble || troubles(one)) &&
			hasText(one.value, "reason", string(q.Reason)) &&
			hasText(one.value, "worker_id", q.WorkerID) &&
			endedWithin(one.value, q.From, q.To) &&
			tookLonger(one.value, q.LongerThanMS) &&
			schema.HasLabels(one.value.Field("labels"), q.Labels) &&
			(text == "" || runHolds(one.value, text))
	}
}

// troubles reports that a run deserves attention, because it has failed for good, or its
// occurrence was missed. A failure stops its plan, or is final.
func troubles(one run) bool {
	switch one.state {
	case schema.StateFailure:
		return true
	case schema.StateError, schema.StateTimeout:
		final, _ := one.value.Field("final").Bool()
		return final
	case schema.StateSkipped:
		return hasText(one.value, "reason", string(schema.ReasonMissed))
	default:
		return false
	}
}

// hasText reports that a member of a result is a text, or that any will do.
func hasText(v wire.Value, member, want string) bool {
	if want == "" {
		return true
	}
	text, _ := v.Field(member).Text()
	return text == want
}

// tookLonger reports that more than so many milliseconds were between the dispatch and the end of a
// run; one that was not sent, or has not ended, took none.
func tookLonger(v wire.Value, ms int64) bool {
	if ms == 0 {
		return true
	}
	sent, was := v.Field("exec_time").Time()
	end, is := v.Field("end_time").Time()
	return was && is && end.Sub(sent).Milliseconds() > ms
}

// runHolds searches a text, in lower case, in the names by which users know a run, and in its worker's message.
func runHolds(v wire.Value, text string) bool {
	for _, name := range [...]string{"plan_id", "command", "request_id", "description", "content", "error"} {
		member := v.Field(name)
		said, ok := member.Text()
		if !ok && !member.IsZero() {
			said = member.String()
		}
		if strings.Contains(strings.ToLower(said), text) {
			return true
		}
	}
	return false
}

// endedWithin reports that a result is of a run that ended in a span of time; a run under way
// has not ended.
func endedWithin(v wire.Value, from, to time.Time) bool {
	if from.IsZero() && to.IsZero() {
		return true
	}
	end, ok := v.Field("end_time").Time()
	return ok && !end.Before(from) && (to.IsZero() || end.Before(to))
}

// listRuns answers with the ended runs of all plans of a station, of the stations below one,
// or of all, the newest first. They are read from the stream of results, backwards, so that a
// page costs the way back to its last entry and no more than lookingTime.
func (ps plans) listRuns(r *request, q *schema.ListRuns) error {
	return ps.front.pageBack(r, q.Limit, q.Cursor, func(ctx context.Context, below uint64, limit int) (any, error) {
		wanted := wantedRuns(q)
		page, next := newPage(r.enc, "runs", limit), uint64(0)
		search := &readBack{from: q.From, to: q.To, station: q.Station, unwell: wantsUnwell(q), late: time.Now().Add(lookingTime)}
		resume, err := ps.front.readBack(ctx, search, below, func(s broker.StoredResult) bool {
			v, ok := scanResult(s)
			if !ok {
				return true
			}
			if station, _ := v.Field("station").Text(); !schema.AtStation(station, q.Station) {
				return true
			}
			if one := runOf(v); one.id.n <= 0 || !wanted(one) {
				return true
			}
			if !page.add(shorten(v.In(r.enc), ps.front.mostEntry())) {
				next = s.Seq + 1
				return false
			}
			return true
		})
		if err != nil {
			return nil, unreadableRuns(err)
		}
		cursor := ""
		if next = cmp.Or(next, resume); next != 0 {
			cursor = historyCursor(next)
		}
		return page.endSearch(cursor, search.looked, resume == 0), nil
	})
}

func unreadableRuns(err error) error {
	return &schema.Error{Code: schema.CodeUnavailable, Message: "the runs that were kept cannot be read at the moment: " + err.Error()}
}

// pageBack answers with a page that read makes of the stream of results, which it reads
// backwards from a sequence on, 0 being the newest. The number of such reads at a time is
// limited. At the end of the stream it first waits until all results that have been decided
// are stored, so that a client that has received a result also finds it here.
func (f *Front) pageBack(r *request, limit int64, cursor string, read func(ctx context.Context, below uint64, limit int) (any, error)) error {
	below, most, err := paging(r, limit, cursor, parseHistoryCursor)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		leave, err := f.historyTurn(ctx)
		if err != nil {
			return nil, err
		}
		defer leave()
		if below == 0 {
			if err := f.awaitResults(ctx); err != nil {
				return nil, err
			}
		}
		return read(ctx, below, most)
	})
}

// historyTurn waits until results may be read; then leave has to be called.
func (f *Front) historyTurn(ctx context.Context) (leave func(), err error) {
	select {
	case f.historyReads <- struct{}{}:
		return func() { <-f.historyReads }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// awaitResults waits until all results decided so far are stored, so that a client that has
// seen the end of a task also finds its result.
func (f *Front) awaitResults(ctx context.Context) error {
	for p := range f.partitions() {
		if _, err := ask[[]schema.Result](ctx, f, p, command.OpenRuns{}); err != nil {
			return err
		}
	}
	return nil
}

// A readBack selects the part of the stream of results to read.
type readBack struct {
	from, to time.Time // the runs that ended in this span, and some more; zero: without a bound
	station  string    // of the results of this station, and some more; empty: of all
	unwell   bool      // only those that did not go well
	late     time.Time // when reading ends

	looked int // how many were read
}

// readBack reads results below a sequence, 0 being the newest, until take returns false, the
// time is up, or they end. It returns the sequence below which to continue if the time is up,
// and else 0.
func (f *Front) readBack(ctx context.Context, search *readBack, below uint64, take func(broker.StoredResult) bool) (resume uint64, err error) {
	floor, below, err := f.bounds(ctx, search, below)
	if err != nil {
		return 0, err
	}
	space := f.config.Space
	subjects := []byte(strings.TrimSuffix(space.AllResults(), ">"))
	if station := strings.TrimSuffix(search.station, ".>"); station != "" {
		subjects = []byte(strings.TrimSuffix(space.ResultsOf(station), "*"))
	}
	read := 0 // one result is read even after late, because the next page would begin where this one did
	look := func(s broker.StoredResult) bool {
		switch read++; {
		case s.Seq < floor:
			return false
		case read > 1 && time.Now().After(search.late):
			resume = s.Seq + 1
			return false
		}
		return true
	}
	matching := func(s broker.StoredResult) bool {
		if !bytes.HasPrefix([]byte(s.Subject), subjects) {
			return true
		}
		search.looked++
		return take(s)
	}
	if search.unwell {
		err = f.unwellBack(ctx, floor, below, look, matching)
	} else {
		err = f.config.Store.Results().Backwards(ctx, below, func(s broker.StoredResult) bool { return look(s) && matching(s) })
	}
	return resume, err
}

// bounds are the sequences between which a search reads: from floor on, and below another, 0 being the
// end.
func (f *Front) bounds(ctx context.Context, search *readBack, below uint64) (floor, end uint64, err error) {
	results := f.config.Store.Results()
	if !search.from.IsZero() {
		if floor, err = results.At(ctx, search.from); err != nil { // no result is stored before its run has ended
			return 0, 0, err
		}
	}
	if search.to.IsZero() {
		return floor, below, nil
	}
	if end, err = results.At(ctx, search.to.Add(storedLate)); err != nil {
		return 0, 0, err
	}
	if below != 0 {
		end = min(end, below)
	}
	return floor, end, nil
}
