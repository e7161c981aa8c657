package machine

import (
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// Config is what a machine needs to know once.
type Config struct {
	// Partition is this one's index among Partitions; zero of them means 1.
	Partition, Partitions int
	// Key makes nonces and jitter. It is the installation's and never changes:
	// with another key the replies to executions in flight are strangers'.
	Key [16]byte
	// Defaults stand behind what neither plan nor station says.
	Defaults schema.Defaults
	// MisfireGrace is how late the last occurrence that fell due while nobody
	// acted is run whatever the plan's catch_up says. Zero means 10 seconds.
	MisfireGrace time.Duration
	// Checkpoint is how long a row is quiet before it is handed to the bucket.
	// Zero means 500 milliseconds.
	Checkpoint time.Duration
	// InboxBytes bounds what the items of all inboxes take in their stream. Zero
	// means no bound.
	InboxBytes int64
}

// A Machine decides what becomes of one partition's plans. A follower only calls
// Replay; a leader calls Lead once, then Step. After a refused append it is
// thrown away. It is not safe for concurrent use: one goroutine owns it.
type Machine struct {
	config Config

	// The table: what the journal says.
	plans       map[schema.PlanName]*plan
	sorted      *btree.BTreeG[*plan]
	stations    map[string]*station
	incarnation uint64
	// inboxes are the plans that have one, by their ids.
	inboxes map[string]*plan
	// broken are plans whose rows make no sense. They are neither run nor
	// overwritten until a person has looked.
	broken map[schema.PlanName]error
	lately lately

	// Derived from the table.
	timetable timetable
	behind    behind

	// What only a leader knows.
	restored  map[*plan]moment // when plans came from a backup; see actsOn
	epoch     int64
	since     moment // when it began to act
	heardFrom moment // replies since then are known; see Lead
	unserved  unserved
	claims    claims
	roster    *roster

	looks      uint64
	inboxBytes int64 // of the items of all inboxes
	// Counts of what was ignored, for metrics.
	counts Counts

	scratch []byte
	w       wire.Writer
}

// Counts are running totals of what a machine ignored.
type Counts struct {
	// Strangers are replies whose nonce is wrong; Late those that changed
	// nothing because they came too late.
	Strangers, Late uint64
}

// New returns a machine with an empty table.
func New(c Config) *Machine {
	c.Partitions = max(c.Partitions, 1)
	if c.MisfireGrace == 0 {
		c.MisfireGrace = 10 * time.Second
	}
	if c.Checkpoint == 0 {
		c.Checkpoint = 500 * time.Millisecond
	}
	return &Machine{
		config:   c,
		plans:    map[schema.PlanName]*plan{},
		sorted:   btree.NewBTreeGOptions(byName, btree.Options{NoLocks: true}),
		stations: map[string]*station{},
		inboxes:  map[string]*plan{},
		broken:   map[schema.PlanName]error{},
		restored: map[*plan]moment{},
		lately:   lately{key: c.Key, closed: map[schema.PlanName]closed{}},
		behind:   behind{quiet: moment(c.Checkpoint / time.Microsecond)},
		unserved: unserved{lists: map[waitFor]*waitList{}},
		claims:   newClaims(),
		roster:   newRoster(),
	}
}

// byName is the order of lists: by station, then id.
func byName(a, b *plan) bool {
	if a.name.Station != b.name.Station {
		return a.name.Station < b.name.Station
	}
	return a.name.PlanID < b.name.PlanID
}

// Lead makes the machine act, at now and in the given epoch. Executions in
// flight are adopted, never dispatched at once: their deadlines stand, and their
// start timeout counts only if replies since before their dispatch are known,
// which is what heardFrom says (zero: none are). Stations are shown to people in a
// bucket that nothing fences, so they are written there once more. Returned are the
// plans of which only the definition or only the state is there: they are left
// alone.
func (m *Machine) Lead(now time.Time, epoch int64, heardFrom time.Time) (halves []schema.PlanName) {
	m.epoch, m.since, m.heardFrom = epoch, momentOf(now), momentOf(heardFrom)
	// Incarnations go on behind all that earlier leaders gave, those of plans
	// which are gone included: epochs grow with the clock, and no leader makes a
	// thousand plans a millisecond for long.
	m.incarnation = max(m.incarnation, uint64(epoch)*1000)
	halves = m.setAside()
	m.behind.lead()
	m.countItems()
	m.sorted.Scan(func(p *plan) bool { // in order: the same rows make the same machine
		m.adopt(p)
		m.tally(p)
		if m.schedule(p); p.done() {
			m.timetable.set(p, m.since) // its last word was captured, and nobody has looked since
		}
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(m.stations)) {
		if s := m.stations[name]; s.record != nil {
			m.unwriteStation(s, 0)
		}
	}
	return halves
}

// Awaits says since when workers may have said something that counts: the oldest due
// time of what was dispatched and is not settled. It is false when nothing was.
func (m *Machine) Awaits() (since time.Time, any bool) {
	oldest := moment(math.MaxInt64)
	m.sorted.Scan(func(p *plan) bool {
		for _, o := range p.open {
			if o.attempt > 0 || o.executing() {
				oldest, any = min(oldest, o.due), true
			}
		}
		return true
	})
	return oldest.time(), any
}

// setAside takes the plans off the table of which not all could be read, and
// returns those of which not all is there.
func (m *Machine) setAside() (halves []schema.PlanName) {
	m.sorted.Scan(func(p *plan) bool {
		if p.raw == nil || p.incarnation == 0 {
			if m.broken[p.name] == nil {
				m.broken[p.name] = errHalf
				halves = append(halves, p.name)
			}
		}
		return true
	})
	for name := range m.broken {
		if p := m.plans[name]; p != nil {
			if p.behind != nil {
				m.behind.drop(p.behind)
			}
			m.forget(p)
		}
	}
	return halves
}

var errHalf = errors.New("its definition or its state is missing")

// adopt takes over the executions of p that were in flight.
func (m *Machine) adopt(p *plan) {
	for _, o := range p.open {
		for _, x := range o.live {
			if x.claimed {
				x.pingBy = m.since.after(m.termsOf(p).PingTimeout)
			}
			if x.state != schema.StateDispatched {
				continue
			}
			if m.heardFrom == 0 || x.sent < m.heardFrom {
				x.startBy = 0
				if x.deadline == 0 {
					// Without any limit nothing would end an execution that was
					// never published, so the start timeout begins anew.
					x.startBy = m.since.after(m.termsOf(p).StartTimeout)
				}
			}
			if x.pub {
				x.retry = m.since // nobody replies, so nothing else would end it
			}
		}
	}
}

// Cost returns an upper bound of the bytes that a Step with ev adds to a batch.
func (m *Machine) Cost(ev Event) int {
	switch ev := ev.(type) {
	case Ask:
		switch c := ev.What.(type) {
		case schema.CreatePlan:
			d := c.Definition
			name := schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}
			return len(d.Raw) + len(c.Trace) + m.plans[name].costOfStock()
		case schema.RestorePlan:
			return costOfRestore(c)
		case schema.UpdatePlan:
			d := c.Definition
			return len(d.Raw) + m.plans[schema.PlanName{Station: d.Plan.Station, PlanID: d.Plan.PlanID}].costOfStock()
		case schema.PausePlan:
			return m.plans[c.Name].costOfStock()
		case schema.ResumePlan:
			return m.plans[c.Name].costOfStock()
		case schema.ResetPlan:
			return m.plans[c.Name].costOfStock()
		case schema.SkipPlan:
			return m.plans[c.Name].costOfStock()
		case schema.TriggerPlan:
			return m.plans[c.Name].costOfEnd()
		case schema.CancelRun:
			return m.plans[c.Name].costOfEnd()
		case schema.ClosePlan:
			return m.plans[c.Name].costOfEnd()
		case schema.RemovePlan:
			return m.plans[c.Name].costOfEnd()
		case schema.ReportTask:
			return m.Cost(Heard{About: c.About, Reply: c.Reply})
		case schema.EndTask:
			return m.plans[c.Name].costOfEndTask(&c)
		case schema.ClaimWork:
			return smallEvent + c.Limit*(1<<10) // of most; hand looks whether there is room
		case schema.ReturnWork:
			return m.costOfReturn(c)
		case schema.PushItem:
			return m.costOfPush(&c)
		case schema.ClaimItems:
			return m.inboxes[c.PlanID].costOfEnd()
		case schema.CompleteItems:
			return m.inboxes[c.PlanID].costOfEnd()
		case schema.ReleaseItems:
			return m.inboxes[c.PlanID].costOfEnd()
		case schema.DropItems:
			return m.inboxes[c.PlanID].costOfEnd()
		}
	case Heard:
		p := m.plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}]
		said := 6 * (len(ev.Reply.Content.Raw()) + len(ev.Reply.Error.Raw()))
		if p.isVote(ev.About.N) {
			return p.cost() + smallEvent + maxRepeated + p.costOfVote(said)
		}
		// A late ok also cancels the attempt that is under way.
		return p.cost() + smallEvent + maxRepeated + min(said, maxSaid)
	case Nobody:
		return m.plans[schema.PlanName{Station: ev.About.Station, PlanID: ev.About.PlanID}].cost()
	case Sent:
		return m.plans[ev.Name].cost()
	}
	return smallEvent
}

