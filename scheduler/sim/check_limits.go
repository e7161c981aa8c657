package sim

import (
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// What stations say, and how much may be under way at one.

// read takes over a station's record: its callback, whether it is a task type's, and how
// many of its executions this partition may have under way. A limit is divided, the first
// partitions have the rest, and each has one at least.
func (book *stationBook) read(c *checker, row []byte) {
	var s schema.Station
	v, err := wire.Scan(row, wire.Limits{})
	if err == nil {
		err = wire.DecodeLoose(v, &s)
	}
	if err != nil {
		c.w.fail("the record of a station cannot be read: %v", err)
	}
	book.callback, book.task = s.Callback, s.TaskType != nil
	if s.MaxConcurrency == nil || *s.MaxConcurrency <= 0 || s.Concurrency == schema.FullParallel {
		return
	}
	limit, of := *s.MaxConcurrency, int64(c.w.partitions)
	book.limit = limit / of
	if int64(c.w.partition) < limit-book.limit*of {
		book.limit++
	}
	book.limit = max(1, book.limit)
}

// limits checks, of the stations at which something began in the append that landed, that
// no more is under way than may be. Who has claimed items of a queue is no worker, and
// what a backup has lost is nobody's.
func (c *checker) limits() {
	under := map[string]int64{}
	for name, l := range c.current {
		for _, o := range l.record.Open {
			for _, x := range o.Executions {
				if _, lost := l.lost[x.N]; x.Lock == "" && !lost {
					under[name.Station]++
				}
			}
		}
	}
	for _, s := range stationNames {
		limit := c.stations[s].limit
		if c.starts[s] && !c.changed[s] && limit > 0 && under[s] > limit {
			c.w.fail("%s has %d executions under way, and partition %d of %d may have %d", s, under[s], c.w.partition, c.w.partitions, limit)
		}
	}
}
