package front

import (
	"cmp"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/explain"
	"github.com/stationmaster-io/stationmaster/schema"
)

// together is how far apart the first workers of a version may come, at stations and as partitions
// hear of them, to be one mark.
const together = time.Minute

// marksOf are the changes of leaders and of workers' versions from a time on, in the order of time.
func marksOf(all []command.Counters, from time.Time, lang schema.Lang) []schema.Mark {
	var marks []schema.Mark
	var versions []command.NewVersion
	for partition, one := range all {
		if since := one.Since.Unix(); since >= from.Unix() {
			marks = append(marks, schema.Mark{T: since, Kind: "leader", Text: explain.NewLeader(partition, lang)})
		}
		for _, v := range one.Versions {
			if !v.At.Before(from) {
				versions = append(versions, v)
			}
		}
	}
	slices.SortStableFunc(versions, func(a, b command.NewVersion) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Station, b.Station))
	})
	for len(versions) > 0 {
		first, others := versions[0], false
		versions = slices.DeleteFunc(versions, func(v command.NewVersion) bool {
			same := v.Version == first.Version && v.At.Sub(first.At) < together
			others = others || same && v.Station != first.Station
			return same
		})
		marks = append(marks, schema.Mark{T: first.At.Unix(), Kind: "version", Text: explain.NewVersion(first.Version, first.Station, others, lang)})
	}
	slices.SortStableFunc(marks, func(a, b schema.Mark) int { return cmp.Compare(a.T, b.T) })
	return marks
}
