package httpworker

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/internal/token"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/worker"
)

// Options of the HTTP worker. Tokens must be set; all else may be zero.
type Options struct {
	// ID, Version, Prefix and Logger are those of [worker.Options].
	ID, Version, Prefix string
	Logger              *slog.Logger

	// Concurrency is how many calls are made at once. Zero means 256.
	Concurrency int
	// PerHost is how many of them go to one host. Zero means 64.
	PerHost int

	// Longest bounds a call, whatever its plan says. Zero means 15 minutes.
	Longest time.Duration

	// AllowPrivate lets every address be called; else private, loopback, link-local
	// and other special ones are refused.
	AllowPrivate bool
	// Allow lists exceptions: addresses, networks such as 10.1.0.0/16, and names of
	// hosts, which may then resolve to anything.
	Allow []string

	// Proxy makes all calls in our place; nil: none, whatever the environment says.
	// Of the targets behind it only those written as addresses are checked here.
	Proxy *url.URL
	// RootCAs sign the certificates of targets. Nil: the system's.
	RootCAs *x509.CertPool
	// Resolver finds the addresses of hosts. Nil: the system's.
	Resolver *net.Resolver

	// CallbackURL is what the addresses of callbacks begin with: the gateway's, as
	// targets see it, such as https://scheduler.example.org. Empty: ASYNC calls are
	// refused.
	CallbackURL string
	// Secret returns what the callbacks of a station are signed with. Nil: there is none,
	// and callbacks that want to be signed fail.
	Secret func(ctx context.Context, station string) (schema.Secret, error)
	// Named returns the secret that plans name. Nil: there are none, and calls that are made
	// with one are refused.
	Named func(ctx context.Context, name string) (*schema.NamedSecret, error)
	// Tokens makes the tokens of callbacks; it is the installation's.
	Tokens token.Key
	// Called hears of each call: for which kind of station, how it ended, and how long it
	// took, 0 if it was not made. It must not block. Nil: nobody does.
	Called func(kind Kind, class schema.HTTPClass, took time.Duration)
	// Moved hears, each time that it changes, how many calls of a kind are made and how many
	// wait for their turn. It must not block. Nil: nobody does.
	Moved func(kind Kind, made, waiting int)
}

const (
	defaultConcurrency = 256
	defaultPerHost     = 64

	defaultLongest = 15 * time.Minute

	// A call that waits for its turn takes one part of the room for those, and one more for
	// each bytesPerRoom that its execution has. There are roomPerCall for each call that may
	// be made, and mostRoom at most: a caller whose calls wait must leave some for the others.
	roomPerCall  = 64
	mostRoom     = 1 << 16
	bytesPerRoom = 16 << 10
	// runningAfter is longer than most calls take, so that they cost one message.
	runningAfter = 500 * time.Millisecond
	// drainTimeout is how long a worker that stops lets calls finish.
	drainTimeout = 5 * time.Second

	maxResponseHead = 64 << 10
	idleTimeout     = 30 * time.Second
)

// A Worker serves station http. Its connection to NATS stays the caller's.
type Worker struct {
	sdk       *worker.Worker
	transport *http.Transport
	client    *http.Client
	guard     *guard
	gate      *gate
	proxied   bool
	longest   time.Duration
	tokens    token.Key
	callbacks string // without a slash at the end; empty: none
	secret    func(ctx context.Context, station string) (schema.Secret, error)
	named     func(ctx context.Context, name string) (*schema.NamedSecret, error)
	called    func(kind Kind, class schema.HTTPClass, took time.Duration)
	log       *slog.Logger
}

// Kind says what a call is for.
type Kind string

// What calls are for.
const (
	ForPlan     Kind = "plan"     // station http
	ForQueue    Kind = "queue"    // the items of a merge queue
	ForCallback Kind = "callback" // a result that somebody is called back about
)

