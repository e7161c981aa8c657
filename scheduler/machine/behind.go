package machine

import (
	"github.com/stationmaster-io/stationmaster/internal/storage"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// restoreRows has rows written again that another writer has overwritten in the bucket, and rows
// removed that belong to no plan. They count as quiet, so that the next Flush hands them out.
func (t *turn) restoreRows(ev event.Overwritten) {
	for _, key := range ev.Keys {
		kind, station, id, ok := storage.ParseKey(key)
		name := schema.PlanName{Station: station, PlanID: id}
		switch p := t.Plans[name]; {
		case !ok:
		case kind == storage.KeyClosed:
			t.rewriteClosed(id)
		case kind == storage.KeyCalendar:
			if c := t.Calendars.Rows[id]; c != nil {
				t.UnwriteCalendar(c, t.Batch.Number)
			}
		case kind == storage.KeyStation:
			if s := t.Stations[station]; s != nil && s.Record != nil {
				t.UnwriteStation(s, t.Batch.Number)
			}
		case p == nil:
			if t.Broken[name] == nil {
				t.Dirty.Push(&state.DirtyRow{First: t.Batch.Number, P: &state.Plan{Name: name}, Gone: true})
			}
		default:
			if kind == storage.KeyPlan && t.IsResident(p) {
				p.Defined = false
			}
			if p.Dirty == nil {
				t.Unwrite(p, t.Batch.Number, 0)
			}
		}
	}
}

// A follower's dirty queue is ordered by the latest change, so that the rows which the leader
// has written leave it at the head.

// follow notes that append seq changed p.
func (m *Machine) follow(p *state.Plan, seq uint64) {
	p.Dirty = m.changed(p.Dirty, state.DirtyRow{P: p}, seq)
}

// changed moves the dirty row d, which is row if there is none yet, behind those changed before
// append seq.
func (m *Machine) changed(d *state.DirtyRow, row state.DirtyRow, seq uint64) *state.DirtyRow {
	if d == nil {
		d = &row
	} else {
		m.part.Dirty.Drop(d)
	}
	d.First = seq
	m.part.Dirty.Push(d)
	return d
}

// followGone notes that append seq removed p. The bucket may still have its rows.
func (m *Machine) followGone(p *state.Plan, seq uint64) {
	p.Stored = true
	m.follow(p, seq)
	p.Dirty.Gone = true
}

func (m *Machine) followStation(s *state.Station, seq uint64) {
	s.Dirty = m.changed(s.Dirty, state.DirtyRow{S: s}, seq)
}

func (m *Machine) followCalendar(c *state.Calendar, seq uint64) {
	c.Dirty = m.changed(c.Dirty, state.DirtyRow{C: c}, seq)
}

// Stored notes in a follower that the bucket has the journal up to and including the append
// upTo, so that the follower does not write those rows again once it leads.
func (m *Machine) Stored(upTo uint64) {
	m.part.Tombstones.Stored(upTo)
	for e := m.part.Dirty.Head; e != nil && e.First <= upTo; e = m.part.Dirty.Head {
		m.part.Dirty.Drop(e)
		switch {
		case e.C != nil:
			e.C.Dirty = nil
			m.part.DropCalendar(e.C)
		case e.S != nil:
			e.S.Dirty = nil
			m.part.DropStation(e.S)
		case !e.Gone:
			e.P.Dirty = nil
			e.P.Defined = true
			transition.MayLeave(&m.part, e.P)
		}
	}
}

// Has gives a follower that is about to lead the keys of the bucket, because it knows the plans
// that came and went from the journal alone, and a key that the bucket lacks need not be
// removed. Has is called after Stored.
func (m *Machine) Has(keys map[string]bool) {
	for e := m.part.Dirty.Head; e != nil; {
		next := e.Next
		if p := e.P; p != nil {
			p.Stored = keys[storage.PlanKey(p.Name.Station, p.Name.PlanID)] || keys[storage.StateKey(p.Name.Station, p.Name.PlanID)]
			if e.Gone && !p.Stored {
				m.part.Dirty.Drop(e)
			}
		}
		e = next
	}
}

// Unwritten returns the number of rows that the bucket does not have yet.
func (m *Machine) Unwritten() int { return m.part.Dirty.Count }

const (
	// flushLook bounds the rows that one Flush visits, busy ones included.
	flushLook = 4096
	// flushBytes bounds the bytes that one Flush hands out.
	flushBytes = 4 << 20
)

// flush hands out the quiet rows, oldest first.
func (t *turn) flush(ev event.Flush) {
	transition.StoredNow(t.Partition)
	out := event.Write{}
	size, unburied := t.bury(&out, ev.Max)
	looked := 0
	var gone map[schema.PlanName]bool
	for e := t.Dirty.Head; e != nil; {
		next := e.Next
		// A plan that uses the id of a removed one waits for the next flush, because a batch may
		// name a key only once.
		if unburied || len(out.Rows)+rowRoom > ev.Max || size > flushBytes || e.P != nil && gone[e.P.Name] {
			out.More = true
			break
		}
		if looked == flushLook {
			break // busy rows stand first until they grow quiet, or Force comes
		}
		looked++
		if ev.Force || e.Gone || e.Changed+t.Dirty.Quiet <= t.Now || e.Changed > t.Now {
			t.Dirty.Drop(e)
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
	closed, since := t.Tombstones.Unwritten()
	out.Left, out.More = t.Dirty.Count+closed, out.More || unburied
	out.Before = t.Batch.Number
	if closed > 0 {
		out.Before = min(out.Before, since)
	}
	if t.Dirty.Head != nil {
		out.Before = min(out.Before, t.Dirty.Head.First)
	}
	t.Batch.Effect(out)
}

// write adds the rows of e as the bucket keeps them, in the publisher's encoding, because people
// read them.
func (m *Machine) write(e *state.DirtyRow, out *event.Write) int {
	if e.S != nil {
		e.S.Dirty = nil
		return m.writeStation(e.S, out)
	}
	if e.C != nil {
		e.C.Dirty = nil
		return m.writeCalendar(e.C, out)
	}
	p := e.P
	m.part.At(p)
	planKey, stateKey := storage.PlanKey(p.Name.Station, p.Name.PlanID), storage.StateKey(p.Name.Station, p.Name.PlanID)
	if e.Gone {
		if again := m.part.Plans[p.Name]; again != nil && again.Dirty != nil {
			// The new plan inherits that the bucket has the key, because the id is in use again,
			// and the rows of its new plan are queued behind these.
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
		if m.part.IsLarge(p) {
			m.part.Definitions.Behind = append(m.part.Definitions.Behind, m.part.Large(p))
		}
	}
	var w wire.Writer
	w.Reset(p.Enc, nil)
	p.WriteState(&w)
	out.Rows = append(out.Rows, event.BucketRow{Key: stateKey, Value: w.Bytes()})
	return size + len(w.Bytes())
}

func (m *Machine) writeCalendar(c *state.Calendar, out *event.Write) int {
	row := event.BucketRow{Key: storage.CalendarKey(c.ID)}
	if c.Record != nil {
		value, _, err := calendarRow(wire.JSON, c.Record, m.part.Calendars.Set.Pasts(c.ID))
		if err != nil {
			return 0 // it was marshalled when it was put
		}
		row.Value = value
	}
	out.Rows = append(out.Rows, row)
	m.part.DropCalendar(c)
	return len(row.Value)
}

func (m *Machine) writeStation(s *state.Station, out *event.Write) int {
	row := event.BucketRow{Key: storage.StationKey(s.Name)}
	if s.Record != nil {
		value, err := wire.Marshal(wire.JSON, s.Record)
		if err != nil {
			return 0 // it was marshalled when it was put
		}
		row.Value = value
	}
	out.Rows = append(out.Rows, row)
	m.part.DropStation(s)
	return len(row.Value)
}
