package transition

import (
	"github.com/stationmaster-io/stationmaster/scheduler/machine/admission"
	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// offerAll brings what is offered of p up to date: what may be claimed now is, and
// nothing else.
func (t *Turn) OfferAll(p *state.Plan) {
	for _, o := range p.Open {
		switch may := admission.HoldOf(t.Partition, p, o, t.Now).For == admission.Claim; {
		case !may:
			p.Withdraw(o)
		case o.Offer == nil:
			t.Offer(p, o)
		case p.Wants() > 1 || o.IsShared(): // a worker that could not have it may be one who can by now
			t.Claims.Freshen(o.Offer)
		}
	}
}
