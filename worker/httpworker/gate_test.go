package httpworker

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

// isEmpty checks that a gate without visits holds nothing.
func isEmpty(t *testing.T, g *gate) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.hosts) != 0 || len(g.addresses) != 0 || len(g.lines) != 0 || g.turns.Len() != 0 {
		t.Errorf("the gate still knows %d hosts, %d addresses, %d lines", len(g.hosts), len(g.addresses), len(g.lines))
	}
	for _, p := range []*pool{&g.places, &g.room} {
		if len(p.shares) != 0 || p.free(ForPlan) != p.size-p.size/8*2 {
			t.Errorf("a pool of %d has %d free, and %v", p.size, p.free(ForPlan), p.shares)
		}
	}
}

// A silence is a target that takes requests and answers none until the test ends.
type silence struct {
	url  string
	made chan string // hosts, as they were asked for
}

func silent(t *testing.T) *silence {
	t.Helper()
	s := &silence{made: make(chan string, 1000)}
	release := make(chan struct{})
	s.url = serve(t, func(_ http.ResponseWriter, r *http.Request) {
		s.made <- r.Host
		<-release
	}).URL
	t.Cleanup(func() { close(release) })
	return s
}

// A crowd is calls that run until the test ends, all of one tenant.
type crowd struct {
	t     *testing.T
	w     *Worker
	ctx   context.Context //nolint:containedctx // of the test
	calls sync.WaitGroup
}

func crowdOf(t *testing.T, w *Worker) *crowd {
	ctx, cancel := context.WithCancel(t.Context())
	c := &crowd{t: t, w: w, ctx: ctx}
	t.Cleanup(func() { cancel(); c.calls.Wait(); isEmpty(t, w.gate) })
	return c
}

func (c *crowd) call(tenant, url string) {
	x := execution(c.t, schema.HTTPCall{TargetURL: url, TimeoutSeconds: schema.Within(time.Hour)})
	x.TenantID = tenant
	call, err := callOf(x)
	if err != nil {
		c.t.Fatal(err)
	}
	c.calls.Go(func() { c.w.perform(c.ctx, x, call) })
}

// settle returns when so many calls are made and so many wait.
func (g *gate) settle(t *testing.T, made, waiting int) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	var m, w int
	for end := time.Now().Add(patience); time.Now().Before(end); <-tick.C {
		g.mu.Lock()
		m, w = g.places.held[ForPlan], g.waiting[ForPlan]
		g.mu.Unlock()
		if m == made && w == waiting {
			return
		}
	}
	t.Fatalf("%d calls are made and %d wait; want %d and %d", m, w, made, waiting)
}

// The name of a host in other letters, with a dot or with the port that it has anyway is no
// other host.
func TestAHostIsOneHoweverItIsWritten(t *testing.T) {
	target := silent(t)
	w := caller(t, Options{AllowPrivate: true, Concurrency: 100, PerHost: 2})
	at := strings.TrimPrefix(target.url, "http://")
	w.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at)
	}
	c := crowdOf(t, w)
	for _, host := range []string{"localhost", "LOCALHOST", "Localhost.", "localhost:80", "LocalHost.:80"} {
		c.call("", "http://"+host+"/")
	}
	w.gate.settle(t, 2, 3)
	for _, host := range []string{"[::1]", "[0:0::1]", "[0:0:0:0:0:0:0:1]:80"} {
		c.call("", "http://"+host+"/")
	}
	w.gate.settle(t, 4, 4)
}

// An address has half of the places at most, under any number of names, because names cost
// nothing.
func TestAnAddressOfManyNamesIsOneAddress(t *testing.T) {
	target := silent(t)
	w := caller(t, Options{AllowPrivate: true, Concurrency: 8, PerHost: 2})
	at := strings.TrimPrefix(target.url, "http://")
	w.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at)
	}
	c := crowdOf(t, w)
	for i := range 6 { // each for another tenant, so that shares do not bound them
		c.call(fmt.Sprint("tenant-", i), fmt.Sprintf("http://n%d.example.org/", i))
	}
	w.gate.settle(t, 4, 2)
	other, _ := targetOn(t, "127.0.0.2:0")
	w.transport.DialContext = new(net.Dialer).DialContext
	if o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: other}); o.Class != schema.HTTPOK {
		t.Errorf("another address: %+v", o)
	}
}

