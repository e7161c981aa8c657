//go:build linux

package chaos

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A setup is the shape of an installation.
type setup struct {
	name       string
	hosts      int // nats-servers of their own; 0: the nodes have theirs, in a cluster if there are several
	nodes      int
	partitions int
	apart      time.Duration // the delay of a message from one host to another
	timed      bool          // the nodes have clocks that can be set
}

var setups = []setup{
	{name: "alone", nodes: 1, partitions: 1},
	{name: "one", hosts: 1, nodes: 3, partitions: 1},
	{name: "cluster", nodes: 3, partitions: 1},
	{name: "partitions", hosts: 3, nodes: 3, partitions: 4},
}

// An installation is the processes of one, with their connections.
type installation struct {
	t *testing.T
	setup
	hosts []*process
	nodes []*node
	// addresses are those of the nats-servers for clients.
	addresses []string
	dozing    sync.WaitGroup // readers that do not read

	mu      sync.Mutex
	leaders map[int]lead  // by partition, from the leases
	newest  map[int]int64 // highest epoch of a lease, by partition
}

// A lead is the leader of a partition.
type lead struct {
	node  string
	epoch int64
}

// A node is one `serve` process.
type node struct {
	*process
	http  string
	links []*proxy // its proxies to the nats-servers; none with an embedded one
	since int      // the line of its log at which its present life begins
	// wanted is false for a node that is to end.
	wanted bool
}

// newInstallation has no nodes yet.
func newInstallation(t *testing.T, s setup) *installation {
	return &installation{t: t, setup: s, leaders: map[int]lead{}, newest: map[int]int64{}}
}

// build starts an installation and waits until all of it is ready.
func build(t *testing.T, s setup, flags ...string) *installation {
	t.Helper()
	in := newInstallation(t, s)
	var addresses []string
	if s.hosts > 0 {
		in.hosts, addresses = hosts(t, s.hosts, s.apart)
	}
	flags = append([]string{"--results-per-plan", "1000000", "--partitions", strconv.Itoa(s.partitions)}, flags...)
	var natsAt, clusterAt []string
	for range s.nodes {
		natsAt, clusterAt = append(natsAt, freeAddress(t)), append(clusterAt, freeAddress(t))
	}
	for i := range s.nodes {
		n, dir := &node{http: freeAddress(t)}, ""
		args := append([]string{"serve", "--node", "n" + strconv.Itoa(i), "--http-listen", n.http}, flags...)
		if s.hosts > 0 {
			var ways []string
			first := i % len(addresses)
			n.links, ways = newProxies(t, slices.Concat(addresses[first:], addresses[:first]))
			args = append(args, "--nats-url", urls(ways))
			if s.hosts >= 3 {
				args = append(args, "--replicas", "3")
			}
		} else {
			dir = t.TempDir()
			args = append(args, "--data-dir", dir, "--nats-listen", natsAt[i])
			if s.nodes > 1 {
				args = append(args, "--cluster-name", "chaos", "--cluster-listen", clusterAt[i], "--cluster-routes", urls(clusterAt))
			}
		}
		n.process = newProcess(t, "n"+strconv.Itoa(i), binary, dir, args, nil)
		n.timed = s.timed
		in.nodes = append(in.nodes, n)
	}
	if s.hosts == 0 {
		addresses = natsAt
	}
	in.addresses = addresses
	for _, n := range in.nodes {
		in.start(n)
	}
	for _, n := range in.nodes {
		in.awaitReady(n)
	}
	in.watchLeaders()
	return in
}

// servers are the processes that have nats-servers.
func (in *installation) servers() []*process {
	if len(in.hosts) > 0 {
		return slices.Clone(in.hosts)
	}
	var all []*process
	for _, n := range in.nodes {
		all = append(all, n.process)
	}
	return all
}

// start begins a life of a node.
func (in *installation) start(n *node) {
	n.since = n.log.mark()
	n.wanted = true
	if err := n.spawn(); err != nil {
		in.t.Fatal(err)
	}
}

