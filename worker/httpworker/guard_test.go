package httpworker

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stationmaster-io/stationmaster/schema"
)

func TestReservedAddresses(t *testing.T) {
	for _, tt := range []struct {
		addr    string
		refused bool
	}{
		{"8.8.8.8", false},
		{"2606:4700:4700::1111", false},
		{"::ffff:8.8.8.8", false},
		{"64:ff9b::8.8.8.8", false},
		{"2002:0808:0808::1", false},
		{"0.0.0.0", true},
		{"0.1.2.3", true},
		{"10.255.0.1", true},
		{"100.64.0.1", true},
		{"100.127.255.255", true},
		{"127.0.0.1", true},
		{"127.255.255.254", true},
		{"169.254.169.254", true},
		{"172.16.0.1", true},
		{"172.31.255.255", true},
		{"192.0.0.192", true},
		{"192.168.1.1", true},
		{"198.18.0.1", true},
		{"224.0.0.1", true},
		{"239.255.255.255", true},
		{"240.0.0.1", true},
		{"255.255.255.255", true},
		{"::", true},
		{"::1", true},
		{"::ffff:127.0.0.1", true},
		{"::ffff:169.254.169.254", true},
		{"::127.0.0.1", true},
		{"::ffff:0:10.0.0.1", true},
		{"64:ff9b::10.0.0.1", true},
		{"64:ff9b::a9fe:a9fe", true},
		{"64:ff9b:1::8.8.8.8", true},
		{"2002:7f00:0001::", true},
		{"2002:c0a8:0101::1", true},
		{"2001:0:4136:e378:8000:63bf:3fff:fdd2", true},
		{"2001:db8::1", true},
		{"fc00::1", true},
		{"fd12:3456::1", true},
		{"fd00:ec2::254", true},
		{"fe80::1", true},
		{"fe80::1%eth0", true},
		{"fec0::1", true},
		{"ff02::1", true},
	} {
		g, err := newGuard(false, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = g.check(netip.MustParseAddr(tt.addr))
		if (err != nil) != tt.refused {
			t.Errorf("%s: %v", tt.addr, err)
		}
	}
}

func TestAllowList(t *testing.T) {
	g, err := newGuard(false, []string{"10.1.0.0/16", " ::1", "192.168.7.7", "Internal.Example.org."}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for addr, allowed := range map[string]bool{
		"10.1.2.3": true, "::ffff:10.1.2.3": true, "10.2.0.1": false,
		"::1": true, "127.0.0.1": false, "192.168.7.7": true, "192.168.7.8": false,
	} {
		if err := g.check(netip.MustParseAddr(addr)); (err == nil) != allowed {
			t.Errorf("%s: %v", addr, err)
		}
	}
	if !g.hosts["internal.example.org"] {
		t.Errorf("hosts %v", g.hosts)
	}
	for _, wrong := range []string{"", "http://example.org", "10.0.0.0/99", "a b", "*.example.org"} {
		if err := CheckAllowed([]string{wrong}); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func TestPrivateTargetsAreRefusedUnlessAllowed(t *testing.T) {
	var calls atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusFound)
		}
	})
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	names := resolver(t, map[string]string{"inside.example.org.": "127.0.0.1", "allowed.example.org.": "127.0.0.1"})
	byName := "http://inside.example.org:" + port
	for _, tt := range []struct {
		name, url string
		options   Options
		class     schema.HTTPClass
		calls     int64
		message   string
	}{
		{"an address", s.URL, Options{}, schema.HTTPRefused, 0,
			"127.0.0.1 is a loopback address; --http-allow 127.0.0.1 or --http-allow-private would let it be called"},
		{"in another form", "http://[::ffff:127.0.0.1]:" + port, Options{}, schema.HTTPRefused, 0, "127.0.0.1"},
		{"as one number", "http://2130706433:" + port, Options{}, schema.HTTPRefused, 0, "ends in a number"},
		{"a name", byName, Options{Resolver: names}, schema.HTTPRefused, 0, "127.0.0.1"},
		{"all are allowed", byName, Options{Resolver: names, AllowPrivate: true}, schema.HTTPOK, 1, ""},
		{"its network is allowed", byName, Options{Resolver: names, Allow: []string{"127.0.0.0/8"}}, schema.HTTPOK, 1, ""},
		{"its name is allowed", byName, Options{Resolver: names, Allow: []string{"INSIDE.example.org"}}, schema.HTTPOK, 1, ""},
		{"another name is", byName, Options{Resolver: names, Allow: []string{"example.org"}}, schema.HTTPRefused, 0, ""},
		{"a redirect to an address", "http://allowed.example.org:" + port + "?to=" + url.QueryEscape(s.URL),
			Options{Resolver: names, Allow: []string{"allowed.example.org"}}, schema.HTTPRefused, 1, "127.0.0.1"},
		{"a redirect to a name", "http://allowed.example.org:" + port + "?to=" + url.QueryEscape(byName),
			Options{Resolver: names, Allow: []string{"allowed.example.org"}}, schema.HTTPRefused, 1, "127.0.0.1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls.Store(0)
			o := outcome(t.Context(), t, caller(t, tt.options), schema.HTTPCall{TargetURL: tt.url})
			if o.Class != tt.class || calls.Load() != tt.calls || !strings.Contains(o.Message, tt.message) {
				t.Errorf("got %s %q after %d calls", o.Class, o.Message, calls.Load())
			}
		})
	}
}

