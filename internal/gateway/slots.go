package gateway

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Routes without a bearer token have slots of their own, so that callers without a token
// take none from those with one; and no address has all of them.
const (
	openSlots     = 64
	openSlotsEach = 16
)

// turnWithin is how long a request waits for its turn when all slots are taken.
const turnWithin = time.Second

// Searches of all results, and counts of all plans, which may take two seconds each, have slots of their own, so that they
// neither hold up other requests nor are many at a time; one waits longer for its turn.
const (
	searchSlots      = 2
	searchTurnWithin = 8 * time.Second
)

// slots bound how many requests are served at a time. Time that depends on the caller holds
// none, because a request takes its slot when its body has arrived, and returns it before
// its answer is written.
type slots struct {
	taken  chan struct{}
	each   int           // of one address; 0: no limit
	within time.Duration // how long one waits for its turn

	mu sync.Mutex
	of map[netip.Prefix]int // how many an address has or waits for
}

func newSlots(most, each int, within time.Duration) *slots {
	return &slots{taken: make(chan struct{}, most), each: each, within: within, of: map[netip.Prefix]int{}}
}

// enter waits until r may be served; then it has a slot until leave is called.
func (s *slots) enter(r *http.Request) (leave func(), err error) {
	from := addressOf(r)
	if !s.admit(from) {
		return nil, refuse(http.StatusServiceUnavailable, schema.CodeUnavailable, "%d requests of your address are under way, which is as many as are served at a time", s.each)
	}
	if err := s.wait(r); err != nil {
		s.dismiss(from)
		return nil, err
	}
	return func() {
		<-s.taken
		s.dismiss(from)
	}, nil
}

// admit counts a request of an address, unless that has its share already.
func (s *slots) admit(from netip.Prefix) bool {
	if s.each == 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[from] >= s.each {
		return false
	}
	s.of[from]++
	return true
}

// dismiss forgets a request of an address.
func (s *slots) dismiss(from netip.Prefix) {
	if s.each == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[from]--; s.of[from] == 0 {
		delete(s.of, from)
	}
}

// wait takes a slot when there is one.
func (s *slots) wait(r *http.Request) error {
	select {
	case s.taken <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(s.within)
	defer timer.Stop()
	select {
	case s.taken <- struct{}{}:
		return nil
	case <-timer.C:
		return refuse(http.StatusServiceUnavailable, schema.CodeUnavailable, "%d requests are under way, which is as many as are served at a time", cap(s.taken))
	case <-r.Context().Done():
		return context.Cause(r.Context())
	}
}

// addressOf is the address that a request counts for, or for IPv6 its /64 network, because
// a caller has all addresses of that.
func addressOf(r *http.Request) netip.Prefix {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{} // one for all without an address
	}
	address := from.Addr().Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	network, _ := address.Prefix(bits) // never fails: bits fit the address
	return network
}
