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
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/time/rate"

	"github.com/stationmaster-io/stationmaster/broker/embed"
)

const (
	// reconnectWait is a tenth of nats.go's: a leader that is cut off for longer
	// than its lease has lost it.
	reconnectWait = 100 * time.Millisecond
	// pingInterval finds a frozen server within three of them.
	pingInterval = time.Second
	// handshake is longer than nats.go's 2 s: a machine that stands still for as long
	// must not end a node that starts.
	handshake = 5 * time.Second
	// firstConnect bounds the wait for a server that is not there yet.
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

// logged has the log say when a connection goes, and when it is back.
func logged(log *slog.Logger) nats.Option {
	return func(o *nats.Options) error {
		o.DisconnectedErrCB = func(_ *nats.Conn, err error) {
			if err != nil { // nil: we closed it ourselves
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

// options are those of credentials, inboxes and TLS.
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

// Connect opens a connection for a client's own use: it tries once, for as long as
// timeout with each server, and comes back by itself, for ever, when it is lost later.
// Both are said in the log.
func (e External) Connect(name string, timeout time.Duration, log *slog.Logger) (*nats.Conn, error) {
	return e.connect(nats.Name(name), nats.Timeout(timeout), logged(log),
		nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.IgnoreAuthErrorAbort())
}

// connect tries once, with what e says and opts.
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

// String is the URL without the passwords and tokens in it. It is shown when the URL is
// wrong, too, so it is looked at as text.
func (e External) String() string {
	var shown []string
	for address := range strings.SplitSeq(e.URL, ",") {
		shown = append(shown, redacted(strings.TrimSpace(address)))
	}
	return strings.Join(shown, ",")
}

// redacted is the URL of a nats-server without what is secret in it: a password, or what
// stands where the user does alone, which is a token.
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

// check tells of a URL that cannot be read without repeating it: a password may be what is
// wrong with it.
func (e External) check() error {
	for _, name := range []string{e.Creds, e.NKey, e.TLSCA, e.TLSCert, e.TLSKey} {
		if name == "" {
			continue
		}
		file, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("read what is needed to connect: %w", err)
		}
		_ = file.Close() // it was not read yet
	}
	for address := range strings.SplitSeq(e.URL, ",") {
		address = strings.TrimSpace(address)
		whole := address
		if !strings.Contains(address, "://") {
			whole = "nats://" + address // as nats.go does
		}
		if _, err := url.Parse(whole); err == nil {
			continue
		}
		shown := redacted(address)
		if shown == address && strings.Contains(e.URL, "@") { // the beginning of a password with a comma
			shown = "a part of it"
		}
		return fmt.Errorf("nats-url: %s is no URL such as nats://user:password@host:4222; in a password, write %%25 for %%, %%2F for /, %%2C for a comma, %%20 for a space and so on", shown)
	}
	return nil
}

// dial tries for a while: a server that starts together with us is usual.
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

// notThere says that err is of a server that does not listen, or of something before
// it that took the connection and dropped it, as load balancers do, or of a handshake
// that came to a standstill. What a server says itself, such as that it does not know
// the user, is final.
func notThere(err error) bool {
	var network net.Error
	return errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &network) ||
		pinged(err)
}

// pinged says that the server's first ping, which it sends after 2 s, came in the
// middle of a handshake. nats.go has no error of its own for that.
func pinged(err error) bool {
	return strings.Contains(err.Error(), "expected 'PONG', got 'PING'")
}

// asyncErrors reports what nats.go can tell nobody else, at most once a second: who
// sends more than is read causes one error after the other.
type asyncErrors struct {
	log      *slog.Logger
	sometime rate.Sometimes
	unlogged int
}

func newAsyncErrors(log *slog.Logger) *asyncErrors {
	return &asyncErrors{log: log, sometime: rate.Sometimes{Interval: time.Second}}
}

// handle is a nats.ErrHandler; each connection calls its own one at a time.
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
