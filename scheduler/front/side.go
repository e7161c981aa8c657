package front

import (
	"runtime"
	"sync"

	"github.com/stationmaster-io/stationmaster/schema"
)

// A kind separates requests that read from requests that write. They share neither room nor
// time, so that plans can be created however many lists are asked for, and the other way
// round.
type kind uint8

const (
	changing kind = iota // writes
	reading              // only reads; its answers may be large
	kinds
)

const (
	// maxChanging is how many requests that change something may be under way: three seconds
	// without a leader at the rate at which a node takes requests. There are fewer requests
	// that read, because these soon wait to run.
	maxChanging = 100_000
	maxReading  = 10_000
	// maxChangingBytes and maxReadingBytes are how much they may hold.
	maxChangingBytes = 256 << 20
	maxReadingBytes  = 64 << 20
	// backlogShare is the part of both that the backlog of one endpoint may have, so that a
	// flood of requests to one leaves room for the others.
	backlogShare = 8
)

// A side has the resources that the requests of one kind share.
type side struct {
	gate gate

	waiting chan struct{} // one for each async handler that waits or runs
	running chan struct{} // one for each async handler that runs

	// cpus are held while a request is processed without waiting: a quarter of GOMAXPROCS at
	// most for each kind, and so half of it for both, so that a due occurrence does not wait
	// for a processor behind a flood of requests.
	cpus chan struct{}
}

func newSide(most, mostBytes int) *side {
	return &side{
		gate:    gate{most: most, mostBytes: mostBytes},
		waiting: make(chan struct{}, maxRunning+maxWaiting),
		running: make(chan struct{}, maxRunning),
		cpus:    make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/4)),
	}
}

// hold takes a processor, and returns the function that releases it.
func (s *side) hold() (release func()) {
	s.cpus <- struct{}{}
	return func() { <-s.cpus }
}

// A backlog has the requests of one endpoint that are not being processed yet, in order. Its
// subscription never waits, because NATS drops silently the messages that a subscription does
// not take, while a client that meets a full backlog gets an error.
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

// put enters r, or refuses it. An empty backlog takes a request of any size.
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

// taken notes that r is being processed.
func (b *backlog) taken(r *request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bytes -= r.size
}

// close ends the backlog: it takes no more, and those in it are still processed.
func (b *backlog) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.requests)
	}
}
