package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Wake returns the next moment worth a Tick; the zero time: none. A clock that went back
// makes one due, too: see WentBack.
func (m *Machine) Wake() time.Time {
	if m.part.Undelivered.Arrivals() > 0 || len(m.revisits) > 0 || len(m.part.Hearing.Heard) > 0 || m.setback.since != 0 {
		return unit.Moment(1).Time() // long ago
	}
	_, at := transition.NextDue(&m.part)
	return unit.Sooner(at, m.part.Claims.Next()).Time()
}

// Due returns the moment at which the first plan wants its look, held or not; the zero time:
// none does.
func (m *Machine) Due() time.Time {
	return unit.Sooner(m.part.Timetable.Next(), m.part.Holding.Starts.Next()).Time()
}

// tickSlice bounds the plans that one Tick looks at, so that a reply or a request
// never waits behind a million dues.
const tickSlice = 256

// tick does what time has made due. False: b has no room for more of it.
func (t *turn) tick() bool {
	t.welcome()
	t.revisitSome()
	t.lookAtHeard()
	t.Settle()
	if !t.setRightSome() {
		return false
	}
	t.attend()
	t.Settle()
	for range tickSlice {
		p, at := transition.NextDue(t.Partition)
		if at == 0 || at > t.Now {
			t.auditSome()
			return true
		}
		if !t.visit(p, t.Look) {
			return false
		}
	}
	return true
}

// visit does something for p in a turn of its own; false: b has no room for it. What fits no
// batch, however little of it is done at a time, stops its plan, because it would stop all others
// that are due behind it.
func (t *turn) visit(p *state.Plan, do func(*state.Plan)) bool {
	for {
		t.Begin()
		t.At(p)
		t.Probe("visit", p.Name)
		do(p)
		switch {
		case t.Keep():
			return true
		case !t.Batch.Empty():
			return false
		case !t.Tighten():
			t.Begin()
			t.stop(p)
			return t.Keep()
		}
	}
}
