package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// unwrite notes that the bucket is behind on p since a batch. It is quiet since the given
// moment; none: for long.
func (m *Partition) unwrite(p *state.Plan, batch uint64, since unit.Moment) {
	if p.Dirty == nil {
		p.Dirty = &state.DirtyRow{First: batch, P: p}
		m.behind.Push(p.Dirty)
	}
	p.Dirty.Changed = since
}

// unwriteGone notes that p is to leave the bucket, which it may never have
// reached: then there is nothing to do.
func (m *Partition) unwriteGone(p *state.Plan, batch uint64) {
	e := p.Dirty
	switch {
	case !p.Stored && e != nil:
		m.behind.Drop(e)
		p.Dirty = nil
	case !p.Stored:
	case e == nil:
		m.behind.Push(&state.DirtyRow{First: batch, P: p, Gone: true})
	default:
		e.Gone = true
	}
}

func (m *Partition) unwriteStation(s *state.Station, batch uint64) {
	if s.Dirty == nil {
		s.Dirty = &state.DirtyRow{First: batch, S: s}
		m.behind.Push(s.Dirty)
	}
}

// restoreRows has rows written again that somebody else has written over, and those taken
// away that stand for nothing. They are quiet, so that the next Flush hands them out.
func (t *turn) restoreRows(ev event.Overwritten) {
	for _, key := range ev.Keys {
		kind, station, id, ok := schema.ParseKey(key)
		name := schema.PlanName{Station: station, PlanID: id}
		switch p := t.plans[name]; {
		case !ok:
		case kind == schema.KeyStation:
			if s := t.stations[station]; s != nil && s.Record != nil {
				t.unwriteStation(s, t.b.Number)
			}
		case p == nil:
			if t.broken[name] == nil {
				t.behind.Push(&state.DirtyRow{First: t.b.Number, P: &state.Plan{Name: name}, Gone: true})
			}
		default:
			if kind == schema.KeyPlan && t.isWhole(p) {
				p.Defined = false
			}
			if p.Dirty == nil {
				t.unwrite(p, t.b.Number, 0)
			}
		}
	}
}

// A follower's queue is in the order of the latest changes, so that what the leader
// has written leaves it at the head.

// follow notes that append seq changed p.
func (m *Machine) follow(p *state.Plan, seq uint64) {
	if p.Dirty == nil {
		p.Dirty = &state.DirtyRow{P: p}
	} else {
		m.behind.Drop(p.Dirty)
	}
	p.Dirty.First = seq
	m.behind.Push(p.Dirty)
}

// followGone notes that append seq took p away. The bucket may have it.
func (m *Machine) followGone(p *state.Plan, seq uint64) {
	p.Stored = true
	m.follow(p, seq)
	p.Dirty.Gone = true
}

func (m *Machine) followStation(s *state.Station, seq uint64) {
	if s.Dirty == nil {
		s.Dirty = &state.DirtyRow{S: s}
	} else {
		m.behind.Drop(s.Dirty)
	}
	s.Dirty.First = seq
	m.behind.Push(s.Dirty)
}

// Stored tells a follower that the bucket has the journal up to and including the
// append upTo, so that it does not write those rows once more when it leads.
func (m *Machine) Stored(upTo uint64) {
	for e := m.behind.Head; e != nil && e.First <= upTo; e = m.behind.Head {
		m.behind.Drop(e)
		switch {
		case e.S != nil:
			e.S.Dirty = nil
			m.dropStation(e.S)
		case !e.Gone:
			e.P.Dirty = nil
			e.P.Defined = true
			mayLeave(&m.Partition, e.P)
		}
	}
}

