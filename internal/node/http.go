package node

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/internal/token"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker/httpworker"
)

// HTTPWorker configures the built-in worker of station http.
type HTTPWorker struct {
	// Concurrency is the number of calls that this node makes at once. Zero: none, it does
	// not serve the station.
	Concurrency int
	// LongestCall bounds a call: a plan with a longer timeout_seconds is refused, and the
	// calls of a plan that was stored before end at this bound. Zero: 15 minutes.
	LongestCall time.Duration
	// AllowPrivate lets private, loopback and link-local targets be called.
	AllowPrivate bool
	// Allow lists exceptions from the targets that are refused without AllowPrivate:
	// addresses, networks, names of hosts.
	Allow []string
	// Proxy is the address of a proxy through which calls go; empty: none.
	Proxy string
	// CAFile names a file of certificates, in PEM, that may sign those of targets, beside
	// the system's. It is read once. Empty: the system's alone.
	CAFile string
	// PublicURL begins the address of callbacks, as targets see it. Empty: http:// and the
	// address of HTTPListen.
	PublicURL string
}

// mostCalls is more than the open files that a process usually may have.
const mostCalls = 10_000

// mostCallTime is the longest timeout that a plan may ask for.
const mostCallTime = 24 * time.Hour

const defaultLongestCall = 15 * time.Minute

// validate returns every mistake in h, in the names of the flags.
func (h *HTTPWorker) validate() error {
	var errs []error
	if h.Concurrency < 0 || h.Concurrency > mostCalls {
		errs = append(errs, fmt.Errorf("--http-concurrency %d: give 0 to %d", h.Concurrency, mostCalls))
	}
	if h.LongestCall != 0 && (h.LongestCall < time.Second || h.LongestCall > mostCallTime) {
		errs = append(errs, fmt.Errorf("--http-longest-call %v: give 1s to %v", h.LongestCall, mostCallTime))
	}
	for _, address := range []struct{ flag, url string }{{"http-public-url", h.PublicURL}, {"http-proxy", h.Proxy}} {
		if address.url == "" {
			continue
		}
		if err := schema.CheckURL(address.url); err != nil {
			errs = append(errs, fmt.Errorf("--%s %q %w", address.flag, address.url, err))
		}
	}
	if err := httpworker.CheckAllowed(h.Allow); err != nil {
		errs = append(errs, fmt.Errorf("--http-allow: %w", err))
	}
	return errors.Join(errs...)
}

// A caller is the HTTP worker of a node, and its connection.
type caller struct {
	worker *httpworker.Worker
	nc     *nats.Conn
}

// serveHTTPStation starts the HTTP worker, unless this node makes no calls.
func (n *Node) serveHTTPStation(ctx context.Context, secret []byte, secrets *broker.Secrets) error {
	c := n.cfg.HTTPWorker
	if c.Concurrency == 0 {
		return nil
	}
	o := httpworker.Options{
		ID:           callerID(n.cfg.Node),
		Version:      n.cfg.Version,
		Prefix:       n.cfg.Prefix,
		Logger:       n.log,
		Concurrency:  c.Concurrency,
		Longest:      c.LongestCall,
		AllowPrivate: c.AllowPrivate,
		Allow:        c.Allow,
		CallbackURL:  n.publicURL(),
		Tokens:       token.New(secret),
		Secret:       secrets.Get,
		Named: func(ctx context.Context, name string) (*schema.NamedSecret, error) {
			secret, err := secrets.Named(ctx, name)
			if errors.Is(err, broker.ErrNotFound) {
				return nil, nil
			}
			return secret, err
		},
		Called: func(kind httpworker.Kind, class schema.HTTPClass, took time.Duration) {
			n.metrics.HTTPCalls.Ended(string(kind), class, took)
		},
		Moved: func(kind httpworker.Kind, made, waiting int) {
			n.metrics.HTTPCalls.Moved(string(kind), made, waiting)
		},
	}
	if c.Proxy != "" {
		proxy, err := url.Parse(c.Proxy)
		if err != nil {
			return fmt.Errorf("--http-proxy: %w", err)
		}
		o.Proxy = proxy
	}
	var err error
	if o.RootCAs, err = c.rootCAs(); err != nil {
		return err
	}
	nc, err := n.cfg.connect(ctx, n.server, "http worker")
	if err != nil {
		return err
	}
	w, err := httpworker.Start(nc, o)
	if err != nil {
		nc.Close()
		return err
	}
	n.caller = &caller{w, nc}
	return nil
}

// rootCAs are the certificates that sign those of targets; nil: the system's.
func (h *HTTPWorker) rootCAs() (*x509.CertPool, error) {
	if h.CAFile == "" {
		return nil, nil
	}
	file, err := os.ReadFile(h.CAFile)
	if err != nil {
		return nil, fmt.Errorf("--http-ca-file: %w", err)
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool() // a machine without any has this file alone
	}
	if !roots.AppendCertsFromPEM(file) {
		return nil, fmt.Errorf("--http-ca-file %s: there is no certificate in it; it takes PEM", h.CAFile)
	}
	return roots, nil
}

// callerID names the HTTP worker of a node.
func callerID(node string) string {
	id := "http-" + node
	return id[:min(len(id), schema.MaxName)]
}

// publicURL begins the address of callbacks; empty when there are none.
func (n *Node) publicURL() string {
	if n.cfg.HTTPWorker.PublicURL == "" && n.HTTPAddr() != "" {
		return "http://" + n.HTTPAddr()
	}
	return n.cfg.HTTPWorker.PublicURL
}

// stopHTTPStation ends the calls while there is still a scheduler that receives their
// replies.
func (n *Node) stopHTTPStation(ctx context.Context) error {
	if n.caller == nil {
		return nil
	}
	defer n.caller.nc.Close()
	stopped := make(chan error, 1)
	go func() { stopped <- n.caller.worker.Stop() }() // it ends by itself, some seconds later
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
		return fmt.Errorf("stop the http worker: %w", context.Cause(ctx))
	}
}
