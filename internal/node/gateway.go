package node

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/stationmaster-io/stationmaster/broker"
	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/console"
	"github.com/stationmaster-io/stationmaster/internal/gateway"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/token"
	"github.com/stationmaster-io/stationmaster/schema"
	"github.com/stationmaster-io/stationmaster/schema/wire"
)

// rest is the part of the HTTP side beside the probes: the gateway, on a connection of its
// own, so that the streams of its readers delay nothing else, and the console.
type rest struct {
	tokens *gateway.Tokens // nil: no file is named
	// tokenFile is the file that they were read from, and reread has it be read again.
	tokenFile os.FileInfo
	reread    chan struct{}
	stale     atomic.Bool // the file cannot be used, and the tokens are those from before
	origins   *gateway.Origins
	base      string // the beginning of all paths
	console   http.Handler
	conn      *nats.Conn
	gateway   atomic.Pointer[gateway.Gateway] // nil: not started yet
}

// newRest reads the file of tokens, and makes the console.
func newRest(tokenFile string, origins []string, base string, log *slog.Logger) (r *rest, err error) {
	r = &rest{base: base, reread: make(chan struct{}, 1)}
	r.console = console.Handler(console.Config{Base: base, Session: func(q *http.Request) []byte { return r.gateway.Load().Session(q) }})
	if r.origins, err = gateway.ReadOrigins(origins); err != nil {
		return nil, fmt.Errorf("--http-origins: %w", err)
	}
	if tokenFile == "" {
		return r, nil
	}
	// Before it is read, so that a change meanwhile is seen.
	if r.tokenFile, err = os.Stat(tokenFile); err != nil {
		return nil, fmt.Errorf("--http-token-file: %w", err)
	}
	r.tokens, err = readTokens(tokenFile, log)
	return r, err
}

// ServeHTTP gives the request to the console or the gateway. Paths without the base are served,
// too, because a proxy may have taken it off.
func (r *rest) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	g := r.gateway.Load()
	if g == nil {
		w.Header().Set("Retry-After", "1")
		writeText(w, http.StatusServiceUnavailable, "not ready: the program is starting")
		return
	}
	switch q = r.withoutBase(q); {
	case strings.HasPrefix(q.URL.Path, console.Path):
		r.console.ServeHTTP(w, q)
	case q.URL.Path+"/" == console.Path, q.URL.Path == "/" && wantsPage(q):
		http.Redirect(w, q, r.base+console.Path, http.StatusFound)
	default:
		g.ServeHTTP(w, q)
	}
}

// withoutBase returns a request with the path behind the base.
func (r *rest) withoutBase(q *http.Request) *http.Request {
	path, ok := strings.CutPrefix(q.URL.Path, r.base)
	if r.base == "" || !ok || path != "" && path[0] != '/' {
		return q
	}
	short := new(http.Request)
	*short = *q
	short.URL = new(url.URL)
	*short.URL = *q.URL
	short.URL.Path = cmp.Or(path, "/")
	// The base has no character that is percent-encoded.
	short.URL.RawPath = strings.TrimPrefix(q.URL.RawPath, r.base)
	return short
}

// wantsPage reports whether a request is a browser's, for a page.
func wantsPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// openGateway starts the gateway behind the HTTP side, if there is one; secret is the
// installation's, from which the key of callback tokens is derived.
func (n *Node) openGateway(ctx context.Context, store *broker.Store, secret []byte) (err error) {
	if n.probes == nil {
		return nil
	}
	if n.rest.conn, err = n.cfg.connect(ctx, n.server, "gateway"); err != nil {
		return err
	}
	asking, err := client.New(n.rest.conn, client.Options{Prefix: n.cfg.Prefix})
	if err != nil {
		return err
	}
	n.rest.gateway.Store(gateway.New(gateway.Config{
		Client:    asking,
		Tokens:    n.rest.tokens,
		Origins:   n.rest.origins,
		Callbacks: token.New(secret),
		Sessions:  console.NewSessions(secret, strings.HasPrefix(n.cfg.HTTPWorker.PublicURL, "https://")),
		ReadOnly:  n.cfg.HTTPReadOnly,
		BasePath:  n.cfg.HTTPBasePath,
		Node:      n.cfg.Node,
		Prefix:    n.cfg.Prefix,

		Partitions:  n.cfg.Partitions,
		Streams:     streamsOf(store),
		LastResults: lastResultsOf(store, schema.Space{Prefix: n.cfg.Prefix, Partitions: n.cfg.Partitions}),

		Metrics:   n.metrics.API,
		Incidents: incident.New(n.log, n.metrics),
		Version:   n.cfg.Version,
		PublicURL: n.cfg.HTTPWorker.PublicURL,
		Log:       n.log,
	}))
	if n.rest.tokens != nil {
		n.parts.Go(func() { n.watchTokens(n.running) })
	}
	return nil
}

// stopGateway ends the live streams, because the shutdown of HTTP would wait for them.
func (n *Node) stopGateway(ctx context.Context) error {
	if n.rest == nil {
		return nil
	}
	if g := n.rest.gateway.Load(); g != nil {
		if err := g.Close(ctx); err != nil {
			return fmt.Errorf("stop the gateway: %w", err)
		}
	}
	return nil
}

// closeGateway closes the gateway's connection after the last request.
func (n *Node) closeGateway(ctx context.Context) error {
	if n.rest == nil {
		return nil
	}
	return drain(ctx, n.rest.conn)
}

// streamsOf reads the usage of the streams of an installation, for the gateway.
func streamsOf(store *broker.Store) func(context.Context) ([]gateway.Stream, error) {
	return func(ctx context.Context) ([]gateway.Stream, error) {
		usage, err := store.Usage(ctx)
		if err != nil {
			return nil, err
		}
		all := make([]gateway.Stream, len(usage))
		for i, u := range usage {
			all[i] = gateway.Stream{
				Name: u.Name, Kind: gateway.KindStream, Messages: u.Messages, Bytes: u.Bytes,
				MaxBytes: max(u.MaxBytes, 0), Replicas: u.Replicas,
			}
			if u.Bucket {
				all[i].Kind = gateway.KindBucket
			}
		}
		return all, nil
	}
}

// lastResultsOf reads the newest results of plans, for the gateway. A stored message that is no
// result is left out, because any client with the right to publish there may have sent it.
func lastResultsOf(store *broker.Store, space schema.Space) func(context.Context, []schema.PlanName) (map[schema.PlanName]*schema.Result, error) {
	return func(ctx context.Context, names []schema.PlanName) (map[schema.PlanName]*schema.Result, error) {
		of := make(map[string]schema.PlanName, len(names))
		subjects := make([]string, len(names))
		for i, name := range names {
			subjects[i] = space.Result(name.Station, name.PlanID)
			of[subjects[i]] = name
		}
		last := make(map[schema.PlanName]*schema.Result, len(names))
		err := store.Results().LastOfEach(ctx, subjects, func(s broker.StoredResult) {
			r := new(schema.Result)
			if v, err := wire.Scan(s.Body, wire.Limits{Items: len(s.Body)}); err == nil && wire.DecodeLoose(v, r) == nil {
				last[of[s.Subject]] = r
			}
		})
		return last, err
	}
}
