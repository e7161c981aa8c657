package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Replay takes over one row of the append with the sequence seq, which is durable. An error
// means that the row is invalid; the machine then leaves the plan alone, so that none of its
// rows is overwritten, and the caller reports it.
func (m *Machine) Replay(seq uint64, r event.Row) error { return m.replay(seq, r) }

func (m *Machine) replay(seq uint64, r event.Row) error {
	if err := m.isLeftOut(r); err != nil {
		return err
	}
	if r.Kind == event.RowResult {
		return count(m, r)
	}
	m.part.Probe("replay", r.Name)
	switch r.Kind {
	case event.RowDefinition:
		return m.replayDefinition(seq, r)
	case event.RowState:
		return m.replayState(seq, r)
	case event.RowStation:
		return m.replayStation(seq, r)
	case event.RowCalendar:
		return m.replayCalendar(seq, r)
	case event.RowItem:
		return m.replayItem(r)
	case event.RowClosed:
		return m.replayClosed(r)
	default:
		return fmt.Errorf("replay %q: a row of unknown kind %q", r.Name, r.Kind)
	}
}

// ReplayBucket takes over one key of the bucket. A key of another writer is an error, and left
// alone.
func (m *Machine) ReplayBucket(key string, value []byte) error {
	row, err := event.RowOf(key, value)
	if err != nil || row.Kind == 0 {
		return err
	}
	return m.replay(event.InBucket, row)
}

func (m *Machine) replayDefinition(seq uint64, r event.Row) error {
	p := m.part.Plans[r.Name]
	if len(r.Value) == 0 && seq == event.InBucket {
		m.replayMarker(p, r.Name)
		return nil
	}
	if len(r.Value) == 0 {
		switch {
		case r.N == 0:
		case p != nil && p.Raw != nil:
			closed := state.Tombstone{Name: r.Name, At: unit.Moment(r.N), Definition: m.part.HashOf(p), Kept: p.Kept}
			m.part.Tombstones.Unwrite(m.part.Tombstones.Add(closed), seq)
		default:
			for _, s := range m.part.Tombstones.Repeated(r.Name, unit.Moment(r.N)) {
				m.part.Tombstones.Unwrite(s, seq)
			}
		}
		if p == nil {
			p = m.add(r.Name) // the bucket may have it all the same
		}
		delete(m.part.Broken, r.Name)
		m.followGone(p, seq)
		transition.Forget(&m.part, p, 0)
		return nil
	}
	d, err := schema.LoadDefinition(append([]byte(nil), r.Value...))
	if err == nil {
		err = belongs(d, r.Name)
	}
	if err != nil {
		m.part.Broken[r.Name] = err
		if p != nil {
			m.part.Definitions.Forget(p)
			p.Raw, p.Evicted = nil, false
		}
		return fmt.Errorf("replay the definition of %s: %w", r.Name, err)
	}
	if p == nil {
		p = m.add(r.Name)
	}
	m.part.Definitions.Forget(p)
	p.SetRaw(d)
	p.Defined = seq == event.InBucket
	if p.Incarnation == 0 {
		m.await(p, d)
	}
	return m.complete(seq, p, d)
}

// replayMarker takes over the marker of a removed row. There is no plan, but for one whose rows are
// back in the bucket after nats-server was killed.
func (m *Machine) replayMarker(p *state.Plan, name schema.PlanName) {
	delete(m.part.Broken, name)
	if p != nil {
		transition.Forget(&m.part, p, 0)
	}
}

// belongs refuses the definition of another plan that was copied under this name, because the
// other plan's work would run under the wrong name. A definition without an id had its id
// generated.
func belongs(d *schema.Definition, to schema.PlanName) error {
	definedAs := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if definedAs == to || definedAs.PlanID == "" && definedAs.Station == to.Station {
		return nil
	}
	return fmt.Errorf("its definition is that of %s", definedAs)
}

// Definitions that are kept for their states: as many as an append has, if they are small.
const (
	awaitingMost  = 4096
	awaitingBytes = 4 << 10
)

// await keeps a definition for its state row. In an append all definitions come before all
// states, and to parse each twice costs a third of a restart.
func (m *Machine) await(p *state.Plan, d *schema.Definition) {
	if len(m.awaiting) >= awaitingMost {
		clear(m.awaiting)
	}
	if len(d.Raw) <= awaitingBytes {
		m.awaiting[p] = d
	}
}

// definition parses p's, or has it from await.
func (m *Machine) definition(p *state.Plan) (*schema.Definition, error) {
	d := m.awaiting[p]
	delete(m.awaiting, p)
	if d != nil && &d.Raw[0] == &p.Raw[0] {
		return d, nil
	}
	return schema.LoadDefinition(p.Raw)
}

// replayState takes over a record. Most records differ from the one before by counts only, and
// then the schedule stands.
func (m *Machine) replayState(seq uint64, r event.Row) error {
	p := m.part.Plans[r.Name]
	st, err := state.ParseState(r.Value)
	if err != nil {
		m.part.Broken[r.Name] = err
		if p != nil {
			p.Incarnation = 0
		}
		return fmt.Errorf("replay the state of %s: %w", r.Name, err)
	}
	if p == nil {
		p = m.add(r.Name)
	}
	again := p.Incarnation == st.Incarnation && p.Accepted == st.Accepted && p.Base == st.Base && p.Next.K != 0
	if p.Inbox != nil && st.Inbox != nil {
		st.Inbox.Sizes = p.Inbox.Sizes
		st.Inbox.Sizes.Trim(st.Inbox.First)
	}
	p.Record = st
	m.part.IndexInbox(p)
	m.part.Incarnation = max(m.part.Incarnation, st.Incarnation)
	if p.Raw == nil || again {
		return m.complete(seq, p, nil)
	}
	d, err := m.definition(p)
	if err != nil {
		m.part.Broken[r.Name] = err
		return fmt.Errorf("replay the definition of %s: %w", r.Name, err)
	}
	return m.complete(seq, p, d)
}

// complete derives the computed fields once both definition and state are there. Rows of one
// plan may come in either order from the bucket. An invalid row is forgiven when a later one is
// valid, because a row of the journal may be older than the bucket's other half, and not match
// it.
func (m *Machine) complete(seq uint64, p *state.Plan, d *schema.Definition) error {
	p.Stored = true // or may be, which is the same to a later deletion
	if seq != event.InBucket {
		m.follow(p, seq)
	}
	if p.Raw == nil || p.Incarnation == 0 {
		return nil
	}
	if d != nil {
		before := p.Rule()
		if err := p.Derive(d, &m.part.Calendars.Set); err != nil {
			m.part.Broken[p.Name] = err
			p.Next = calendar.Due{}
			return fmt.Errorf("replay the schedule of %s: %w", p.Name, err)
		}
		m.part.Relist(p, before)
		m.part.Agree(p, &d.Plan)
	}
	p.LookAhead(0)
	delete(m.part.Broken, p.Name)
	if seq == event.InBucket && p.Defined {
		transition.MayLeave(&m.part, p)
	}
	return nil
}
