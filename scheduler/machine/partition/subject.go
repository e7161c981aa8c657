package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// suspect is the plan that is being looked at.
type Subject struct {
	P      *state.Plan
	Blamed bool
	Asked  bool
	Reads  bool
}

// Begin notes that a step begins; asked: for a request.
func (s *Subject) Begin(asked bool) { *s = Subject{Asked: asked} }

// At notes that p is looked at from here on.
func (m *Partition) At(p *state.Plan) {
	if m.Subject.P != p {
		m.Subject.P, m.Subject.Blamed = p, p.IsBlamed()
	}
}

// Probe lets a test panic here.
func (m *Partition) Probe(at string, name schema.PlanName) {
	if m.Config.Probe != nil {
		m.Config.Probe(at, name)
	}
}
