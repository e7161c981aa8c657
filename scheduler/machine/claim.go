package machine

import (
	"slices"

	"github.com/stationmaster-io/stationmaster/internal/command"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/claiming"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/event"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/partition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/transition"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/view"
	"github.com/stationmaster-io/stationmaster/schema"
)

// claimWork hands out the offers that match a claim, or lets the claim wait for some.
func claimWork(t *turn, c command.ClaimWork, from event.Asker) {
	t.Claims.Seq++
	cl := &claiming.Claim{From: from, Want: c, Filter: claiming.FilterOf(&c, t.Now), Until: t.Now.After(c.Wait), Seq: t.Claims.Seq}
	if cl.Until == 0 {
		cl.Until = t.Now
	}
	for _, s := range c.Stations {
		t.Registry.Reply(c.WorkerID, s, t.Now)
	}
	switch through := t.seek(cl); {
	case len(cl.Granted) > 0:
	case through && cl.Until <= t.Now, t.Claims.ByUntil.Len() >= claiming.MaxClaims:
		t.finish(cl)
	default:
		t.Claims.Enter(cl)
		if !through {
			cl.Searching = true
			t.Claims.Search = append(t.Claims.Search, cl)
		}
	}
}

// hand makes an execution of an offer, for the worker of a claim, in a turn of its own. The
// execution is running at once, unless a first reply is required. False: b has no room for it.
func (t *turn) hand(cl *claiming.Claim, of *state.Offer) bool {
	p, o := of.P, of.O
	t.Begin()
	t.At(p)
	t.Probe("hand", p.Name)
	terms := t.TermsOf(p)
	x := t.Execute(p, o)
	x.Claimed, x.Worker, x.Sent = true, cl.Want.WorkerID, t.Now
	transition.Begins(&t.Turn, p, o, x, state.DelayClaim)
	x.Deadline = t.Now.After(terms.ExecTimeout)
	kind := schema.NoticeRunning
	if terms.StartTimeout > 0 {
		kind = schema.NoticeDispatched
		x.StartBy = unit.Sooner(t.Now.After(terms.StartTimeout), x.Deadline)
	} else {
		x.State = schema.StateRunning
		x.PingBy = t.Now.After(terms.PingTimeout)
	}
	out := transition.Outgoing(t.Partition, p, o, x)
	t.Order(x, out)
	out.Named = len(of.Workers) > 0
	size := cl.SizeOf(of)
	t.Touch(p)
	t.NotifyExecution(p, o, x, kind, nil)
	t.Note(p, partition.Looked)
	if !t.Keep() {
		t.full = true
		return false
	}
	if len(cl.Granted) == 0 {
		t.Claims.Served = append(t.Claims.Served, cl)
	}
	cl.Granted = append(cl.Granted, claiming.Granted{Out: out, P: p})
	cl.Size += size
	return true
}

// finish answers a claim with the executions that it got.
func (t *turn) finish(cl *claiming.Claim) {
	t.OnKeep(func() { t.Claims.Leave(cl) })
	slices.SortStableFunc(cl.Granted, claiming.ByTurnOf)
	out := event.ClaimGranted{To: cl.From}
	for _, h := range cl.Granted {
		out.Executions = append(out.Executions, h.Out)
		if cl.Want.Views {
			shown := view.Plan(h.P, t.Now)
			if h.P.IsTask() {
				shown.Trace = t.m.trace(h.P)
			}
			out.Views = append(out.Views, &shown)
		}
	}
	t.Batch.Effect(out)
}

// stopClaim ends the wait of a claim.
func stopClaim(t *turn, c command.StopClaim) (command.Stopped, error) {
	cl := t.Claims.ByID[c.ID]
	if cl != nil {
		t.finish(cl)
	}
	return command.Stopped{Stopped: cl != nil}, nil
}

// returnWork puts back executions whose handout reached no subscriber.
func returnWork(t *turn, c command.ReturnWork) (command.Returned, error) {
	var out command.Returned
	for _, name := range c.Executions {
		p := t.Plans[name.Name]
		if p == nil || !t.IsNonce(p, name.N, name.Nonce) {
			continue
		}
		o, x := p.Find(name.N)
		if x == nil || !x.Claimed || x.ReplyReceived {
			continue
		}
		t.Save(p)
		t.PutBack(p, o, x)
		t.EvaluateLater(p)
		out.Returned++
	}
	return out, nil
}
