package front

import "github.com/stationmaster-io/stationmaster/schema"

// Subjects are those of all requests, in the order of the table of services. The verb on
// subjects below its own has the one of a station s.
func Subjects() (all []string) {
	for _, s := range services {
		for _, v := range s.verbs {
			subject := schema.Space{}.Service(s.name, v.name)
			if v.name == s.below {
				subject += ".s"
			}
			all = append(all, subject)
		}
	}
	return all
}

// Places are those of claims; tests call their methods.
type (
	Places = places
	Place  = place
)

// MaxOfWorker is how many claims of a worker wait at a station.
const MaxOfWorker = maxOfWorker

var NewPlaces = newPlaces

// Take and Free are called by claims.
func (p *places) Take(station, worker string, leave func()) *Place {
	return p.take(station, worker, leave)
}
func (p *places) Free(c *Place) bool { return p.free(c) }

// RunIndex is the index of results that did not go well.
type RunIndex struct{ runIndex }

// MostPlaces and MostParts bound a RunIndex.
const (
	MostPlaces = mostPlaces
	MostParts  = mostParts
)

func (x *RunIndex) Add(low, high uint64, places []uint64) { x.add(low, high, places) }

func (x *RunIndex) Below(at uint64) (low uint64, places []uint64, known bool) { return x.below(at) }

func (x *RunIndex) End(at uint64) { x.end(at) }

func (x *RunIndex) Parts() []readPart { return x.parts }
