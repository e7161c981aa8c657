package httpworker

// A pool is a number of places, each held for a share. Each kind of calls has a part of them
// that no other can take.
//
// A share may hold no more than are free: alone it has half of the places, two have a third
// each, and so on. So there are always some left for the next share, which equal parts for
// the present shares could not promise, because places are given back only when calls end.
type pool struct {
	size   int
	kept   map[Kind]int
	held   map[Kind]int
	shares map[string]int
}

// kinds are all kinds of calls.
var kinds = [...]Kind{ForPlan, ForQueue, ForCallback}

// newPool keeps an eighth for queues, and one for callbacks, because both deliver events that
// have happened, and would wait behind the calls of plans.
func newPool(size int) pool {
	return pool{
		size: size, kept: map[Kind]int{ForQueue: size / 8, ForCallback: size / 8},
		held: map[Kind]int{}, shares: map[string]int{},
	}
}

// free is the number of places left for calls of a kind.
func (p *pool) free(kind Kind) int {
	left := p.size - p.held[kind]
	for _, other := range kinds {
		if other != kind {
			left -= max(p.held[other], p.kept[other])
		}
	}
	return left
}

// fits reports whether a share may hold n more.
func (p *pool) fits(kind Kind, share string, n int) bool {
	return p.shares[share]+n <= p.free(kind)
}

// take gives a share n more places; n below 0 takes them back.
func (p *pool) take(kind Kind, share string, n int) {
	p.held[kind] += n
	if p.shares[share] += n; p.shares[share] == 0 {
		delete(p.shares, share)
	}
}