// The address that is dialled is the one that is checked, and not an earlier resolution of the
// name.
func TestANameThatChangesItsAddressGetsNowhere(t *testing.T) {
	var calls atomic.Int64
	s := serve(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	var asked atomic.Int64
	rebinding := dnsServer(t, func(string) string {
		if asked.Add(1)%2 == 1 {
			return "127.0.0.1"
		}
		return "127.0.0.2"
	})
	// 127.0.0.1 is allowed here; the other is its later resolution.
	w := caller(t, Options{Resolver: rebinding, Allow: []string{"127.0.0.1"}})
	w.transport.DisableKeepAlives = true
	first := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: "http://rebind.example.org:" + port})
	second := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: "http://rebind.example.org:" + port})
	if first.Class != schema.HTTPOK || second.Class != schema.HTTPRefused || calls.Load() != 1 {
		t.Errorf("first %+v, then %+v, %d calls", first, second, calls.Load())
	}
}

func TestAProxyCallsInOurPlace(t *testing.T) {
	var asked atomic.Pointer[string]
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Store(new(r.URL.String()))
		_, _ = io.WriteString(w, "by proxy")
	})
	proxy, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	w := caller(t, Options{Proxy: proxy})
	o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: "http://example.org/hook"})
	if o.Body != "by proxy" || *asked.Load() != "http://example.org/hook" {
		t.Errorf("got %+v", o)
	}
	// The proxy is on this machine; its targets are not.
	for _, target := range []string{
		"http://169.254.169.254/latest", s.URL, "http://127.0.0.1:1/", "http://localhost:1/", "http://a.LOCALHOST./",
		"http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://127.0.0.1./", "http://[::1]/", "http://[::ffff:10.0.0.1]/",
	} {
		asked.Store(nil)
		if o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: target}); o.Class != schema.HTTPRefused || asked.Load() != nil {
			t.Errorf("the proxy was asked for %s: %+v", target, o)
		}
	}
	allowed := caller(t, Options{Proxy: proxy, Allow: []string{"localhost", "127.0.0.2"}})
	for _, target := range []string{"http://localhost:1/", "http://127.0.0.2/", "http://3scale/", "http://a.0xyz/"} {
		if o := outcome(t.Context(), t, allowed, schema.HTTPCall{TargetURL: target}); o.Class != schema.HTTPOK {
			t.Errorf("%s is allowed: %+v", target, o)
		}
	}
}

// The error names a proxy that opens no tunnel, because the status is not the target's.
func TestAProxyThatRefusesATunnel(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	proxy, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	o := outcome(t.Context(), t, caller(t, Options{Proxy: proxy}), schema.HTTPCall{TargetURL: "https://example.org/hook"})
	if o.Class != schema.HTTPNetwork || o.Message != "the proxy answered 502 Bad Gateway" {
		t.Errorf("%+v", o)
	}
}

func TestTheEnvironmentNamesNoProxy(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	w := caller(t, Options{})
	req, err := http.NewRequest(http.MethodGet, "http://example.org", nil)
	if err != nil {
		t.Fatal(err)
	}
	if proxy, err := w.transport.Proxy(req); proxy != nil || err != nil {
		t.Errorf("proxy %v, %v", proxy, err)
	}
}

// resolver answers for some names with IPv4 addresses.
func resolver(t *testing.T, names map[string]string) *net.Resolver {
	return dnsServer(t, func(name string) string { return names[name] })
}

// dnsServer runs a name server that knows A records, and returns a resolver that asks no
// other.
func dnsServer(t *testing.T, address func(name string) string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		query := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(query)
			if errors.Is(err, net.ErrClosed) {
				return
			}
			_, _ = conn.WriteTo(dnsAnswer(query[:n], address), from)
		}
	}()
	t.Cleanup(func() { conn.Close(); <-served })
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		c, err := net.DialUDP("udp", nil, conn.LocalAddr().(*net.UDPAddr))
		return patientConn{c}, err
	}}
}

// A patientConn has longer deadlines, so that no query is repeated after a slow answer, because
// a test may count the queries.
type patientConn struct{ *net.UDPConn }

func (c patientConn) SetDeadline(time.Time) error {
	return c.UDPConn.SetDeadline(time.Now().Add(patience))
}

// dnsAnswer makes a response of a query for one name (RFC 1035, section 4).
func dnsAnswer(query []byte, address func(name string) string) []byte {
	const head = 12
	var name strings.Builder
	i := head
	for query[i] != 0 {
		name.Write(query[i+1 : i+1+int(query[i])])
		name.WriteByte('.')
		i += 1 + int(query[i])
	}
	question := query[head : i+5]
	kind := binary.BigEndian.Uint16(question[len(question)-4:])
	var addr netip.Addr
	if kind == 1 { // A
		addr, _ = netip.ParseAddr(address(name.String()))
	}

	answer := append([]byte{}, query[:2]...)
	answer = append(answer, 0x84, 0x00, 0, 1, 0, 0, 0, 0, 0, 0) // an authoritative response, one question
	answer = append(answer, question...)
	if addr.IsValid() {
		answer[7] = 1
		answer = append(answer, 0xc0, head, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4) // that name, A, IN, no TTL, four bytes
		answer = append(answer, addr.AsSlice()...)
	}
	return answer
}
