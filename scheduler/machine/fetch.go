package machine

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Evicted definitions are read back here, while the commands that need them wait.

const (
	// lookAgain is the time between two reads of a definition that the bucket lacks.
	lookAgain = 30 * time.Second
)

// bringBack keeps a definition that was read. It stays in memory even when the turn that follows
// is undone.
func (t *turn) bringBack(ev event.Fetched) {
	p := t.Plans[ev.Name]
	if l := t.Definitions.Of[p]; l != nil && p.Evicted && l.Digest == ev.Want && ev.Raw != nil {
		t.Partition.At(p)
		transition.BringBack(t.Partition, p, ev.Raw)
		t.Changed(p)
		t.Settle()
	}
}

// fetched carries out the events that waited for a definition to be read. If it is lost,
// users get an error, and no execution is sent, because its messages would be missing; but
// replies of workers count, deadlines pass, and the plan can be managed.
func (t *turn) fetched(ev event.Fetched) {
	p := t.Plans[ev.Name]
	if p != nil {
		t.At(p)
	}
	if _, asked := ev.For.(event.Ask); asked {
		t.Subject.Asked = true
	}
	l := t.Definitions.Of[p]
	lost := l != nil && p.Evicted && l.Digest == ev.Want
	if lost {
		t.Arrive(l)
		t.Batch.Effect(event.Missing{Name: p.Name})
		t.Missing = p
		defer func() { t.Missing = nil }()
	}
	switch ask, asked := ev.For.(event.Ask); {
	case lost && asked && needOf(ask.What) == forShow:
		t.Batch.Answer(ask.From, nil, errMissing(p))
	case ev.For != nil:
		t.Definitions.Taken(ev.Name, ev.For)
		t.OnUndo(func() { t.Definitions.Awaits(ev.Name, ev.For) })
		if t.react(ev.For); p != nil {
			t.Changed(p) // it had no look while that waited
		}
	case l != nil:
		again := l.Again
		t.OnUndo(func() { l.Asked, l.Again = true, again })
		if l.Asked = false; lost {
			l.Again = t.Now.After(lookAgain)
		}
		t.Evaluate(p)
	}
}

// resume has the claims go on that waited for a definition to be read.
func (t *turn) resume(ev event.Fetched) {
	if ev.For != nil {
		return
	}
	if p := t.Plans[ev.Name]; t.Definitions.Of[p] != nil {
		t.m.refresh(p)
	}
	t.Claims.Resume(ev.Name) // whether the definition is still that plan's or not
}

// refresh has the offers of p matched against the waiting claims.
func (m *Machine) refresh(p *state.Plan) {
	for _, o := range p.Open {
		if o.Offer != nil {
			m.part.Claims.Freshen(o.Offer)
		}
	}
}

// errMissing is the error of a user who asks for a plan whose definition is lost.
func errMissing(p *state.Plan) error {
	return &schema.Error{
		Code: schema.CodeUnavailable,
		Message: fmt.Sprintf("the definition of %s is not in the bucket as it was written (key %s): tell your operator, or create the plan again with on_conflict update",
			p.Name, storage.PlanKey(p.Name.Station, p.Name.PlanID)),
	}
}
