package partition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/waiting"
)

// What a plan waits for is computed when something of it has changed, and the queues are set to
// it. They are hints: whoever is called looks, and asks again whether it may start.

// An Occasion is why a plan's queues are set.
type Occasion uint8

const (
	Looked Occasion = 1 << iota // it was looked at: what may be claimed is offered now, not at its next look
	Asked                       // it is looked at next, behind what is due by now

	// Changed says that something of it has changed, or of what it depends on.
	Changed Occasion = 0
)

// Set has p wait at a moment for what it wants, in each queue but the line of its station.
func Set(m *Partition, p *state.Plan, w *waiting.Wants, now unit.Moment, why Occasion) {
	unmade := setOffers(m, p, w.Claims, why&Looked != 0)
	m.Undelivered.Set(p.Handle, w.Undelivered)
	ends, starts := moments(m, p, w, unmade)
	if !m.Holding.On {
		ends, starts = unit.Sooner(ends, starts), 0
	}
	if p.Again {
		if ends = m.Timetable.At(p.Handle); ends == 0 || ends > now || why&Asked != 0 {
			ends = now
		}
	}
	m.Holding.Starts.Set(p.Handle, starts)
	m.Timetable.Set(p.Handle, ends)
}

// Clear has p, which leaves, wait for nothing, in each queue but the line of its station.
func Clear(m *Partition, p *state.Plan) {
	m.Timetable.Set(p.Handle, 0)
	m.Holding.Starts.Set(p.Handle, 0)
	m.Undelivered.Set(p.Handle, nil)
	p.WithdrawAll()
}

// setOffers takes back what may not be claimed of p, and offers the rest, or says since when
// some of that might be.
func setOffers(m *Partition, p *state.Plan, claims []waiting.Start, offer bool) (unmade unit.Moment) {
	for i, o := range p.Open {
		may := len(claims) > 0 && claims[0].Place == i
		switch {
		case !may:
			p.Withdraw(o)
			continue
		case o.Offer != nil && offer && (p.Wants() > 1 || o.IsShared()): // a worker that could not have it may be one who can by now
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

// moments are when p is looked at for what it wants: for what ends, and for what begins. What
// may be claimed and is not offered is offered then, since a moment; what stands in line and was
// not called is looked at when it is.
func moments(m *Partition, p *state.Plan, w *waiting.Wants, unmade unit.Moment) (ends, starts unit.Moment) {
	ends, starts = w.Ends, unit.Sooner(w.Opens, unmade)
	if w.Starts != 0 && !p.IsBehind() {
		starts = unit.Sooner(starts, w.Starts)
	}
	switch {
	case m.Definitions.Waits(p):
		return 0, 0
	case p.Away:
		return m.Definitions.Of[p].LookAt(ends, starts)
	default:
		return ends, starts
	}
}

// Differs says what of p's queues is not as it wants at a moment; empty: nothing. A plan that
// is due is looked at first, and its queues are set then.
func Differs(m *Partition, p *state.Plan, w *waiting.Wants, now unit.Moment) string {
	timed, held := m.Timetable.At(p.Handle), m.Holding.Starts.At(p.Handle)
	_, _, inLine := p.Station.Line.Place(p.Handle)
	next := unit.Sooner(timed, held)
	switch due := next != 0 && next <= now; {
	case w.Live != int64(p.Tallied):
		return "executions under way"
	case !m.Undelivered.Awaits(p.Handle, w.Undelivered):
		return "workers awaited"
	case due:
		return ""
	case inLine && !w.Turn:
		return "line"
	}
	unmade, offered := unit.Moment(0), 0
	for _, s := range w.Claims {
		if p.Open[s.Place].Offer == nil {
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
	case p.Again: // which is due
		return "look asked for"
	case unit.Sooner(timed, held) != unit.Sooner(ends, starts):
		return "timetable"
	case m.Holding.On && held != 0 && (timed != ends || held != starts):
		return "timetable of what is held"
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
