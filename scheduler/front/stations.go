package front

import (
	"context"
	"errors"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// stations are the verbs of stations.
//
// Every partition has the record of every station, because a plan's partition is found by its
// id alone. Reads go to partition 0. It changes last, so that a change that got stuck half-way
// is not seen, and goes through when it is asked for again.
type stations struct{ front *Front }

// put replaces the whole record of a station.
func (ss stations) put(r *request) error {
	s, err := schema.ParseStation(r.body)
	if err != nil {
		return err
	}
	named := names(r.body, "kind")
	return r.async(func(ctx context.Context) (any, error) {
		if !named {
			was, err := ss.front.present(ctx, s.Station)
			if err == nil {
				err = ss.front.keepsKind(ctx, was, "kind", schema.KindAPI)
			}
			if err != nil {
				return nil, err
			}
		}
		return ss.replace(ctx, s)
	})
}

// replace has all partitions take s in place of its revision. If the last one refuses it, because
// another change came first, the others get its record back.
func (ss stations) replace(ctx context.Context, s *schema.Station) (any, error) {
	meant := s.Revision
	s.Revision = 0
	if meant == 0 {
		puts, err := changeStation[schema.StationPut](ctx, ss.front, command.PutStation{Station: s})
		return last(puts), err
	}
	release, err := ss.front.lockStations(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	was, err := ss.front.present(ctx, s.Station)
	if err != nil {
		return nil, err
	}
	fits := was != nil && was.Revision == meant
	for p := ss.front.partitions() - 1; p > 0 && fits; p-- {
		if _, err := ask[schema.StationPut](ctx, ss.front, p, command.PutStation{Station: s}); err != nil {
			return nil, err
		}
	}
	put, err := ask[schema.StationPut](ctx, ss.front, 0, command.PutStation{Station: s, Was: &meant})
	if fits && errors.Is(err, schema.CodeConflict) {
		ss.share(ctx, s.Station)
	}
	return put, err
}

// share gives all partitions the record of partition 0.
func (ss stations) share(ctx context.Context, name string) {
	record, err := ss.front.present(ctx, name)
	if err != nil {
		return // the next put of it does the same
	}
	for p := ss.front.partitions() - 1; p > 0; p-- {
		if record == nil {
			_, _ = ask[schema.StationDeleted](ctx, ss.front, p, command.DeleteStation{Station: name})
			continue
		}
		_, _ = ask[schema.StationPut](ctx, ss.front, p, command.PutStation{Station: record})
	}
}

// delete removes the record of a station, and answers with the fields that its plans lose; with
// dry_run with those that would be lost.
func (ss stations) delete(r *request) error {
	dry, rest, err := schema.TakeDryRun(r.body, schema.CodeInvalidRequest)
	if err != nil {
		return err
	}
	r.body = rest
	name, err := r.stationName()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		deletions, err := changeStation[schema.StationDeleted](ctx, ss.front, command.DeleteStation{Station: name, DryRun: dry})
		gone := last(deletions)
		for _, d := range deletions[:max(len(deletions)-1, 0)] {
			if gone.Plans += d.Plans; len(gone.Dropped) == 0 {
				gone.Dropped = d.Dropped
			}
		}
		if i := slices.IndexFunc(deletions, func(d schema.StationDeleted) bool { return d.HasPlans }); i >= 0 {
			gone.Kind, gone.HasPlans = deletions[i].Kind, true
		}
		return gone, err
	})
}

// changeStation has all partitions carry out c, and returns their answers, that of partition 0
// last. One change goes at a time, so that all partitions see the changes of this node in one
// order.
func changeStation[T any](ctx context.Context, f *Front, c command.Command) (answers []T, err error) {
	release, err := f.lockStations(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	for p := f.partitions() - 1; p >= 0; p-- {
		answer, err := ask[T](ctx, f, p, c)
		// A station whose deletion is repeated is already gone from some partitions.
		if err != nil && (p == 0 || !errors.Is(err, schema.CodeNotFound)) {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// last is the answer of partition 0; the zero value when there is none.
func last[T any](answers []T) (of T) {
	if len(answers) > 0 {
		of = answers[len(answers)-1]
	}
	return of
}

// lockStations waits until no other change of stations or calendars goes on at this node.
func (f *Front) lockStations(ctx context.Context) (release func(), err error) {
	select {
	case f.stationLock <- struct{}{}:
		return func() { <-f.stationLock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (ss stations) get(r *request) error {
	var q schema.GetStation
	if err := r.decode(&q); err != nil {
		return err
	}
	if err := r.checkStation(q.Station); err != nil {
		return err
	}
	if !q.Used {
		r.ask(0, command.GetStation{Station: q.Station})
		return nil
	}
	return r.async(func(ctx context.Context) (any, error) { return ss.front.usedStation(ctx, q.Station) })
}

// stationName reads a request that has no fields but the name of a station.
func (r *request) stationName() (string, error) {
	var q schema.StationName
	if err := r.decode(&q); err != nil {
		return "", err
	}
	return q.Station, r.checkStation(q.Station)
}

func (r *request) checkStation(name string) error {
	if err := schema.CheckStation(name); err != nil {
		return r.invalid("station", "station %v", err)
	}
	return nil
}

// list answers with the stations that were put, by name.
func (ss stations) list(r *request) error {
	var q schema.ListStations
	if err := r.decode(&q); err != nil {
		return err
	}
	after, limit, err := paging(r, q.Limit, q.Cursor, parseStationCursor)
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		if q.Used {
			return ss.front.usedPage(ctx, newPage(r.enc, "stations", limit), after)
		}
		return ss.front.stationPage(ctx, newPage(r.enc, "stations", limit), after, func(s *schema.Station) any { return s })
	})
}

// stationPage fills a page with the entries that show makes of the stored stations, by name;
// nil: no entry.
func (f *Front) stationPage(ctx context.Context, p *page, after string, show func(*schema.Station) any) (any, error) {
	for more := true; more; {
		// One more than the limit shows whether others follow.
		slice, err := ask[command.StationSlice](ctx, f, 0, command.ListStations{Limit: p.limit + 1, After: after})
		if err != nil {
			return nil, err
		}
		more = slice.More
		for i := range slice.Stations {
			if shown := show(&slice.Stations[i]); shown != nil {
				entry, err := wire.ValueOf(p.enc, shown)
				if err != nil {
					return nil, err
				}
				if !p.add(entry) {
					return p.end(stationCursor(after)), nil
				}
			}
			after = slice.Stations[i].Station
		}
	}
	return p.end(""), nil
}
