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
	// ID names the worker, as [worker.Options] has it. Empty: a ULID is made.
	ID string
	// Version is shown beside the worker in workers.list. Empty: the program's own.
	Version string
	// Prefix is the installation's, in front of every subject. Empty: it has none.
	Prefix string
	// Logger gets warnings, and each call at level debug. Nil means slog.Default.
	Logger *slog.Logger

	// Concurrency is the number of calls that are made at once. Zero means 256; negative is
	// refused.
	Concurrency int
	// PerHost is the number of calls to one host at once. Zero means 64; negative is
	// refused.
	PerHost int

	// Longest bounds a call, also where the plan has a longer timeout. Zero means 15
	// minutes; negative is refused.
	Longest time.Duration

	// AllowPrivate lets every address be called. False: private, loopback, link-local and
	// other special ones are refused, but for those of Allow.
	AllowPrivate bool
	// Allow lists exceptions: addresses, networks such as 10.1.0.0/16, and names of hosts,
	// which may then resolve to any address. Nil: there are none. [CheckAllowed] checks one.
	Allow []string

	// Proxy is the HTTP proxy of all calls. Nil: there is none, because the environment's
	// is not used. Of the targets behind it only those written as addresses are checked.
	Proxy *url.URL
	// RootCAs sign the certificates of targets. Nil: the system's.
	RootCAs *x509.CertPool
	// Resolver finds the addresses of hosts. Nil: the system's.
	Resolver *net.Resolver

	// CallbackURL begins the addresses of callbacks: it is the gateway's, as targets reach
	// it, such as https://scheduler.example.org. Empty: ASYNC calls are refused.
	CallbackURL string
	// Secret returns the key that signs the callbacks of a station. Its error fails the
	// callback, which is then repeated. Nil: there is no key, and signed callbacks fail.
	Secret func(ctx context.Context, station string) (schema.Secret, error)
	// Named returns the secret that a plan names, or nil when there is none of the name, which
	// fails the call as its error does. Nil: there are none, and calls with one are refused.
	Named func(ctx context.Context, name string) (*schema.NamedSecret, error)
	// Tokens makes the tokens of callbacks; it is the installation's. Required.
	Tokens token.Key
	// Called counts a call that has ended: its kind, its class, and its duration, 0 if it
	// was not made. It must not block. Nil: calls are not counted.
	Called func(kind Kind, class schema.HTTPClass, took time.Duration)
	// Moved gets the calls of a kind that are being made, and those that wait for their
	// turn, after each change. It must not block. Nil: changes are not counted.
	Moved func(kind Kind, made, waiting int)
}

const (
	defaultConcurrency = 256
	defaultPerHost     = 64

	defaultLongest = 15 * time.Minute

	// A call that waits for its turn takes one part of the waiting room, and one more for each
	// bytesPerRoom of its execution. The room has roomPerCall parts for each call that may be
	// made, and mostRoom at most, because a caller with calls that wait must leave some for
	// the others.
	roomPerCall  = 64
	mostRoom     = 1 << 16
	bytesPerRoom = 16 << 10
	// runningAfter is longer than most calls take, because those then cost one message.
	runningAfter = 500 * time.Millisecond
	// drainTimeout is the time that a worker that stops lets calls finish.
	drainTimeout = 5 * time.Second

	maxResponseHead = 64 << 10
	idleTimeout     = 30 * time.Second
)

// A Worker serves stations http, queue and callback. Its connection to NATS stays the
// caller's.
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

// Kind is the purpose of a call.
type Kind string

// The kinds of calls.
const (
	ForPlan     Kind = "plan"     // a plan of station http
	ForQueue    Kind = "queue"    // the items of a merge queue
	ForCallback Kind = "callback" // the result of an occurrence, to the address that its station names
)

// Start makes a worker that serves from then on, until [Worker.Stop]. It returns when the NATS
// server has its subscriptions, and fails when an option is wrong, or as
// [worker.Worker.Start] does.
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

// Stop takes no more executions, lets calls finish for 5 s, ends the others, and waits until
// their results are acknowledged. It fails as [worker.Worker.Stop] does. Calling it again
// waits for the first call.
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
		// The proxy may have an address that no target may have. Only the proxy is dialled;
		// the guard checks targets by their names.
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
	w.client = &http.Client{Transport: once{w.transport}}
	return w, nil
}

// waitingRoom returns the size of the waiting room for so many calls at once.
func waitingRoom(calls int) int { return min(calls*roomPerCall, mostRoom) }

// refusedByProxy is the error of a tunnel that the proxy refuses, with its status.
func refusedByProxy(_ context.Context, _ *url.URL, _ *http.Request, answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	return fmt.Errorf("the proxy answered %s", answer.Status)
}
