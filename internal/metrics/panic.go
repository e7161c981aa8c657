package metrics

import "github.com/prometheus/client_golang/prometheus"

// A Place is where a panic was contained.
type Place string

// The places.
const (
	AtStep    Place = "step"    // a leader processed a plan or a request
	AtLead    Place = "lead"    // a node took over a plan
	AtReplay  Place = "replay"  // a node followed a row of the journal or of the bucket
	AtPerform Place = "perform" // a leader performed the effects of a batch
	AtStore   Place = "store"   // a leader wrote or read the stores
	AtMessage Place = "message" // a leader read a message of a worker or of another node
	AtRequest Place = "request" // a node answered a request over NATS
	AtHTTP    Place = "http"    // a node answered a request over HTTP
)

// Panics count the defects that were contained.
type Panics struct{ at map[Place]prometheus.Counter }

func newPanics(r prometheus.Registerer) *Panics {
	v := counters(r, "panics_total", "Panics that were contained, each with a number and its stack in the log.", "at")
	p := &Panics{at: map[Place]prometheus.Counter{}}
	for _, place := range []Place{AtStep, AtLead, AtReplay, AtPerform, AtStore, AtMessage, AtRequest, AtHTTP} {
		p.at[place] = v.WithLabelValues(string(place))
	}
	return p
}

// Contained notes a panic.
func (p *Panics) Contained(at Place) {
	if c := p.at[at]; c != nil {
		c.Inc()
	}
}
