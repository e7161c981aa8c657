package machine

import (
	"fmt"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/schema"
)

// How definitions that are away are read back, and what waits for them meanwhile.

const (
	// lookAgain is how long a plan whose definition is not in the bucket rests until the
	// next time that it is looked for.
	lookAgain = 30 * time.Second
)

// whole reports that all of p's definition is in memory. If not, it is read for a look at p.
func (t *Turn) whole(p *state.Plan) bool {
	if !p.Away {
		t.use(p)
		return true
	}
	if l := t.larges.Of[p]; !l.Asked && l.Again <= t.now {
		l.Asked = true
		t.b.Effect(event.Fetch{Name: p.Name, Want: l.Print})
	}
	return false
}

// isWhole reports that all of p's definition is in memory, or will never be.
func (m *Partition) isWhole(p *state.Plan) bool {
	switch {
	case p == nil || p == m.bereft:
	case p.Away:
		return false
	default:
		m.use(p)
	}
	return true
}

// fetchFor has the definition of p, which is not whole, read for ev, which is handled again
// then. It is not called to find that out: ev goes to the heap with the call.
func (t *Turn) fetchFor(p *state.Plan, ev event.Event) {
	if _, said := ev.(event.Heard); said {
		t.larges.Words[p.Name]++
	}
	t.b.Effect(event.Fetch{Name: p.Name, Want: t.larges.Of[p].Print, For: ev})
}

// readAhead has p's definition read when its time is near, if it is away. What is read ahead
// of its time takes half of the room at most, so that it is there when its time comes.
func (t *Turn) readAhead(p *state.Plan) {
	if !p.Away || p.Station.IsPull() || t.hold.on {
		return
	}
	l, at := t.larges.Of[p], nextStart(t.Partition, p)
	switch {
	case l.Asked || l.Late || at == 0 || at > t.now+l.Lead() || l.Again > t.now:
	case t.larges.Ahead+l.Print.Size > t.config.LargeRoom/2:
		l.Late = true
	default:
		l.Ahead = true
		t.larges.Ahead += l.Print.Size
		t.whole(p)
	}
}

// fetched takes in a definition that was read back, and does what waited for it. Where it
// is lost, users are told, and no execution is sent that would lack its messages; but what
// a worker said counts, and so do deadlines, and the plan can be managed.
func (t *turn) fetched(ev event.Fetched) {
	p := t.plans[ev.Name]
	if p != nil {
		t.at(p)
	}
	if _, asked := ev.For.(event.Ask); asked {
		t.suspect.asked = true
	}
	if ev.For == nil {
		defer t.claims.Resume(ev.Name) // whether it is that plan's still or not
	}
	l := t.larges.Of[p]
	lost := false
	switch {
	case l == nil || !p.Away || l.Print != ev.Want: // it is another by now
	case ev.Raw != nil:
		bringBack(t.Partition, p, ev.Raw)
	default:
		lost = true
		t.larges.Arrive(l)
		t.b.Effect(event.Missing{Name: p.Name})
		t.bereft = p
		defer func() { t.bereft = nil }()
	}
	switch ask, asked := ev.For.(event.Ask); {
	case lost && asked && showsAll(ask.What):
		t.b.Answer(ask.From, nil, errBereft(p))
	case ev.For != nil:
		t.larges.Taken(ev)
		if t.react(ev.For); p != nil && !p.Removed && t.timetable.At(p.Handle) == 0 {
			schedule(t.Partition, p) // it had no look while that waited
		}
	case l != nil:
		if l.Asked = false; lost {
			l.Again = t.now.After(lookAgain)
		}
		t.look(p)
		t.m.refresh(p)
	}
}

// refresh has what is offered of p held against the claims that wait.
func (m *Machine) refresh(p *state.Plan) {
	for _, o := range p.Open {
		if o.Offer != nil {
			m.claims.Freshen(o.Offer)
		}
	}
}

// showsAll reports that what is asked for shows a definition to somebody who takes it for
// whole. A list shows what there is of each; a backup would be none.
func showsAll(what schema.Command) bool {
	switch c := what.(type) {
	case schema.GetPlan, schema.LookTask:
		return true
	case schema.LookPlans:
		return c.Records
	default:
		return false
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
