package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// Whole reports that all of p's definition is in memory. If not, it is read for a look at p.
func (t *Turn) Whole(p *state.Plan) bool {
	if !p.Away {
		t.Use(p)
		return true
	}
	if l := t.Definitions.Of[p]; !l.Asked && l.Again <= t.Now {
		l.Asked = true
		t.OnUndo(func() { l.Asked = false })
		t.Changed(p) // it is looked at when that has been read
		t.Batch.Effect(event.Fetch{Name: p.Name, Want: l.Print})
	}
	return false
}

// FetchFor has the definition of p, which is not whole, read for ev, which is handled again
// then. It is not called to find that out: ev goes to the heap with the call.
func (t *Turn) FetchFor(p *state.Plan, ev event.Event) {
	t.Definitions.Awaits(p.Name, ev)
	t.OnUndo(func() { t.Definitions.Taken(p.Name, ev) })
	t.Changed(p)
	t.Batch.Effect(event.Fetch{Name: p.Name, Want: t.Definitions.Of[p].Print, For: ev})
}

// readAhead has p's definition read when its time is near, if it is away. What is read ahead
// of its time takes half of the room at most, so that it is there when its time comes.
func (t *Turn) readAhead(p *state.Plan) {
	if !p.Away || p.Station.IsPull() || t.Holding.On {
		return
	}
	l, at := t.Definitions.Of[p], admission.NextStart(t.Partition, p)
	switch {
	case l.Asked || l.Late || at == 0 || at > t.Now+l.Lead() || l.Again > t.Now:
	case t.Definitions.Ahead+l.Print.Size > t.Config.LargeRoom/2:
		l.Late = true
		t.OnUndo(func() { l.Late = false })
	default:
		l.Ahead = true
		t.Definitions.Ahead += l.Print.Size
		t.OnUndo(func() { t.Definitions.Arrive(l) })
		t.Whole(p)
	}
}
