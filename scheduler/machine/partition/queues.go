package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
)

// The wants of a plan are computed when a part of it has changed, and the queues are set to
// them. Queues are hints, because a plan that is called is looked at, and checks again
// whether it may start.

// An Occasion is the reason why a plan's queues are set.
type Occasion uint8

const (
	Looked Occasion = 1 << iota // after a look, so that claimable occurrences are offered now and not at the next look
	Asked                       // a look was asked for, and comes after the plans due by now

	// Changed: a part of the plan, or of its dependencies, has changed.
	Changed Occasion = 0
)

// Set places p in each queue that it wants at a moment, except the line of its station.
func Set(m *Partition, p *state.Plan, w *waiting.Wants, now unit.Moment, why Occasion) {
	unmade := setOffers(m, p, w.Claims, why&Looked != 0)
	m.Undelivered.Set(p.Handle, w.Undelivered)
	m.Held.Set(p.Handle, workersOf(m, p))
	ends, starts := moments(m, p, w, unmade)
	if !m.Holding.On {
		ends, starts = unit.Sooner(ends, starts), 0
	}
	if p.Again {
		if ends = m.TimerQueue.At(p.Handle); ends == 0 || ends > now || why&Asked != 0 {
			ends = now
		}
	}
	m.Holding.Starts.Set(p.Handle, starts)
	m.TimerQueue.Set(p.Handle, ends)
	m.DueTimes.Set(p.Handle, state.DueInOrder(p, now))
}

// Clear removes p, which leaves, from each queue except the line of its station.
func Clear(m *Partition, p *state.Plan) {
	m.TimerQueue.Set(p.Handle, 0)
	m.DueTimes.Set(p.Handle, 0)
	m.Holding.Starts.Set(p.Handle, 0)
	m.Undelivered.Set(p.Handle, nil)
	m.Held.Set(p.Handle, nil)
	m.Book.Set(p.Handle, m.CountsOf(p.Station), 0)
	p.WithdrawAll()
}

// workersOf are the workers that have executions of p, until it is called again.
func workersOf(m *Partition, p *state.Plan) []string {
	m.workers = m.workers[:0]
	for _, o := range p.Open {
		for _, x := range o.Live {
			if x.Worker != "" {
				m.workers = append(m.workers, x.Worker)
			}
		}
	}
	return m.workers
}

// setOffers withdraws the offers that may not be claimed, and makes the missing ones; without
// offer it returns the moment since when one is missing.
func setOffers(m *Partition, p *state.Plan, claims []waiting.Start, offer bool) (unmade unit.Moment) {
	for i, o := range p.Open {
		may := len(claims) > 0 && claims[0].Entry == i
		switch {
		case !may:
			p.Withdraw(o)
			continue
		case o.Offer != nil && offer && (p.Wants() > 1 || o.IsShared()): // a worker that was refused may be allowed by now
			m.Claims.Freshen(o.Offer)
		case o.Offer != nil:
		case offer:
			makeOffer(m, p, o)
		default:
			unmade = unit.Sooner(unmade, claims[0].At)
		}
		claims = claims[1:]
	}
	return unmade
}

// moments are when p is due for a look: for an end, and for a start. A claimable occurrence
// without an offer makes p due since a moment, so that the look offers it; a plan that stands
// in line is looked at when it is called.
func moments(m *Partition, p *state.Plan, w *waiting.Wants, unmade unit.Moment) (ends, starts unit.Moment) {
	ends, starts = w.Ends, unit.Sooner(w.Opens, unmade)
	if w.Starts != 0 && !p.IsBehind() {
		starts = unit.Sooner(starts, w.Starts)
	}
	switch {
	case m.Definitions.Waits(p):
		return 0, 0
	case p.Evicted:
		return m.Definitions.Of[p].LookAt(ends, starts)
	default:
		return ends, starts
	}
}

// Differs names the queue of p that differs from its wants at a moment; empty if none does. A
// plan that is due counts as equal, because its look sets its queues.
func Differs(m *Partition, p *state.Plan, w *waiting.Wants, now unit.Moment) string {
	timed, held := m.TimerQueue.At(p.Handle), m.Holding.Starts.At(p.Handle)
	_, _, inLine := p.Station.Line.Entry(p.Handle)
	next := unit.Sooner(timed, held)
	switch due := next != 0 && next <= now; {
	case w.Live != int64(p.Tallied):
		return "executions under way"
	case !m.Undelivered.Awaits(p.Handle, w.Undelivered):
		return "workers awaited"
	case !m.Held.Has(p.Handle, workersOf(m, p)):
		return "workers that have it"
	case due:
		return ""
	case inLine && !w.Turn:
		return "line"
	case m.DueTimes.At(p.Handle) != state.DueInOrder(p, now):
		return "due times"
	}
	unmade, offered := unit.Moment(0), 0
	for _, s := range w.Claims {
		if p.Open[s.Entry].Offer == nil {
			unmade = unit.Sooner(unmade, s.At)
			continue
		}
		offered++
	}
	for _, o := range p.Open {
		if o.Offer != nil {
			offered--
		}
	}
	if offered != 0 {
		return "offers"
	}
	ends, starts := moments(m, p, w, unmade)
	switch {
	case p.Again: // because p is due
		return "look asked for"
	case unit.Sooner(timed, held) != unit.Sooner(ends, starts):
		return "timer queue"
	case m.Holding.On && held != 0 && (timed != ends || held != starts):
		return "timer queue of what is held"
	default:
		return ""
	}
}

// makeOffer lets workers claim o.
func makeOffer(m *Partition, p *state.Plan, o *state.Occurrence) {
	s := p.Station
	if s.Claimable == nil {
		s.Claimable = &state.Claimable{Any: state.NewOffers(), Reserved: state.NewOffers(), Named: map[string]*state.OfferList{}}
		m.Claims.Offering.Set(s.Name, s)
	}
	opts := p.Options()
	o.Offer = &state.Offer{P: p, O: o, Priority: opts.Priority, Due: o.Due, Workers: opts.Workers}
	s.Claimable.Enter(o.Offer)
	m.Claims.Freshen(o.Offer)
}
