package machine

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// offerAll brings what is offered of p up to date: what may be claimed now is, and
// nothing else.
func (t *Turn) offerAll(p *state.Plan) {
	for _, o := range p.Open {
		at := p.StartsAt(o)
		switch may := p.Station.IsPull() && at != 0 && at <= t.now && isReady(t.Partition, p, o); {
		case !may:
			p.Withdraw(o)
		case o.Offer == nil:
			t.offer(p, o)
		case p.Wants() > 1 || o.Slots != nil: // a worker that could not have it may be one who can by now
			t.claims.Freshen(o.Offer)
		}
	}
}

// offer lets workers claim o.
func (m *Partition) offer(p *state.Plan, o *state.Occurrence) {
	s := p.Station
	if s.Claimable == nil {
		s.Claimable = &state.Claimable{Any: state.NewOffers(), Reserved: state.NewOffers(), Named: map[string]*state.OfferList{}}
		m.claims.Offering.Set(s.Name, s)
	}
	opts := p.Options()
	o.Offer = &state.Offer{P: p, O: o, Priority: opts.Priority, Due: o.Due, Workers: opts.Workers}
	s.Claimable.Enter(o.Offer)
	m.claims.Freshen(o.Offer)
}
