package httpworker

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stationmaster-io/stationmaster/schema"
)

// privateForms are hosts that some reader of addresses takes for a private one, which is this
// machine, its network, or the place where clouds keep credentials.
var privateForms = []string{
	"127.0.0.1", "127.0.0.1.", "127.255.255.254", "127.1", "127.0.1", "127.0.0.1.nip.io",
	"2130706433", "0x7f000001", "0X7F000001", "017700000001", "0x7f.1", "0x7f.0x0.0x0.0x1", "0177.0.0.1", "0177.0.0.01", "00000177.0.0.1", "127.0.0.0x1",
	"0", "0.0.0.0", "0x0", "00", "10.0.0.1", "10.1", "012.1", "172.16.0.1", "192.168.1.1", "192.168.257", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
	"169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518", "169.16689662", "metadata.google.internal", "instance-data",
	"localhost", "LOCALHOST", "localhost.", "a.localhost", "loc%61lhost", "%31%32%37.0.0.1",
	"１２７.０.０.１", "①②⑦.⓪.⓪.①", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "ｌｏｃａｌｈｏｓｔ", "localhoſt",
	"[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::1%25lo]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:7F00:0001]", "[::ffff:0:127.0.0.1]",
	"[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::127.0.0.1]", "[2002:7f00:1::]", "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
	"[fe80::1]", "[fe80::1%25eth0]", "[fec0::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]",
	"example.org@127.0.0.1", "127.0.0.1\\@example.org", "127.0.0.1%00.example.org", "127.0.0.1%2f.example.org", "127.0.0.1%09", "127.0.0.1%20", "[::1]x", "[127.0.0.1]",
}

// acceptable reports that a plan with a call would be created.
func acceptable(t *testing.T, call schema.HTTPCall) bool {
	t.Helper()
	_, err := callOf(execution(t, call))
	return err == nil
}

// A private address is refused in every form, when its plan is created or
// when it is dialled. The name server here has it that every name is 127.0.0.1, as the C
// library has it of 0177.1.
func TestNoFormOfAPrivateAddressIsCalled(t *testing.T) {
	var calls atomic.Int64
	s := serve(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	w := caller(t, Options{Resolver: dnsServer(t, func(string) string { return "127.0.0.1" })})
	for _, host := range privateForms {
		call := schema.HTTPCall{TargetURL: "http://" + host + ":" + port + "/"}
		if !acceptable(t, call) {
			continue
		}
		o := outcome(t.Context(), t, w, call)
		if o.Class != schema.HTTPRefused {
			t.Errorf("%s: %s %q", host, o.Class, o.Message)
		}
	}
	if calls.Load() > 0 {
		t.Errorf("%d calls came through", calls.Load())
	}
}

// Through a proxy, which resolves names itself, no private address is requested, nor a name that
// the proxy could read as one.
func TestNoFormOfAPrivateAddressReachesAProxy(t *testing.T) {
	var asked atomic.Pointer[url.URL]
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { asked.Store(r.URL) })
	proxy, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	w := caller(t, Options{Proxy: proxy})
	for _, host := range privateForms {
		asked.Store(nil)
		call := schema.HTTPCall{TargetURL: "http://" + host + "/"}
		if !acceptable(t, call) {
			continue
		}
		o := outcome(t.Context(), t, w, call)
		to := asked.Load()
		if to == nil {
			if o.Class != schema.HTTPRefused {
				t.Errorf("%s: %s %q", host, o.Class, o.Message)
			}
			continue
		}
		name := strings.TrimSuffix(to.Hostname(), ".")
		last := name[strings.LastIndexByte(name, '.')+1:]
		_, err := netip.ParseAddr(name)
		if err == nil || isNumber(last) || last == "localhost" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
			t.Errorf("%s: the proxy is asked for %s", host, to)
		}
	}
}

// No call uses the proxy of the environment.
func TestTheEnvironmentRedirectsNoCall(t *testing.T) {
	var asked atomic.Int64
	detour := serve(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"} {
		t.Setenv(name, detour.URL)
	}
	t.Setenv("NO_PROXY", "")
	t.Setenv("no_proxy", "")
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "the target") })
	_, port, _ := net.SplitHostPort(target.Listener.Addr().String())
	w := caller(t, Options{AllowPrivate: true, Resolver: resolver(t, map[string]string{"target.example.org.": "127.0.0.1"})})
	o := outcome(t.Context(), t, w, schema.HTTPCall{TargetURL: "http://target.example.org:" + port})
	if o.Body != "the target" || asked.Load() > 0 {
		t.Errorf("%+v, and %d requests elsewhere", o, asked.Load())
	}
}
