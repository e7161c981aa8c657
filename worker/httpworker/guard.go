package httpworker

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"time"
)

// A guard decides which addresses may be connected to. It checks the address that is
// dialled, after every resolution and every redirect, so that a name that is public when
// it is checked and private when it is dialled gets nowhere.
type guard struct {
	private bool // all addresses are allowed
	nets    []netip.Prefix
	hosts   map[string]bool // names that may resolve to anything

	checked, free *net.Dialer
}

// dialTimeout bounds a connection attempt, which may outlive the call that began it, because
// net/http keeps it for the next.
const dialTimeout = 10 * time.Second

// CheckAllowed checks the items of [Options.Allow]: an address, a network, or the name of a host
// each. Its error quotes the first that is none.
func CheckAllowed(allow []string) error {
	_, err := newGuard(false, allow, nil)
	return err
}

func newGuard(private bool, allow []string, resolver *net.Resolver) (*guard, error) {
	g := &guard{private: private, hosts: map[string]bool{}}
	for _, text := range allow {
		text = strings.TrimSpace(text)
		if prefix, err := netip.ParsePrefix(text); err == nil {
			g.nets = append(g.nets, prefix.Masked())
		} else if addr, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
			addr = addr.Unmap()
			g.nets = append(g.nets, netip.PrefixFrom(addr, addr.BitLen()))
		} else if isHost(text) {
			g.hosts[hostKey(text)] = true
		} else {
			return nil, fmt.Errorf("%q: give an address, a network such as 10.1.0.0/16, or the name of a host", text)
		}
	}
	g.free = &net.Dialer{Timeout: dialTimeout, Resolver: resolver}
	g.checked = &net.Dialer{Timeout: dialTimeout, Resolver: resolver, ControlContext: g.control}
	return g, nil
}

func isHost(s string) bool {
	return s != "" && !strings.ContainsAny(s, " /:@*?#[]")
}

func hostKey(host string) string { return strings.ToLower(strings.TrimSuffix(host, ".")) }

// dial connects as http.Transport asks for it.
func (g *guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err == nil && (g.private || g.hosts[hostKey(host)]) {
		return g.free.DialContext(ctx, network, address)
	}
	return g.checked.DialContext(ctx, network, address)
}

// control is called with the address of each attempt, before it is made.
func (g *guard) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &refusal{fmt.Sprintf("%s is no address that can be checked", address)}
	}
	return g.check(at.Addr())
}

// checkHost checks a host that is written as an address, or is localhost; other names pass.
// It is for calls through a proxy, which dials in place of this process, and may read 127.1 or
// 0x7f000001 as an address where package net reads a name.
func (g *guard) checkHost(host string) error {
	name := hostKey(host)
	if g.private || g.hosts[name] {
		return nil
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		return g.check(addr)
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	switch {
	case last == "localhost":
		return g.check(netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	case isNumber(last):
		return &refusal{fmt.Sprintf("%s ends in a number and is no address; write an address as 192.0.2.1 or [2001:db8::1]", host)}
	default:
		return nil
	}
}

// isNumber reports that the last label of a host makes an address of it for programs that read
// addresses as C does: in one piece, in octal, in hexadecimal.
func isNumber(label string) bool {
	return label != "" && strings.Trim(label, "0123456789") == "" || strings.HasPrefix(label, "0x") && strings.Trim(label[2:], "0123456789abcdef") == ""
}

func (g *guard) check(addr netip.Addr) error {
	addr = addr.Unmap().WithZone("")
	for _, allowed := range g.nets {
		if allowed.Contains(addr) {
			return nil
		}
	}
	kind := reserved(addr)
	if kind == "" {
		return nil
	}
	return &refusal{fmt.Sprintf("%s is %s; --http-allow %s or --http-allow-private would let it be called", addr, kind, addr)}
}

// A refusal is the reason that a target is not called.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

// reserved returns the kind of an address outside the public internet; empty for a public one.
func reserved(addr netip.Addr) string {
	switch {
	case addr.IsUnspecified():
		return "unspecified"
	case addr.IsLoopback():
		return "a loopback address"
	case addr.IsPrivate():
		return "a private address"
	case addr.IsLinkLocalUnicast():
		return "a link-local address"
	case addr.IsMulticast():
		return "a multicast address"
	}
	if v4, ok := embedded(addr); ok {
		if kind := reserved(v4); kind != "" {
			return kind + " in another form (" + v4.String() + ")"
		}
		return ""
	}
	for _, r := range reservedNets {
		if r.net.Contains(addr) {
			return r.kind
		}
	}
	return ""
}

// reservedNets are the rest of the special-purpose registries (RFC 6890) that are not
// globally reachable.
var reservedNets = []struct {
	net  netip.Prefix
	kind string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "an address of this network"},
	{netip.MustParsePrefix("100.64.0.0/10"), "a carrier's private address"},
	{netip.MustParsePrefix("192.0.0.0/24"), "a protocol's address"},
	{netip.MustParsePrefix("192.0.2.0/24"), "a documentation address"},
	{netip.MustParsePrefix("192.88.99.0/24"), "a relay's address"},
	{netip.MustParsePrefix("198.18.0.0/15"), "a benchmark's address"},
	{netip.MustParsePrefix("198.51.100.0/24"), "a documentation address"},
	{netip.MustParsePrefix("203.0.113.0/24"), "a documentation address"},
	{netip.MustParsePrefix("240.0.0.0/4"), "a reserved address"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "a private translation address"},
	{netip.MustParsePrefix("100::/64"), "a discard address"},
	{netip.MustParsePrefix("2001::/23"), "a protocol's address"},
	{netip.MustParsePrefix("2001:db8::/32"), "a documentation address"},
	{netip.MustParsePrefix("3fff::/20"), "a documentation address"},
	{netip.MustParsePrefix("5f00::/16"), "a routing address"},
	{netip.MustParsePrefix("fec0::/10"), "a site-local address"},
}

// embeddings are IPv6 networks with an IPv4 address in each address, from a byte on, which they
// reach.
var embeddings = []struct {
	net netip.Prefix
	at  int
}{
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // IPv4-translated
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4
}

func embedded(addr netip.Addr) (netip.Addr, bool) {
	if !addr.Is6() {
		return netip.Addr{}, false
	}
	for _, e := range embeddings {
		if e.net.Contains(addr) {
			bytes := addr.As16()
			return netip.AddrFrom4([4]byte(bytes[e.at : e.at+4])), true
		}
	}
	return netip.Addr{}, false
}
