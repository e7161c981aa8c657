package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/claiming"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// claimWork hands out what is ready, or lets the claim wait for it.
func (t *turn) claimWork(c schema.ClaimWork, from event.Asker) {
	t.suspect.asked = false // who claims is not to blame for what is offered
	t.claims.Seq++
	cl := &claiming.Claim{From: from, Want: c, Filter: claiming.FilterOf(&c, t.now), Until: t.now.After(c.Wait), Seq: t.claims.Seq}
	if cl.Until == 0 {
		cl.Until = t.now
	}
	for _, s := range c.Stations {
		t.roster.Reply(c.WorkerID, s, t.now)
	}
	switch through := t.seek(cl); {
	case len(cl.Granted) > 0:
	case through && cl.Until <= t.now, t.claims.ByUntil.Len() >= claiming.MaxClaims:
		t.finish(cl)
	default:
		t.claims.Enter(cl)
		if !through {
			cl.Searching = true
			t.claims.Search = append(t.claims.Search, cl)
		}
	}
}

// hasRoom reports that a station has room for one more execution, and that one may begin.
func (m *Partition) hasRoom(s *state.Station) bool {
	limit := m.limit(s)
	return !m.hold.on && (limit == 0 || s.UnderWay < limit)
}

// costOfHand bounds what a claim of p adds to a batch.
func costOfHand(p *state.Plan) int { return p.StateBound() + state.FreshBound + schema.MaxName }

// hand makes an execution of what is offered, for the worker of a claim. It is running at
// once, unless a first word is asked for.
func (t *turn) hand(cl *claiming.Claim, of *state.Offer) {
	p, o := of.P, of.O
	t.at(p)
	t.probe("hand", p.Name)
	terms := t.termsOf(p)
	x := t.execute(p, o)
	x.Claimed, x.Worker, x.Sent = true, cl.Want.WorkerID, t.now
	x.Deadline = t.now.After(terms.ExecTimeout)
	kind := schema.NoticeRunning
	if terms.StartTimeout > 0 {
		kind = schema.NoticeDispatched
		x.StartBy = unit.Sooner(t.now.After(terms.StartTimeout), x.Deadline)
	} else {
		x.State = schema.StateRunning
		x.PingBy = t.now.After(terms.PingTimeout)
	}
	if len(cl.Granted) == 0 {
		t.claims.Served = append(t.claims.Served, cl)
	}
	out := outgoing(t.Partition, p, o, x)
	t.order(x, out)
	out.Named = len(of.Workers) > 0
	cl.Granted = append(cl.Granted, claiming.Granted{Out: out, P: p})
	cl.Size += cl.SizeOf(of)
	t.touch(p)
	t.tellExecution(p, o, x, kind, nil)
	t.offerAll(p)
	schedule(t.Partition, p)
}

// finish answers a claim with what it got.
func (t *turn) finish(cl *claiming.Claim) {
	t.claims.Leave(cl)
	slices.SortStableFunc(cl.Granted, claiming.ByTurnOf)
	out := event.Handout{To: cl.From}
	for _, h := range cl.Granted {
		out.Executions = append(out.Executions, h.Out)
		if cl.Want.Views {
			view := h.P.View(t.now)
			if h.P.IsTask() {
				view.Trace = t.m.trace(h.P)
			}
			out.Views = append(out.Views, &view)
		}
	}
	t.b.Effect(out)
}

// stopClaim ends the wait of a claim.
func (t *turn) stopClaim(c schema.StopClaim, from event.Asker) {
	cl := t.claims.ByID[c.ID]
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
func (t *Turn) givenBack(p *state.Plan, o *state.Occurrence, x *state.Execution, worker string) bool {
	if worker != "" && worker != x.Worker {
		return false
	}
	t.putBack(p, o, x)
	return true
}

// putBack takes back an execution that nobody has, as if it had not been made. But its
// number is not given again: events have told of it, and who gave it back knows its nonce.
func (t *Turn) putBack(p *state.Plan, o *state.Occurrence, x *state.Execution) {
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
