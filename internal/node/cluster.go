package node

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stationmaster-io/stationmaster/broker/embed"
	"github.com/stationmaster-io/stationmaster/schema"
)

// A Cluster is the embedded nats-servers of several nodes, which keep replicas of
// everything together. All nodes give the same Name and Routes.
type Cluster struct {
	Name string
	// Listen is host:port for the other servers.
	Listen string
	// Routes are the URLs of all servers, or of the others: nats://host:port.
	Routes []string
	// KeyFile names a file with a name and a password, which all servers of the cluster
	// show each other; it is read once. Empty: any server that reaches Listen is one of
	// them.
	KeyFile string
	// TLS is shown on both sides of the connections between servers.
	TLS TLS
}

// validate returns an error for each mistake in c.
func (c *Cluster) validate(embedded bool) (errs []error) {
	wrong := func(is bool, format string, args ...any) {
		if is {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	if c.Name == "" {
		wrong(c.Listen != "" || len(c.Routes) > 0, "--cluster-name: give the name that all nodes of the cluster use")
		return errs
	}
	wrong(!embedded, "--cluster-name is for the embedded nats-server: leave out --nats-url")
	err := schema.CheckID(c.Name)
	wrong(err != nil, "--cluster-name %q %v", c.Name, err)
	_, _, err = net.SplitHostPort(c.Listen)
	wrong(err != nil, "--cluster-listen %q: give host:port, which the other nodes reach", c.Listen)
	wrong(len(c.Routes) == 0, "--cluster-routes: give nats://host:port of the other nodes, with commas between")
	for _, r := range c.Routes {
		u, err := url.Parse(r)
		wrong(err != nil || u.Host == "" || u.Port() == "", "--cluster-routes %q: give nats://host:port", r)
	}
	return errs
}

// size is the number of servers in the cluster as its routes have it; they may name this
// server, too.
func (c *Cluster) size() int {
	if c.Name == "" {
		return 0
	}
	var hosts []string
	self := false
	for _, r := range c.Routes {
		u, err := url.Parse(r)
		if err != nil || slices.Contains(hosts, u.Host) {
			continue
		}
		hosts = append(hosts, u.Host)
		self = self || sameAddress(u.Host, c.Listen)
	}
	if self {
		return len(hosts)
	}
	return len(hosts) + 1
}

// advertised is the host at which the other servers reach Listen; empty: the host in
// Listen. A server that listens on every address of its machine finds itself in Routes, or
// takes an address of the machine.
func (c *Cluster) advertised() string {
	own, _, err := net.SplitHostPort(c.Listen)
	if ip := net.ParseIP(own); err != nil || own != "" && (ip == nil || !ip.IsUnspecified()) {
		return ""
	}
	for _, r := range c.Routes {
		if u, err := url.Parse(r); err == nil && sameAddress(u.Host, c.Listen) {
			return u.Hostname()
		}
	}
	addresses, _ := net.InterfaceAddrs() // without any address it is reached from this machine alone
	for _, a := range addresses {
		if ip, _, err := net.ParseCIDR(a.String()); err == nil && ip.IsGlobalUnicast() {
			return ip.String()
		}
	}
	return "127.0.0.1"
}

// sameAddress reports whether a server that listens on listen is reached at address.
func sameAddress(address, listen string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	own, ownPort, err := net.SplitHostPort(listen)
	if err != nil || port != ownPort {
		return false
	}
	if ip := net.ParseIP(own); host == own || own != "" && (ip == nil || !ip.IsUnspecified()) {
		return host == own
	}
	// The server listens on every address of this machine.
	name, err := os.Hostname()
	if err == nil && (host == name || strings.HasPrefix(name, host+".") || strings.HasPrefix(host, name+".")) {
		return true
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(addresses, func(a net.Addr) bool {
		ip, _, err := net.ParseCIDR(a.String())
		return err == nil && ip.String() == host
	})
}

// nameFile keeps the name of a node of a cluster in its data folder.
const nameFile = "node"

// keepName stores the name of a cluster's node that was given none, because the servers of
// a cluster know each other by name, so that a server that came back with another name
// would be a new one without data.
func keepName(dir, made string) (string, error) {
	file := filepath.Join(dir, nameFile)
	kept, err := os.ReadFile(file)
	switch {
	case err == nil:
		return strings.TrimSpace(string(kept)), nil
	case !errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("read the node's name: %w", err)
	}
	if err := embed.CheckPlace(dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return "", fmt.Errorf("keep the node's name: %w", err)
	}
	if err := os.WriteFile(file, []byte(made+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("keep the node's name: %w", err)
	}
	return made, nil
}
