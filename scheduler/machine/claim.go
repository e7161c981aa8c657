package machine

import (
	"cmp"
	"slices"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// maxClaims bounds the claims that wait; the next find nothing at once.
	maxClaims = 10_000
	// searchSlice bounds one look for what a claim wants, as listSlice does a list's: a
	// claim that wants something rare goes on at the next Tick.
	searchSlice = listSlice / 2
	searchVisit = listVisit
	// stirSlice bounds the offers that are held against the claims which wait when a
	// station has room again.
	stirSlice = tickSlice
)

// A claim is a worker that has room (PROTOCOL D). It is served at once when something is
// there; else it waits, in memory, and is lost with the leader, whose successor is asked
// again.
type claim struct {
	from   Asker
	want   schema.ClaimWork
	filter *filter
	until  moment
	seq    uint64 // claims are served in the order in which they came

	got  []handed
	size int // bytes of what it got

	// Of one that waits. While it is being searched for, after is the last offer that
	// was looked at, with named saying in which list.
	waits, searching bool
	after            *offer
	afterNamed       bool
}

// handed is an execution that a claim got.
type handed struct {
	out *Outgoing
	p   *plan
}

// claims are those that wait, with what concerns them. They are a leader's own.
type claims struct {
	offering  btree.Map[string, *station] // pull stations that have or had something ready
	byStation map[string]*btree.BTreeG[*claim]
	anywhere  *btree.BTreeG[*claim] // those that name no station
	byUntil   *btree.BTreeG[*claim]
	byID      map[string]*claim
	seq       uint64

	search  []*claim   // those that are searched for
	fresh   []*offer   // offers to hold against the claims that wait
	stirred []*station // pull stations that may have room again
	recalls []*station // stations with offers that are no pull stations any more
	served  []*claim   // those that got something in this step
}

func newClaims() claims {
	return claims{
		byStation: map[string]*btree.BTreeG[*claim]{},
		anywhere:  newClaimList(bySeq), byUntil: newClaimList(byUntil), byID: map[string]*claim{},
	}
}

func newClaimList(less func(a, b *claim) bool) *btree.BTreeG[*claim] {
	return btree.NewBTreeGOptions(less, btree.Options{NoLocks: true})
}

func bySeq(a, b *claim) bool { return a.seq < b.seq }

func byUntil(a, b *claim) bool {
	if a.until != b.until {
		return a.until < b.until
	}
	return a.seq < b.seq
}

// claimWork hands out what is ready, or lets the claim wait for it.
func (m *Machine) claimWork(c schema.ClaimWork, from Asker, now moment, b *Batch) {
	m.claims.seq++
	cl := &claim{from: from, want: c, filter: claimFilter(&c, now), until: now.after(c.Wait), seq: m.claims.seq}
	if cl.until == 0 {
		cl.until = now
	}
	for _, s := range c.Stations {
		m.roster.reply(c.WorkerID, s, now)
	}
	switch through := m.seek(cl, now, b); {
	case len(cl.got) > 0:
	case through && c.Wait == 0, m.claims.byUntil.Len() >= maxClaims:
		m.finish(cl, now, b)
	default:
		m.claims.enter(cl)
		if !through {
			cl.searching = true
			m.claims.search = append(m.claims.search, cl)
		}
	}
}

// claimFilter is what a claim asks of plans.
func claimFilter(c *schema.ClaimWork, now moment) *filter {
	return newFilter(&schema.LookPlans{Tasks: c.Tasks, Filter: schema.ListPlans{
		Caller: c.Caller, TenantID: c.TenantID, Category: c.Category, Creator: c.Creator, Labels: c.Labels,
	}}, now)
}

func (cs *claims) enter(cl *claim) {
	cl.waits = true
	cs.byUntil.Set(cl)
	if cl.want.ID != "" {
		cs.byID[cl.want.ID] = cl
	}
	if len(cl.want.Stations) == 0 {
		cs.anywhere.Set(cl)
	}
	for _, s := range cl.want.Stations {
		if cs.byStation[s] == nil {
			cs.byStation[s] = newClaimList(bySeq)
		}
		cs.byStation[s].Set(cl)
	}
}

func (cs *claims) leave(cl *claim) {
	if !cl.waits {
		return
	}
	cl.waits, cl.searching = false, false
	cs.byUntil.Delete(cl)
	if cs.byID[cl.want.ID] == cl {
		delete(cs.byID, cl.want.ID)
	}
	cs.anywhere.Delete(cl)
	for _, s := range cl.want.Stations {
		if list := cs.byStation[s]; list != nil {
			if list.Delete(cl); list.Len() == 0 {
				delete(cs.byStation, s)
			}
		}
	}
}

// next is when the claims want a Tick; none: not by themselves.
func (cs *claims) next() moment {
	switch {
	case len(cs.search) > 0, len(cs.fresh) > 0, len(cs.stirred) > 0, len(cs.recalls) > 0:
		return 1 // long ago
	}
	if first, ok := cs.byUntil.Min(); ok {
		return first.until
	}
	return 0
}

