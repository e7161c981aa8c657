//go:build linux

package chaos

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// hostEnv makes this test binary a nats-server in a process of its own, so that it can be killed
// and stopped without the tests.
const hostEnv = "CHAOS_NATS_SERVER"

// A hostConfig is the configuration of such a server.
type hostConfig struct {
	Name   string
	Listen string
	Dir    string
	// Peers are the cluster addresses of all servers, its own first; empty: alone.
	Peers []string
	// Reached is the address at which the others reach it, if that is not the first of
	// Peers.
	Reached string
}

// hostNATS is the main function of a nats-server.
func hostNATS() int {
	var c hostConfig
	if err := json.Unmarshal([]byte(os.Getenv(hostEnv)), &c); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	o := &server.Options{
		ServerName: c.Name, JetStream: true, StoreDir: c.Dir, NoSigs: true,
		PingInterval: 2 * time.Second, JetStreamMaxStore: 256 << 30, JetStreamMaxMemory: 1 << 30,
	}
	o.Host, o.Port = hostPort(c.Listen)
	if len(c.Peers) > 0 {
		o.Cluster.Name = "hosts"
		// Clients keep the address that they were given, because it may be a proxy's.
		o.Cluster.NoAdvertise = true
		o.Cluster.Host, o.Cluster.Port = hostPort(c.Peers[0])
		o.Cluster.Advertise = c.Reached
		for _, p := range c.Peers[1:] {
			o.Routes = append(o.Routes, &url.URL{Scheme: "nats", Host: p})
		}
	}
	ns, err := server.NewServer(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ns.ConfigureLogger()
	ns.Start()
	if !ns.ReadyForConnections(30 * time.Second) {
		fmt.Fprintln(os.Stderr, "no connections are taken")
		return 1
	}
	fmt.Println("listening")
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM)
	<-stop
	ns.Shutdown()
	ns.WaitForShutdown()
	return 0
}

func hostPort(address string) (string, int) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address, 0
	}
	n, _ := strconv.Atoi(port) // of freeAddress
	return host, n
}

// hosts starts one nats-server alone, or several that form a cluster, so far apart.
func hosts(t *testing.T, count int, apart time.Duration) (servers []*process, addresses []string) {
	t.Helper()
	var peers, reached []string
	for i := range count {
		addresses = append(addresses, freeAddress(t))
		peers = append(peers, freeAddress(t))
		reached = append(reached, peers[i])
		if apart > 0 {
			reached[i] = newDistance(t, peers[i], apart).listener.Addr().String()
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for i, address := range addresses {
		c := hostConfig{Name: "nats" + strconv.Itoa(i), Listen: address, Dir: t.TempDir()}
		if count > 1 {
			c.Peers = append([]string{peers[i]}, append(append([]string{}, reached[:i]...), reached[i+1:]...)...)
		}
		if apart > 0 {
			c.Reached = reached[i]
		}
		config, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		p := newProcess(t, c.Name, self, c.Dir, nil, []string{hostEnv + "=" + string(config)})
		if err := p.spawn(); err != nil {
			t.Fatal(err)
		}
		servers = append(servers, p)
	}
	for _, p := range servers {
		if !p.log.await(0, "listening", p.gone()) {
			t.Fatalf("%s does not listen", p.name)
		}
	}
	return servers, addresses
}

// urls joins addresses as clients take them.
func urls(addresses []string) string {
	var all []string
	for _, a := range addresses {
		all = append(all, "nats://"+a)
	}
	return strings.Join(all, ",")
}