const (
	// smallEvent covers a state row and the fixed part of a result.
	smallEvent = 2048
	// maxSaid is what content and error of a reply may have together, in the
	// encoding that they travel in, with their names.
	maxSaid = schema.MaxReplyBytes + 64
)

// cost bounds what one thing that happens to p may add: its state, and two
// results, what ended and what was skipped for it. Where more can happen at once,
// whoever lets it happen asks for room again before each.
func (p *plan) cost() int {
	if p == nil {
		return smallEvent
	}
	return p.stateBound() + 2*smallEvent + int(p.sharedSize) + maxRepeated + p.costOfCallback() + p.costOfCrew()
}

// costOfStock bounds what a command may add that takes stock of p first, its definition
// aside: what waits its turn is opened, and results of three reasons to skip.
func (p *plan) costOfStock() int {
	cost := smallEvent + 3*(smallEvent+maxRepeated)
	if p != nil {
		cost += p.stateBound() + max(0, maxOpen-len(p.open))*freshBound
	}
	return cost
}

// costOfEnd bounds what ending all that is open of p may add, in one append: a result
// for each, and two for what fell due meanwhile or comes in its place.
func (p *plan) costOfEnd() int {
	cost := 3*smallEvent + 2*maxRepeated
	if p != nil {
		cost += p.stateBound() + freshBound
		for _, o := range p.open {
			cost += max(1, len(o.live)) * (smallEvent + maxRepeated)
		}
	}
	return cost
}

