package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// behind is the queue of rows that the bucket does not have yet, in the order in
// which they first fell behind it. So its head says how far the journal has been
// taken, whatever is written in between.
type behind struct {
	unit.List[*unwritten]
	quiet unit.Moment // how long a row rests before it is written
}

// unwritten is one row's place in the queue: a plan (its definition and its
// state), a plan that is gone, or a station.
type unwritten struct {
	// first is the batch since which the bucket is behind; while following, the
	// append that changed the row last.
	first   uint64
	changed unit.Moment
	p       *plan
	s       *station
	gone    bool
	unit.Neighbours[*unwritten]
}

// unwrite notes that the bucket is behind on p since a batch. It is quiet since the given
// moment; none: for long.
func (m *Machine) unwrite(p *plan, batch uint64, since unit.Moment) {
	if p.behind == nil {
		p.behind = &unwritten{first: batch, p: p}
		m.behind.Push(p.behind)
	}
	p.behind.changed = since
}

// unwriteGone notes that p is to leave the bucket, which it may never have
// reached: then there is nothing to do.
func (m *Machine) unwriteGone(p *plan, batch uint64) {
	e := p.behind
	switch {
	case !p.stored && e != nil:
		m.behind.Drop(e)
		p.behind = nil
	case !p.stored:
	case e == nil:
		m.behind.Push(&unwritten{first: batch, p: p, gone: true})
	default:
		e.gone = true
	}
}

func (m *Machine) unwriteStation(s *station, batch uint64) {
	if s.unwritten == nil {
		s.unwritten = &unwritten{first: batch, s: s}
		m.behind.Push(s.unwritten)
	}
}

// restoreRows has rows written again that somebody else has written over, and those taken
// away that stand for nothing. They are quiet, so that the next Flush hands them out.
func (t *turn) restoreRows(ev Overwritten) {
	for _, key := range ev.Keys {
		kind, station, id, ok := schema.ParseKey(key)
		name := schema.PlanName{Station: station, PlanID: id}
		switch p := t.plans[name]; {
		case !ok:
		case kind == schema.KeyStation:
			if s := t.stations[station]; s != nil && s.record != nil {
				t.unwriteStation(s, t.b.Number)
			}
		case p == nil:
			if t.broken[name] == nil {
				t.behind.Push(&unwritten{first: t.b.Number, p: &plan{name: name}, gone: true})
			}
		default:
			if kind == schema.KeyPlan && t.isWhole(p) {
				p.defined = false
			}
			if p.behind == nil {
				t.unwrite(p, t.b.Number, 0)
			}
		}
	}
}

// A follower's queue is in the order of the latest changes, so that what the leader
// has written leaves it at the head.

// follow notes that append seq changed p.
func (m *Machine) follow(p *plan, seq uint64) {
	if p.behind == nil {
		p.behind = &unwritten{p: p}
	} else {
		m.behind.Drop(p.behind)
	}
	p.behind.first = seq
	m.behind.Push(p.behind)
}

// followGone notes that append seq took p away. The bucket may have it.
func (m *Machine) followGone(p *plan, seq uint64) {
	p.stored = true
	m.follow(p, seq)
	p.behind.gone = true
}

func (m *Machine) followStation(s *station, seq uint64) {
	if s.unwritten == nil {
		s.unwritten = &unwritten{s: s}
	} else {
		m.behind.Drop(s.unwritten)
	}
	s.unwritten.first = seq
	m.behind.Push(s.unwritten)
}

// Stored tells a follower that the bucket has the journal up to and including the
// append upTo, so that it does not write those rows once more when it leads.
func (m *Machine) Stored(upTo uint64) {
	for e := m.behind.Head; e != nil && e.first <= upTo; e = m.behind.Head {
		m.behind.Drop(e)
		switch {
		case e.s != nil:
			e.s.unwritten = nil
			m.dropStation(e.s)
		case !e.gone:
			e.p.behind = nil
			e.p.defined = true
			m.mayLeave(e.p)
		}
	}
}

