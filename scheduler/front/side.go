package front

import (
	"runtime"
	"sync"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A kind is what requests do. Those of one kind take neither room nor time from those of
// the other: however many lists are asked for, plans are created, and the other way round.
type kind uint8

const (
	changing kind = iota // something
	reading              // and nothing else; what is read may be large
	kinds
)

const (
	// maxChanging is how many requests that change something may be under way: three
	// seconds without a leader at the rate at which a node takes requests. Those that read
	// wait for turns soon, and are fewer.
	maxChanging = 100_000
	maxReading  = 10_000
	// maxChangingBytes and maxReadingBytes are how much they may hold.
	maxChangingBytes = 256 << 20
	maxReadingBytes  = 64 << 20
	// backlogShare is the part of both that may lie in the backlog of one endpoint, so
	// that who floods one leaves room to the others.
	backlogShare = 8
)

// A side is what the requests of one kind share.
type side struct {
	gate gate

	waiting chan struct{} // one for each talk that waits or has its turn
	turns   chan struct{} // one for each talk that has its turn

	// hands are held while a request is worked on without waiting: by a quarter of the
	// threads that run Go at most, and so by half of them for both kinds, so that what is
	// due does not queue behind a flood of requests for its time to run.
	hands chan struct{}
}

func newSide(most, mostBytes int) *side {
	return &side{
		gate:    gate{most: most, mostBytes: mostBytes},
		waiting: make(chan struct{}, maxTurns+maxWaiting),
		turns:   make(chan struct{}, maxTurns),
		hands:   make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/4)),
	}
}

// hold takes a hand, and returns what lets it go.
func (s *side) hold() (release func()) {
	s.hands <- struct{}{}
	return func() { <-s.hands }
}

// A backlog are the requests of one endpoint that are not worked on yet, in their order. Its
// subscription never waits: NATS drops in silence what a subscription does not take, while
// who finds the backlog full is told so.
type backlog struct {
	requests  chan *request // sent to, and closed, under mu
	mostBytes int

	mu     sync.Mutex
	bytes  int
	closed bool
}

func (s *side) newBacklog() *backlog {
	return &backlog{
		requests:  make(chan *request, s.gate.most/backlogShare),
		mostBytes: s.gate.mostBytes / backlogShare,
	}
}

// put enters r, or refuses it. However large it is, an empty backlog takes it.
func (b *backlog) put(r *request) *schema.Error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return errStopping
	case b.bytes > 0 && b.bytes+r.size > b.mostBytes:
		return errBusy
	}
	select {
	case b.requests <- r:
		b.bytes += r.size
		return nil
	default:
		return errBusy
	}
}

// taken notes that r is worked on.
func (b *backlog) taken(r *request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes -= r.size
}

// close has the backlog take no more. What is in it comes out.
func (b *backlog) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.requests)
	}
}
