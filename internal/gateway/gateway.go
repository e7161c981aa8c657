package gateway

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/stationmaster-io/stationmaster/client"
	"github.com/stationmaster-io/stationmaster/console"
	"github.com/stationmaster-io/stationmaster/internal/cronjob"
	"github.com/stationmaster-io/stationmaster/internal/incident"
	"github.com/stationmaster-io/stationmaster/internal/metrics"
	"github.com/stationmaster-io/stationmaster/internal/token"
	"github.com/stationmaster-io/stationmaster/schema"
)

// Config of a gateway. The zero value of each field that is not required is usable.
type Config struct {
	// Client sends requests to the services. Required.
	Client *client.Client

	// Tokens are the accepted bearer tokens; see [ReadTokens]. They may be replaced, see
	// [Gateway.TokensReplaced]. Nil: only connections from this very machine are accepted,
	// without a token and as an operator.
	Tokens *Tokens

	// Origins are the origins whose pages may send requests; see [ReadOrigins]. Nil: none.
	Origins *Origins

	// Callbacks opens the tokens of callbacks of asynchronous calls. Nil: no callback is
	// accepted.
	Callbacks Callbacks

	// Sessions are those of browsers, beside tokens. Nil: there are none.
	Sessions *console.Sessions
	// ReadOnly has every token be a reader's. Callbacks are taken all the same.
	ReadOnly bool
	// BasePath begins the paths in answers; requests come without it. Empty: nothing.
	BasePath string
	// Node and Prefix are the node's name and the prefix of its installation, for those who
	// ask for their session.
	Node, Prefix string

	// Partitions is the number of partitions of the installation. Zero: 1.
	Partitions int
	// Streams reads the usage of the streams and buckets of the installation. Nil: it is unknown.
	Streams func(context.Context) ([]Stream, error)
	// LastResults reads the newest kept result of each of at most 100 plans that has one. Nil: they
	// are unknown.
	LastResults func(context.Context, []schema.PlanName) (map[schema.PlanName]*schema.Result, error)

	// Version is the release, for the OpenAPI document. Empty: 0.0.0.
	Version string
	// PublicURL is the URL of this gateway for clients, for the OpenAPI document. Empty:
	// the URL that the document was fetched from.
	PublicURL string

	// MaxRequests bounds the requests that are served at a time, except those with a token
	// of their own (callbacks) and searches of results. Zero: 256. One beyond them waits a second for its turn.
	MaxRequests int
	// MaxStreams bounds the live streams. Zero: 256. One beyond them ends the oldest of the
	// token with the most.
	MaxStreams int
	// Heartbeat is how often an idle live stream sends a comment. Zero: 15 s.
	Heartbeat time.Duration

	// Metrics count the requests. Nil: no counting.
	Metrics *metrics.API
	// Incidents report panics. Nil: they are logged, and not counted.
	Incidents *incident.Reporter

	// Now returns the time. Nil: time.Now.
	Now func() time.Time
	// Log gets the gateway's own errors, and each request at level debug. Nil:
	// slog.Default().
	Log *slog.Logger
}

// Callbacks opens callback tokens; [token.Key] is one.
type Callbacks interface {
	// Open returns the reply subject of the execution that a token was made for, the error
	// [token.ErrExpired] when the token has expired, or another.
	Open(token string, now time.Time) (reply string, err error)
}

var _ Callbacks = token.Key{}

// A Gateway is an http.Handler. It starts goroutines only while there are live streams, and for
// bulk jobs; Close ends them.
type Gateway struct {
	config   Config
	client   *client.Client
	jobs     *cronjob.Jobs
	live     *hub
	mux      *http.ServeMux
	served   *slots // of requests with a token
	open     *slots // of requests that need none
	searches *slots
	wrong    *guesses
	spec     document

	bodies, answers *semaphore.Weighted // bytes that are held

	bulks *bulks

	nodes   *shared[[]schema.Node]
	streams *shared[[]Stream]
}

// New makes a gateway. Its owner must call [Gateway.Close].
func New(c Config) *Gateway {
	if c.Version == "" {
		c.Version = "0.0.0"
	}
	if c.MaxRequests == 0 {
		c.MaxRequests = 256
	}
	if c.MaxStreams == 0 {
		c.MaxStreams = 256
	}
	if c.Partitions == 0 {
		c.Partitions = 1
	}
	if c.Heartbeat == 0 {
		c.Heartbeat = 15 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Origins == nil {
		c.Origins, _ = ReadOrigins(nil) // an empty list has no error
	}
	if c.Metrics == nil {
		c.Metrics = metrics.New(c.Version).API
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Incidents == nil {
		c.Incidents = incident.New(c.Log, metrics.New(c.Version))
	}
	g := &Gateway{
		config: c, client: c.Client, jobs: cronjob.New(c.Client, c.Now),
		live:     newHub(c.Client, c.MaxStreams, c.Incidents, c.Log),
		served:   newSlots(c.MaxRequests, 0, turnWithin),
		open:     newSlots(openSlots, openSlotsEach, turnWithin),
		searches: newSlots(searchSlots, 0, searchTurnWithin),
		wrong:    newGuesses(c.Log),
		spec:     newDocument(c.Version, cmp.Or(c.PublicURL, c.BasePath)),

		bodies:  semaphore.NewWeighted(maxBodies),
		answers: semaphore.NewWeighted(maxAnswers),

		bulks: newBulks(c),
	}
	g.nodes = newShared(c.Client.Nodes().List, nodesAge)
	g.streams = newShared(c.Streams, streamsAge)
	g.mux = g.routed()
	return g
}

// Close ends the live streams, each with a `bye` to its reader, and bulk jobs, and accepts no
// new ones. The HTTP server waits for other requests.
func (g *Gateway) Close(ctx context.Context) error {
	return errors.Join(g.bulks.close(ctx), g.live.close(ctx))
}

// TokensReplaced ends the live streams of tokens that are no reader's any more, or have stations,
// which may be others now, and the bulk jobs of those that are no operator's of all stations.
func (g *Gateway) TokensReplaced() {
	keeps := func(needed role) func(caller) bool {
		return func(who caller) bool {
			found := g.config.Tokens.of(who)
			return found.role.includes(needed) && found.stations == nil
		}
	}
	g.bulks.keep(keeps(operator))
	g.live.keep(keeps(reader))
}