// freshen has an offer held against the claims that wait, if any do.
func (cs *claims) freshen(of *offer) {
	if cs.byUntil.Len() > 0 {
		cs.fresh = append(cs.fresh, of)
	}
}

// stir notes that a station may have room for what is offered there.
func (cs *claims) stir(s *station) {
	if s.ready == nil || !s.isPull() || cs.byUntil.Len() == 0 {
		return
	}
	if s.stirs == nil {
		cs.stirred = append(cs.stirred, s)
	}
	s.stirs = &stirring{} // from the beginning
}

// stirring is how far the offers of a station were held against the claims that wait.
type stirring struct {
	reserved bool   // those of anybody were
	after    *offer // the last one
}

// attend does for claims what time and the step have made due: the end of a Tick.
func (m *Machine) attend(now moment, b *Batch) {
	m.recall(now)
	for {
		first, ok := m.claims.byUntil.Min()
		if !ok || first.until > now {
			break
		}
		m.looks++
		if first.searching {
			m.claims.byUntil.Delete(first) // it is answered when all was looked at
			continue
		}
		m.finish(first, now, b)
	}
	m.searchOn(now, b)
	m.stirOn()
}

// searchOn gives the next claim that is searched for its slice.
func (m *Machine) searchOn(now moment, b *Batch) {
	if len(m.claims.search) == 0 {
		return
	}
	cl := m.claims.search[0]
	m.looks++ // also when nothing is left: who waits for room would wait for ever
	if !cl.searching {
		m.claims.search = m.claims.search[1:]
		return
	}
	through := m.seek(cl, now, b)
	if !through && len(cl.got) == 0 {
		m.claims.search = append(m.claims.search[1:], cl)
		return
	}
	m.claims.search = m.claims.search[1:]
	cl.searching = false
	if len(cl.got) == 0 && cl.until <= now {
		m.finish(cl, now, b)
	}
}

// stirOn holds some more offers of a station that has room against the claims that wait.
func (m *Machine) stirOn() {
	if len(m.claims.stirred) == 0 || len(m.claims.fresh) > 0 {
		return
	}
	s := m.claims.stirred[0]
	m.looks++
	if s.ready == nil || !s.isPull() || !m.hasRoom(s) {
		m.stirred(s)
		return
	}
	list := s.ready.any
	if s.stirs.reserved {
		list = s.ready.reserved
	}
	left, more := stirSlice, false
	walk := func(of *offer) bool {
		if of == s.stirs.after {
			return true
		}
		if left--; left < 0 {
			more = true
			return false
		}
		m.claims.freshen(of)
		s.stirs.after = of
		return true
	}
	if s.stirs.after == nil {
		list.Scan(walk)
	} else {
		list.Ascend(s.stirs.after, walk)
	}
	switch {
	case more:
	case s.stirs.reserved:
		m.stirred(s)
	default:
		s.stirs = &stirring{reserved: true}
	}
}

// stirred notes that all that was offered at s has been held against the claims.
func (m *Machine) stirred(s *station) {
	s.stirs = nil
	m.claims.stirred = m.claims.stirred[1:]
	m.dropStation(s)
}

// serveClaims ends a step: what it offered goes to who waits for it, and who got
// something is answered.
func (m *Machine) serveClaims(now moment, b *Batch) {
	done := 0
	for _, of := range m.claims.fresh {
		if of.o.offer == of && !m.match(of, now, b) {
			break // no room; a Tick goes on
		}
		m.looks++
		done++
	}
	m.claims.fresh = slices.Delete(m.claims.fresh, 0, done)
	for _, cl := range m.claims.served {
		m.finish(cl, now, b)
	}
	clear(m.claims.served)
	m.claims.served = m.claims.served[:0]
}

// match hands an offer to those who wait for it, in their order; false: b has no room.
func (m *Machine) match(of *offer, now moment, b *Batch) bool {
	for of.o.offer == of && m.hasRoom(of.p.station) {
		cl := m.claims.firstFor(of)
		if cl == nil {
			return true
		}
		if !b.Room(costOfHand(of.p)) {
			return false
		}
		m.hand(cl, of, now, b)
	}
	return true
}

// firstFor returns the first claim that takes an offer, nil if none does.
func (cs *claims) firstFor(of *offer) *claim {
	var found *claim
	look := func(cl *claim) bool {
		if found != nil && cl.seq > found.seq {
			return false
		}
		if cl.takes(of) {
			found = cl
			return false
		}
		return true
	}
	if list := cs.byStation[of.p.station.name]; list != nil {
		list.Scan(look)
	}
	cs.anywhere.Scan(look)
	return found
}

// takes reports that an offer is for this claim.
func (cl *claim) takes(of *offer) bool {
	worker := cl.want.WorkerID
	switch {
	case len(cl.got) >= cl.want.Limit,
		len(cl.got) > 0 && cl.size+cl.sizeOf(of) > schema.MaxClaimBytes,
		len(of.workers) > 0 && !slices.Contains(of.workers, worker),
		of.p.keeps(of.o, worker):
		return false
	}
	return !cl.filter.reads || cl.filter.matchesDefinition(of.p)
}

