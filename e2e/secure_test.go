package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	natsserver "github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/stationmaster-io/stationmaster/e2e/port"
)

// A guarded is a nats-server that requires authentication.
type guarded struct {
	t       *testing.T
	conf    string // its configuration file
	store   string
	port    int
	running *natsserver.Server
}

// guard starts a nats-server from the text of a configuration.
func guard(t *testing.T, conf string) *guarded {
	t.Helper()
	g := &guarded{t: t, conf: file(t, "nats-server.conf", conf), store: t.TempDir()}
	address, err := port.Free()
	if err != nil {
		t.Fatal(err)
	}
	g.port = int(netip.MustParseAddrPort(address).Port())
	g.start()
	t.Cleanup(g.stop)
	return g
}

func (g *guarded) start() {
	g.t.Helper()
	opts, err := natsserver.ProcessConfigFile(g.conf)
	if err != nil {
		g.t.Fatal(err)
	}
	opts.Host, opts.Port, opts.JetStream, opts.StoreDir = "127.0.0.1", g.port, true, g.store
	opts.NoSigs = true
	if g.running, err = natsserver.NewServer(opts); err != nil {
		g.t.Fatal(err)
	}
	var why complaints
	g.running.SetLoggerV2(&why, false, false, false)
	go g.running.Start()
	if !g.running.ReadyForConnections(patience) {
		g.t.Fatalf("nats-server is not ready: %s", why.String())
	}
}

// complaints are the warnings and errors of a nats-server.
type complaints struct {
	mu       sync.Mutex
	messages []string
}

func (c *complaints) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.messages, "; ")
}

func (c *complaints) Errorf(format string, v ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.messages = append(c.messages, fmt.Sprintf(format, v...))
}

func (c *complaints) Fatalf(format string, v ...any) { c.Errorf(format, v...) }
func (c *complaints) Noticef(string, ...any)         {}
func (c *complaints) Warnf(string, ...any)           {}
func (c *complaints) Debugf(string, ...any)          {}
func (c *complaints) Tracef(string, ...any)          {}

func (g *guarded) stop() {
	g.running.Shutdown()
	g.running.WaitForShutdown()
}

// A pass is a set of credentials, as flags of our programs and as options of nats.go.
type pass struct {
	flags []string
	opts  []nats.Option
}

// workBehind runs a scheduler, a worker and a publisher of the program against g, each with
// a pass of its own, and has them work, also after g was restarted under them.
func workBehind(t *testing.T, g *guarded, scheduler, worker, publisher, observer pass) {
	t.Helper()
	observing, err := nats.Connect(fmt.Sprintf("nats://127.0.0.1:%d", g.port), append(observer.opts, nats.Timeout(patience), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond))...)
	if err != nil {
		t.Fatal(err)
	}
	defer observing.Close()
	results, err := observing.SubscribeSync("plan.result.hello.*")
	if err != nil {
		t.Fatal(err)
	}
	if err := observing.FlushTimeout(patience); err != nil {
		t.Fatal(err)
	}
	s := &server{dir: t.TempDir(), nats: "127.0.0.1:0", http: "127.0.0.1:0", flags: scheduler.flags}
	s.spawn()
	t.Cleanup(s.kill9)
	if err := s.ready(); err != nil {
		t.Fatal(err)
	}
	background(t, append([]string{"work", "--station", "hello", "--id", "hello-1"}, append(worker.flags, "--", "cat")...)...)

	for round := range 2 {
		id := fmt.Sprintf("p%d", round)
		// An execution that a leader stored and did not send before it lost its lease is
		// sent again after the start timeout.
		plan := `{"station":"hello","plan_id":"` + id + `","command":"c","plan_type":"none","messages":["hi"],"start_timeout":1,"on_conflict":"keep"}`
		create := append([]string{"plan", "create", "-f", "-", "--timeout", "5s"}, publisher.flags...)
		for deadline := time.Now().Add(patience); ; { // a request during a server's restart may have to be repeated
			_, stderr, code := command(t, plan, create...)
			if code == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("plan create: %d: %s\n%s", code, stderr, s.log)
			}
		}
		for final := false; !final; {
			m, err := results.NextMsg(patience)
			if err != nil {
				t.Fatalf("the result of %s: %v\n%s", id, err, s.log)
			}
			messages, err := inJSON.decode(m.Data)
			if err != nil {
				t.Fatal(err)
			}
			r := body(messages.(map[string]any))
			// The restart may leave in doubt whether a result was stored; then it is
			// broadcast again.
			if final = r.bool("final") && r.text("plan_id") == id; final {
				match(t, "the result", r, body{"plan_id": id, "state": "ok", "content": "hi"})
			}
		}
		if round == 0 {
			back := observing.StatusChanged(nats.CONNECTED)
			g.stop()
			g.start()
			select {
			case <-back: // a broadcast is not repeated
			case <-time.After(patience):
				t.Fatal("the observer is not connected again")
			}
			if err := observing.FlushTimeout(patience); err != nil {
				t.Fatal(err)
			}
		}
	}
	if code := s.terminate(); code != 0 {
		t.Errorf("exit code %d: %s", code, s.log)
	}
}

// background runs the program until the test ends.
func background(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Env = plainEnv()
	log := newLogbook()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("log of %s:\n%s", args[0], log)
		}
	})
}

// file writes a file that is the test's own, and returns its path.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// at adds the address of g to a pass.
func (g *guarded) at(scheme string, p pass) pass {
	p.flags = append([]string{"--nats-url", fmt.Sprintf("%s://127.0.0.1:%d", scheme, g.port)}, p.flags...)
	return p
}

