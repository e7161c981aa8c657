package node

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/broker/embed"
)

const (
	// reconnectWait is a tenth of nats.go's, because a leader that is cut off for longer
	// than its lease has lost it.
	reconnectWait = 100 * time.Millisecond
	// pingInterval lets a client notice a frozen server after three of them.
	pingInterval = time.Second
	// handshake is longer than nats.go's 2 s, because a machine that stalls for as long
	// must not end a node that starts.
	handshake = 5 * time.Second
	// firstConnect bounds the wait for a server that does not listen yet.
	firstConnect = 10 * time.Second
)

// connect opens a connection that never gives up, in process or to the external
// server. purpose names it in the server's list of connections.
func (c *Config) connect(ctx context.Context, server *embed.Server, purpose string, more ...nats.Option) (*nats.Conn, error) {
	log := c.Log.With("connection", purpose)
	opts := append([]nats.Option{
		nats.Name("stationmaster " + c.Node + " " + purpose),
		nats.Timeout(handshake),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(reconnectWait),
		nats.ReconnectJitter(reconnectWait/2, reconnectWait/2),
		nats.PingInterval(pingInterval),
		nats.IgnoreAuthErrorAbort(),
		logged(log),
		nats.ErrorHandler(newAsyncErrors(log).handle),
	}, more...)
	if server != nil {
		return dial(ctx, func() (*nats.Conn, error) { return server.Connect(opts...) })
	}
	return dial(ctx, func() (*nats.Conn, error) { return c.NATS.connect(opts...) })
}

// logged writes to the log when a connection is lost, and when it is back.
func logged(log *slog.Logger) nats.Option {
	return func(o *nats.Options) error {
		o.DisconnectedErrCB = func(_ *nats.Conn, err error) {
			if err != nil { // nil: the node closed it
				log.Warn("disconnected from nats", "error", err)
			}
		}
		o.ReconnectedCB = func(nc *nats.Conn) {
			if nc.Opts.InProcessServer != nil {
				log.Info("reconnected to nats, in process")
				return
			}
			log.Info("reconnected to nats", "url", redacted(nc.ConnectedUrl()))
		}
		return nil
	}
}

// options are the options for credentials, inboxes and TLS.
func (e External) options() []nats.Option {
	var opts []nats.Option
	if e.Creds != "" {
		opts = append(opts, nats.UserCredentials(e.Creds))
	}
	if e.NKey != "" {
		opts = append(opts, func(o *nats.Options) error {
			nkey, err := nats.NkeyOptionFromSeed(e.NKey)
			if err != nil {
				return fmt.Errorf("read nkey %s: %w", e.NKey, err)
			}
			return nkey(o)
		})
	}
	if e.InboxPrefix != "" {
		opts = append(opts, nats.CustomInboxPrefix(e.InboxPrefix))
	}
	if e.TLSCA != "" {
		opts = append(opts, nats.RootCAs(e.TLSCA))
	}
	if e.TLSCert != "" {
		opts = append(opts, nats.ClientCert(e.TLSCert, e.TLSKey))
	}
	return opts
}

// Connect opens a connection for a client's own use. It tries once, for timeout with each
// server; a connection that is lost later is opened again, for ever. The log has both.
func (e External) Connect(name string, timeout time.Duration, log *slog.Logger) (*nats.Conn, error) {
	return e.connect(nats.Name(name), nats.Timeout(timeout), logged(log),
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.IgnoreAuthErrorAbort())
}

// connect tries once, with e's options and opts.
func (e External) connect(opts ...nats.Option) (*nats.Conn, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	nc, err := nats.Connect(e.URL, append(e.options(), opts...)...)
	if wrong, is := errors.AsType[x509.HostnameError](err); is {
		return nil, fmt.Errorf("connect to %s: %w (the server's certificate is for %s)", e, err, strings.Join(namesOf(wrong.Certificate), ", "))
	}
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", e, err)
	}
	return nc, nil
}

// namesOf are the names and addresses that a certificate is for.
func namesOf(c *x509.Certificate) []string {
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	if len(names) == 0 {
		return []string{"no name at all"}
	}
	return names
}

