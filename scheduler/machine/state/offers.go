package state

import (
	"cmp"

	"github.com/tidwall/btree"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/unit"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Offers wait to be claimed. A due occurrence of a pull station is not dispatched but offered;
// its execution is made when a worker claims it. An offer is a leader's own and in no row,
// because its successor finds the same occurrences open and due, and offers them again.
//
//	due ──▶ offer ──▶ claimed: an execution, and a row ──▶ ok, error, timeout as any other
//	          ▲                    │
// 	          └── put back: no subscriber at the claim's reply subject

// An Offer is an occurrence that may be claimed now.
type Offer struct {
	P        *Plan
	O        *Occurrence
	Priority int64
	Due      unit.Moment
	Workers  []string // the only ones that may claim it; none: any worker
}

// byRank is the order in which offers of a station are claimed: by priority, 9 first, then due
// time; the other fields only make the order total.
func byRank(a, b *Offer) bool { return RankOf(a, b) < 0 }

func RankOf(a, b *Offer) int {
	return cmp.Or(
		cmp.Compare(b.Priority, a.Priority),
		cmp.Compare(a.Due, b.Due),
		cmp.Compare(a.P.Name.PlanID, b.P.Name.PlanID),
		cmp.Compare(a.O.K, b.O.K),
		cmp.Compare(a.O.Trigger, b.O.Trigger),
	)
}

type OfferList = btree.BTreeG[*Offer]

func NewOffers() *OfferList { return btree.NewBTreeGOptions(byRank, btree.Options{NoLocks: true}) }

// Claimable are the offers of a station. Offers that worker_ids reserve are in the list of each of
// these workers, so that a claim does not walk past offers that are reserved for others.
type Claimable struct {
	Any      *OfferList
	Reserved *OfferList            // the offers that worker_ids reserve
	Named    map[string]*OfferList // by worker
}

func (r *Claimable) Enter(of *Offer) {
	if len(of.Workers) == 0 {
		r.Any.Set(of)
		return
	}
	r.Reserved.Set(of)
	for _, id := range of.Workers {
		if r.Named[id] == nil {
			r.Named[id] = NewOffers()
		}
		r.Named[id].Set(of)
	}
}

func (r *Claimable) leave(of *Offer) {
	if len(of.Workers) == 0 {
		r.Any.Delete(of)
		return
	}
	r.Reserved.Delete(of)
	for _, id := range of.Workers {
		r.Named[id].Delete(of)
		if r.Named[id].Len() == 0 {
			delete(r.Named, id)
		}
	}
}

// IsPull reports that workers claim the due occurrences of s.
func (s *Station) IsPull() bool { return s.Kind() == schema.KindPull }

// Wants is how many workers each occurrence of p wants.
func (p *Plan) Wants() int64 {
	if p.Opts == nil || !p.Station.IsPull() {
		return 1
	}
	return max(1, p.Opts.workerCount)
}

// Withdraw takes back the offer of o, if there is one.
func (p *Plan) Withdraw(o *Occurrence) {
	if o.Offer != nil {
		p.Station.Claimable.leave(o.Offer)
		o.Offer = nil
	}
}

// WithdrawAll takes back all offers of p.
func (p *Plan) WithdrawAll() {
	for _, o := range p.Open {
		p.Withdraw(o)
	}
}

// A Rematch is how far the offers of a station were matched against the waiting claims, because
// the station has capacity again.
type Rematch struct {
	Reserved bool   // those that any worker may claim were
	After    *Offer // the last one
}
