// Package deploy_test checks the configuration that users copy against its comments. A
// nats-server is started from that very file, and each role tries everything that it may do and
// that it may not do.
package deploy_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/internal/node"
)

// patience bounds operations that should take milliseconds, on a machine that may be busy
// or stall for some seconds.
const patience = 60 * time.Second

const file = "nats-server.conf"

// The users of the file, by role.
const (
	publisher = "publisher"
	observer  = "observer"
	hello     = "hello-1" // the worker of station hello
	mail      = "mail-1"  // the worker of station mail, without presence
	scheduler = "scheduler"
	operator  = "operator"
)

var everybody = []string{publisher, observer, hello, mail, scheduler, operator}

func passwordOf(role string) string { return "password-of-" + role }

// variableOf is the variable in which the file finds the password of a role.
func variableOf(role string) string {
	return strings.ToUpper(strings.ReplaceAll(role, "-", "_")) + "_PASSWORD"
}

// A site is a nats-server with the file's users, and the refusals on each connection to it.
type site struct {
	t      *testing.T
	at     string // nats:// and where the server listens
	users  []*server.User
	prefix string // of the installation, with a dot at its end

	asScheduler func() *nats.Conn // the connection of the scheduler's own process
}

// startServer runs a nats-server from the file, as edited for prefix.
func startServer(t *testing.T, prefix string) *site {
	t.Helper()
	return startEdited(t, prefix, func(text string) string { return text })
}

// startEdited runs it from a file that edit has changed before.
func startEdited(t *testing.T, prefix string, edit func(string) string) *site {
	t.Helper()
	read, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(edit(string(read)))
	for _, role := range everybody {
		t.Setenv(variableOf(role), passwordOf(role))
	}
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, prefixed(t, text, prefix), 0o600); err != nil {
		t.Fatal(err)
	}
	opts, err := server.ProcessConfigFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Settings of the machine, and not of the roles.
	opts.Port, opts.StoreDir, opts.NoLog, opts.NoSigs = server.RANDOM_PORT, t.TempDir(), true, true
	ns, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	go ns.Start()
	t.Cleanup(func() { ns.Shutdown(); ns.WaitForShutdown() })
	if !ns.ReadyForConnections(patience) {
		t.Fatal("nats-server is not ready")
	}
	s := &site{t: t, at: ns.ClientURL(), users: opts.Users}
	s.asScheduler = func() *nats.Conn { return s.connect(scheduler).Conn }
	if prefix != "" {
		s.prefix = prefix + "."
	}
	return s
}

// prefixed applies the commands of the README to the file.
func prefixed(t *testing.T, text []byte, prefix string) []byte {
	t.Helper()
	if prefix == "" {
		return text
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^\s*-e 's/(.*)/(.*)/g'`).FindAllSubmatch(readme, -1)
	if len(commands) == 0 {
		t.Fatal("the README has no commands that add a prefix")
	}
	for _, c := range commands {
		pattern := regexp.MustCompile(string(c[1]))
		with := strings.ReplaceAll(string(c[2]), "acme", prefix)
		text = pattern.ReplaceAll(text, []byte(regexp.MustCompile(`\\(\d)`).ReplaceAllString(with, "$${$1}")))
	}
	return text
}

// url is the address for role, with its password.
func (s *site) url(role string) string {
	return strings.Replace(s.at, "nats://", "nats://"+role+":"+passwordOf(role)+"@", 1)
}

// external is how our programs connect as role.
func (s *site) external(role string) node.External {
	return node.External{URL: s.url(role), InboxPrefix: inboxOf(role)}
}

func inboxOf(role string) string { return "_INBOX." + role }

// A conn is a connection of a role.
type conn struct {
	*nats.Conn
	t        *testing.T
	refusals chan error // refused publications and subscriptions
}

func (s *site) connect(role string) *conn {
	s.t.Helper()
	c := &conn{t: s.t, refusals: make(chan error, 100)}
	var err error
	c.Conn, err = nats.Connect(s.url(role), nats.Timeout(patience), nats.CustomInboxPrefix(inboxOf(role)), nats.NoReconnect(),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if errors.Is(err, nats.ErrPermissionViolation) {
				c.refusals <- err
			}
		}))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(c.Close)
	return c
}

// settled returns the first refusal of all attempts so far, or nil. A refusal is sent
// before the answer to a flush, and handled in order.
func (c *conn) settled() error {
	c.t.Helper()
	if err := c.FlushTimeout(patience); err != nil {
		c.t.Fatal(err)
	}
	// nats.go calls the handler from a queue of its own, so a second refusal, which is
	// certain, marks the end of it.
	if _, err := c.SubscribeSync("no.role.may"); err != nil {
		c.t.Fatal(err)
	}
	var first error
	for {
		select {
		case err := <-c.refusals:
			if strings.Contains(err.Error(), `"no.role.may"`) {
				return first
			}
			if first == nil {
				first = err
			}
		case <-time.After(patience):
			c.t.Fatal("a subscription that no role may have was not refused")
		}
	}
}

// client makes a client that acts as role.
func (s *site) client(role string) *client.Client {
	s.t.Helper()
	c, err := client.New(s.connect(role).Conn, client.Options{Prefix: strings.TrimSuffix(s.prefix, "."), Timeout: patience})
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// schedule runs a scheduler as its role, and waits until it leads. It must work without one
// refusal, because each would be in its log as an error, which fails the test.
func (s *site) schedule() *node.Node {
	s.t.Helper()
	c := node.Default()
	c.NATS = s.external(scheduler)
	return s.start(c)
}

// start runs a node that must not log an error.
func (s *site) start(c node.Config) *node.Node {
	s.t.Helper()
	c.HTTPListen = "127.0.0.1:0"
	c.Log = slog.New(complaints{slog.NewTextHandler(s.t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}), s.t})
	return s.run(c)
}

// run runs a node until the test ends, and waits until it is ready.
func (s *site) run(c node.Config) *node.Node {
	s.t.Helper()
	c.Lease = 15 * time.Second // so that a machine that stalls for a second changes no leader
	c.Prefix = strings.TrimSuffix(s.prefix, ".")
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	n, err := node.Start(ctx, c)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(s.t.Context()), patience)
		defer cancel()
		if err := n.Stop(ctx); err != nil {
			s.t.Error(err)
		}
	})
	if err := n.AwaitReady(ctx); err != nil {
		s.t.Fatal(err)
	}
	return n
}

// complaints fails a test when an error is logged.
type complaints struct {
	slog.Handler
	t *testing.T
}

func (c complaints) WithAttrs(as []slog.Attr) slog.Handler {
	return complaints{c.Handler.WithAttrs(as), c.t}
}

func (c complaints) Handle(ctx context.Context, r slog.Record) error {
	// The embedded server's log has the refusal that settled asks for.
	if r.Level >= slog.LevelError && !strings.Contains(r.Message, `"no.role.may"`) {
		c.t.Errorf("the scheduler logs an error: %s", r.Message)
	}
	return c.Handler.Handle(ctx, r)
}
