package calendar

import (
	"math"
	"time"
	_ "time/tzdata" // so that a zone that one node accepts is known to every node

	"github.com/stationmaster-io/stationmaster/schema"
)

// A zone reads instants, in Unix seconds, off the wall clock of one place.
type zone struct{ *time.Location }

// reach bounds how far a zone's clock is ahead of UTC's or behind it. History's
// widest was under 16 hours.
const reach = daySeconds

// stretch returns a span of time around instant t, from start on and before end,
// in which the clock is offset seconds ahead of UTC.
func (z zone) stretch(t int64) (offset, start, end int64) {
	start, end = math.MinInt64, math.MaxInt64
	if z.Location == time.UTC {
		return 0, start, end
	}
	local := time.Unix(t, 0).In(z.Location)
	_, seconds := local.Zone()
	from, until := local.ZoneBounds()
	if !from.IsZero() {
		start = from.Unix()
	}
	if !until.IsZero() {
		end = until.Unix()
	}
	if end <= t {
		// Where a zone's future is a rule, ZoneBounds takes every year to end after
		// 365 days (golang/go#81583). The offset holds until this one really ends.
		end = (t/daySeconds + 1) * daySeconds
	}
	return int64(seconds), start, end
}

// first returns the first instant at which the clock shows w or has passed it.
func (z zone) first(w wall) int64 {
	t := int64(w) - reach // the clock cannot show w yet
	for {
		offset, _, end := z.stretch(t)
		if at := max(t, int64(w)-offset); at < end {
			return at
		}
		t = end
	}
}

// highest returns the latest reading that the clock has shown up to instant t:
// that of t itself, except soon after the clock was put back.
func (z zone) highest(t int64) wall {
	offset, start, _ := z.stretch(t)
	high := t + offset
	for start > t-2*reach {
		end := start
		offset, start, _ = z.stretch(end - 1)
		high = max(high, end-1+offset)
	}
	return wall(high)
}

// loadZone returns the zone of an IANA name. An empty name is UTC.
func loadZone(name string) (zone, error) {
	if name == "" || name == "UTC" {
		return zone{time.UTC}, nil
	}
	location, err := schema.LoadZone(name)
	if err != nil {
		return zone{}, err
	}
	return zone{location}, nil
}
