package table

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// A row is a row of the bucket that holds tombstones, until a moment.
type row struct {
	number uint64
	until  unit.Moment
}

// dirty is a tombstone that the bucket lacks since a batch; while following, since an append.
type dirty struct {
	state.Tombstone
	since uint64
}

// Unwrite notes that the bucket lacks a tombstone since a batch, or since an append that is
// followed.
func (l *Tombstones) Unwrite(s state.Tombstone, since uint64) {
	l.dirty = append(l.dirty, dirty{s, since})
}

// Lead marks the rows that the bucket lacks as older than a new leader's first batch.
func (l *Tombstones) Lead() {
	for i := range l.dirty {
		l.dirty[i].since = 0
	}
}

// Stored notes in a follower that the bucket has the journal up to and including the append upTo.
func (l *Tombstones) Stored(upTo uint64) {
	n := 0
	for n < len(l.dirty) && l.dirty[n].since <= upTo {
		n++
	}
	l.dirty = slices.Delete(l.dirty, 0, n)
}

// Unwritten returns how many the bucket lacks, and the batch since which it lacks the first.
func (l *Tombstones) Unwritten() (count int, since uint64) {
	if len(l.dirty) > 0 {
		since = l.dirty[0].since
	}
	return len(l.dirty), since
}

// Write returns at most so many tombstones that the bucket gets now, in the row of a number.
func (l *Tombstones) Write(number uint64, most int, now unit.Moment) []state.Tombstone {
	some := make([]state.Tombstone, min(most, len(l.dirty)))
	for i := range some {
		some[i] = l.dirty[i].Tombstone
	}
	l.dirty = slices.Delete(l.dirty, 0, len(some))
	l.rows = append(l.rows, row{number, now.After(ClosedFor)})
	return some
}

// Load takes in a row of the bucket. Rows may come in any order.
func (l *Tombstones) Load(number uint64, closed []state.Tombstone) {
	r := row{number: number} // an empty one is removed at once
	for _, s := range closed {
		r.until = max(r.until, s.At.After(ClosedFor))
		if !slices.ContainsFunc(l.Closed[s.Name], func(c Tombstone) bool { return c.Definition == s.Definition && c.At > s.At }) {
			l.add(s, unknownRun, true)
		}
	}
	l.rows = append(l.rows, r)
}

// Expired returns at most so many rows whose tombstones are not needed any more, and forgets them.
func (l *Tombstones) Expired(now unit.Moment, most int) (numbers []uint64) {
	l.rows = slices.DeleteFunc(l.rows, func(r row) bool {
		if r.until > now || len(numbers) >= most {
			return false
		}
		numbers = append(numbers, r.number)
		return true
	})
	return numbers
}

// Rewrite has all tombstones written again by a batch, because another writer has overwritten the
// row of a number, which is to be removed.
func (l *Tombstones) Rewrite(number, batch uint64) {
	l.rows = slices.DeleteFunc(l.rows, func(r row) bool { return r.number == number })
	l.rows = append(l.rows, row{number: number})
	for _, e := range l.order {
		for _, c := range l.Closed[e.name] {
			if c.At == e.at {
				l.Unwrite(c.Tombstone, batch)
			}
		}
	}
}