func TestTLSWithCertificatesOnBothSides(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	serverCert, serverKey := authority.issue(t, "nats-server")
	g := guard(t, fmt.Sprintf("tls { cert_file: %q, key_file: %q, ca_file: %q, verify: true }", serverCert, serverKey, authority.path))
	cert, key := authority.issue(t, "stationmaster")
	ours := g.at("tls", pass{
		flags: []string{"--nats-tls-ca", authority.path, "--nats-tls-cert", cert, "--nats-tls-key", key},
		opts:  []nats.Option{nats.RootCAs(authority.path), nats.ClientCert(cert, key)},
	})
	workBehind(t, g, ours, ours, ours, ours)
	refuses(t, g.at("tls", pass{flags: []string{"--nats-tls-ca", authority.path}}), "tls")
	stranger := newAuthority(t)
	refuses(t, g.at("tls", pass{flags: []string{"--nats-tls-ca", stranger.path, "--nats-tls-cert", cert, "--nats-tls-key", key}}), "unknown authority")
}

func TestNKeysOfUsersInAccounts(t *testing.T) {
	t.Parallel()
	seed, public := newUser(t)
	foreign, foreigner := newUser(t)
	g := guard(t, fmt.Sprintf(`
		accounts {
			WORK: { jetstream: enabled, users: [{ nkey: %s }] }
			OTHER: { users: [{ nkey: %s }] }
		}`, public, foreigner))
	option, err := nats.NkeyOptionFromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	ours := g.at("nats", pass{flags: []string{"--nats-nkey", seed}, opts: []nats.Option{option}})
	workBehind(t, g, ours, ours, ours, ours)
	unknown, _ := newUser(t)
	refuses(t, g.at("nats", pass{flags: []string{"--nats-nkey", unknown}}), "Authorization Violation")
	refuses(t, g.at("nats", pass{flags: []string{"--nats-nkey", foreign}}), "no response")
}

func TestCredentialsOfAUserInAnAccount(t *testing.T) {
	t.Parallel()
	operator, system := keyPair(t, nkeys.CreateOperator), keyPair(t, nkeys.CreateAccount)
	account, user := keyPair(t, nkeys.CreateAccount), keyPair(t, nkeys.CreateUser)
	claims := jwt.NewAccountClaims(account.public)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
	sign := func(c jwt.Claims, with keys) string {
		token, err := c.Encode(with.pair)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	g := guard(t, fmt.Sprintf("operator: %s\nsystem_account: %s\nresolver: MEMORY\nresolver_preload: { %s: %s, %s: %s }",
		sign(jwt.NewOperatorClaims(operator.public), operator), system.public,
		system.public, sign(jwt.NewAccountClaims(system.public), operator), account.public, sign(claims, operator)))
	creds, err := jwt.FormatUserConfig(sign(jwt.NewUserClaims(user.public), account), user.seed)
	if err != nil {
		t.Fatal(err)
	}
	path := file(t, "scheduler.creds", string(creds))
	ours := g.at("nats", pass{flags: []string{"--nats-creds", path}, opts: []nats.Option{nats.UserCredentials(path)}})
	workBehind(t, g, ours, ours, ours, ours)
	refuses(t, g.at("nats", pass{}), "Authorization Violation")
}

// The configuration in deploy, with a user for each role.
func TestTheRolesOfTheConfigurationThatIsHandedOut(t *testing.T) {
	conf, err := os.ReadFile(filepath.Join("..", "deploy", "nats-server.conf"))
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []string{"publisher", "observer", "hello-1", "mail-1", "scheduler", "operator"} {
		t.Setenv(strings.ToUpper(strings.ReplaceAll(role, "-", "_"))+"_PASSWORD", "p-"+role)
	}
	g := guard(t, string(conf))
	as := func(role string) pass {
		return pass{
			flags: []string{"--nats-url", fmt.Sprintf("nats://%s:p-%s@127.0.0.1:%d", role, role, g.port), "--nats-inbox-prefix", "_INBOX." + role},
			opts:  []nats.Option{nats.UserInfo(role, "p-"+role), nats.CustomInboxPrefix("_INBOX." + role)},
		}
	}
	workBehind(t, g, as("scheduler"), as("hello-1"), as("publisher"), as("observer"))
}

// refuses checks that a command does not connect, and prints why.
func refuses(t *testing.T, p pass, why string) {
	t.Helper()
	_, stderr, code := command(t, "", append([]string{"plan", "ls"}, p.flags...)...)
	if code != 1 || !strings.Contains(stderr, why) {
		t.Errorf("plan ls ends with %d: %s", code, stderr)
	}
}

// keys are a key pair, its seed and its public half.
type keys struct {
	pair   nkeys.KeyPair
	seed   []byte
	public string
}

func keyPair(t *testing.T, create func() (nkeys.KeyPair, error)) keys {
	t.Helper()
	pair, err := create()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := pair.Seed()
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return keys{pair, seed, public}
}

// newUser creates the file of a seed, and returns the public key for a server.
func newUser(t *testing.T) (seed, public string) {
	t.Helper()
	k := keyPair(t, nkeys.CreateUser)
	return file(t, "user.nk", string(k.seed)), k.public
}

// An authority signs certificates for this machine.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	path string // of its certificate
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{cert, key, file(t, "ca.pem", pemOf("CERTIFICATE", der))}
}

// issue creates the files of a certificate and its key, for a server or a client.
func (a *authority) issue(t *testing.T, name string) (cert, key string) {
	t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, a.cert, own.Public(), a.key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(own)
	if err != nil {
		t.Fatal(err)
	}
	return file(t, name+".pem", pemOf("CERTIFICATE", der)), file(t, name+"-key.pem", pemOf("EC PRIVATE KEY", secret))
}

func pemOf(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
