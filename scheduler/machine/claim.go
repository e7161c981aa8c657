package machine

import (
	"cmp"
	"slices"
	"time"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
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
	from   event.Asker
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
	after            *state.Offer
	afterNamed       bool
}

// handed is an execution that a claim got.
type handed struct {
	out *event.Outgoing
	p   *state.Plan
}

// claimWork hands out what is ready, or lets the claim wait for it.
func (t *turn) claimWork(c schema.ClaimWork, from event.Asker) {
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
func (cl *claim) takes(of *state.Offer) bool {
	worker := cl.want.WorkerID
	switch {
	case len(cl.got) >= cl.want.Limit,
		len(cl.got) > 0 && cl.size+cl.sizeOf(of) > schema.MaxClaimBytes,
		len(of.Workers) > 0 && !slices.Contains(of.Workers, worker),
		of.P.Keeps(of.O, worker):
		return false
	}
	return !cl.filter.reads || cl.filter.matchesDefinition(of.P)
}

// sizeOf is about what an execution takes in the answer. Those that hand over items go
// alone.
func (cl *claim) sizeOf(of *state.Offer) int {
	switch {
	case of.P.Inbox != nil:
		return schema.MaxClaimBytes
	case cl.want.Views:
		return len(of.P.Raw) + state.SmallEvent/2
	default:
		return int(of.P.SharedSize) + state.SmallEvent/4
	}
}

// hasRoom reports that a station has room for one more execution, and that one may begin.
func (m *Machine) hasRoom(s *state.Station) bool {
	limit := m.limit(s)
	return !m.hold.on && (limit == 0 || s.UnderWay < limit)
}

// costOfHand bounds what a claim of p adds to a batch.
func costOfHand(p *state.Plan) int { return p.StateBound() + state.FreshBound + schema.MaxName }

// hand makes an execution of what is offered, for the worker of a claim. It is running at
// once, unless a first word is asked for.
func (t *turn) hand(cl *claim, of *state.Offer) {
	p, o := of.P, of.O
	t.at(p)
	t.probe("hand", p.Name)
	terms := t.termsOf(p)
	x := t.execute(p, o)
	x.Claimed, x.Worker, x.Sent = true, cl.want.WorkerID, t.now
	x.Deadline = t.now.After(terms.ExecTimeout)
	kind := schema.NoticeRunning
	if terms.StartTimeout > 0 {
		kind = schema.NoticeDispatched
		x.StartBy = unit.Sooner(t.now.After(terms.StartTimeout), x.Deadline)
	} else {
		x.State = schema.StateRunning
		x.PingBy = t.now.After(terms.PingTimeout)
	}
	if len(cl.got) == 0 {
		t.claims.served = append(t.claims.served, cl)
	}
	out := t.outgoing(p, o, x)
	t.order(x, out)
	out.Named = len(of.Workers) > 0
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
	out := event.Handout{To: cl.from}
	for _, h := range cl.got {
		out.Executions = append(out.Executions, h.out)
		if cl.want.Views {
			view := h.p.View(t.now)
			if h.p.IsTask() {
				view.Trace = t.trace(h.p)
			}
			out.Views = append(out.Views, &view)
		}
	}
	t.b.Effect(out)
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
func (t *turn) stopClaim(c schema.StopClaim, from event.Asker) {
	cl := t.claims.byID[c.ID]
	if cl != nil {
		t.finish(cl)
	}
	t.b.Answer(from, schema.Stopped{Stopped: cl != nil}, nil)
}

// returnWork puts back what reached nobody.
func (t *turn) returnWork(c schema.ReturnWork, from event.Asker) {
	var out schema.Returned
	for _, name := range c.Executions {
		p := t.plans[name.Name]
		if p == nil || !t.isNonce(p, name.N, name.Nonce) {
			continue
		}
		o, x := p.Find(name.N)
		if x == nil || !x.Claimed || x.Heard {
			continue
		}
		t.putBack(p, o, x)
		t.timetable.Set(p.Handle, t.now)
		out.Returned++
	}
	t.b.Answer(from, out, nil)
}

func (m *Machine) costOfReturn(c schema.ReturnWork) int {
	cost := state.SmallEvent
	for _, name := range c.Executions {
		if p := m.plans[name.Name]; p != nil {
			cost += costOfHand(p)
		}
	}
	return cost
}

// givenBack puts back what its worker has claimed and not begun; false: x is another
// worker's by now, and the word a repeated one.
func (t *turn) givenBack(p *state.Plan, o *state.Occurrence, x *state.Execution, worker string) bool {
	if worker != "" && worker != x.Worker {
		return false
	}
	t.putBack(p, o, x)
	return true
}

// putBack takes back an execution that nobody has, as if it had not been made. But its
// number is not given again: events have told of it, and who gave it back knows its nonce.
func (t *turn) putBack(p *state.Plan, o *state.Occurrence, x *state.Execution) {
	x.Misses, x.Retry = 0, 0
	t.serve(p)
	o.Spent = o.Spent || x.N == o.Trigger
	o.Live = slices.DeleteFunc(o.Live, func(other *state.Execution) bool { return other == x })
	switch {
	case o.Slots != nil:
		if x.Attempt > o.Slots.Before+1 || x.Tries != (state.Tries{}) {
			o.Slots.Again = append(o.Slots.Again, state.Slot{Attempt: x.Attempt - 1, At: t.now, Wait: state.NoWait, Tries: x.Tries})
		}
		if o.Taken() == 0 && len(o.Slots.Again) == 0 && len(o.Ended) == 0 {
			o.Slots, o.Attempt = nil, 0 // nobody has had it yet
		}
	case len(o.Ended) == 0:
		o.Attempt = 0
	default:
		o.Attempt--
	}
	t.tally(p) // it may be claimed before anything looks at p
	t.touch(p)
}
