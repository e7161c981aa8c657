package schema

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// An Origin is the owner of an address, in its one canonical form: lower case, no dot at
// the end of the host, IP addresses as they are usually written, and the port always.
type Origin struct {
	Scheme, Host, Port string // in lower case; Port is empty for the usual one
}

// OriginOf returns the origin of an address that passes [CheckURL].
func OriginOf(u *url.URL) Origin {
	o := Origin{Scheme: strings.ToLower(u.Scheme), Host: strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), Port: u.Port()}
	if ip, err := netip.ParseAddr(o.Host); err == nil {
		o.Host = ip.Unmap().String()
	}
	if o.Port == "" {
		o.Port = usualPort[o.Scheme]
	}
	return o
}

var usualPort = map[string]string{"http": "80", "https": "443"}

// Site is host and port, as one writes them: without the port when it is the scheme's own.
func (o Origin) Site() string {
	switch {
	case o.Port != usualPort[o.Scheme]:
		return net.JoinHostPort(o.Host, o.Port)
	case strings.Contains(o.Host, ":"):
		return "[" + o.Host + "]"
	default:
		return o.Host
	}
}

// String is the origin as one writes it, such as https://example.org:8443.
func (o Origin) String() string { return o.Scheme + "://" + o.Site() }

// Origin is the origin that a call is made to, because a template has no words in that
// part of an address. It is zero when the target does not pass [HTTPCall.Check].
func (h *HTTPCall) Origin() Origin {
	t, err := ParseTemplate(h.TargetURL)
	if err != nil {
		return Origin{}
	}
	u, err := url.Parse(t.expand("x"))
	if err != nil {
		return Origin{}
	}
	return OriginOf(u)
}
