package machine

import (
	"cmp"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// What waits to be claimed. An occurrence of a pull station whose time has come is not
// dispatched but offered; its execution is made when a worker claims it. An offer is a
// leader's own and in no row: its successor finds the same occurrences open and due, and
// offers them again.
//
//	due ──▶ offer ──▶ claimed: an execution, and a row ──▶ ok, error, timeout as any other
//	          ▲                    │
//	          └── put back: nobody was at the asker's inbox

// An offer is an occurrence that may be claimed now.
type offer struct {
	p        *plan
	o        *occurrence
	priority int64
	due      unit.Moment
	workers  []string // the only ones who may claim it; none: anybody
}

// byRank is the order in which offers of a station are claimed: by priority, 9 first,
// then due time; the rest only makes it an order.
func byRank(a, b *offer) bool { return rankOf(a, b) < 0 }

func rankOf(a, b *offer) int {
	return cmp.Or(
		cmp.Compare(b.priority, a.priority),
		cmp.Compare(a.due, b.due),
		cmp.Compare(a.p.name.PlanID, b.p.name.PlanID),
		cmp.Compare(a.o.k, b.o.k),
		cmp.Compare(a.o.trigger, b.o.trigger),
	)
}

type offers = btree.BTreeG[*offer]

func newOffers() *offers { return btree.NewBTreeGOptions(byRank, btree.Options{NoLocks: true}) }

// ready are the offers of a station. Those that worker_ids reserve stand in the list of
// each of these workers, so that nobody walks past what only others may have.
type ready struct {
	any      *offers
	reserved *offers            // all of them
	named    map[string]*offers // by worker
}

func (r *ready) enter(of *offer) {
	if len(of.workers) == 0 {
		r.any.Set(of)
		return
	}
	r.reserved.Set(of)
	for _, id := range of.workers {
		if r.named[id] == nil {
			r.named[id] = newOffers()
		}
		r.named[id].Set(of)
	}
}

func (r *ready) leave(of *offer) {
	if len(of.workers) == 0 {
		r.any.Delete(of)
		return
	}
	r.reserved.Delete(of)
	for _, id := range of.workers {
		r.named[id].Delete(of)
		if r.named[id].Len() == 0 {
			delete(r.named, id)
		}
	}
}

// isPull reports that workers claim what is due at s.
func (s *station) isPull() bool { return s.kind() == schema.KindPull }

// wants is how many workers each occurrence of p wants.
func (p *plan) wants() int64 {
	if p.opts == nil || !p.station.isPull() {
		return 1
	}
	return max(1, p.opts.workerCount)
}

// offerAll brings what is offered of p up to date: what may be claimed now is, and
// nothing else.
func (t *turn) offerAll(p *plan) {
	for _, o := range p.open {
		at := p.startsAt(o)
		switch may := p.station.isPull() && at != 0 && at <= t.now && t.isReady(p, o); {
		case !may:
			p.withdraw(o)
		case o.offer == nil:
			t.offer(p, o)
		case p.wants() > 1 || o.crew != nil: // a worker that could not have it may be one who can by now
			t.claims.freshen(o.offer)
		}
	}
}

// offer lets workers claim o.
func (m *Machine) offer(p *plan, o *occurrence) {
	s := p.station
	if s.ready == nil {
		s.ready = &ready{any: newOffers(), reserved: newOffers(), named: map[string]*offers{}}
		m.claims.offering.Set(s.name, s)
	}
	opts := p.options()
	o.offer = &offer{p: p, o: o, priority: opts.priority, due: o.due, workers: opts.workers}
	s.ready.enter(o.offer)
	m.claims.freshen(o.offer)
}

// withdraw takes back what was offered of o, if anything was.
func (p *plan) withdraw(o *occurrence) {
	if o.offer != nil {
		p.station.ready.leave(o.offer)
		o.offer = nil
	}
}

// withdrawAll takes back all that was offered of p.
func (p *plan) withdrawAll() {
	for _, o := range p.open {
		p.withdraw(o)
	}
}