// Step decides what ev at now leads to and adds it to b, which must have room
// for the event's Cost. A Tick, and the looks that follow any other event, take
// only what still fits; Wake then says now.
func (m *Machine) Step(now time.Time, ev Event, b *Batch) {
	at := momentOf(now)
	switch ev := ev.(type) {
	case Ask:
		m.ask(at, ev, b)
	case Heard:
		m.heard(at, ev, b)
	case Nobody:
		m.nobody(at, ev, b)
	case Sent:
		m.sent(at, ev, b)
	case Seen:
		m.seen(at, ev)
	case Tick:
		m.tick(at, b)
	case Flush:
		m.flush(at, ev, b)
	}
	m.serveClaims(at, b)
}

// Wake returns the next moment worth a Tick; the zero time: none.
func (m *Machine) Wake() time.Time {
	if len(m.unserved.arrivals) > 0 {
		return moment(1).time() // long ago
	}
	return sooner(m.timetable.next(), m.claims.next()).time()
}

// Stats returns how many plans there are, and what was ignored.
func (m *Machine) Stats() (plans int, counts Counts) { return len(m.plans), m.counts }

// tickSlice bounds the plans that one Tick looks at, so that a reply or a request
// never waits behind a million dues.
const tickSlice = 256

func (m *Machine) tick(now moment, b *Batch) {
	m.welcome(now)
	m.attend(now, b)
	for range tickSlice {
		at := m.timetable.next()
		if at == 0 || at > now {
			return
		}
		p := m.timetable.first()
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
// that fell due open or are skipped, those whose time has come are dispatched.
// Then p closes if nothing can come any more, or gets its next look.
func (m *Machine) look(p *plan, now moment, b *Batch) {
	m.expire(p, now, b)
	if m.tidy(p, now, b); p.removed {
		return
	}
	m.openDue(p, now, b)
	m.start(p, now, b)
	if p.done() {
		m.close(p, now, b)
		return
	}
	m.settleTurns(p, now)
	m.schedule(p)
}

// schedule enters the next moment that matters to p into the timetable.
func (m *Machine) schedule(p *plan) {
	m.timetable.set(p, m.nextLook(p))
}

// add makes a row for a name that is new to the table.
func (m *Machine) add(name schema.PlanName) *plan {
	p := &plan{name: name, station: m.station(name.Station)}
	m.enter(p)
	return p
}

// enter puts p, whose station is known, into the table.
func (m *Machine) enter(p *plan) {
	p.name.Station = p.station.name // one copy of the name for all its plans
	p.slot = -1
	p.station.plans++
	m.plans[p.name] = p
	m.sorted.Set(p)
}

// forget takes p out of the table.
func (m *Machine) forget(p *plan) {
	p.removed = true
	m.timetable.set(p, 0)
	m.unwait(p)
	m.settleTurns(p, 0)
	p.withdrawAll()
	delete(m.plans, p.name)
	if m.inboxes[p.name.PlanID] == p {
		delete(m.inboxes, p.name.PlanID)
	}
	m.sorted.Delete(p)
	p.station.plans--
	m.dropStation(p.station)
}
