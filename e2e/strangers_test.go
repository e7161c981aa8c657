package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/e2e/port"
)

// A listener that other machines reach requires authentication, or --insecure.
func TestAListenerForOthersHasToKnowThem(t *testing.T) {
	t.Parallel()
	here := func(more ...string) []string {
		return append([]string{"serve", "--data-dir", t.TempDir(), "--nats-listen", "127.0.0.1:0", "--http-listen", "127.0.0.1:0"}, more...)
	}
	for message, args := range map[string][]string{
		"--nats-users-file":  here("--nats-listen", "0.0.0.0:0"),
		"nats-listen [::]:0": here("--nats-listen", "[::]:0"),
		"--cluster-key-file": here("--cluster-name", "sm", "--cluster-listen", "0.0.0.0:0", "--cluster-routes", "nats://127.0.0.1:1"),
		"--http-token-file":  here("--http-listen", ":0"),
	} {
		_, errs, code := command(t, "", args...)
		if code != 2 || !strings.Contains(errs, message) || !strings.Contains(errs, "--insecure") || !strings.Contains(errs, "127.0.0.1") {
			t.Errorf("%q: exit code %d, %s", args, code, errs)
		}
	}
	s := start(t, "--nats-listen", "0.0.0.0:0", "--http-listen", "0.0.0.0:0", "--insecure")
	for _, flag := range []string{"--nats-users-file", "--http-token-file"} {
		if lines := s.log.grep(flag); len(lines) != 1 || !strings.Contains(lines[0], "level=WARN") {
			t.Errorf("of %s the log has %q", flag, lines)
		}
	}
}

