package embed

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"golang.org/x/crypto/bcrypt"
)

// Options say where a server keeps its streams and where it listens.
type Options struct {
	StoreDir string // required; one process at a time
	// Listen is host:port. Port 0 or -1 picks a free one; an empty Listen makes a
	// server that is reached in process only.
	Listen string
	Name   string // unique in a cluster; empty: made up

	// SyncAlways has every write on disk before it is acknowledged. Without it
	// SyncInterval says how often the disk is synced, and how much a power cut may
	// lose; 0 means nats-server's 2 minutes.
	SyncAlways   bool
	SyncInterval time.Duration

	// PingInterval decides when a connection that died in silence is dropped, and so
	// for how long executions are sent to a dead worker. 0 means 15 s.
	PingInterval time.Duration

	MaxConns   int   // connections of clients; 0 means nats-server's 65,536
	MaxPayload int32 // bytes of one message; 0 means nats-server's 1 MiB
	MaxStore   int64 // bytes on disk; 0 means the size of the file system, or 32 GiB if that is less
	MaxMemory  int64 // bytes of streams in memory; 0 means three quarters of the RAM

	// Users are who may connect from other processes, see [Server.Connect] for this one.
	// Nil: whoever reaches Listen, for everything.
	Users []User
	TLS   *tls.Config // of connections from other processes; nil: none

	Cluster Cluster // the zero value: a server alone

	// Unwell is told again and again why a server that starts is not healthy yet, although it
	// has recovered its streams, and nil when that is over. It does not wait. Nil: nobody is.
	Unwell func(error)

	Logger *slog.Logger // nil: slog.Default(). nats-server's notices are debug lines
}

// A User may publish and subscribe to these subjects and no others.
type User struct {
	Name, Password     string // the password as it is, or as bcrypt has it
	Publish, Subscribe []string
}

// A Cluster says which servers keep replicas together.
type Cluster struct {
	Name   string
	Listen string   // host:port for the other servers
	Routes []string // URLs of the others: nats://host:port

	// Advertise is the host at which the others reach Listen; empty: the one that it names.
	Advertise string
	// MaxConns is how many connections Listen has at a time that have not shown that they
	// are of a server of the cluster; as many again from the hosts of Routes. 0 means 64.
	MaxConns int

	// User and Password are what all servers of the cluster show each other. Empty: any
	// server that reaches Listen is one of them.
	User, Password string
	TLS            *tls.Config // on both sides of routes; nil: none
}

// native translates the options.
func (o Options) native() (server.Options, error) {
	if o.StoreDir == "" {
		return server.Options{}, errors.New("no store folder given")
	}
	n := server.Options{
		ServerName:         o.Name,
		DontListen:         o.Listen == "",
		JetStream:          true,
		StoreDir:           o.StoreDir,
		SyncAlways:         o.SyncAlways,
		SyncInterval:       o.SyncInterval,
		MaxConn:            o.MaxConns,
		MaxPayload:         o.MaxPayload,
		JetStreamMaxStore:  o.maxStore(),
		JetStreamMaxMemory: o.MaxMemory,
		PingInterval:       o.PingInterval,
		NoSigs:             true,
		// Nearly every subject is one execution's, and used once or twice. A cache of
		// who subscribes to it is then a lock, an entry and its removal for nothing.
		NoSublistCache:  true,
		JetStreamLimits: server.JSLimitOpts{MaxBatchSize: o.maxBatch()},
	}
	if n.PingInterval == 0 {
		n.PingInterval = 15 * time.Second
	}
	if o.TLS != nil {
		n.TLS, n.TLSConfig, n.TLSTimeout = true, o.TLS.Clone(), handshakeSeconds
	}
	var err error
	if o.Listen != "" {
		if n.Host, n.Port, err = hostPort(o.Listen); err != nil {
			return n, fmt.Errorf("listen on %q: %w", o.Listen, err)
		}
	}
	if o.Cluster.Name == "" {
		return n, nil
	}
	return n, o.Cluster.native(&n)
}

// native translates the options of a cluster into n.
func (c *Cluster) native(n *server.Options) (err error) {
	n.Cluster.Name, n.Cluster.Username, n.Cluster.Password = c.Name, c.User, c.Password
	n.Cluster.AuthTimeout = handshakeSeconds
	if c.TLS != nil {
		n.Cluster.TLSConfig, n.Cluster.TLSTimeout = c.TLS.Clone(), handshakeSeconds
	}
	if _, _, err = hostPort(c.Listen); err != nil {
		return fmt.Errorf("listen for the cluster on %q: %w", c.Listen, err)
	}
	// A routePort listens there, and passes on to here.
	n.Cluster.Host, n.Cluster.Port = "127.0.0.1", server.RANDOM_PORT
	for _, r := range c.Routes {
		u, err := url.Parse(r)
		if err != nil {
			return fmt.Errorf("route of the cluster: %w", err)
		}
		if c.User != "" {
			u.User = url.UserPassword(c.User, c.Password)
		}
		n.Routes = append(n.Routes, u)
	}
	return nil
}

func (c *Cluster) maxConns() int {
	if c.MaxConns == 0 {
		return 64
	}
	return c.MaxConns
}

// handshakeSeconds is more than nats-server's two seconds: a machine that stands still for
// as long must not keep out who belongs here.
const handshakeSeconds = 5

// admitUsers has the server ask everybody who they are, and returns how this process
// proves that: by a key that ends with it, and without limits, since it holds the server
// and its folder anyhow.
func (o *Options) admitUsers(n *server.Options) (inside []nats.Option, err error) {
	if len(o.Users) == 0 {
		return nil, nil
	}
	n.AuthTimeout = handshakeSeconds
	for _, u := range o.Users {
		password := u.Password
		if _, err := bcrypt.Cost([]byte(password)); err != nil {
			// The server has no need to know it, and warns where it does.
			hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
			if err != nil {
				return nil, fmt.Errorf("password of %s: %w", u.Name, err)
			}
			password = string(hash)
		}
		n.Users = append(n.Users, &server.User{
			Username: u.Name, Password: password,
			Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: u.Publish},
				Subscribe: &server.SubjectPermission{Allow: u.Subscribe},
			},
		})
	}
	key, err := nkeys.CreateUser()
	if err != nil {
		return nil, fmt.Errorf("make a key for this process: %w", err)
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, fmt.Errorf("make a key for this process: %w", err)
	}
	n.Nkeys = []*server.NkeyUser{{Nkey: public}}
	return []nats.Option{nats.Nkey(public, key.Sign)}, nil
}

// hostPort takes an address apart; nats-server picks a port when it is -1.
func hostPort(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	if port, err = strconv.Atoi(text); err != nil {
		return "", 0, fmt.Errorf("port %q is no number", text)
	}
	if port <= 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}
