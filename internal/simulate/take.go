package simulate

import (
	"encoding/binary"
	"time"

	"github.com/dchest/siphash"

	"github.com/stationmaster-io/stationmaster/schema"
)

// DefaultTake is how long an execution takes where nothing else is known.
const DefaultTake = time.Second

// A Spread is a range of durations, each as likely as another. Least and Most are included.
type Spread struct{ Least, Most time.Duration }

// Take is how long executions take.
type Take struct {
	// Default is of stations without an entry; nil: DefaultTake.
	Default *Spread
	// Stations are by station name; of a station with a nil entry history decides.
	Stations map[string]*Spread
	// History has the durations of earlier executions by plan, of which each is as likely as
	// another. A plan without any takes DefaultTake.
	History map[schema.PlanName][]time.Duration
	// ByHistory reports that history decides at stations without an entry.
	ByHistory bool
}

// A chooser draws the duration and the outcome of executions.
type chooser struct {
	take Take
	seed uint64
	fail float64
}

// of draws for an attempt of an occurrence of a plan, of one worker of several.
func (c *chooser) of(p *plan, occurrence, attempt, n int64) (takes time.Duration, fails bool) {
	var key [24]byte
	binary.BigEndian.PutUint64(key[:], uint64(occurrence))
	binary.BigEndian.PutUint64(key[8:], uint64(attempt))
	binary.BigEndian.PutUint64(key[16:], uint64(n))
	first, second := siphash.Hash128(c.seed, p.salt, key[:])
	return p.durations.at(share(first)), c.fail > 0 && share(second) < c.fail
}

// share maps a hash to a number from 0 on and below 1.
func share(hash uint64) float64 { return float64(hash>>11) / (1 << 53) }

// saltOf distinguishes the draws of plans.
func saltOf(name schema.PlanName) uint64 { return siphash.Hash(0, 1, []byte(name.String())) }

// durations are those of a plan: a spread, or samples.
type durations struct {
	spread  Spread
	samples []time.Duration // nil: the spread counts
}

// at is the duration at a share of the range, to the millisecond where it is drawn.
func (d durations) at(share float64) time.Duration {
	if n := len(d.samples); n > 0 {
		return d.samples[int(share*float64(n))]
	}
	if d.spread.Least == d.spread.Most {
		return d.spread.Least
	}
	span := float64(d.spread.Most-d.spread.Least) + float64(time.Millisecond)
	return min(d.spread.Most, d.spread.Least+time.Duration(share*span).Truncate(time.Millisecond))
}

// durationsOf are those of a plan.
func (t *Take) durationsOf(name schema.PlanName) durations {
	spread, given := t.Stations[name.Station]
	byHistory := given && spread == nil || !given && t.ByHistory
	switch {
	case byHistory && len(t.History[name]) > 0:
		return durations{samples: t.History[name]}
	case byHistory:
	case given:
		return durations{spread: *spread}
	case t.Default != nil:
		return durations{spread: *t.Default}
	}
	return durations{spread: Spread{DefaultTake, DefaultTake}}
}