// A cluster of our servers with TLS and a key on its routes, and a foreign nats-server that
// reaches it.
func TestAStrangersServerIsNoneOfTheCluster(t *testing.T) {
	t.Parallel()
	const key, users = "sm 0123456789abcdef0123", "ops 0123456789abcdefg operator\nhello-1 0123456789abcdefg worker hello\n"
	ours, other := newAuthority(t), newAuthority(t)
	cert, secret := ours.issue(t, "node")
	nodes, at := newCluster(t, "--log-level", "debug", "--cluster-key-file", file(t, "cluster.key", key),
		"--cluster-tls-cert", cert, "--cluster-tls-key", secret, "--cluster-tls-ca", ours.path,
		"--nats-users-file", file(t, "users", users), "--nats-listen-tls-cert", cert, "--nats-listen-tls-key", secret)
	for what, stranger := range map[string]stranger{
		"without anything":               {},
		"with a certificate and no key":  {by: ours},
		"with a certificate and a guess": {by: ours, user: url.UserPassword("sm", "0123456789abcdef0124")},
		"with the key and no TLS":        {user: url.UserPassword("sm", "0123456789abcdef0123")},
		"with a certificate of others":   {by: other, user: url.UserPassword("sm", "0123456789abcdef0123")},
	} {
		if stranger.joins(t, at) {
			t.Errorf("%s it is one of the cluster", what)
		}
	}
	member := stranger{by: ours, user: url.UserPassword("sm", "0123456789abcdef0123")}
	if !member.joins(t, at) {
		t.Error("a server with both does not join")
	}

	// Its users work, at either server, and no other client connects.
	trusted := nats.RootCAs(ours.path)
	worker, err := nats.Connect("tls://"+nodes[1].nats, trusted, nats.UserInfo("hello-1", "0123456789abcdefg"), nats.CustomInboxPrefix("_INBOX.hello-1"), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer worker.Close()
	if _, err := worker.QueueSubscribe("station.hello", "hello", func(m *nats.Msg) { _ = m.Respond([]byte(`{"state":"ok"}`)) }); err != nil {
		t.Fatal(err)
	}
	if err := worker.FlushTimeout(patience); err != nil {
		t.Fatal(err)
	}
	ops, err := nats.Connect("tls://"+nodes[0].nats, trusted, nats.UserInfo("ops", "0123456789abcdefg"), nats.CustomInboxPrefix("_INBOX.ops"), nats.Timeout(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer ops.Close()
	results, err := ops.SubscribeSync("plan.result.hello.*")
	if err != nil {
		t.Fatal(err)
	}
	flag, err := ops.Request("plans.create", []byte(`{"station":"hello","plan_id":"p","command":"c","plan_type":"none"}`), patience)
	if err != nil || strings.Contains(string(flag.Data), "error") {
		t.Fatalf("%v, %s", err, flag.Data)
	}
	if m, err := results.NextMsg(patience); err != nil || !strings.Contains(string(m.Data), `"state":"ok"`) {
		t.Errorf("the result is %v, %v", m, err)
	}
	for what, options := range map[string][]nats.Option{
		"without a user":         {trusted},
		"with a wrong password":  {trusted, nats.UserInfo("ops", "0123456789abcdefh")},
		"without the authority":  {nats.UserInfo("ops", "0123456789abcdefg")},
		"as this process itself": {trusted, nats.UserInfo("this process", "")},
	} {
		if nc, err := nats.Connect("tls://"+nodes[0].nats, append(options, nats.Timeout(patience))...); err == nil {
			nc.Close()
			t.Errorf("%s a client connects", what)
		}
	}
	for _, s := range nodes {
		for _, secret := range []string{"0123456789abcdef", url.QueryEscape(key)} {
			for line := range strings.Lines(s.log.String()) {
				if strings.Contains(line, secret) {
					t.Errorf("the log has a password: %s", line)
				}
			}
		}
	}
}

// With a CA for clients' certificates, a client has to show one.
func TestAClientShowsACertificateWhereOneIsAsked(t *testing.T) {
	t.Parallel()
	ours, other := newAuthority(t), newAuthority(t)
	cert, key := ours.issue(t, "node")
	s := start(t, "--nats-listen-tls-cert", cert, "--nats-listen-tls-key", key, "--nats-listen-tls-ca", ours.path)
	connect := func(more ...nats.Option) error {
		nc, err := nats.Connect("tls://"+s.nats, append(more, nats.RootCAs(ours.path), nats.Timeout(patience))...)
		if err == nil {
			nc.Close()
		}
		return err
	}
	if err := connect(nats.ClientCert(ours.issue(t, "client"))); err != nil {
		t.Errorf("with a certificate: %v", err)
	}
	if err := connect(nats.ClientCert(other.issue(t, "client"))); err == nil {
		t.Error("a certificate of others is taken")
	}
	if err := connect(); err == nil {
		t.Error("no certificate is asked for")
	}
}

// Without a key, on this machine, any server joins the cluster. This shows that the test
// above would notice it.
func TestWithoutAKeyAnyServerIsOneOfTheCluster(t *testing.T) {
	t.Parallel()
	_, at := newCluster(t)
	if !(&stranger{}).joins(t, at) {
		t.Error("a server that should be one of the cluster is none")
	}
}

// newCluster starts three servers of ours that are a cluster; strangers reach it at the
// address where the first listens for the others.
func newCluster(t *testing.T, flags ...string) (nodes [3]*server, at string) {
	t.Helper()
	nodes, listens := clusterOf(t, 0, flags...)
	return nodes, listens[0]
}

// clusterOf is newCluster of processes with a limit of open files. It returns the cluster
// address of each.
func clusterOf(t *testing.T, files int, flags ...string) (nodes [3]*server, listens [3]string) {
	t.Helper()
	for i := range listens {
		listens[i] = freeAddress(t)
	}
	routes := "nats://" + strings.Join(listens[:], ",nats://")
	for i := range nodes {
		nodes[i] = &server{
			dir: t.TempDir(), nats: freeAddress(t), http: freeAddress(t), files: files,
			flags: append([]string{"--cluster-name", "sm", "--cluster-listen", listens[i], "--cluster-routes", routes}, flags...),
		}
		nodes[i].spawn()
		t.Cleanup(nodes[i].kill9)
	}
	for _, s := range nodes {
		if err := s.ready(); err != nil {
			t.Fatal(err)
		}
	}
	return nodes, listens
}

func freeAddress(t *testing.T) string {
	t.Helper()
	address, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// A stranger is a nats-server that knows the name of the cluster, and perhaps more.
type stranger struct {
	by   *authority // of its certificate; nil: no TLS
	user *url.Userinfo
}

// joins runs the stranger until a client of it reaches the scheduler of the cluster at that
// address, or it was refused twice.
func (s *stranger) joins(t *testing.T, cluster string) bool {
	t.Helper()
	opts := &natsserver.Options{ServerName: "stranger", Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoSigs: true}
	opts.Cluster = natsserver.ClusterOpts{Name: "sm", Host: "127.0.0.1", Port: natsserver.RANDOM_PORT}
	opts.Routes = []*url.URL{{Scheme: "nats", Host: cluster, User: s.user}}
	if s.by != nil {
		opts.Cluster.TLSConfig, opts.Cluster.TLSTimeout = s.by.both(t), 5
	}
	ns, err := natsserver.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	diary := new(routeDiary)
	ns.SetLoggerV2(diary, true, false, false)
	go ns.Start()
	defer func() { ns.Shutdown(); ns.WaitForShutdown() }()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	if !ns.ReadyForConnections(patience) {
		t.Fatalf("it does not start: %s", diary)
	}
	nc, err := nats.Connect("", nats.InProcessServer(ns))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	for end := time.Now().Add(patience); time.Now().Before(end); <-look.C {
		// A route counts here before the other side has checked its password.
		if ns.NumRoutes() > 0 {
			if _, err := nc.Request("plans.list", nil, time.Second); err == nil {
				return true
			}
		}
		if diary.lost.Load() >= 2 {
			return false
		}
	}
	t.Fatalf("it neither joins nor is refused: %s", diary)
	return false
}

// A routeDiary counts the losses of routes that were asked for.
type routeDiary struct {
	complaints
	lost atomic.Int32
}

func (d *routeDiary) Debugf(format string, v ...any) {
	line := fmt.Sprintf(format, v...)
	if strings.Contains(line, "Attempting reconnect for solicited route") {
		d.lost.Add(1)
	}
	d.Errorf("%s", line)
}

// both is TLS with a certificate of a, which the peers have to have, too.
func (a *authority) both(t *testing.T) *tls.Config {
	t.Helper()
	cert, key := a.issue(t, "stranger")
	own, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(a.path)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return &tls.Config{Certificates: []tls.Certificate{own}, RootCAs: pool, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12}
}