// Has tells a follower that is to lead which keys the bucket has, for it knows of those
// that came and went only what the journal says: which are not there need not be removed.
// It comes behind Stored.
func (m *Machine) Has(keys map[string]bool) {
	for e := m.behind.Head; e != nil; {
		next := e.Next
		if p := e.p; p != nil {
			p.stored = keys[schema.PlanKey(p.name.Station, p.name.PlanID)] || keys[schema.StateKey(p.name.Station, p.name.PlanID)]
			if e.gone && !p.stored {
				m.behind.Drop(e)
			}
		}
		e = next
	}
}

// lead makes the queue a leader's: all in it is older than its first batch.
func (q *behind) lead() {
	for e := q.Head; e != nil; e = e.Next {
		e.first = 0
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
func (t *turn) flush(ev Flush) {
	t.storedNow()
	out := Write{}
	size, looked := 0, 0
	var gone map[schema.PlanName]bool
	for e := t.behind.Head; e != nil; {
		next := e.Next
		// What uses the id of a plan that leaves waits for the next flush: a batch may
		// name a key only once.
		if len(out.Rows)+2 > ev.Max || size > flushBytes || e.p != nil && gone[e.p.name] {
			out.More = true
			break
		}
		if looked == flushLook {
			break // busy rows stand before the others; they grow quiet, or Force comes
		}
		looked++
		if ev.Force || e.gone || e.changed+t.behind.quiet <= t.now || e.changed > t.now {
			t.behind.Drop(e)
			size += t.write(e, &out)
			if e.gone {
				if gone == nil {
					gone = map[schema.PlanName]bool{}
				}
				gone[e.p.name] = true
			}
		}
		e = next
	}
	out.Left = t.behind.Count
	out.Before = t.b.Number
	if t.behind.Head != nil {
		out.Before = min(out.Before, t.behind.Head.first)
	}
	t.b.effect(out)
}

// write adds the rows of e, as the bucket keeps them: in the encoding that the
// publisher speaks, for people to read.
func (m *Machine) write(e *unwritten, out *Write) int {
	if e.s != nil {
		e.s.unwritten = nil
		return m.writeStation(e.s, out)
	}
	p := e.p
	m.at(p)
	planKey, stateKey := schema.PlanKey(p.name.Station, p.name.PlanID), schema.StateKey(p.name.Station, p.name.PlanID)
	if e.gone {
		if again := m.plans[p.name]; again != nil && again.behind != nil {
			// The id is in use again and its rows are on their way behind these:
			// that plan takes over what is known of the key.
			again.stored = true
		}
		out.Rows = append(out.Rows, BucketRow{Key: planKey}, BucketRow{Key: stateKey})
		return len(planKey) + len(stateKey)
	}
	p.behind = nil
	p.stored = true
	size := 0
	if !p.defined {
		p.defined = true
		size += len(p.raw)
		out.Rows = append(out.Rows, BucketRow{Key: planKey, Value: p.raw})
		if m.isLarge(p) {
			m.larges.behind = append(m.larges.behind, m.large(p))
		}
	}
	var w wire.Writer
	w.Reset(p.enc, nil)
	p.writeState(&w)
	out.Rows = append(out.Rows, BucketRow{Key: stateKey, Value: w.Bytes()})
	return size + len(w.Bytes())
}

func (m *Machine) writeStation(s *station, out *Write) int {
	row := BucketRow{Key: schema.StationKey(s.name)}
	if s.record != nil {
		value, err := wire.Marshal(wire.JSON, stationRecord{*s.record, s.revision})
		if err != nil {
			return 0 // it was marshalled when it was put
		}
		row.Value = value
	}
	out.Rows = append(out.Rows, row)
	m.dropStation(s)
	return len(row.Value)
}