// Has tells a follower that is to lead which keys the bucket has, for it knows of those
// that came and went only what the journal says: which are not there need not be removed.
// It comes behind Stored.
func (m *Machine) Has(keys map[string]bool) {
	for e := m.behind.Head; e != nil; {
		next := e.Next
		if p := e.P; p != nil {
			p.Stored = keys[schema.PlanKey(p.Name.Station, p.Name.PlanID)] || keys[schema.StateKey(p.Name.Station, p.Name.PlanID)]
			if e.Gone && !p.Stored {
				m.behind.Drop(e)
			}
		}
		e = next
	}
}

// Unwritten returns the number of rows that the bucket does not have yet.
func (m *Machine) Unwritten() int { return m.behind.Count }

const (
	// flushLook bounds the rows that one Flush visits, busy ones included.
	flushLook = 4096
	// flushBytes bounds what it hands out.
	flushBytes = 4 << 20
)

// flush hands out the rows that have been quiet, oldest first.
func (t *turn) flush(ev event.Flush) {
	storedNow(t.Partition)
	out := event.Write{}
	size, looked := 0, 0
	var gone map[schema.PlanName]bool
	for e := t.behind.Head; e != nil; {
		next := e.Next
		// What uses the id of a plan that leaves waits for the next flush: a batch may
		// name a key only once.
		if len(out.Rows)+2 > ev.Max || size > flushBytes || e.P != nil && gone[e.P.Name] {
			out.More = true
			break
		}
		if looked == flushLook {
			break // busy rows stand before the others; they grow quiet, or Force comes
		}
		looked++
		if ev.Force || e.Gone || e.Changed+t.behind.Quiet <= t.now || e.Changed > t.now {
			t.behind.Drop(e)
			size += t.m.write(e, &out)
			if e.Gone {
				if gone == nil {
					gone = map[schema.PlanName]bool{}
				}
				gone[e.P.Name] = true
			}
		}
		e = next
	}
	out.Left = t.behind.Count
	out.Before = t.b.Number
	if t.behind.Head != nil {
		out.Before = min(out.Before, t.behind.Head.First)
	}
	t.b.Effect(out)
}

// write adds the rows of e, as the bucket keeps them: in the encoding that the
// publisher speaks, for people to read.
func (m *Machine) write(e *state.DirtyRow, out *event.Write) int {
	if e.S != nil {
		e.S.Dirty = nil
		return m.writeStation(e.S, out)
	}
	p := e.P
	m.at(p)
	planKey, stateKey := schema.PlanKey(p.Name.Station, p.Name.PlanID), schema.StateKey(p.Name.Station, p.Name.PlanID)
	if e.Gone {
		if again := m.plans[p.Name]; again != nil && again.Dirty != nil {
			// The id is in use again and its rows are on their way behind these:
			// that plan takes over what is known of the key.
			again.Stored = true
		}
		out.Rows = append(out.Rows, event.BucketRow{Key: planKey}, event.BucketRow{Key: stateKey})
		return len(planKey) + len(stateKey)
	}
	p.Dirty = nil
	p.Stored = true
	size := 0
	if !p.Defined {
		p.Defined = true
		size += len(p.Raw)
		out.Rows = append(out.Rows, event.BucketRow{Key: planKey, Value: p.Raw})
		if m.isLarge(p) {
			m.larges.Behind = append(m.larges.Behind, m.large(p))
		}
	}
	var w wire.Writer
	w.Reset(p.Enc, nil)
	p.WriteState(&w)
	out.Rows = append(out.Rows, event.BucketRow{Key: stateKey, Value: w.Bytes()})
	return size + len(w.Bytes())
}

func (m *Machine) writeStation(s *state.Station, out *event.Write) int {
	row := event.BucketRow{Key: schema.StationKey(s.Name)}
	if s.Record != nil {
		value, err := wire.Marshal(wire.JSON, state.StationRecord{Station: *s.Record, Revision: s.Revision})
		if err != nil {
			return 0 // it was marshalled when it was put
		}
		row.Value = value
	}
	out.Rows = append(out.Rows, row)
	m.dropStation(s)
	return len(row.Value)
}
