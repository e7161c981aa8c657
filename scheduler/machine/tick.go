package machine

import (
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
)

// Wake returns the next moment worth a Tick; the zero time: none. A clock that went back
// makes one due, too: see WentBack.
func (m *Machine) Wake() time.Time {
	if m.undelivered.Arrivals() > 0 || len(m.revisits) > 0 || len(m.hearing.heard) > 0 || m.setback.since != 0 {
		return unit.Moment(1).Time() // long ago
	}
	_, at := nextDue(&m.Partition)
	return unit.Sooner(at, m.claims.Next()).Time()
}

// Due returns the moment at which the first plan wants its look, held or not; the zero time:
// none does.
func (m *Machine) Due() time.Time {
	return unit.Sooner(m.timetable.Next(), m.hold.starts.Next()).Time()
}

// tickSlice bounds the plans that one Tick looks at, so that a reply or a request
// never waits behind a million dues.
const tickSlice = 256

func (t *turn) tick() {
	t.welcome()
	t.revisitSome()
	t.setRightSome()
	t.lookAtHeard()
	t.attend()
	for range tickSlice {
		p, at := nextDue(t.Partition)
		if at == 0 || at > t.now {
			return
		}
		t.at(p)
		if !t.b.Room(p.Cost()) {
			return
		}
		t.m.looks++
		t.look(p)
	}
}

// Looks returns how many plans Ticks have looked at so far: one that looked at none
// had no room.
func (m *Machine) Looks() uint64 { return m.looks }

// look does all that is due for p: executions past their deadline end, occurrences
// that fell due open or are skipped, those whose time has come are dispatched; of a
// plan that was closed, what nobody has is skipped. Then p closes if nothing can come
// any more, or gets its next look.
func (t *Turn) look(p *state.Plan) {
	t.at(p)
	t.probe("look", p.Name)
	t.expire(p)
	if t.tidy(p); p.Removed {
		return
	}
	if p.IsGone() && (t.larges.Waits(p) || !t.skipRest(p)) {
		schedule(t.Partition, p)
		return
	}
	t.openDue(p)
	t.start(p)
	if p.Done() {
		t.close(p)
		return
	}
	settleTurns(t.Partition, p, t.now)
	t.readAhead(p)
	schedule(t.Partition, p)
	t.probe("looked", p.Name)
}
