package front

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// stats answers with the counters of a station, those of all partitions together.
func (ss stations) stats(r *request) error {
	name, err := r.stationName()
	if err != nil {
		return err
	}
	return r.async(func(ctx context.Context) (any, error) {
		used, err := ss.front.usedStation(ctx, name)
		return used.Stats, err
	})
}

// usedStation is a station with its counters, whether it was ever put or not.
func (f *Front) usedStation(ctx context.Context, name string) (schema.UsedStation, error) {
	used, _, err := f.usedStations(ctx, command.ListStations{Used: true, Station: name})
	if err != nil {
		return schema.UsedStation{}, err
	}
	return used[0], nil
}

// usedPage fills a page with the stations that were put or have plans, by name.
func (f *Front) usedPage(ctx context.Context, p *page, after string) (any, error) {
	used, more, err := f.usedStations(ctx, command.ListStations{Used: true, Limit: p.limit, After: after})
	if err != nil {
		return nil, err
	}
	for i := range used {
		entry, err := wire.ValueOf(p.enc, &used[i])
		if err != nil {
			return nil, err
		}
		if !p.add(entry) {
			return p.end(stationCursor(after)), nil
		}
		after = used[i].Station.Station
	}
	if more {
		return p.end(stationCursor(after)), nil
	}
	return p.end(""), nil
}

// usedStations merges the stations in use of all partitions, each once, by name. More reports that
// others follow.
func (f *Front) usedStations(ctx context.Context, query command.ListStations) (used []schema.UsedStation, more bool, err error) {
	all, err := askMany[command.StationSlice](ctx, f, f.partitions(), func(i int) (int, command.Command) { return i, query })
	if err != nil {
		return nil, false, err
	}
	// Behind the last station of a partition that has more, the merged list has gaps.
	horizon := ""
	for _, slice := range all {
		used = append(used, slice.Used...)
		if n := len(slice.Used); slice.More && n > 0 {
			if last := slice.Used[n-1].Station.Station; !more || last < horizon {
				horizon = last
			}
			more = true
		}
	}
	byName := func(a, b schema.UsedStation) int { return cmp.Compare(a.Station.Station, b.Station.Station) }
	slices.SortStableFunc(used, byName) // stable, so that the record is that of partition 0
	merged := used[:0]
	for _, u := range used {
		if last := len(merged) - 1; last >= 0 && byName(merged[last], u) == 0 {
			mergeStats(&merged[last].Stats, &u.Stats)
			continue
		}
		merged = append(merged, u)
	}
	if more {
		merged = slices.DeleteFunc(merged, func(u schema.UsedStation) bool { return u.Station.Station > horizon })
	}
	return merged, more, nil
}

// mergeStats adds the counters of a station in another partition. Partitions see the same workers.
func mergeStats(to, of *schema.StationStats) {
	to.Plans += of.Plans
	to.UnderWay += of.UnderWay
	to.Workers = max(to.Workers, of.Workers)
	to.Shared = to.Shared || of.Shared
	if to.OldestWait.IsZero() || !of.OldestWait.IsZero() && of.OldestWait.Before(to.OldestWait) {
		to.OldestWait = of.OldestWait
	}
	addCounts(&to.Waiting, of.Waiting)
	mergeResults(&to.Results, of.Results)
}

func mergeResults(to *map[string]schema.ResultCounts, of map[string]schema.ResultCounts) {
	sums := maps.Clone(*to)
	if sums == nil {
		sums = map[string]schema.ResultCounts{}
	}
	for window, counts := range of {
		sum := sums[window]
		addCounts(&sum.States, counts.States)
		addCounts(&sum.Reasons, counts.Reasons)
		sums[window] = sum
	}
	*to = sums
}

// addCounts adds counts by their words, in a map of its own.
func addCounts[W ~string](to *map[W]int64, of map[W]int64) {
	sums := maps.Clone(*to)
	if sums == nil {
		sums = map[W]int64{}
	}
	for word, n := range of {
		sums[word] += n
	}
	*to = sums
}
