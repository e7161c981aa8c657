package machine

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/calendar"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A RowKind says what a row of the journal is about.
type RowKind byte

const (
	RowDefinition RowKind = 'd' // a plan's definition as its publisher sent it; empty: the plan is gone
	RowState      RowKind = 's' // the scheduler's record of a plan
	RowStation    RowKind = 't' // a station; empty: back to the defaults
	RowResult     RowKind = 'r' // a result
)

// A Row is one row of an append as it now is, whole: replaying it twice changes
// nothing.
type Row struct {
	Kind RowKind
	Name schema.PlanName // of a station: without a PlanID
	// N is a result's number, or the moment at which a plan closed by itself, in Unix
	// microseconds. The row that takes a plan away comes again when the plan was said with
	// on_conflict keep.
	N     int64
	Value []byte
}

// errRow is what a body comes to whose bytes are not rows.
var errRow = errors.New("not a row of the journal")

// Rows decodes the body of an append, for a machine that follows and for people
// who look. A row is a MessagePack array of its kind, station, plan id, number
// and value; its bytes are frozen (testdata/wire).
func Rows(body []byte, f func(Row) error) error {
	for len(body) > 0 {
		r, rest, err := cutRow(body)
		if err != nil {
			return err
		}
		if err := f(r); err != nil {
			return err
		}
		body = rest
	}
	return nil
}

const (
	msgArray5 = 0x95
	msgStr8   = 0xd9
	msgUint64 = 0xcf
	msgBin32  = 0xc6
)

// rowHeader appends all of a row but its value, of which size bytes follow.
func rowHeader(dst []byte, kind RowKind, name schema.PlanName, n int64, size int) []byte {
	dst = append(dst, msgArray5, msgStr8, 1, byte(kind))
	dst = append(append(dst, msgStr8, byte(len(name.Station))), name.Station...)
	dst = append(append(dst, msgStr8, byte(len(name.PlanID))), name.PlanID...)
	dst = binary.BigEndian.AppendUint64(append(dst, msgUint64), uint64(n))
	return binary.BigEndian.AppendUint32(append(dst, msgBin32), uint32(size))
}

func cutRow(b []byte) (Row, []byte, error) {
	var r Row
	if len(b) < 1 || b[0] != msgArray5 {
		return r, nil, errRow
	}
	kind, b, ok := cutString(b[1:])
	if !ok || len(kind) != 1 {
		return r, nil, errRow
	}
	r.Kind = RowKind(kind[0])
	if r.Name.Station, b, ok = cutString(b); !ok {
		return r, nil, errRow
	}
	if r.Name.PlanID, b, ok = cutString(b); !ok {
		return r, nil, errRow
	}
	if len(b) < 14 || b[0] != msgUint64 || b[9] != msgBin32 {
		return r, nil, errRow
	}
	r.N = int64(binary.BigEndian.Uint64(b[1:]))
	size := binary.BigEndian.Uint32(b[10:])
	b = b[14:]
	if uint64(size) > uint64(len(b)) {
		return r, nil, errRow
	}
	r.Value = b[:size:size]
	return r, b[size:], nil
}

func cutString(b []byte) (string, []byte, bool) {
	if len(b) < 2 || b[0] != msgStr8 || len(b) < 2+int(b[1]) {
		return "", nil, false
	}
	end := 2 + int(b[1])
	return string(b[2:end]), b[end:], true
}

// appendRow adds a row that no longer changes: a definition, a station, a result.
func (b *Batch) appendRow(kind RowKind, name schema.PlanName, n int64, value []byte) {
	b.body = append(rowHeader(b.body, kind, name, n, len(value)), value...)
}

// appendState writes p's record as a row. The size goes in when it is known.
func (b *Batch) appendState(p *state.Plan) {
	b.body = rowHeader(b.body, RowState, p.Name, 0, 0)
	from := len(b.body)
	b.body = p.AppendState(&b.w, b.body)
	binary.BigEndian.PutUint32(b.body[from-4:], uint32(len(b.body)-from))
}

// Replay takes over one row of the append with the sequence seq, which is durable.
// An error says that the row makes no sense; the machine then keeps its hands
// off the plan, so that nothing is overwritten, and the caller says so.
func (m *Machine) Replay(seq uint64, r Row) error { return m.replay(seq, r) }

// InBucket stands for the sequence of a row that was read from the bucket.
const InBucket = 0

func (m *Machine) replay(seq uint64, r Row) error {
	if err := m.isLeftOut(r); err != nil {
		return err
	}
	m.probe("replay", r.Name)
	switch r.Kind {
	case RowDefinition:
		return m.replayDefinition(seq, r)
	case RowState:
		return m.replayState(seq, r)
	case RowStation:
		return m.replayStation(seq, r)
	case RowResult:
		return nil
	case RowItem:
		return m.replayItem(r)
	default:
		return fmt.Errorf("replay %q: a row of unknown kind %q", r.Name, r.Kind)
	}
}

// ReplayBucket takes over one key of the bucket. Keys of other makings are an
// error, and left alone.
func (m *Machine) ReplayBucket(key string, value []byte) error {
	row, err := RowOf(key, value)
	if err != nil || row.Kind == 0 {
		return err
	}
	return m.replay(InBucket, row)
}

