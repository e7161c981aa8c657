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

// Options are the folder of a server's streams, its addresses and its limits.
type Options struct {
	StoreDir string // required; one process at a time
	// Listen is host:port. Port 0 or -1 picks a free one; an empty Listen makes a
	// server that is reached in process only.
	Listen string
	Name   string // unique in a cluster; empty: random

	// SyncAlways puts every write on disk before it is acknowledged. Without it
	// SyncInterval is the time between two syncs, and so the time of which a power cut may
	// lose the writes; 0 means nats-server's 2 minutes.
	SyncAlways   bool
	SyncInterval time.Duration

	// PingInterval bounds the time until a silent connection is dropped, and so the time
	// for which executions are sent to a dead worker. 0 means 15 s.
	PingInterval time.Duration

	MaxConns   int   // connections of clients; 0 means nats-server's 65,536
	MaxPayload int32 // bytes of one message; 0 means nats-server's 1 MiB
	MaxStore   int64 // bytes on disk; 0 means the size of the file system, or 32 GiB if that is less
	MaxMemory  int64 // bytes of streams in memory; 0 means three quarters of the RAM

	// Users are the users from other processes; see [Server.Connect] for this one. Nil:
	// every client that reaches Listen may do everything.
	Users []User
	TLS   *tls.Config // of connections from other processes; nil: none

	Cluster Cluster // the zero value: a server alone

	// Unwell is called again and again with the reason why a server that starts is not
	// healthy yet, although it has recovered its streams, and with nil when that is over.
	// It must not block. Nil: no call.
	Unwell func(error)

	Logger *slog.Logger // nil: slog.Default(). nats-server's notices are debug lines
}

// A User may publish and subscribe to these subjects and no others.
type User struct {
	Name, Password     string // plain, or a bcrypt hash
	Publish, Subscribe []string
}

// A Cluster is a number of servers that keep replicas together.
type Cluster struct {
	Name   string
	Listen string   // host:port for the other servers
	Routes []string // URLs of the others: nats://host:port

	// Advertise is the host at which the others reach Listen; empty: the host in Listen.
	Advertise string
	// MaxConns is the number of connections that Listen has at a time from peers that have
	// not authenticated as servers of the cluster; as many again from the hosts of Routes.
	// 0 means 64.
	MaxConns int

	// User and Password authenticate the servers of the cluster to each other. Empty: any
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
		// Nearly every subject is one execution's, and used once or twice. An entry in the
		// cache of subscriptions would cost a lock and its removal, and save nothing.
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

// handshakeSeconds is more than nats-server's two seconds, because a machine that stalls
// for as long must not keep out its own nodes.
const handshakeSeconds = 5

// admitUsers makes the server require authentication, and returns the credentials of this
// process. They are a key that ends with it, and without limits, because the process holds the
// server and its folder anyhow.
func (o *Options) admitUsers(n *server.Options) (inside []nats.Option, err error) {
	if len(o.Users) == 0 {
		return nil, nil
	}
	n.AuthTimeout = handshakeSeconds
	for _, u := range o.Users {
		password := u.Password
		if _, err := bcrypt.Cost([]byte(password)); err != nil {
			// A hash is enough for the server, which warns of a plain password.
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