func (in *installation) awaitReady(n *node) {
	if !n.log.await(n.since, "msg=ready", n.gone()) {
		in.stuck("%s is not ready", n.name)
	}
}

// stuck ends a test that cannot go on, with the stacks of every process under -keep.
func (in *installation) stuck(format string, args ...any) {
	in.t.Helper()
	if *keep != "" {
		all := slices.Clone(in.hosts)
		for _, n := range in.nodes {
			all = append(all, n.process)
		}
		for _, p := range all {
			p.signal(syscall.SIGQUIT)
			if gone := p.gone(); gone != nil {
				<-gone
			}
		}
	}
	in.t.Fatalf(format, args...)
}

// jetStream is JetStream on a connection of its own, past all proxies.
func (in *installation) jetStream(name string) jetstream.JetStream {
	in.t.Helper()
	js, err := jetstream.New(in.connect(name), jetstream.WithDefaultTimeout(patience))
	if err != nil {
		in.t.Fatal(err)
	}
	return js
}

// connect opens a plain connection past all proxies.
func (in *installation) connect(name string, opts ...nats.Option) *nats.Conn {
	return in.connectBy(name, in.addresses, opts...)
}

// connectBy opens a plain connection to any of these addresses.
func (in *installation) connectBy(name string, addresses []string, opts ...nats.Option) *nats.Conn {
	nc, err := nats.Connect(urls(addresses), append([]nats.Option{
		nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(50 * time.Millisecond),
		nats.ReconnectJitter(10*time.Millisecond, 0), nats.PingInterval(time.Second), nats.RetryOnFailedConnect(true),
		nats.IgnoreAuthErrorAbort(),
	}, opts...)...)
	if err != nil {
		in.t.Fatal(err)
	}
	in.t.Cleanup(nc.Close)
	return nc
}

// watchLeaders records the leader of each partition from the renewals of leases. A late
// renewal by a leader that was cut off is seen, too, though another node has the lease by
// then.
func (in *installation) watchLeaders() {
	nc := in.connect("leaders")
	_, err := nc.Subscribe("$KV.leaders.*", func(m *nats.Msg) {
		p, err := strconv.Atoi(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:])
		var r struct {
			Node     string `json:"node"`
			Epoch    int64  `json:"epoch"`
			Released bool   `json:"released"`
		}
		if err != nil || json.Unmarshal(m.Data, &r) != nil {
			return
		}
		in.noteLease(p, lead{r.Node, r.Epoch}, r.Released)
	})
	if err != nil {
		in.t.Fatal(err)
	}
}

// noteLease records a renewal or release of partition p's lease.
func (in *installation) noteLease(p int, l lead, released bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if l.epoch > 0 && l.epoch < in.newest[p] {
		return
	}
	in.newest[p] = max(in.newest[p], l.epoch)
	if released || l.epoch == 0 {
		delete(in.leaders, p)
	} else {
		in.leaders[p] = l
	}
}

// leads lists the partitions that a node leads.
func (in *installation) leads(name string) []int {
	in.mu.Lock()
	defer in.mu.Unlock()
	var all []int
	for p, l := range in.leaders {
		if l.node == name {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

// leader returns the leader of a partition, and its epoch.
func (in *installation) leader(p int) (*node, int64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	l := in.leaders[p]
	for _, n := range in.nodes {
		if n.name == l.node {
			return n, l.epoch
		}
	}
	return nil, 0
}

// forget drops the leases of a node that was just killed, so that a lease which it no
// longer renews is not taken for one that it holds.
func (in *installation) forget(name string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for p, l := range in.leaders {
		if l.node == name {
			delete(in.leaders, p)
		}
	}
}

func (in *installation) String() string {
	servers := fmt.Sprint(in.setup.hosts, " nats-server")
	switch {
	case in.setup.hosts == 0 && in.setup.nodes > 1:
		servers = "embedded cluster"
	case in.setup.hosts == 0:
		servers = "embedded nats-server"
	}
	return fmt.Sprintf("%s: %s, %d nodes, %d partitions", in.name, servers, in.setup.nodes, in.setup.partitions)
}