// Start begins to serve, and returns when the server knows of it. It fails when an
// option is wrong. Whoever starts a worker calls [Worker.Stop].
func Start(nc *nats.Conn, o Options) (*Worker, error) {
	w, err := assemble(o)
	if err != nil {
		return nil, fmt.Errorf("http worker: %w", err)
	}
	w.sdk, err = worker.New(nc, worker.Options{
		ID: o.ID, Version: o.Version, Prefix: o.Prefix, Logger: o.Logger,
		Concurrency:  w.gate.places.size + w.gate.room.size,
		RunningAfter: runningAfter,
		DrainTimeout: drainTimeout,
	})
	if err != nil {
		return nil, fmt.Errorf("http worker: %w", err)
	}
	w.sdk.Handle(schema.HTTPStation, schema.HTTPCommand, w.handle)
	w.sdk.Handle(schema.QueueStation, schema.QueueCommand, w.handleQueue)
	w.sdk.Handle(schema.CallbackStation+".>", schema.CallbackCommand, w.handleCallback)
	if err := w.sdk.Start(); err != nil {
		return nil, fmt.Errorf("http worker: %w", err)
	}
	return w, nil
}

// Stop takes no more executions, lets calls finish for some seconds, ends the others,
// and waits until their results are acknowledged. Calling it again waits for the
// first call.
func (w *Worker) Stop() error {
	defer w.transport.CloseIdleConnections()
	if err := w.sdk.Stop(); err != nil {
		return fmt.Errorf("http worker: %w", err)
	}
	return nil
}

// assemble makes all but the connection to NATS.
func assemble(o Options) (*Worker, error) {
	if o.Concurrency < 0 || o.PerHost < 0 || o.Longest < 0 {
		return nil, errors.New("concurrency, calls per host and the longest call must not be negative")
	}
	if o.Longest == 0 {
		o.Longest = defaultLongest
	}
	if o.Concurrency == 0 {
		o.Concurrency = defaultConcurrency
	}
	if o.PerHost == 0 {
		o.PerHost = defaultPerHost
	}
	if o.CallbackURL != "" {
		if err := schema.CheckURL(o.CallbackURL); err != nil {
			return nil, fmt.Errorf("callback url %w", err)
		}
	}
	guard, err := newGuard(o.AllowPrivate, o.Allow, o.Resolver)
	if err != nil {
		return nil, err
	}
	dial := guard.dial
	if o.Proxy != nil {
		// The proxy may be where no target may. Nothing else is dialled; targets are held
		// to the guard by their names.
		dial = guard.free.DialContext
	}
	w := &Worker{
		guard:     guard,
		proxied:   o.Proxy != nil,
		longest:   o.Longest,
		tokens:    o.Tokens,
		callbacks: strings.TrimRight(o.CallbackURL, "/"),
		secret:    o.Secret,
		named:     o.Named,
		called:    o.Called,
		log:       o.Logger,
	}
	if w.log == nil {
		w.log = slog.Default()
	}
	if w.called == nil {
		w.called = func(Kind, schema.HTTPClass, time.Duration) {}
	}
	if o.Moved == nil {
		o.Moved = func(Kind, int, int) {}
	}
	w.gate = newGate(o.Concurrency, o.PerHost, o.Moved)
	w.transport = &http.Transport{
		DialContext:            dial,
		Proxy:                  http.ProxyURL(o.Proxy),
		OnProxyConnectResponse: refusedByProxy,
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    dialTimeout,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true, // a body is kept as it was sent
		MaxConnsPerHost:        o.PerHost,
		MaxIdleConnsPerHost:    o.PerHost,
		MaxIdleConns:           o.Concurrency,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxResponseHead,
	}
	w.client = &http.Client{Transport: w.transport}
	return w, nil
}

// waitingRoom is for so many calls that are made at once.
func waitingRoom(calls int) int { return min(calls*roomPerCall, mostRoom) }

// refusedByProxy says whose status it was that a tunnel was refused with.
func refusedByProxy(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return fmt.Errorf("the proxy answered %s", answer.Status)
}
