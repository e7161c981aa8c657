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
type RunIndex = readIndex[unwellResult]

// MostUnwell and MostParts bound a RunIndex.
const (
	MostUnwell = mostUnwell
	MostParts  = mostParts
)

// NewRunIndex returns an empty one.
func NewRunIndex() *RunIndex { return &RunIndex{most: mostUnwell} }

func (x *readIndex[E]) Add(low, high uint64, entries []E) { x.add(low, high, entries) }

func (x *readIndex[E]) Below(at uint64) (low uint64, entries []E, known bool) { return x.below(at) }

func (x *readIndex[E]) End(at uint64) { x.end(at) }

func (x *readIndex[E]) Parts() int { return len(x.parts) }

// UnwellResult is an entry of a RunIndex.
type UnwellResult = unwellResult