// sizeOf is about what an execution takes in the answer. Those that hand over items go
// alone.
func (cl *claim) sizeOf(of *offer) int {
	switch {
	case of.p.inbox != nil:
		return schema.MaxClaimBytes
	case cl.want.Views:
		return len(of.p.raw) + smallEvent/2
	default:
		return int(of.p.sharedSize) + smallEvent/4
	}
}

// hasRoom reports that a station has room for one more execution.
func (m *Machine) hasRoom(s *station) bool {
	limit := m.limit(s)
	return limit == 0 || s.underWay < limit
}

// costOfHand bounds what a claim of p adds to a batch.
func costOfHand(p *plan) int { return p.stateBound() + freshBound + schema.MaxName }

// hand makes an execution of what is offered, for the worker of a claim. It is running at
// once, unless a first word is asked for.
func (m *Machine) hand(cl *claim, of *offer, now moment, b *Batch) {
	p, o := of.p, of.o
	t := m.termsOf(p)
	x := m.execute(p, o, now)
	x.claimed, x.worker, x.sent = true, cl.want.WorkerID, now
	x.deadline = now.after(t.ExecTimeout)
	kind := schema.NoticeRunning
	if t.StartTimeout > 0 {
		kind = schema.NoticeDispatched
		x.startBy = sooner(now.after(t.StartTimeout), x.deadline)
	} else {
		x.state = schema.StateRunning
		x.pingBy = now.after(t.PingTimeout)
	}
	if len(cl.got) == 0 {
		m.claims.served = append(m.claims.served, cl)
	}
	out := m.outgoing(p, o, x)
	out.Named = len(of.workers) > 0
	cl.got = append(cl.got, handed{out, p})
	cl.size += cl.sizeOf(of)
	m.touch(p, now, b)
	m.tellExecution(p, o, x, kind, nil, now, b)
	m.offerAll(p, now)
	m.schedule(p)
}

// finish answers a claim with what it got.
func (m *Machine) finish(cl *claim, now moment, b *Batch) {
	m.claims.leave(cl)
	slices.SortStableFunc(cl.got, byTurnOf)
	out := Handout{To: cl.from}
	for _, h := range cl.got {
		out.Executions = append(out.Executions, h.out)
		if cl.want.Views {
			view := h.p.view(now)
			if h.p.isTask() {
				view.Trace = m.trace(h.p)
			}
			out.Views = append(out.Views, &view)
		}
	}
	b.effect(out)
}

// byTurnOf is the order of answers, which is that in which a claim finds what is ready.
func byTurnOf(a, b handed) int {
	return cmp.Or(
		cmp.Compare(b.out.Priority, a.out.Priority),
		compareNamed(a.out.Named, b.out.Named),
		a.out.PlanTime.Compare(b.out.PlanTime),
	)
}

// stopClaim ends the wait of a claim.
func (m *Machine) stopClaim(c schema.StopClaim, from Asker, now moment, b *Batch) {
	cl := m.claims.byID[c.ID]
	if cl != nil {
		m.finish(cl, now, b)
	}
	b.answer(from, schema.Stopped{Stopped: cl != nil}, nil)
}

// returnWork puts back what reached nobody.
func (m *Machine) returnWork(c schema.ReturnWork, from Asker, now moment, b *Batch) {
	var out schema.Returned
	for _, name := range c.Executions {
		p := m.plans[name.Name]
		if p == nil || !m.isNonce(p, name.N, name.Nonce) {
			continue
		}
		o, x := p.find(name.N)
		if x == nil || !x.claimed || x.heard {
			continue
		}
		m.putBack(p, o, x, now, b)
		m.timetable.set(p, now)
		out.Returned++
	}
	b.answer(from, out, nil)
}

func (m *Machine) costOfReturn(c schema.ReturnWork) int {
	cost := smallEvent
	for _, name := range c.Executions {
		if p := m.plans[name.Name]; p != nil {
			cost += costOfHand(p)
		}
	}
	return cost
}

// givenBack puts back what its worker has claimed and not begun; false: x is another
// worker's by now, and the word a repeated one.
func (m *Machine) givenBack(p *plan, o *occurrence, x *execution, worker string, now moment, b *Batch) bool {
	if worker != "" && worker != x.worker {
		return false
	}
	m.putBack(p, o, x, now, b)
	return true
}

// putBack takes back an execution that nobody has got, as if it had not been made: its
// number is given again, unless another was given since.
func (m *Machine) putBack(p *plan, o *occurrence, x *execution, now moment, b *Batch) {
	x.misses, x.retry = 0, 0
	m.serve(p)
	o.live = slices.DeleteFunc(o.live, func(other *execution) bool { return other == x })
	newest := x.n == p.n
	if newest && x.n != o.trigger {
		p.n--
	}
	switch {
	case o.crew != nil:
		if x.attempt > o.crew.before+1 || x.tries != (tries{}) {
			o.crew.again = append(o.crew.again, member{attempt: x.attempt - 1, at: now, tries: x.tries})
		}
	case len(o.ended) == 0:
		o.attempt = 0
	default:
		o.attempt--
	}
	if newest {
		p.attempt = int32(o.attempt)
	}
	m.touch(p, now, b)
}