// The calls that wait for one address hold few connections, also under many names and for many
// callers; and all are made in the end.
func TestWaitingCallsHoldFewConnections(t *testing.T) {
	const names = 40
	release := make(chan struct{})
	made := make(chan string, names)
	at := strings.TrimPrefix(serve(t, func(_ http.ResponseWriter, r *http.Request) {
		<-release
		made <- r.Host
	}).URL, "http://")
	w := caller(t, Options{AllowPrivate: true, Concurrency: 8})
	var open, most atomic.Int64
	w.transport.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, at)
		if err != nil {
			return nil, err
		}
		for is := open.Add(1); ; {
			if was := most.Load(); is <= was || most.CompareAndSwap(was, is) {
				break
			}
		}
		return &counted{Conn: c, open: &open}, nil
	}
	c := crowdOf(t, w)
	for i := range names {
		c.call(fmt.Sprint("tenant-", i), fmt.Sprintf("http://n%d.example.org/", i))
	}
	w.gate.settle(t, 4, names-4)
	if n := open.Load(); n > 4+4 {
		t.Errorf("%d connections are open", n)
	}
	close(release)
	called := map[string]bool{}
	for range names {
		select {
		case host := <-made:
			called[host] = true
		case <-time.After(patience):
			t.Fatalf("%d of %d were called", len(called), names)
		}
	}
	if len(called) != names {
		t.Errorf("%d were called, and some twice", len(called))
	}
	if n := most.Load(); n > 8+4 {
		t.Errorf("%d connections were open at once", n)
	}
}

// counted is a connection that is counted as long as it is open.
type counted struct {
	net.Conn
	open   *atomic.Int64
	closed sync.Once
}

func (c *counted) Close() error {
	c.closed.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}

// targetOn is a target that answers well at an address of its own.
func targetOn(t *testing.T, at string) (url string, l net.Listener) {
	t.Helper()
	l, err := net.Listen("tcp", at)
	if err != nil {
		t.Skip("there is no second loopback address here")
	}
	return rawServerOn(t, l, func(c net.Conn) {
		readRequest(c)
		_, _ = c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
	}), l
}

// One tenant has half of the places, two have a third each, and the rest stays free for the next
// tenant; queues and callbacks have their own in any case.
func TestTenantsShareThePlaces(t *testing.T) {
	const calls = 32 // 4 of them for queues, 4 for callbacks
	quick, _ := target(t, ok)
	w := caller(t, Options{AllowPrivate: true, Concurrency: calls, PerHost: 10})
	w.gate.perAddress = calls // all targets of a test are at one
	c := crowdOf(t, w)
	many := func(tenant string) {
		for range 3 {
			url := silent(t).url
			for range 10 {
				c.call(tenant, url)
			}
		}
	}
	many("a")
	w.gate.settle(t, 12, 18)
	many("b")
	w.gate.settle(t, 18, 42)
	if o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: quick}); o.Class != schema.HTTPOK {
		t.Errorf("who comes third: %+v", o)
	}
	for i := range 6 { // the last places, with a tenant for each
		c.call(fmt.Sprint("more-", i), silent(t).url)
	}
	w.gate.settle(t, 24, 42)
	for _, kind := range []Kind{ForQueue, ForCallback} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, quick, nil)
		if err != nil {
			t.Fatal(err)
		}
		if o, _ := w.deliver(t.Context(), execution(t, schema.HTTPCall{}), kind, req); o.Class != schema.HTTPOK {
			t.Errorf("%s: %+v", kind, o)
		}
	}
}

// A call that has its place keeps it when it is connected, though another tenant has come
// meanwhile and its own has more than it could have now.
func TestAConnectionCostsNoPlace(t *testing.T) {
	g := newGate(32, 100, func(Kind, int, int) {})
	g.perAddress = 100
	enter := func(share string, n int) (in []*visit) {
		for range n {
			v := &visit{kind: ForPlan, share: share, host: share, cost: 1}
			if err := g.enter(t.Context(), v); err != nil {
				t.Fatal(err)
			}
			in = append(in, v)
		}
		return in
	}
	early := enter("a", 12)
	enter("b", 6)
	ended, end := context.WithCancel(t.Context())
	end()
	for _, v := range early {
		if err := g.reach(ended, v, netip.MustParsePrefix("192.0.2.1/32")); err != nil {
			t.Fatal(err)
		}
	}
	if got := g.addresses[netip.MustParsePrefix("192.0.2.1/32")]; got != 12 {
		t.Errorf("%d calls are counted at the address, want 12", got)
	}
	for _, v := range early {
		g.leave(v)
	}
	if len(g.addresses) != 0 {
		t.Errorf("after all have left the addresses are %v", g.addresses)
	}
}

