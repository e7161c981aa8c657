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

// A gate bounds how many calls are made at once: in all, to one host, to one address, and
// for one share, so that a host that hangs, or a caller of such hosts, does not take the
// room of the others. Who finds no place waits; each visit that ends lets in whoever finds one
// then: it may make room for two, of its share and of its host.
//
// A host has as many addresses as it likes, and an address as many names: whoever has a
// wildcard name of his own would find a limit of names alone no limit.
type gate struct {
	mu         sync.Mutex
	places     pool // calls that are made
	room       pool // what waits, by what it costs
	perHost    int
	perAddress int
	hosts      map[string]*host
	addresses  map[netip.Prefix]int // calls, by whom they reached
	lines      map[lineName]*list.Element
	turns      *list.List // of *line, the next one first
	waiting    map[Kind]int
	holding    int // visits that wait with a connection
	moved      func(kind Kind, made, waiting int)
}

// A host is one that is called or waited for.
type host struct {
	visits  int // made and waiting
	calls   int
	address netip.Prefix // where the last call went; zero: not known yet
}

// A line is who waits of one share for one host, first come, first served. Lines take turns.
type line struct {
	lineName
	visits list.List // of *visit
}

type lineName struct{ share, host string }

// A visit is one call on its way through the gate.
type visit struct {
	kind  Kind
	share string
	host  string // in the form of hostOf
	cost  int    // of waiting, see costOf
	// hold is called when the visit has to wait, and what it returns when it need not any
	// more. Nil: nobody wants to know.
	hold func() (begin func())

	address netip.Prefix // counted when in
	in      bool
	begun   bool          // its request may have been sent
	dials   int           // how often it gave up a connection, to wait without
	ready   chan struct{} // closed when a visit that waited is let in
	at      *list.Element // in its line
}

// errNoRoom is why a call is not even waited for.
var errNoRoom = errors.New("more calls wait on this node than it has room for, and this caller has its share of them; " +
	"--http-concurrency lets more be made at once")

// errAnew is why a call gives up its connection: enough others wait with one, and it is to be
// entered anew, and made then.
var errAnew = errors.New("its address has as many calls as it may, and enough of those that wait for it have a connection")

// mostDials bounds how often a call does so: its host may have any number of addresses.
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

// enter waits until v may be made, or until ctx ends. Who gets no error calls leave
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

// enterAgain is enter for a visit that was told errAnew, and whose address is known by now.
func (g *gate) enterAgain(ctx context.Context, v *visit) error {
	g.mu.Lock()
	if g.lines[v.line()] == nil && g.fits(v) {
		g.step(v, 1)
		g.mu.Unlock()
		return nil
	}
	return g.await(ctx, v)
}

// reach is called when v has a connection, which tells its address. It waits as enter does
// when that has as many calls as it may; its place is another's meanwhile. When it fails,
// leave is due all the same, but for errAnew.
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
		// It keeps its place, though others may have come meanwhile who leave its share less.
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
	if g.holding >= g.perAddress { // who makes up names would have any number of connections
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

// leave ends a visit, and lets the next one in. That of a visit which was not let in, or has
// ended, does nothing.
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
	g.told(v.kind)
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

func (g *gate) told(kind Kind) { g.moved(kind, g.places.held[kind], g.waiting[kind]) }

// quit forgets a visit that is neither in nor waits.
func (g *gate) quit(v *visit) {
	h := g.hosts[v.host]
	if h.visits--; h.visits == 0 {
		delete(g.hosts, v.host)
	}
}

func (v *visit) line() lineName { return lineName{v.share, v.host} }

// queue has v wait behind the others of its line.
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
	g.told(v.kind)
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
	g.told(v.kind)
}

// next lets in the first of each line that may be, in turn, and has that line wait for its
// next one. Who is let in only takes from the others, so that those that were passed over
// need no second look, nor does a share that has all it may.
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

// addressOf is what calls that reached an address are counted by: an IPv6 address by its
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
