package claiming

import (
	"cmp"
	"math"

	"github.com/stationmaster-io/stationmaster/scheduler/machine/state"
)

// A claim searches the offers of the stations that it names as one list, by priority; within a
// priority the offers that name its worker first; then by due time, so that the order does not
// depend on the station.

// A Source is one list of offers that a claim may take from.
type Source struct {
	S     *state.Station
	List  *state.OfferList
	Named bool         // the offers name its worker
	Head  *state.Offer // the next one; nil: no more
}

// Advance moves to the first offer that ranks after the last one that cl examined.
func (src *Source) Advance(cl *Claim) {
	src.Head = nil
	if cl.After == nil {
		src.Head, _ = src.List.Min()
		return
	}
	at := *cl.After
	switch {
	case src.Named && !cl.AfterNamed: // offers of its priority were examined
		at.Due = math.MaxInt64
	case !src.Named && cl.AfterNamed:
		at.Due = math.MinInt64
	}
	src.List.Ascend(&at, func(of *state.Offer) bool {
		if src.ranks(of, cl.After, cl.AfterNamed) <= 0 {
			return true
		}
		src.Head = of
		return false
	})
}

// ranks compares an offer of src with another one, from a list that is named or not.
func (src *Source) ranks(of, other *state.Offer, named bool) int {
	return cmp.Or(
		cmp.Compare(other.Priority, of.Priority),
		compareNamed(src.Named, named),
		cmp.Compare(of.Due, other.Due),
		cmp.Compare(of.P.Name.Station, other.P.Name.Station),
		state.RankOf(of, other),
	)
}

// compareNamed puts offers that name a worker first.
func compareNamed(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

// Least returns the source whose offer comes first, nil if all are empty.
func Least(sources []Source) *Source {
	var first *Source
	for i := range sources {
		src := &sources[i]
		if src.Head != nil && (first == nil || src.ranks(src.Head, first.Head, first.Named) < 0) {
			first = src
		}
	}
	return first
}
