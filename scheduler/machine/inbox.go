package machine

import (
	"fmt"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// An inbox is what makes a plan a merge queue: items that wait to be handed over, and the
// time at which that is to happen. It takes the place of the plan's schedule: an occurrence
// of such a plan falls due at the inbox's time, hands over the first items and is retried
// as any other, with the same items, since it keeps its idempotency key. Only its ok
// removes them, those that it handed over and no others. The plan closes when no item is
// left.
//
//	push ──▶ at ──▶ due ──▶ occurrence, items [first, first+n) ──▶ ok: first += n
//	          ▲                   │ error, timeout                    │ items left: now
//	          └── a push while ───┘ (retried; or, when a push has     ▼
//	              the mark stands    set the time, the next        empty: closes
//	                                 occurrence takes its place)
//
// What the items hold never enters the machine, only how large they are.
type inbox struct {
	key         string // of the merge queue, for people
	manner      schema.Manner
	first, next int64       // the items that wait are those from first on, before next
	at          unit.Moment // when the next occurrence falls due; none: a push will say
	asked       bool        // a push has set at since items were handed over
	mark        bool        // the overwrite mark: any push sets at
	taken       bool        // items were claimed since workers were last told of them
	errors      int64       // that the next occurrence inherits, since it is a retry of items
	abandon     unit.Moment // span after which a queue that nobody takes is thrown away; 0: never
	waiting     unit.Moment // since when nobody has taken what was due
	data        wire.Value
	sizes       sizes // of the items

	// What follows from the step under way, until tidy.
	follow  follow
	dropped int64 // items before it have been said to be gone
}

// follow is what becomes of the time when items are left.
type follow uint8

const (
	asItIs  follow = iota
	atOnce         // they are handed over now
	tellOff        // nobody claimed any: workers are told again, later each time
)

func (in *inbox) length() int64 { return in.next - in.first }
func (in *inbox) empty() bool   { return in.first >= in.next }

// sizes are those of a plan's items, by number. One that is not known is zero.
type sizes struct {
	from  int64
	list  []uint32
	bytes int64
}

func (s *sizes) put(n int64, size int) {
	switch {
	case len(s.list) == 0:
		s.from = n
	case n < s.from:
		s.list = append(make([]uint32, s.from-n), s.list...)
		s.from = n
	}
	for n-s.from >= int64(len(s.list)) { // there may be no number behind n
		s.list = append(s.list, 0)
	}
	s.bytes += int64(size) - int64(s.list[n-s.from])
	s.list[n-s.from] = uint32(size)
}

func (s *sizes) of(n int64) int64 {
	if n < s.from || n >= s.from+int64(len(s.list)) {
		return 0
	}
	return int64(s.list[n-s.from])
}

// trim forgets the items before first.
func (s *sizes) trim(first int64) {
	n := min(max(first-s.from, 0), int64(len(s.list)))
	for _, size := range s.list[:n] {
		s.bytes -= int64(size)
	}
	s.list = s.list[n:]
	s.from += n
}

// itemOverhead is what an item takes in its stream beside its bytes, at least.
const itemOverhead = 256

// push adds an item, and makes the plan if there is none.
func (t *turn) push(c schema.PushItem) (schema.Pushed, error) {
	p, err := t.pushedTo(&c)
	if err != nil {
		return schema.Pushed{}, err
	}
	in := p.inbox
	value, err := t.itemFor(p, c.Item)
	if err == nil {
		err = in.merge(p.enc, c.Terms.Data)
	}
	if err != nil {
		if in.next == 0 { // it was made for this item
			t.forget(p)
		}
		return schema.Pushed{}, err
	}
	if in.next == 0 {
		t.begin(p, &c)
	}
	wasEmpty := in.empty()
	if wasEmpty || in.mark || c.Retime == schema.RetimeAlways {
		p.retime(max(unit.MomentOf(c.PlanTime), t.now))
	}
	p.inbox.sizes.put(in.next, len(value))
	t.inboxBytes += int64(len(value)) + itemOverhead
	t.b.appendItem(p, in.next, p.enc, value)
	in.next++
	t.touch(p)
	due := p.standing(t.now).PlanTime // which is the end of the lock once they are handed over
	t.look(p)
	s := p.standing(t.now)
	return schema.Pushed{PlanID: s.PlanID, Station: s.Station, State: s.State, PlanTime: due, Length: in.length()}, nil
}

// pushedTo returns the plan that an item is for, which may be one that begin has yet to
// make durable.
func (t *turn) pushedTo(c *schema.PushItem) (*plan, error) {
	name := c.Name
	p := t.find(name)
	d := c.Definition
	switch {
	case p == nil && d == nil:
		return nil, &schema.Error{
			Code: schema.CodeNotFound, Field: "plan_id",
			Message: fmt.Sprintf("there is no plan %s; give the definition to make as plan", name),
		}
	case p == nil:
		return t.makeInbox(c)
	case p.closing:
		return nil, &schema.Error{
			Code: schema.CodeConflict, Field: "plan_id",
			Message: fmt.Sprintf("%s was closed and its last execution is still under way; push again when it has ended", p.name),
		}
	case p.inbox == nil:
		return nil, hasNoInbox(p.name)
	case c.Exact && !p.madeOf(d):
		return nil, &schema.Error{
			Code: schema.CodeConflict, Field: "key",
			Message: "the queue exists with another method, service or station; use another key, or leave them out",
		}
	}
	return p, nil
}

func hasNoInbox(name schema.PlanName) error {
	return &schema.Error{
		Code: schema.CodeConflict, Field: "plan_id",
		Message: fmt.Sprintf("%s has no inbox: it was made by plans.create; push to another plan_id", name),
	}
}

// madeOf reports that what executions repeat of p's definition is what they would of d.
func (p *plan) madeOf(d *schema.Definition) bool {
	if d.Plan.Station != p.name.Station {
		return false
	}
	shared := d.Shared
	if d.Enc != p.enc {
		shared, _ = wire.Members(wire.MapOf(d.Enc, shared, d.SharedCount).In(p.enc))
	}
	is, _ := p.shared()
	return string(shared) == string(is)
}

// makeInbox makes the plan of a first push, in memory only.
func (t *turn) makeInbox(c *schema.PushItem) (*plan, error) {
	d := c.Definition
	name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
	if err := t.readable(name); err != nil {
		return nil, err
	}
	if !inboxType(&d.Plan) {
		return nil, notInboxType()
	}
	if t.plans[name] != nil { // a merge queue was asked for, whose plan has the name of another
		return nil, hasNoInbox(name)
	}
	p := &plan{name: name}
	p.inbox = &inbox{
		key: c.Terms.Key, manner: c.Terms.Manner,
		abandon: unit.Moment(0).After(c.Terms.AbandonAfter.Duration()),
	}
	p.accepted = t.now / 1000 * 1000
	if err := p.define(d); err != nil {
		return nil, err
	}
	p.station = t.station(name.Station)
	t.agree(p, &d.Plan)
	err := p.tooLarge()
	if err == nil && !c.Restored {
		err = t.admits(p)
	}
	if err != nil {
		t.dropStation(p.station)
		return nil, err
	}
	t.enter(p)
	t.indexInbox(p)
	return p, nil
}

// begin makes the plan of a first push durable.
func (t *turn) begin(p *plan, c *schema.PushItem) {
	p.inbox.first, p.inbox.next, p.inbox.dropped = 1, 1, 1
	t.incarnation++
	p.incarnation, p.revision, p.trace = t.incarnation, 1, traceOf(c.Trace)
	if c.Definition.Plan.Paused {
		p.halt = paused
	}
	t.b.appendRow(RowDefinition, p.name, 0, p.raw)
	t.touch(p)
	t.tell(p, schema.Notice{Kind: schema.NoticeCreated})
}

// inboxType reports that a plan has no times of its own that an inbox would hide.
func inboxType(p *schema.Plan) bool {
	return p.PlanType == schema.TypeNone || p.PlanType == schema.TypeTime
}

func notInboxType() error {
	return &schema.Error{
		Code: schema.CodeInvalidPlan, Field: "plan_type",
		Message: "a plan with an inbox is due when its pushes say; leave plan_type out, or say none or time",
	}
}

// indexInbox makes p known by its id alone, as merge queues are asked for. A plan that
// delivers callbacks has the id of another.
func (m *Machine) indexInbox(p *plan) {
	if _, calls := schema.CalledBack(p.name.Station); p.inbox != nil && !calls {
		m.inboxes[p.name.PlanID] = p
	}
}

// itemFor returns the bytes of an item as p keeps them, or refuses it.
func (m *Machine) itemFor(p *plan, item wire.Value) ([]byte, error) {
	value := item.AppendTo(nil, p.enc)
	if len(value) > schema.MaxItemBytes {
		return nil, &schema.Error{
			Code: schema.CodeTooLarge, Field: "item",
			Message: fmt.Sprintf("the item has %d bytes; at most %d are taken", len(value), schema.MaxItemBytes),
		}
	}
	return value, m.roomFor(p, len(value))
}

// roomFor refuses an item of size bytes for p, which may be nil, when too many wait.
func (m *Machine) roomFor(p *plan, size int) error {
	switch {
	case p != nil && p.inbox != nil && p.inbox.length() >= schema.MaxItems:
		return &schema.Error{
			Code:    schema.CodeTooLarge,
			Message: fmt.Sprintf("%d items wait at %s, and no more are taken before some are completed", p.inbox.length(), p.name),
		}
	case m.config.InboxBytes > 0 && m.inboxBytes+int64(size)+itemOverhead > m.config.InboxBytes:
		return &schema.Error{
			Code:    schema.CodeUnavailable,
			Message: "the store of queued items is full; push again when some are completed, or give stream PLAN_QUEUES more bytes",
		}
	}
	return nil
}

// merge takes what a push says of the queue's data; of each key the last word counts.
func (in *inbox) merge(enc wire.Encoding, more wire.Value) error {
	if more.IsZero() || more.Kind() == wire.KindNull || more.Len() == 0 {
		return nil
	}
	w := wire.NewWriter(enc, nil)
	w.BeginMap()
	if !in.data.IsZero() {
		for key, v := range in.data.Map() {
			if more.Field(key).IsZero() {
				w.KeyText(key)
				w.Value(v)
			}
		}
	}
	for key, v := range more.Map() {
		w.KeyText(key)
		w.Value(v)
	}
	w.EndMap()
	if size := len(w.Bytes()); size > schema.MaxInboxData {
		return &schema.Error{
			Code: schema.CodeTooLarge, Field: "data",
			Message: fmt.Sprintf("the queue's data would have %d bytes; at most %d are kept", size, schema.MaxInboxData),
		}
	}
	in.data = w.Whole()
	return nil
}
