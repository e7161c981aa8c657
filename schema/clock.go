package schema

import (
	"math"
	"time"
)

// A Clock is the wall clock of a place. Its reading is counted in seconds as Unix time is,
// on a clock on which each day has 24 hours.
type Clock struct{ *time.Location }

// ClockReach bounds, in seconds, how far a clock is ahead of UTC's or behind it. History's
// widest was under 16 hours.
const ClockReach = daySeconds

const daySeconds = 24 * 60 * 60

// Stretch returns a span of time around instant t, from start on and before end, in which the
// clock is offset seconds ahead of UTC.
func (c Clock) Stretch(t int64) (offset, start, end int64) {
	start, end = math.MinInt64, math.MaxInt64
	if c.Location == time.UTC {
		return 0, start, end
	}
	local := time.Unix(t, 0).In(c.Location)
	_, seconds := local.Zone()
	from, until := local.ZoneBounds()
	if !from.IsZero() {
		start = from.Unix()
	}
	if !until.IsZero() {
		end = until.Unix()
	}
	if end <= t {
		// If a zone's future is a rule, ZoneBounds takes every year to end after 365 days
		// (golang/go#81583). The offset holds until this one really ends.
		end = (t/daySeconds + 1) * daySeconds
	}
	return int64(seconds), start, end
}

// First returns the first instant at which the clock shows a reading or has passed it: the end
// of the gap for one that a change of clocks skips, and of two times the first.
func (c Clock) First(reading int64) int64 {
	t := reading - ClockReach // the clock cannot show it yet
	for {
		offset, _, end := c.Stretch(t)
		if at := max(t, reading-offset); at < end {
			return at
		}
		t = end
	}
}
