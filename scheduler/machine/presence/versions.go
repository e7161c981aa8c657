package presence

import (
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

const (
	// mostVersioned bounds the stations whose versions are followed, and mostVersions those of one.
	mostVersioned = 2000
	mostVersions  = 8
	// mostArrivals bounds the versions that are kept as new.
	mostArrivals = 64
	// missedAfter is the time without a worker of a version after which the version is new again.
	// It is longer than AbsentAfter, because a network that comes back brings back all that was
	// there.
	missedAfter = 2 * time.Minute
)

// An Arrival is the first worker of a version at a station whose workers had another before.
type Arrival struct {
	At      unit.Moment
	Station string
	Version string
}

// versions follows the versions that the workers of stations announce. One within AbsentAfter of
// the first announcement is no arrival, because workers that were there all the while announce
// themselves then.
type versions struct {
	began    unit.Moment // when the first worker announced one; 0: none has
	of       map[string]*stationVersions
	arrivals []Arrival // the newest last
}

// stationVersions are those of a station; they stay when its workers have left.
type stationVersions struct {
	newest string
	noted  []notedVersion // in the order in which they came
}

type notedVersion struct {
	version string
	last    unit.Moment
}

// note takes in a version that a worker of a station has; empty: it has none.
func (v *versions) note(station, version string, now unit.Moment) {
	if version == "" {
		return
	}
	if v.of == nil {
		v.of, v.began = map[string]*stationVersions{}, now
	}
	s := v.of[station]
	if s == nil {
		if len(v.of) == mostVersioned {
			return
		}
		s = &stationVersions{newest: version}
		v.of[station] = s
	}
	if s.isNew(version, now) && s.newest != version {
		s.newest = version
		if now >= v.began.After(AbsentAfter) {
			v.arrivals = append(v.arrivals, Arrival{now, station, version})
			v.arrivals = v.arrivals[max(0, len(v.arrivals)-mostArrivals):]
		}
	}
}

// isNew notes a version, and reports that no worker has announced it of late.
func (s *stationVersions) isNew(version string, now unit.Moment) bool {
	i := slices.IndexFunc(s.noted, func(n notedVersion) bool { return n.version == version })
	if i >= 0 {
		before := s.noted[i].last
		s.noted[i].last = now
		return now > before.After(missedAfter)
	}
	if len(s.noted) == mostVersions {
		s.noted = slices.Delete(s.noted, 0, 1)
	}
	s.noted = append(s.noted, notedVersion{version, now})
	return true
}

func (v *versions) setBack(now unit.Moment) {
	v.began = min(v.began, now)
	for _, s := range v.of {
		for i := range s.noted {
			s.noted[i].last = min(s.noted[i].last, now)
		}
	}
}

// Arrivals returns the versions that came to a station, or to any when it is empty, the newest last.
func (r *Registry) Arrivals(station string) (all []Arrival) {
	for _, a := range r.versions.arrivals {
		if station == "" || a.Station == station {
			all = append(all, a)
		}
	}
	return all
}
