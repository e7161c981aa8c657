package front

import "github.com/stationmaster-io/stationmaster/schema"

// Subjects are all on which requests come, in the order of the table of services. The
// verb that is asked on subjects below its own has one of a station s.
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

// Places are those of claims, whose methods tests call.
type (
	Places = places
	Place  = place
)

// MaxOfWorker is how many claims of a worker wait at a station.
const MaxOfWorker = maxOfWorker

var NewPlaces = newPlaces

// Take and Free are what claims do.
func (p *places) Take(station, worker string, leave func()) *Place {
	return p.take(station, worker, leave)
}
func (p *places) Free(c *Place) bool { return p.free(c) }