// A visit that ends makes room for two when one waits for its host and another for its share.
// Both are let in, because all others may hang for as long as calls may take.
func TestAnEndedVisitLetsInAllForWhomThereIsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGate(32, 2, func(Kind, int, int) {}) // 24 for plans: one share has 12, two have 8 each
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		enter := func(share, host string) *visit {
			v := &visit{kind: ForPlan, share: share, host: host, cost: 1}
			go func() { _ = g.enter(ctx, v) }() // which ends with the test, if it waits in vain
			synctest.Wait()
			return v
		}
		late := enter("a", "host")
		enter("b", "host")
		for i := range 11 {
			enter("a", fmt.Sprint("hangs-", i))
		}
		if v := enter("a", "other"); v.in {
			t.Fatal("a share has more than half of the places")
		}
		if v := enter("c", "host"); v.in {
			t.Fatal("a host has more than its calls")
		}
		g.leave(late)
		synctest.Wait()
		if g.waiting[ForPlan] != 0 {
			t.Errorf("%d still wait, though there is room for them", g.waiting[ForPlan])
		}
	})
}

// The number of waiting calls has a bound, which is shared like the places. A call beyond its
// share is refused, and others wait.
func TestACallBehindTooManyOthersIsRefused(t *testing.T) {
	var mu sync.Mutex
	most := 0
	w := caller(t, Options{AllowPrivate: true, Concurrency: 1, Moved: func(_ Kind, _, waiting int) {
		mu.Lock()
		defer mu.Unlock()
		most = max(most, waiting)
	}})
	target := silent(t)
	c := crowdOf(t, w)
	c.call("a", target.url)
	w.gate.settle(t, 1, 0)
	share := (waitingRoom(1) - waitingRoom(1)/8*2) / 2
	for range share {
		c.call("a", target.url)
	}
	w.gate.settle(t, 1, share)
	x := execution(t, schema.HTTPCall{TargetURL: target.url})
	x.TenantID = "a"
	if o := outcomeOf(t.Context(), t, w, x); o.Class != schema.HTTPRefused || !strings.Contains(o.Message, "--http-concurrency") {
		t.Errorf("one more: %+v", o)
	}
	c.call("b", target.url)
	w.gate.settle(t, 1, share+1)
	mu.Lock()
	defer mu.Unlock()
	if most != share+1 {
		t.Errorf("the most that was reported is %d, want %d", most, share+1)
	}
}

// A call's timeout begins when it is made, and not while it waits; one that asks for more
// than calls may take has that.
func TestTheTimeoutBeginsWithTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := caller(t, Options{AllowPrivate: true, Concurrency: 1})
		url := rawServerOn(t, piped(w), func(c net.Conn) {
			readRequest(c)
			time.Sleep(10 * time.Second)
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		})
		// The last of them waits for 40 seconds.
		outcomes := make(chan schema.HTTPOutcome, 5)
		for i := range 5 {
			call := schema.HTTPCall{TargetURL: url, TimeoutSeconds: schema.Within(11 * time.Second)}
			if i%2 == 0 {
				call.TimeoutSeconds = nil // then the deadline bounds it
			}
			x := execution(t, call)
			x.Deadline = time.Now().Add(12 * time.Second)
			go func() {
				o, _ := w.perform(t.Context(), x, &call)
				outcomes <- o
			}()
		}
		for range 5 {
			if o := <-outcomes; o.Class != schema.HTTPOK || o.DurationMS != 10_000 {
				t.Errorf("after a wait: %+v", o)
			}
		}

		hangs := rawServerOn(t, piped(w), func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
		call := schema.HTTPCall{TargetURL: hangs, TimeoutSeconds: schema.Within(24 * time.Hour)}
		if o, _ := w.perform(t.Context(), execution(t, call), &call); o.Class != schema.HTTPTimeout || o.DurationMS != 900_000 {
			t.Errorf("a day is asked for: %+v", o)
		}
	})
}
