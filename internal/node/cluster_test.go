package node

import (
	"net"
	"os"
	"slices"
	"testing"
)

func TestFactsThatAServerGivesToTheCluster(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	own := []string{"127.0.0.1"}
	for _, a := range addresses {
		if ip, _, err := net.ParseCIDR(a.String()); err == nil {
			own = append(own, ip.String())
		}
	}
	others := []string{"nats://192.0.2.1:6222", "nats://b.example:6222"}
	with := func(more string) []string { return append(slices.Clone(others), more) }
	for listen, tt := range map[string]struct {
		routes []string
		want   []string // one of these
	}{
		"192.0.2.9:6222":    {others, []string{""}}, // the host of the flag
		"a.example:6222":    {others, []string{""}},
		"127.0.0.1:0":       {others, []string{""}},
		"0.0.0.0:6222":      {with("nats://" + name + ":6222"), []string{name}},
		"[::]:6222":         {with("nats://" + name + ".sm.svc:6222"), []string{name + ".sm.svc"}},
		":6222":             {with("nats://127.0.0.1:6222"), []string{"127.0.0.1"}},
		"0.0.0.0:6223":      {with("nats://" + name + ":6222"), own}, // another's port
		"0:0:0:0:0:0:0:0:1": {nil, []string{""}},                     // refused elsewhere
	} {
		c := Cluster{Listen: listen, Routes: tt.routes}
		if got := c.advertised(); !slices.Contains(tt.want, got) {
			t.Errorf("%s, %q: %q, want one of %q", listen, tt.routes, got, tt.want)
		}
	}
}
