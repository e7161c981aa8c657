package httpworker

// A pool is so many places, each held for a share, of which each kind of calls has a part
// that no other can take.
//
// A share may hold no more than what is free: alone it has half of the places, two have a
// third each, and so on. So there is always something left for whoever comes next, which a
// share by who is there now could not promise: places are given back when calls end, and
// not before.
type pool struct {
	size   int
	kept   map[Kind]int
	held   map[Kind]int
	shares map[string]int
}

// kinds are all that calls are made for.
var kinds = [...]Kind{ForPlan, ForQueue, ForCallback}

// newPool keeps an eighth for queues, and for callbacks: both bring what has happened, and
// would wait behind whatever plans think of calling.
func newPool(size int) pool {
	return pool{
		size: size, kept: map[Kind]int{ForQueue: size / 8, ForCallback: size / 8},
		held: map[Kind]int{}, shares: map[string]int{},
	}
}

// free is what is left for calls of a kind.
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

// take gives a share n more; n below 0: it gives them back.
func (p *pool) take(kind Kind, share string, n int) {
	p.held[kind] += n
	if p.shares[share] += n; p.shares[share] == 0 {
		delete(p.shares, share)
	}
}
