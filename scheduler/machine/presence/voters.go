package presence

import (
	"strings"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Voters counts the workers that announced themselves at a station, up to most. Workers that
// are only named by replies do not count, because any worker can name them.
func (r *Registry) Voters(station string, most int, now unit.Moment) int64 {
	n := 0
	for name := range servedAs(station) {
		c := r.announced.byStation[name]
		if c == nil {
			continue
		}
		for p := c.all.Tail; p != nil; p = p.Prev {
			if n == most {
				return int64(n)
			}
			if !p.present(now) {
				break // the ones before it were silent for longer
			}
			if !r.servesBefore(p.of, name, station, now) {
				n++
			}
		}
	}
	return int64(n)
}

// Count counts the workers that are present at a station, up to most, those among them that only
// replies and claims name.
func (r *Registry) Count(station string, most int, now unit.Moment) int64 {
	n := r.Voters(station, most, now)
	for name := range servedAs(station) {
		c := r.named.byStation[name]
		if c == nil {
			continue
		}
		for p := c.all.Tail; p != nil && p.present(now) && n < int64(most); p = p.Prev {
			if !p.of.serves(station, r.announced, now) {
				n++
			}
		}
	}
	return n
}

// servesBefore reports that a is at station under a name that comes before name, and was
// counted there.
func (r *Registry) servesBefore(a *activeWorker, name, station string, now unit.Moment) bool {
	for other := range servedAs(station) {
		if other == name {
			return false
		}
		if p := r.announced.places[seat{a.id, other}]; p != nil && p.present(now) {
			return true
		}
	}
	return false
}

// servedAs yields the names under which a worker may serve a station: the station's own, and
// the prefixes that end in ".>".
func servedAs(station string) func(func(string) bool) {
	return func(yield func(string) bool) {
		if !yield(station) {
			return
		}
		for dot := strings.LastIndexByte(station, '.'); dot >= 0; dot = strings.LastIndexByte(station[:dot], '.') {
			if !yield(station[:dot] + ".>") {
				return
			}
		}
	}
}
