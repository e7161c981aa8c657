package calendar

import (
	"time"
	_ "time/tzdata" // so that a zone that one node accepts is known to every node

	"github.com/stationmaster-io/stationmaster/schema"
)

// A zone reads instants, in Unix seconds, off the wall clock of one place.
type zone struct{ schema.Clock }

// reach bounds how far a zone's clock is ahead of UTC's or behind it.
const reach = schema.ClockReach

// highest returns the latest reading that the clock has shown up to instant t:
// that of t itself, except soon after the clock was put back.
func (z zone) highest(t int64) wall {
	offset, start, _ := z.Stretch(t)
	high := t + offset
	for start > t-2*reach {
		end := start
		offset, start, _ = z.Stretch(end - 1)
		high = max(high, end-1+offset)
	}
	return wall(high)
}

// loadZone returns the zone of an IANA name. An empty name is UTC.
func loadZone(name string) (zone, error) {
	if name == "" || name == "UTC" {
		return zone{schema.Clock{Location: time.UTC}}, nil
	}
	location, err := schema.LoadZone(name)
	if err != nil {
		return zone{}, err
	}
	return zone{schema.Clock{Location: location}}, nil
}
