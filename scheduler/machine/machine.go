package machine

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Machine decides what becomes of one partition's plans. A follower only calls
// Replay; a leader calls Lead once, then Step. After a refused append it is
// thrown away. It is not safe for concurrent use: one goroutine owns it.
type Machine struct {
	Partition

	// leftOut are rows that are not to be read; see LeaveOut.
	leftOut   map[event.RowID]bool
	heardFrom unit.Moment // replies since then are known; see Lead
	revisits  []*revisit  // stations that were put anew
	setback   setback
	looks     uint64

	awaiting map[*state.Plan]*schema.Definition // their states; see await
}

// New returns a machine with an empty table.
func New(c Config) *Machine {
	return &Machine{
		Partition: newPartition(c),
		leftOut:   map[event.RowID]bool{},
		awaiting:  map[*state.Plan]*schema.Definition{},
	}
}

// Lead makes the machine act, at now and in the given epoch. Executions in
// flight are adopted, never dispatched at once: their deadlines stand, and their
// start timeout counts only if replies since before their dispatch are known,
// which is what heardFrom says (zero: none are). Stations are shown to people in a
// bucket that nothing fences, so they are written there once more. Returned are the
// plans of which only the definition or only the state is there: they are left
// alone.
func (m *Machine) Lead(now time.Time, epoch int64, heardFrom time.Time) (halves []schema.PlanName) {
	m.suspect.begin(false)
	m.epoch, m.since, m.heardFrom = epoch, unit.MomentOf(now), unit.MomentOf(heardFrom)
	clear(m.awaiting)
	// Incarnations go on behind all that earlier leaders gave, those of plans
	// which are gone included: epochs grow with the clock, and no leader makes a
	// thousand plans a millisecond for long.
	m.incarnation = max(m.incarnation, uint64(epoch)*1000)
	halves = m.setAside()
	m.countPlans()
	m.behind.Lead()
	m.countItems()
	m.lately.SetBack(m.since)
	m.setback = setback{latest: m.since}
	m.sorted.Scan(func(p *state.Plan) bool { // in order: the same rows make the same machine
		m.at(p)
		m.probe("lead", p.Name)
		m.adopt(p)
		m.tally(p)
		if p.IsAhead(m.since) { // what an earlier leader has done by a clock that was ahead
			m.setback.since = m.since
		}
		if schedule(&m.Partition, p); p.Done() {
			m.timetable.Set(p.Handle, m.since) // its last word was captured, and nobody has looked since
		}
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(m.stations)) {
		if s := m.stations[name]; s.Record != nil {
			m.unwriteStation(s, 0)
		}
	}
	return halves
}

// Awaits says since when workers may have said something that counts about what is under
// way: since the oldest such execution was sent. It is false when nothing is under way.
func (m *Machine) Awaits() (since time.Time, any bool) {
	var oldest unit.Moment
	m.sorted.Scan(func(p *state.Plan) bool {
		for _, o := range p.Open {
			for _, x := range o.Live {
				if !any || x.Sent < oldest {
					oldest, any = x.Sent, true
				}
			}
		}
		return true
	})
	return oldest.Time(), any
}

// setAside takes the plans off the table of which not all could be read, and
// returns those of which not all is there.
func (m *Machine) setAside() (halves []schema.PlanName) {
	m.sorted.Scan(func(p *state.Plan) bool {
		if p.Raw == nil || p.Incarnation == 0 {
			if m.broken[p.Name] == nil {
				m.broken[p.Name] = errHalf
				halves = append(halves, p.Name)
			}
		}
		return true
	})
	for name := range m.broken {
		if p := m.plans[name]; p != nil {
			if p.Dirty != nil {
				m.behind.Drop(p.Dirty)
			}
			forget(&m.Partition, p)
		}
	}
	return halves
}

var errHalf = errors.New("its definition or its state is missing")

// adopt takes over the executions of p that were in flight.
func (m *Machine) adopt(p *state.Plan) {
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.Claimed {
				m.awaitPing(p, x, m.since)
			}
			if x.State != schema.StateDispatched {
				continue
			}
			x.Adopted = !x.Claimed && !x.Pub
			if m.heardFrom == 0 || x.Sent < m.heardFrom {
				x.StartBy = 0
				if x.Deadline == 0 {
					// Without any limit nothing would end an execution that was
					// never published, so the start timeout begins anew.
					t := m.termsOf(p)
					if x.StartBy = m.since.After(t.StartTimeout); x.StartBy == 0 {
						x.Deadline = m.since.After(t.ExecTimeout)
					}
				}
			}
			if x.Pub {
				x.Retry = m.since // nobody replies, so nothing else would end it
			}
		}
	}
}

// Step decides what ev at now leads to and adds it to b, which must have room
// for the event's Cost. A Tick, and the looks that follow any other event, take
// only what still fits; Wake then says now.
func (m *Machine) Step(now time.Time, ev event.Event, b *batch.Batch) {
	at := unit.MomentOf(now)
	m.observe(at)
	_, asked := ev.(event.Ask)
	m.suspect.begin(asked)
	b.Probe = m.config.Probe
	m.probeStep("begin", ev)
	t := m.turn(at, b)
	t.react(ev)
	m.probeStep("end", ev)
	t.serveClaims()
}

func (t *turn) react(ev event.Event) {
	switch ev := ev.(type) {
	case event.Ask:
		t.ask(ev)
	case event.Heard:
		t.heard(ev)
	case event.Nobody:
		t.nobody(ev)
	case event.Sent:
		t.sent(ev)
	case event.Overwritten:
		t.restoreRows(ev)
	case event.Seen:
		t.seen(ev)
	case event.Here:
		t.here(ev)
	case event.Left:
		t.left(ev)
	case event.Listened:
		t.listened(ev)
	case event.Tick:
		t.tick()
	case event.Flush:
		t.flush(ev)
	case event.Fetched:
		t.fetched(ev)
	case event.Blame:
		t.blame(ev)
	}
}

// Stats returns how many plans there are, and what was ignored or refused.
func (m *Machine) Stats() (plans int, counts Counts) { return len(m.plans), m.counts }

// UnderWay returns how many executions have not ended.
func (m *Machine) UnderWay() int64 { return m.underWay }

// add makes a row for a name that is new to the table.
func (m *Machine) add(name schema.PlanName) *state.Plan {
	p := &state.Plan{Name: name, Station: m.station(name.Station)}
	m.enter(p)
	return p
}

// enter puts p, whose station is known, into the table.
func (m *Partition) enter(p *state.Plan) {
	p.Name.Station = p.Station.Name // one copy of the name for all its plans
	p.Handle = m.handles.Give(p)
	p.Station.Plans++
	m.plans[p.Name] = p
	m.sorted.Set(p)
	m.countPlan(p, 1)
}

// forget takes p out of the table.
func forget(m *Partition, p *state.Plan) {
	p.Removed = true
	m.timetable.Set(p.Handle, 0)
	m.hold.starts.Set(p.Handle, 0)
	m.undelivered.Leave(p.Handle)
	settleTurns(m, p, 0)
	p.WithdrawAll()
	delete(m.plans, p.Name)
	if m.inboxes[p.Name.PlanID] == p {
		delete(m.inboxes, p.Name.PlanID)
	}
	m.sorted.Delete(p)
	m.countPlan(p, -1)
	m.larges.Forget(p)
	delete(m.restored, p)
	p.Station.Plans--
	m.dropStation(p.Station)
	m.handles.TakeBack(p.Handle)
	p.Handle = 0
}