// RowOf is what a key of the bucket has, to be replayed with the sequence InBucket; without
// a kind: nothing.
func RowOf(key string, value []byte) (Row, error) {
	if key == schema.CheckpointKey {
		return Row{}, nil
	}
	kind, station, id, ok := schema.ParseKey(key)
	if !ok {
		return Row{}, fmt.Errorf("key %q of the bucket is not the scheduler's", key)
	}
	if len(value) == 0 {
		return Row{}, nil // a deletion mark
	}
	row := Row{Name: schema.PlanName{Station: station, PlanID: id}, Value: value}
	switch kind {
	case schema.KeyPlan:
		row.Kind = RowDefinition
	case schema.KeyState:
		row.Kind = RowState
	case schema.KeyStation:
		row.Kind = RowStation
	}
	return row, nil
}

func (m *Machine) replayDefinition(seq uint64, r Row) error {
	p := m.plans[r.Name]
	if len(r.Value) == 0 {
		switch {
		case r.N == 0:
		case p != nil && p.Raw != nil:
			m.lately.add(r.Name, m.hashOf(p), p.Kept, unit.Moment(r.N))
		default:
			m.lately.keep(r.Name, unit.Moment(r.N))
		}
		if p == nil {
			p = m.add(r.Name) // the bucket may have it all the same
		}
		delete(m.broken, r.Name)
		m.followGone(p, seq)
		m.forget(p)
		return nil
	}
	d, err := schema.LoadDefinition(append([]byte(nil), r.Value...))
	if err == nil {
		err = belongs(d, r.Name)
	}
	if err != nil {
		m.broken[r.Name] = err
		if p != nil {
			m.larges.forget(p)
			p.Raw, p.Away = nil, false
		}
		return fmt.Errorf("replay the definition of %s: %w", r.Name, err)
	}
	if p == nil {
		p = m.add(r.Name)
	}
	m.larges.forget(p)
	p.SetRaw(d)
	p.Defined = seq == InBucket
	if p.Incarnation == 0 {
		m.await(p, d)
	}
	return m.complete(seq, p, d)
}

// belongs refuses the definition of another plan, which somebody has put in the place of
// one: what it says would run under the wrong name. Definitions without an id had theirs
// made up.
func belongs(d *schema.Definition, to schema.PlanName) error {
	says := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if says == to || says.PlanID == "" && says.Station == to.Station {
		return nil
	}
	return fmt.Errorf("its definition is that of %s", says)
}

// Definitions that are kept for their states: as many as an append has, if they are
// small.
const (
	awaitingMost  = 4096
	awaitingBytes = 4 << 10
)

// await keeps a definition for the state that goes with it. In an append all
// definitions come before all states, and to read each twice is a third of a restart.
func (m *Machine) await(p *state.Plan, d *schema.Definition) {
	if len(m.awaiting) >= awaitingMost {
		clear(m.awaiting)
	}
	if len(d.Raw) <= awaitingBytes {
		m.awaiting[p] = d
	}
}

// definition reads p's, or has it from await.
func (m *Machine) definition(p *state.Plan) (*schema.Definition, error) {
	d := m.awaiting[p]
	delete(m.awaiting, p)
	if d != nil && &d.Raw[0] == &p.Raw[0] {
		return d, nil
	}
	return schema.LoadDefinition(p.Raw)
}

// replayState takes over a record. Most differ from the one before by counts
// only, and then the schedule stands.
func (m *Machine) replayState(seq uint64, r Row) error {
	p := m.plans[r.Name]
	st, err := state.ParseState(r.Value)
	if err != nil {
		m.broken[r.Name] = err
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
	m.indexInbox(p)
	m.incarnation = max(m.incarnation, st.Incarnation)
	if p.Raw == nil || again {
		return m.complete(seq, p, nil)
	}
	d, err := m.definition(p)
	if err != nil {
		m.broken[r.Name] = err
		return fmt.Errorf("replay the definition of %s: %w", r.Name, err)
	}
	return m.complete(seq, p, d)
}

// complete derives what follows from definition and state once both are there.
// Rows of one plan may come in either order from the bucket. A row that makes no
// sense is forgiven when a later one does: a row of the journal may be older than
// the bucket's, and not go with what that has of the other half.
func (m *Machine) complete(seq uint64, p *state.Plan, d *schema.Definition) error {
	p.Stored = true // or may be, which is the same to a later deletion
	if seq != InBucket {
		m.follow(p, seq)
	}
	if p.Raw == nil || p.Incarnation == 0 {
		return nil
	}
	if d != nil {
		if err := p.Derive(d); err != nil {
			m.broken[p.Name] = err
			p.Next = calendar.Due{}
			return fmt.Errorf("replay the schedule of %s: %w", p.Name, err)
		}
		m.agree(p, &d.Plan)
	}
	p.LookAhead(0)
	delete(m.broken, p.Name)
	if seq == InBucket && p.Defined {
		m.mayLeave(p)
	}
	return nil
}
