package httpworker

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
)

// A gate bounds the calls that are made at once: in all, to one host, to one address, and
// for one share, so that a host that hangs, or a caller of such hosts, does not take the
// room of the others. A visit without a place waits; each one that ends lets in all that have
// a place then, which may be two, of its share and of its host.
//
// Names alone are no limit, because a host may have any number of addresses, and an address
// any number of names, as of a wildcard domain.
type gate struct {
	mu         sync.Mutex
	places     pool // calls that are made
	room       pool // visits that wait, by their cost
	perHost    int
	perAddress int
	hosts      map[string]*host
	addresses  map[netip.Prefix]int // calls, by the address that they reached
	lines      map[lineName]*list.Element
	turns      *list.List // of *line, the next one first
	waiting    map[Kind]int
	holding    int // visits that wait with a connection
	moved      func(kind Kind, made, waiting int)
}

// A host is a target host with calls under way or waiting.
type host struct {
	visits  int // made and waiting
	calls   int
	address netip.Prefix // of the last call; zero: not known yet
}

// A line has the visits of one share that wait for one host, first come, first served. Lines
// take turns.
type line struct {
	lineName
	visits list.List // of *visit
}

type lineName struct{ share, host string }

// A visit is a call on its way through the gate.
type visit struct {
	kind  Kind
	share string
	host  string // in the form of hostOf
	cost  int    // of waiting, see costOf
	// hold is called when the visit has to wait, and the begin that it returns when the wait
	// is over. Nil: neither is called.
	hold func() (begin func())

	address netip.Prefix // counted when in
	in      bool
	begun   bool          // its request may have been sent
	dials   int           // connections that it gave up, to wait without
	ready   chan struct{} // closed when a visit that waited is let in
	at      *list.Element // in its line
}

// errNoRoom refuses a call for which the waiting room has no place.
var errNoRoom = errors.New("more calls wait on this node than it has room for, and this caller has its share of them; " +
	"--http-concurrency lets more be made at once")

// errAnew makes a call give up its connection and enter again, because enough others wait with
// a connection.
var errAnew = errors.New("its address has as many calls as it may, and enough of those that wait for it have a connection")

// mostDials bounds the connections that one call gives up, because its host may have any number
// of addresses.
const mostDials = 8

func newGate(all, perHost int, moved func(kind Kind, made, waiting int)) *gate {
	return &gate{
		places:  newPool(all),
		room:    newPool(waitingRoom(all)),
		perHost: perHost, perAddress: max(all/2, 1),
		hosts: map[string]*host{}, addresses: map[netip.Prefix]int{},
		lines: map[lineName]*list.Element{}, turns: list.New(),
		waiting: map[Kind]int{}, moved: moved,
	}
}

// enter waits until v may be made, or until ctx ends. Without an error the caller calls leave
// afterwards.
func (g *gate) enter(ctx context.Context, v *visit) error {
	g.mu.Lock()
	h := g.hosts[v.host]
	if h == nil {
		h = &host{}
		g.hosts[v.host] = h
	}
	h.visits++
	v.address = h.address
	if g.lines[v.line()] == nil && g.fits(v) {
		g.step(v, 1)
		g.mu.Unlock()
		return nil
	}
	return g.await(ctx, v)
}

// enterAgain is enter for a visit that got errAnew, so that its address is known.
func (g *gate) enterAgain(ctx context.Context, v *visit) error {
	g.mu.Lock()
	if g.lines[v.line()] == nil && g.fits(v) {
		g.step(v, 1)
		g.mu.Unlock()
		return nil
	}
	return g.await(ctx, v)
}

// reach is called when v has a connection, and so an address. It waits as enter does when the
// address has as many calls as it may; another visit has its place meanwhile. After an error
// other than errAnew the caller still has to call leave.
func (g *gate) reach(ctx context.Context, v *visit, at netip.Prefix) error {
	err := g.reached(ctx, v, at)
	v.begun = v.begun || err == nil
	return err
}

func (g *gate) reached(ctx context.Context, v *visit, at netip.Prefix) error {
	g.mu.Lock()
	if !v.in || v.address == at {
		g.mu.Unlock()
		return nil
	}
	g.hosts[v.host].address = at
	if g.addresses[at] < g.perAddress {
		// It keeps its place, though newer visits may have reduced its share meanwhile.
		left := v.address
		g.count(left, -1)
		v.address = at
		g.count(at, 1)
		if left.IsValid() {
			g.next()
		}
		g.mu.Unlock()
		return nil
	}
	g.step(v, -1)
	v.address = at
	g.next()                       // its place is free, and with it the address that it left
	if g.holding >= g.perAddress { // because made-up names would have any number of connections
		defer g.mu.Unlock()
		if v.begun || v.dials == mostDials {
			g.quit(v)
			return errNoRoom
		}
		v.dials++
		return errAnew
	}
	g.holding++
	err := g.await(ctx, v)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holding--
	return err
}

