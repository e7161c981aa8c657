package machine

import "time"

// Wake returns the next moment worth a Tick; the zero time: none. A clock that went back
// makes one due, too: see WentBack.
func (m *Machine) Wake() time.Time {
	if len(m.unserved.arrivals) > 0 || len(m.revisits) > 0 || len(m.hearing.heard) > 0 || m.setback.since != 0 {
		return moment(1).time() // long ago
	}
	_, at := m.nextDue()
	return sooner(at, m.claims.next()).time()
}

// Due returns the moment at which the first plan wants its look, held or not; the zero time:
// none does.
func (m *Machine) Due() time.Time {
	at := m.timetable.next()
	if first := m.hold.starts.first(); first != nil {
		at = sooner(at, first.at)
	}
	return at.time()
}

// tickSlice bounds the plans that one Tick looks at, so that a reply or a request
// never waits behind a million dues.
const tickSlice = 256

func (m *Machine) tick(now moment, b *Batch) {
	m.welcome(now)
	m.revisitSome(now)
	m.setRightSome(now, b)
	m.lookAtHeard(now)
	m.attend(now, b)
	for range tickSlice {
		p, at := m.nextDue()
		if at == 0 || at > now {
			return
		}
		m.at(p)
		if !b.Room(p.cost()) {
			return
		}
		m.looks++
		m.look(p, now, b)
	}
}

// Looks returns how many plans Ticks have looked at so far: one that looked at none
// had no room.
func (m *Machine) Looks() uint64 { return m.looks }

// look does all that is due for p: executions past their deadline end, occurrences
// that fell due open or are skipped, those whose time has come are dispatched; of a
// plan that was closed, what nobody has is skipped. Then p closes if nothing can come
// any more, or gets its next look.
func (m *Machine) look(p *plan, now moment, b *Batch) {
	m.at(p)
	m.probe("look", p.name)
	m.expire(p, now, b)
	if m.tidy(p, now, b); p.removed {
		return
	}
	if p.isGone() && (m.larges.waits(p) || !m.skipRest(p, now, b)) {
		m.schedule(p)
		return
	}
	m.openDue(p, now, b)
	m.start(p, now, b)
	if p.done() {
		m.close(p, now, b)
		return
	}
	m.settleTurns(p, now)
	m.readAhead(p, now, b)
	m.schedule(p)
	m.probe("looked", p.name)
}
