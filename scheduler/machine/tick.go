package machine

import (
	"time"

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

func (t *turn) tick() {
	t.welcome()
	t.revisitSome()
	t.setRightSome()
	t.lookAtHeard()
	t.Settle()
	t.attend()
	t.Settle()
	for range tickSlice {
		p, at := transition.NextDue(t.Partition)
		if at == 0 || at > t.Now {
			t.auditSome()
			return
		}
		t.At(p)
		if !t.Batch.Room(p.Cost()) {
			return
		}
		t.m.looks++
		t.Look(p)
		t.Settle()
	}
}

// Looks returns how many plans Ticks have looked at so far: one that looked at none
// had no room.
func (m *Machine) Looks() uint64 { return m.looks }