// String is the URL without its passwords and tokens. It is cut as text, because a URL that
// does not parse is shown, too.
func (e External) String() string {
	var shown []string
	for address := range strings.SplitSeq(e.URL, ",") {
		shown = append(shown, redacted(strings.TrimSpace(address)))
	}
	return strings.Join(shown, ",")
}

// redacted is the URL of a nats-server without its secret: a password, or a token, which
// stands alone in the place of the user.
func redacted(address string) string {
	scheme, rest, has := strings.Cut(address, "://")
	if !has {
		scheme, rest = "", address
	} else {
		scheme += "://"
	}
	at := strings.LastIndexByte(rest, '@')
	if at < 0 {
		return address
	}
	user, _, named := strings.Cut(rest[:at], ":")
	if !named {
		return scheme + "xxxxx" + rest[at:]
	}
	return scheme + user + ":xxxxx" + rest[at:]
}

var inboxPrefixes = regexp.MustCompile(`^[^\s.*>]+(\.[^\s.*>]+)*$`)

// check returns an error for a file of the connection that is of no use, and for a URL that does
// not parse. The error does not repeat the URL, because the mistake in it may be a password.
func (e External) check() error {
	if err := e.checkFiles(); err != nil {
		return err
	}
	if e.InboxPrefix != "" && !inboxPrefixes.MatchString(e.InboxPrefix) {
		return fmt.Errorf("--nats-inbox-prefix %q is no subject: give parts with a dot between, such as _INBOX.app", e.InboxPrefix)
	}
	for address := range strings.SplitSeq(e.URL, ",") {
		address = strings.TrimSpace(address)
		whole := address
		if !strings.Contains(address, "://") {
			whole = "nats://" + address // as nats.go does
		}
		if u, err := url.Parse(whole); err == nil && strings.Count(u.Host, ":") <= 1+7*strings.Count(u.Host, "[") {
			continue
		}
		shown := redacted(address)
		if shown == address && strings.Contains(e.URL, "@") { // the first part of a password with a comma
			shown = "a part of it"
		}
		return fmt.Errorf("--nats-url: %s is no URL such as nats://user:password@host:4222; in a password, write %%25 for %%, %%2F for /, %%2C for a comma, %%20 for a space and so on", shown)
	}
	return nil
}

// dial tries for a while, because the server is often started together with the node.
func dial(ctx context.Context, connect func() (*nats.Conn, error)) (*nats.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, firstConnect, fmt.Errorf("not there within %v", firstConnect))
	defer cancel()
	again := time.NewTicker(4 * reconnectWait)
	defer again.Stop()
	for {
		nc, err := connect()
		if err == nil || !notThere(err) {
			return nc, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("%w (%w)", err, context.Cause(ctx))
		}
	}
}

// notThere reports whether err means that no server listens, that a load balancer before it
// accepted the connection and dropped it, or that the handshake stalled. An error from the
// server itself, such as an unknown user, is final.
func notThere(err error) bool {
	var network net.Error
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &network) ||
		pinged(err)
}

// pinged reports whether the server's first ping, which it sends after 2 s, came in the
// middle of a handshake. nats.go has no error of its own for that.
func pinged(err error) bool {
	return strings.Contains(err.Error(), "expected 'PONG', got 'PING'")
}

// asyncErrors logs the errors of nats.go that no call returns, at most one a second,
// because a client that sends faster than the node reads causes one error after the other.
type asyncErrors struct {
	log      *slog.Logger
	sometime rate.Sometimes
	unlogged int
}

func newAsyncErrors(log *slog.Logger) *asyncErrors {
	return &asyncErrors{log: log, sometime: rate.Sometimes{Interval: time.Second}}
}

// handle is a nats.ErrHandler; each connection calls its own, one at a time.
func (a *asyncErrors) handle(_ *nats.Conn, sub *nats.Subscription, err error) {
	a.unlogged++
	a.sometime.Do(func() {
		a.unlogged--
		subject := ""
		if sub != nil {
			subject = sub.Subject
		}
		a.log.Error("nats connection", "error", err, "subject", subject, "unlogged", a.unlogged)
		a.unlogged = 0
	})
}
