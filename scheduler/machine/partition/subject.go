package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Subject is the plan that is being looked at.
type Subject struct {
	P      *state.Plan
	Blamed bool
	Asked  bool
	Reads  bool
}

// Begin begins a step; asked: the step is a request.
func (s *Subject) Begin(asked bool) { *s = Subject{Asked: asked} }

// At sets p as the plan that is looked at from here on.
func (m *Partition) At(p *state.Plan) {
	if m.Subject.P != p {
		m.Subject.P, m.Subject.Blamed = p, p.IsBlamed()
	}
}

// Probe calls the probe of a test, which may panic.
func (m *Partition) Probe(at string, name schema.PlanName) {
	if m.Config.Probe != nil {
		m.Config.Probe(at, name)
	}
}
