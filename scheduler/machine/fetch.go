package machine

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/schema"
)

// How definitions that are away are read back, and what waits for them meanwhile.

const (
	// lookAgain is how long a plan whose definition is not in the bucket rests until the
	// next time that it is looked for.
	lookAgain = 30 * time.Second
)

// fetched takes in a definition that was read back, and does what waited for it. Where it
// is lost, users are told, and no execution is sent that would lack its messages; but what
// a worker said counts, and so do deadlines, and the plan can be managed.
func (t *turn) fetched(ev event.Fetched) {
	p := t.Plans[ev.Name]
	if p != nil {
		t.At(p)
	}
	if _, asked := ev.For.(event.Ask); asked {
		t.Subject.Asked = true
	}
	if ev.For == nil {
		defer t.Claims.Resume(ev.Name) // whether it is that plan's still or not
	}
	l := t.Definitions.Of[p]
	lost := false
	switch {
	case l == nil || !p.Away || l.Print != ev.Want: // it is another by now
	case ev.Raw != nil:
		transition.BringBack(t.Partition, p, ev.Raw)
	default:
		lost = true
		t.Definitions.Arrive(l)
		t.Batch.Effect(event.Missing{Name: p.Name})
		t.Missing = p
		defer func() { t.Missing = nil }()
	}
	switch ask, asked := ev.For.(event.Ask); {
	case lost && asked && needOf(ask.What) == forShow:
		t.Batch.Answer(ask.From, nil, errBereft(p))
	case ev.For != nil:
		t.Definitions.Taken(ev)
		if t.react(ev.For); p != nil {
			t.Changed(p) // it had no look while that waited
		}
	case l != nil:
		if l.Asked = false; lost {
			l.Again = t.Now.After(lookAgain)
		}
		t.Look(p)
		t.Settle()
		t.m.refresh(p)
	}
}

// refresh has what is offered of p held against the claims that wait.
func (m *Machine) refresh(p *state.Plan) {
	for _, o := range p.Open {
		if o.Offer != nil {
			m.part.Claims.Freshen(o.Offer)
		}
	}
}

// errBereft tells a user that a plan cannot be shown.
func errBereft(p *state.Plan) error {
	return &schema.Error{
		Code: schema.CodeUnavailable,
		Message: fmt.Sprintf("the definition of %s is not in the bucket as it was written (key %s): tell your operator, or say it again with on_conflict update",
			p.Name, schema.PlanKey(p.Name.Station, p.Name.PlanID)),
	}
}