// await lets v in when its turn comes. It is called with the lock, and releases it.
func (g *gate) await(ctx context.Context, v *visit) error {
	if !g.room.fits(v.kind, v.share, v.cost) {
		g.quit(v)
		g.mu.Unlock()
		return errNoRoom
	}
	g.queue(v)
	g.mu.Unlock()

	begin := func() {}
	if v.hold != nil {
		begin = v.hold()
	}
	select {
	case <-v.ready:
		begin()
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if v.in { // it was let in just now
		g.step(v, -1)
		g.next()
	} else {
		g.unqueue(v)
	}
	g.quit(v)
	return context.Cause(ctx)
}

// leave ends a visit, and lets the next one in. It does nothing for a visit that was not let in,
// or has ended.
func (g *gate) leave(v *visit) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !v.in {
		return
	}
	g.step(v, -1)
	g.quit(v)
	g.next()
}

// fits reports whether v may be made now.
func (g *gate) fits(v *visit) bool {
	return g.hosts[v.host].calls < g.perHost &&
		(!v.address.IsValid() || g.addresses[v.address] < g.perAddress) &&
		g.places.fits(v.kind, v.share, 1)
}

// step counts v in (1) or out (-1).
func (g *gate) step(v *visit, by int) {
	v.in = by > 0
	g.places.take(v.kind, v.share, by)
	g.hosts[v.host].calls += by
	g.count(v.address, by)
	g.report(v.kind)
}

// count counts a call at an address, if that is known.
func (g *gate) count(address netip.Prefix, by int) {
	if !address.IsValid() {
		return
	}
	if g.addresses[address] += by; g.addresses[address] == 0 {
		delete(g.addresses, address)
	}
}

func (g *gate) report(kind Kind) { g.moved(kind, g.places.held[kind], g.waiting[kind]) }

// quit forgets a visit that is neither in nor waits.
func (g *gate) quit(v *visit) {
	h := g.hosts[v.host]
	if h.visits--; h.visits == 0 {
		delete(g.hosts, v.host)
	}
}

func (v *visit) line() lineName { return lineName{v.share, v.host} }

// queue appends v to its line.
func (g *gate) queue(v *visit) {
	at := g.lines[v.line()]
	if at == nil {
		at = g.turns.PushBack(&line{lineName: v.line()})
		g.lines[v.line()] = at
	}
	v.ready = make(chan struct{})
	v.at = at.Value.(*line).visits.PushBack(v)
	g.room.take(v.kind, v.share, v.cost)
	g.waiting[v.kind]++
	g.report(v.kind)
}

// unqueue takes v out of its line.
func (g *gate) unqueue(v *visit) {
	at := g.lines[v.line()]
	l := at.Value.(*line)
	l.visits.Remove(v.at)
	if l.visits.Len() == 0 {
		g.turns.Remove(at)
		delete(g.lines, l.lineName)
	}
	g.room.take(v.kind, v.share, -v.cost)
	g.waiting[v.kind]--
	g.report(v.kind)
}

// next lets in, in turn, the first visit of each line that fits, and moves that line behind the
// others. A visit that is let in only reduces the free places, so that a line that was passed
// over need not be checked again, nor need a share at its limit.
func (g *gate) next() {
	full := map[string]bool{}
	for at := g.turns.Front(); at != nil; {
		v, after := at.Value.(*line).visits.Front().Value.(*visit), at.Next()
		switch {
		case full[v.share]:
		case !g.places.fits(v.kind, v.share, 1):
			full[v.share] = true
		case g.fits(v):
			g.turns.MoveToBack(at)
			g.unqueue(v)
			g.step(v, 1)
			close(v.ready)
		}
		at = after
	}
}

// addressOf is the key by which calls to an address are counted: for IPv6 its
// network, of which one host usually has all.
func addressOf(addr net.Addr) (netip.Prefix, error) {
	at, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("the address of a connection: %w", err)
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.Prefix(32)
	}
	return ip.Prefix(64)
}
