package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// Whole reports that the whole definition of p is in memory. If not, the definition is fetched
// and p is looked at afterwards.
func (t *Turn) MakeResident(p *state.Plan) bool {
	if !p.Evicted {
		t.Use(p)
		return true
	}
	if l := t.Definitions.Of[p]; !l.Asked && l.Again <= t.Now {
		l.Asked = true
		t.OnUndo(func() { l.Asked = false })
		t.Changed(p) // it is looked at when the definition has been read
		t.Batch.Effect(event.Fetch{Name: p.Name, Want: l.Digest})
	}
	return false
}

// FetchFor fetches the definition of p, which is away, for ev, which is handled again
// afterwards. The caller checks that it is away before the call, because the call moves ev to
// the heap.
func (t *Turn) FetchFor(p *state.Plan, ev event.Event) {
	t.Definitions.Awaits(p.Name, ev)
	t.OnUndo(func() { t.Definitions.Taken(p.Name, ev) })
	t.Changed(p)
	t.Batch.Effect(event.Fetch{Name: p.Name, Want: t.Definitions.Of[p].Digest, For: ev})
}

// readAhead fetches p's definition, if it is away, shortly before its time. Such definitions
// take at most half of the room, so that they are still in memory when their time comes.
func (t *Turn) readAhead(p *state.Plan) {
	if !p.Evicted || p.Station.IsPull() || t.Holding.On {
		return
	}
	l, at := t.Definitions.Of[p], admission.NextStart(t.Partition, p)
	switch {
	case l.Asked || l.Late || at == 0 || at > t.Now+l.Lead() || l.Again > t.Now:
	case t.Definitions.Ahead+l.Digest.Size > t.Config.LargeRoom/2:
		l.Late = true
		t.OnUndo(func() { l.Late = false })
	default:
		l.Ahead = true
		t.Definitions.Ahead += l.Digest.Size
		t.OnUndo(func() { t.Definitions.Arrive(l) })
		t.MakeResident(p)
	}
}
