package sim

import (
	"bytes"
	"cmp"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// stationModel holds the rows of stations. Its promise: a station is served by its newest row, no
// more executions are under way than its limit, and no leader has lost it.
type stationModel struct {
	w       *world
	rows    map[string]stationRow
	changed map[string]bool // in the append that lands
}

func newStationModel(w *world) *stationModel {
	return &stationModel{w: w, rows: map[string]stationRow{}, changed: map[string]bool{}}
}

// stationRow is the known part of a station's row.
type stationRow struct {
	at    time.Time // when it was last written
	there bool
	// pullSince is since when it is a pull station; zero: it is none.
	pullSince time.Time
	callback  *schema.Callback
	task      bool  // a task type made it
	limit     int64 // of the executions that may be under way; 0: none
}

// put enters a row of the append that lands; without a value, the station is gone.
func (b *stationModel) put(station string, value []byte) {
	row := stationRow{at: b.w.now, there: len(value) > 0}
	if bytes.Contains(value, []byte("pull")) {
		row.pullSince = cmp.Or(b.rows[station].pullSince, b.w.now)
	}
	if row.there {
		row.read(b.w, value)
	}
	b.rows[station] = row
	b.changed[station] = true
}

// read takes over a station's record: its callback, whether it is a task type's, and how
// many of its executions this partition may have under way. A limit is divided, the first
// partitions have the rest, and each has one at least.
func (row *stationRow) read(w *world, value []byte) {
	var s schema.Station
	v, err := wire.Scan(value, wire.Limits{})
	if err == nil {
		err = wire.DecodeLoose(v, &s)
	}
	if err != nil {
		w.fail("the record of a station cannot be read: %v", err)
	}
	row.callback, row.task = s.Callback, s.TaskType != nil
	if s.MaxConcurrency == nil || *s.MaxConcurrency <= 0 || s.Concurrency == schema.FullParallel {
		return
	}
	limit, of := *s.MaxConcurrency, int64(w.partitions)
	row.limit = limit / of
	if int64(w.partition) < limit-row.limit*of {
		row.limit++
	}
	row.limit = max(1, row.limit)
}

// limits checks, of the stations at which something began in the append that landed, that
// no more is under way than may be.
func (b *stationModel) limits(starts map[string]bool, under map[string]int64) {
	for _, s := range stationNames {
		limit := b.rows[s].limit
		if starts[s] && !b.changed[s] && limit > 0 && under[s] > limit {
			b.w.fail("%s has %d executions under way, and partition %d of %d may have %d", s, under[s], b.w.partition, b.w.partitions, limit)
		}
	}
}

// ofTasks reports that a task type made a station, of which the append that lands has no other
// row.
func (b *stationModel) ofTasks(station string) bool {
	return b.rows[station].task && !b.changed[station]
}

// isWritten checks that a station was written since a user's request for it.
func (b *stationModel) isWritten(station string, asked time.Time) {
	if b.rows[station].at.Before(asked) {
		b.w.fail("station %s was written, and no durable append has it", station)
	}
}

// loaded checks that a leader has loaded the stations that are there, and no other.
func (b *stationModel) loaded(l *leader) {
	loaded := map[string]bool{}
	for _, s := range askMachine(b.w, l.m, l.n.clock(), command.ListStations{Limit: 1000}).(command.StationSlice).Stations {
		loaded[s.Station] = true
	}
	for _, name := range stationNames {
		if loaded[name] != b.rows[name].there {
			b.w.fail("epoch %d loads station %s: %t; it is there: %t", l.epoch, name, loaded[name], b.rows[name].there)
		}
	}
}
