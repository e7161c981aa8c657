package machine

import (
	"cmp"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
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
	until  unit.Moment
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
func (t *turn) claimWork(c schema.ClaimWork, from Asker) {
	t.suspect.asked = false // who claims is not to blame for what is offered
	t.claims.seq++
	cl := &claim{from: from, want: c, filter: claimFilter(&c, t.now), until: t.now.After(c.Wait), seq: t.claims.seq}
	if cl.until == 0 {
		cl.until = t.now
	}
	for _, s := range c.Stations {
		t.roster.Reply(c.WorkerID, s, t.now)
	}
	switch through := t.seek(cl); {
	case len(cl.got) > 0:
	case through && cl.until <= t.now, t.claims.byUntil.Len() >= maxClaims:
		t.finish(cl)
	default:
		t.claims.enter(cl)
		if !through {
			cl.searching = true
			t.claims.search = append(t.claims.search, cl)
		}
	}
}

// claimFilter is what a claim asks of plans.
func claimFilter(c *schema.ClaimWork, now unit.Moment) *filter {
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
func (t *turn) hand(cl *claim, of *offer) {
	p, o := of.p, of.o
	t.at(p)
	t.probe("hand", p.name)
	terms := t.termsOf(p)
	x := t.execute(p, o)
	x.claimed, x.worker, x.sent = true, cl.want.WorkerID, t.now
	x.deadline = t.now.After(terms.ExecTimeout)
	kind := schema.NoticeRunning
	if terms.StartTimeout > 0 {
		kind = schema.NoticeDispatched
		x.startBy = unit.Sooner(t.now.After(terms.StartTimeout), x.deadline)
	} else {
		x.state = schema.StateRunning
		x.pingBy = t.now.After(terms.PingTimeout)
	}
	if len(cl.got) == 0 {
		t.claims.served = append(t.claims.served, cl)
	}
	out := t.outgoing(p, o, x)
	t.order(x, out)
	out.Named = len(of.workers) > 0
	cl.got = append(cl.got, handed{out, p})
	cl.size += cl.sizeOf(of)
	t.touch(p)
	t.tellExecution(p, o, x, kind, nil)
	t.offerAll(p)
	t.schedule(p)
}

// finish answers a claim with what it got.
func (t *turn) finish(cl *claim) {
	t.claims.leave(cl)
	slices.SortStableFunc(cl.got, byTurnOf)
	out := Handout{To: cl.from}
	for _, h := range cl.got {
		out.Executions = append(out.Executions, h.out)
		if cl.want.Views {
			view := h.p.view(t.now)
			if h.p.isTask() {
				view.Trace = t.trace(h.p)
			}
			out.Views = append(out.Views, &view)
		}
	}
	t.b.effect(out)
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
func (t *turn) stopClaim(c schema.StopClaim, from Asker) {
	cl := t.claims.byID[c.ID]
	if cl != nil {
		t.finish(cl)
	}
	t.b.answer(from, schema.Stopped{Stopped: cl != nil}, nil)
}

// returnWork puts back what reached nobody.
func (t *turn) returnWork(c schema.ReturnWork, from Asker) {
	var out schema.Returned
	for _, name := range c.Executions {
		p := t.plans[name.Name]
		if p == nil || !t.isNonce(p, name.N, name.Nonce) {
			continue
		}
		o, x := p.find(name.N)
		if x == nil || !x.claimed || x.heard {
			continue
		}
		t.putBack(p, o, x)
		t.timetable.Set(p.handle, t.now)
		out.Returned++
	}
	t.b.answer(from, out, nil)
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
func (t *turn) givenBack(p *plan, o *occurrence, x *execution, worker string) bool {
	if worker != "" && worker != x.worker {
		return false
	}
	t.putBack(p, o, x)
	return true
}

// putBack takes back an execution that nobody has, as if it had not been made. But its
// number is not given again: events have told of it, and who gave it back knows its nonce.
func (t *turn) putBack(p *plan, o *occurrence, x *execution) {
	x.misses, x.retry = 0, 0
	t.serve(p)
	o.spent = o.spent || x.n == o.trigger
	o.live = slices.DeleteFunc(o.live, func(other *execution) bool { return other == x })
	switch {
	case o.crew != nil:
		if x.attempt > o.crew.before+1 || x.tries != (tries{}) {
			o.crew.again = append(o.crew.again, member{attempt: x.attempt - 1, at: t.now, wait: noWait, tries: x.tries})
		}
		if o.taken() == 0 && len(o.crew.again) == 0 && len(o.ended) == 0 {
			o.crew, o.attempt = nil, 0 // nobody has had it yet
		}
	case len(o.ended) == 0:
		o.attempt = 0
	default:
		o.attempt--
	}
	t.tally(p) // it may be claimed before anything looks at p
	t.touch(p)
}
