package machine

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/batch"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Config holds the settings of a machine, which never change.
type Config = partition.Config

// Counts are running totals of the events that a machine ignored or refused.
type Counts = partition.Counts

var errHalf = errors.New("its definition or its state is missing")

// A Machine decides the fate of one partition's plans. A follower only calls Replay; a leader
// calls Lead once, then Step. After a refused append it is discarded. One goroutine owns it,
// because it is not safe for concurrent use.
type Machine struct {
	part partition.Partition // the plans and stations, and the queues in which they wait

	// leftOut are rows that are not to be read; see LeaveOut.
	leftOut     map[event.RowID]bool
	repliesFrom unit.Moment // replies since then are known; see Lead
	revisits    []*revisit  // stations that were put anew
	recounts    []*recount  // rules of calendars that were put anew
	setback     setback
	audit       audit
	under       *turn              // under way, or the last one
	found       partition.Checksum // of the plans that Lead found

	awaiting map[*state.Plan]*schema.Definition // their states; see await
}

// New returns a machine with an empty table.
func New(c partition.Config) *Machine {
	return &Machine{
		part:     partition.New(c),
		leftOut:  map[event.RowID]bool{},
		awaiting: map[*state.Plan]*schema.Definition{},
	}
}

// Lead makes the machine act, at now and in the given epoch. Executions in flight are adopted,
// never dispatched at once: their deadlines stand, and their start timeout counts only if the
// replies since their dispatch are known. They are known since repliesFrom (zero: none are).
// Station records are written to the bucket once more, because people read them there and no
// fence protects that bucket. Returned are the plans of which only the definition or only the
// state is there; they are left alone.
func (m *Machine) Lead(now time.Time, epoch int64, repliesFrom time.Time) (incomplete []schema.PlanName) {
	m.part.Subject.Begin(false)
	m.part.Epoch, m.part.Since, m.repliesFrom = epoch, unit.MomentOf(now), unit.MomentOf(repliesFrom)
	clear(m.awaiting)
	// Incarnations begin above all that earlier leaders gave, including those of removed plans,
	// because epochs grow with the clock, and no leader creates a thousand plans a millisecond
	// for long.
	m.part.Incarnation = max(m.part.Incarnation, uint64(epoch)*1000)
	incomplete = m.setAside()
	m.found = m.part.Checksum
	m.countPlans()
	m.part.Dirty.Lead()
	m.part.Tombstones.Lead()
	m.countItems()
	m.part.Tombstones.SetBack(m.part.Since)
	m.setback = setback{latest: m.part.Since}
	for _, id := range m.part.Calendars.Set.Changed() { // under an earlier leader
		m.close(id)
	}
	m.closeEarly(m.part.Since)
	m.part.Sorted.Scan(func(p *state.Plan) bool { // in order: the same rows make the same machine
		m.part.At(p)
		m.part.Probe("lead", p.Name)
		if p.Rule() != nil {
			p.LookAhead(m.part.Since) // its calendars may have been read after it; occurrences that follow the former version wait by now
		}
		m.adopt(p)
		if p.IsAhead(m.part.Since) { // an earlier leader acted by a clock that was ahead
			m.setback.since = m.part.Since
		}
		p.Again = p.Done() // its last reply was captured, and no look followed
		transition.Set(&m.part, p, m.part.Since, partition.Changed)
		return true
	})
	for _, id := range slices.Sorted(maps.Keys(m.part.Calendars.Rows)) {
		m.part.UnwriteCalendar(m.part.Calendars.Rows[id], 0)
	}
	for _, name := range slices.Sorted(maps.Keys(m.part.Stations)) {
		if s := m.part.Stations[name]; s.Record != nil {
			m.part.UnwriteStation(s, 0)
		}
	}
	return incomplete
}

// LedUntil sets, before the machine leads, until when an earlier leader acted; zero: that is
// unknown.
func (m *Machine) LedUntil(t time.Time) { m.part.LedUntil = unit.MomentOf(t) }

