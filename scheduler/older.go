package scheduler

import (
	"context"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// olderEvery is the interval between two checks of sightings, because each may cost a read of the
// journal.
const olderEvery = time.Second

// older collects epochs that workers have seen and the store does not know. They show that the
// store is older than the one that those workers used. It only warns, once in a leadership, however
// many workers report them, because any worker may lie, or come from another installation.
type older chan sighting

// A sighting is an epoch that a worker reports to have seen.
type sighting struct {
	epoch             int64
	workerID, station string
}

func newOlder() older { return make(older, 1) }

// report takes in a worker's report. One sighting waits; the others are dropped, because workers
// repeat them.
func (o older) report(l *leader, id, station string, seen []schema.SeenEpochs) {
	for _, s := range seen[:min(len(seen), schema.MaxSeenEpochs)] {
		for _, epoch := range []int64{s.Epoch, s.Before} {
			if s.Partition == l.index && l.appender.Lacks(epoch) && !schema.IsEpochAhead(epoch, time.Now()) {
				select {
				case o <- sighting{epoch, id, station}:
				default:
				}
				return
			}
		}
	}
}

// reportOlder reports the first sighting that proves true, and ends with it or with ctx.
func (l *leader) reportOlder(ctx context.Context) {
	rest := time.NewTicker(olderEvery)
	defer rest.Stop()
	for {
		var s sighting
		select {
		case s = <-l.older:
		case <-ctx.Done():
			return
		}
		known, lacks, err := l.appender.ReportOlder(ctx, s.epoch, s.workerID, s.station)
		switch {
		case err != nil && ctx.Err() == nil:
			l.log.Warn("the epoch that a worker has seen could not be checked", "worker_id", s.workerID, "error", err)
		case lacks:
			l.log.Error("a worker has seen a higher epoch than the store has: an older disk or a backup came back, or the worker is another installation's",
				"worker_id", s.workerID, "station", s.station, "seen", s.epoch, "known", known)
			return
		}
		select {
		case <-rest.C:
		case <-ctx.Done():
			return
		}
	}
}
