package machine

import (
	"cmp"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

const (
	// maxClaims bounds the claims that wait; the next find nothing at once.
	maxClaims = 10_000
	// searchSlice bounds one look for what a claim wants, as listSlice does a list's: a
	// claim that wants something rare goes on at the next Tick.
	searchSlice = listSlice / 2
	searchVisit = listVisit
	// readWithin is how long a claim that does not wait waits all the same, for
	// definitions that are read back.
	readWithin = time.Second
)

// A claim is a worker that has room. It is served at once when something is there; else it
// waits, in memory, and is lost with the leader, whose successor is asked again.
type claim struct {
	from   Asker
	want   schema.ClaimWork
	filter *filter
	until  moment
	seq    uint64 // claims are served in the order in which they came

	got  []handed
	size int // bytes of what it got
	read int // offers whose definitions are read first

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

// claimWork hands out what is ready, or lets the claim wait for it.
func (m *Machine) claimWork(c schema.ClaimWork, from Asker, now moment, b *Batch) {
	m.suspect.asked = false // who claims is not to blame for what is offered
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
	case through && cl.until <= now, m.claims.byUntil.Len() >= maxClaims:
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

// hasRoom reports that a station has room for one more execution, and that one may begin.
func (m *Machine) hasRoom(s *station) bool {
	limit := m.limit(s)
	return !m.hold.on && (limit == 0 || s.underWay < limit)
}

// costOfHand bounds what a claim of p adds to a batch.
func costOfHand(p *plan) int { return p.stateBound() + freshBound + schema.MaxName }

// hand makes an execution of what is offered, for the worker of a claim. It is running at
// once, unless a first word is asked for.
func (m *Machine) hand(cl *claim, of *offer, now moment, b *Batch) {
	p, o := of.p, of.o
	m.at(p)
	m.probe("hand", p.name)
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
	x.order(out, b)
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
		m.timetable.set(p.handle, now)
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

// putBack takes back an execution that nobody has, as if it had not been made. But its
// number is not given again: events have told of it, and who gave it back knows its nonce.
func (m *Machine) putBack(p *plan, o *occurrence, x *execution, now moment, b *Batch) {
	x.misses, x.retry = 0, 0
	m.serve(p)
	o.spent = o.spent || x.n == o.trigger
	o.live = slices.DeleteFunc(o.live, func(other *execution) bool { return other == x })
	switch {
	case o.crew != nil:
		if x.attempt > o.crew.before+1 || x.tries != (tries{}) {
			o.crew.again = append(o.crew.again, member{attempt: x.attempt - 1, at: now, wait: noWait, tries: x.tries})
		}
		if o.taken() == 0 && len(o.crew.again) == 0 && len(o.ended) == 0 {
			o.crew, o.attempt = nil, 0 // nobody has had it yet
		}
	case len(o.ended) == 0:
		o.attempt = 0
	default:
		o.attempt--
	}
	m.tally(p) // it may be claimed before anything looks at p
	m.touch(p, now, b)
}
