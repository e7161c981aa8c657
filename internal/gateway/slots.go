package gateway

import (
	"context"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// Routes that ask for no token have slots of their own, so that whoever has none takes
// none from those who have one; and no address has all of them.
const (
	openSlots     = 64
	openSlotsEach = 16
)

// turnWithin is how long a request waits for its turn when as many as may be are under
// way.
const turnWithin = time.Second

// slots bound how many requests are worked on at a time. What is slow because of the
// caller has none: a request takes its slot when its body is there, and gives it back
// before its answer is written.
type slots struct {
	taken chan struct{}
	each  int // of one address; 0: as many as there are

	mu sync.Mutex
	of map[netip.Prefix]int // how many an address has or waits for
}

func newSlots(most, each int) *slots {
	return &slots{taken: make(chan struct{}, most), each: each, of: map[netip.Prefix]int{}}
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

// admit counts a request of an address, unless that has its part already.
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
	timer := time.NewTimer(turnWithin)
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

// addressOf is whom a request counts for: its address, or the network of one of IPv6,
// since a caller has all addresses of that.
func addressOf(r *http.Request) netip.Prefix {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Prefix{} // one for all that have none
	}
	address := from.Addr().Unmap().WithZone("")
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	network, _ := address.Prefix(bits) // it has as many
	return network
}