// Awaits returns since when a worker may have sent a reply that counts, which is the dispatch of
// the oldest execution under way; false: none is under way.
func (m *Machine) Awaits() (since time.Time, any bool) {
	var oldest unit.Moment
	m.part.Sorted.Scan(func(p *state.Plan) bool {
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

// setAside takes the plans out of the table that could not be read in whole, and returns those
// that lack their definition or their state.
func (m *Machine) setAside() (incomplete []schema.PlanName) {
	m.part.Sorted.Scan(func(p *state.Plan) bool {
		if p.Raw == nil || p.Incarnation == 0 {
			if m.part.Broken[p.Name] == nil {
				m.part.Broken[p.Name] = errHalf
				incomplete = append(incomplete, p.Name)
			}
		}
		return true
	})
	for name := range m.part.Broken {
		if p := m.part.Plans[name]; p != nil {
			if p.Dirty != nil {
				m.part.Dirty.Drop(p.Dirty)
			}
			transition.Forget(&m.part, p, m.part.Since)
		}
	}
	return incomplete
}

// adopt takes over the executions of p that were in flight.
func (m *Machine) adopt(p *state.Plan) {
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.Claimed {
				m.part.AwaitPing(p, x, m.part.Since)
			}
			if x.State != schema.StateDispatched {
				continue
			}
			x.Adopted = !x.Claimed && !x.Pub
			if m.repliesFrom == 0 || x.Sent < m.repliesFrom {
				x.StartBy = 0
				if x.Deadline == 0 {
					// Without any limit no event would end an execution that was never
					// published, so the start timeout begins anew.
					t := m.part.TermsOf(p)
					if x.StartBy = m.part.Since.After(t.StartTimeout); x.StartBy == 0 {
						x.Deadline = m.part.Since.After(t.ExecTimeout)
					}
				}
			}
			if x.Pub {
				x.Retry = m.part.Since // no reply comes, so nothing else would end it
			}
		}
	}
}

// A Progress is how far a Step came.
type Progress uint8

const (
	// Done: ev has happened. Of a Tick a part may be left, and Wake then returns now.
	Done Progress = iota
	// Full: ev has not happened, because its rows and effects do not fit the batch, which has
	// other rows; of a Tick, the part that fits has. Step it again with an empty batch.
	Full
	// TooLarge: ev has not happened and never will, because no batch takes it.
	TooLarge
)

// Step decides the consequences of ev at now and adds them to b. Its turns either happen or
// leave no trace. When it panics, Undone has to be called first.
func (m *Machine) Step(now time.Time, ev event.Event, b *batch.Batch) Progress {
	at := unit.MomentOf(now)
	m.observe(at)
	m.part.LeaveTurn()
	t := m.turn(at, b)
	switch ev := ev.(type) {
	case event.Tick:
		m.part.Subject.Begin(false)
		m.probeStep("begin", ev)
		if !t.tick() {
			return Full
		}
		m.probeStep("end", ev)
	case event.Flush, event.WorkerSeen, event.StationPresence, event.RepliesRead, event.Overwritten: // no plan's
		m.part.Subject.Begin(false)
		m.probeStep("begin", ev)
		t.react(ev)
		t.Settle()
		m.probeStep("end", ev)
	case event.Fetched:
		t.bringBack(ev)
		if p := t.stepOne(ev); p != Done {
			return p
		}
		t.resume(ev)
	default:
		if p := t.stepOne(ev); p != Done {
			return p
		}
	}
	t.happened = true
	t.serveClaims()
	t.Settle()
	if _, ticks := ev.(event.Tick); ticks && t.full {
		return Full
	}
	return Done
}

// stepOne has ev happen, in one turn.
func (t *turn) stepOne(ev event.Event) Progress {
	_, asked := ev.(event.Ask)
	return t.inOneTurn(func() {
		t.Subject.Begin(asked)
		t.m.probeStep("begin", ev)
		t.react(ev)
		t.m.probeStep("end", ev)
	})
}

// inOneTurn calls do in a turn of its own. A turn that fits no batch is repeated with as few of the
// consequences as it can have, and later turns do the rest.
func (t *turn) inOneTurn(do func()) Progress {
	for {
		t.Begin()
		do()
		switch {
		case t.Keep():
			return Done
		case !t.Batch.Empty():
			return Full
		case !t.Tighten():
			return TooLarge
		}
	}
}

func (t *turn) react(ev event.Event) {
	switch ev := ev.(type) {
	case event.Ask:
		t.ask(ev)
	case event.ReplyReceived:
		t.ReplyReceived(ev)
	case event.NoResponders:
		t.NoResponders(ev)
	case event.Dispatched:
		t.Sent(ev)
	case event.Unsent:
		t.Unsent(ev)
	case event.Overwritten:
		t.restoreRows(ev)
	case event.WorkerSeen:
		t.seen(ev)
	case event.StationPresence:
		t.here(ev)
	case event.Left:
		t.Left(ev)
	case event.RepliesRead:
		t.repliesRead(ev)
	case event.Flush:
		t.flush(ev)
	case event.Fetched:
		t.fetched(ev)
	case event.Blame:
		t.blame(ev)
	}
}

// Stats returns the number of plans, and the totals of ignored or refused events.
func (m *Machine) Stats() (plans int, counts partition.Counts) {
	return len(m.part.Plans), m.part.Counts
}

// Checksum identifies the set of plans as of the last step. Two machines with the same plans have
// the same one.
func (m *Machine) Checksum() string { return m.part.Checksum.String() }

// Found is the checksum of the plans that Lead found. All is false if rows were left out on
// request.
func (m *Machine) Found() (checksum string, all bool) { return m.found.String(), len(m.leftOut) == 0 }

// UnderWay returns how many executions have not ended.
func (m *Machine) UnderWay() int64 { return m.part.Executing }

// add makes a row for a name that is new to the table.
func (m *Machine) add(name schema.PlanName) *state.Plan {
	p := &state.Plan{Name: name, Station: m.part.Station(name.Station)}
	m.part.Enter(p)
	return p
}
