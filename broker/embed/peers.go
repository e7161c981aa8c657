package embed

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"sync"
	"time"
)

// peers are the addresses of the servers in the routes. They are looked up on a connection,
// because the address of a name changes when a machine is replaced.
type peers struct {
	hosts []string
	look  func(func(context.Context)) // runs the lookup

	mu      sync.Mutex
	known   map[netip.Addr]bool
	looked  time.Time // when the last lookup began
	looking bool
}

const (
	lookupEvery   = 10 * time.Second
	lookupTimeout = 5 * time.Second
)

// hosts are the names and addresses in the routes.
func (c *Cluster) hosts() (hosts []string) {
	for _, r := range c.Routes {
		if u, err := url.Parse(r); err == nil { // native reports the others
			hosts = append(hosts, u.Hostname())
		}
	}
	return hosts
}

// have reports whether an address is a peer's, as far as the last lookup knows.
func (p *peers) have(a netip.Addr) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.looking && time.Since(p.looked) > lookupEvery {
		p.looking, p.looked = true, time.Now()
		p.look(p.lookUp)
	}
	return p.known[a]
}

// lookUp resolves the addresses. Those of a host that is not found stay as they were.
func (p *peers) lookUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, all := map[netip.Addr]bool{}, true
	for _, host := range p.hosts {
		addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		all = all && err == nil
		for _, a := range addresses {
			found[a.Unmap().WithZone("")] = true
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !all {
		for a := range p.known {
			found[a] = true
		}
	}
	p.known, p.looking = found, false
}
